// SPDX-License-Identifier: GPL-2.0-only
/* What threads did and why they waited, for "top --by reason". */
#include <stdio.h>
#include <stdlib.h>

#include "output/ask/top.h"

static const struct report_times *times_of(const struct sum *sum, u32 reason)
{
	if (reason == TOP_RUNNING)
		return &sum->cpu;
	return reason == TOP_UNKNOWN ? &sum->unknown : &sum->wait[reason];
}

static const char *name_of(u32 reason)
{
	if (reason == TOP_RUNNING)
		return "running";
	return reason == TOP_UNKNOWN ? "not known" : tasks_wait_texts[reason];
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

static void add_all(const struct top *top, struct report_process *const *list,
		    struct top_row *row, u32 reason)
{
	u32 i;

	row->who.number = reason + 1;
	snprintf(row->name, sizeof(row->name), "%s", name_of(reason));
	for (i = 0; i < top->report.nr_covered; i++)
		add(row, list[i], times_of(&list[i]->sum, reason));
}

struct top_row *top_reason_rows(struct top *top, size_t *nr, struct top_row *all)
{
	struct report_process **list = report_processes(&top->report);
	struct top_row *rows = list ? calloc(TOP_NR_REASONS, sizeof(*rows)) : NULL;
	u32 i;

	*nr = TOP_NR_REASONS;
	for (i = 0; rows && i < TOP_NR_REASONS; i++) {
		add_all(top, list, &rows[i], i);
		report_add_times(&all->times, &rows[i].times);
	}
	free(list);
	return rows;
}
