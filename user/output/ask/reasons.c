// SPDX-License-Identifier: GPL-2.0-only
/*
 * What threads did and why they waited, for "top --by reason".
 *
 * Processes that are left out, see report_settle(), are known at the end only: each process has
 * sums of its own until then.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/ask/top.h"
#include "output/tracers/builtin/sum.h"

static u32 reason_of(const struct trace_task *task)
{
	switch (task->kind) {
	case TASKS_WAIT:
		return task->code;
	case TASKS_RUN:
		return TOP_RUNNING;
	case TASKS_UNKNOWN:
		return TOP_UNKNOWN;
	}
	return TOP_NR_REASONS;
}

static struct top_reasons *reasons_of(struct top *top, const struct trace_task *task)
{
	struct top_reasons *reasons = idmap_ptr(&top->rows, task->tgid_task);

	if (reasons)
		return reasons;
	reasons = calloc(1, sizeof(*reasons));
	if (!reasons || idmap_set(&top->rows, task->tgid_task, reasons)) {
		free(reasons);
		return NULL;
	}
	reasons->process = report_process_of(&top->report, task);
	return reasons;
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	u32 reason = reason_of(task);
	struct top_reasons *reasons;
	struct top *top = data;

	if (reason >= TOP_NR_REASONS || !task->tgid_task)
		return;
	reasons = reasons_of(top, task);
	if (!reasons) {
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	report_time(&reasons->times[reason], lasts(task));
}

static void name_row(struct top *top, u32 reason, const char *name)
{
	struct top_row *row = &top->cpus_or_reasons[reason];

	snprintf(row->name, sizeof(row->name), "%s", name);
}

int top_attach_reasons(struct top *top, struct hookable *tasks)
{
	u32 i;

	if (top_new_rows(top, TOP_NR_REASONS))
		return -ENOMEM;
	for (i = 0; i < TASKS_NR_WAITS; i++)
		name_row(top, i, tasks_wait_texts[i]);
	name_row(top, TOP_RUNNING, "running");
	name_row(top, TOP_UNKNOWN, "not known");
	return hook_attach(tasks, TASKS_AT_END, on_end, top);
}

/* Of processes with equal times, the one that appeared first has the longest. */
static void add(struct top_row *row, const struct report_process *process,
		const struct report_times *times)
{
	bool longer = times->longest > row->times.longest ||
		      (times->longest == row->times.longest && row->process &&
		       process->number < row->process->number);

	if (!times->nr)
		return;
	if (longer || !row->times.nr)
		row->process = process;
	report_add_times(&row->times, times);
}

void top_sum_reasons(struct top *top)
{
	struct idmap_slot *slot = NULL;
	u32 i;

	while ((slot = idmap_next(&top->rows, slot))) {
		const struct top_reasons *reasons = slot->ptr;

		if (!reasons->process || !report_covers(&top->report, reasons->process))
			continue;
		for (i = 0; i < TOP_NR_REASONS; i++)
			add(&top->cpus_or_reasons[i], reasons->process, &reasons->times[i]);
	}
}
