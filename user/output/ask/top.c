// SPDX-License-Identifier: GPL-2.0-only
/* Who used most, collected: see top.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/ask/top.h"
#include "world/pages.h"

static struct top_row *new_row(struct top *top, u64 id)
{
	struct top_row *row = calloc(1, sizeof(*row));

	if (!row || idmap_set(&top->rows, id, row)) {
		free(row);
		return NULL;
	}
	row->who.number = top->rows.nr;
	return row;
}

static void set_name(struct top_row *row, const char *name)
{
	snprintf(row->name, sizeof(row->name), "%s", name);
}

static struct top_row *cpu_row(const struct top *top, u32 nr)
{
	u32 i = world_cpu_index(top->report.world, nr);

	return likely(i < top->report.nr_cpus) ? &top->cpus[i] : NULL;
}

/* The row that a task is added to. */
static struct top_row *row_of(const struct top *top, const struct trace_task *task)
{
	struct idmap_slot *slot;

	if (top->by == TOP_BY_CPU)
		return cpu_row(top, task->cpu);
	slot = idmap_get(&top->rows, task->thread_task);
	return slot ? slot->ptr : NULL;
}

static void on_thread_start(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct top *top = data;
	struct top_row *row;

	if (task->kind != TASKS_THREAD)
		return;
	row = new_row(top, task->id);
	if (!row) {
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	row->id = task->tid;
	row->process = report_process_of(&top->report, task);
	set_name(row, task->what);
}

/* A thread got a CPU. */
static void on_cpu_start(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct top *top = data;
	struct top_row *row;

	if (task->kind != TASKS_RUN || task->thread_task != top->waited_thread ||
	    task->start != top->waited)
		return;
	row = cpu_row(top, task->cpu);
	if (row)
		report_time(&row->times, top->waited_ns);
	top->waited_thread = 0;
}

/* A wait for a CPU does not say of which: the run after it does. */
static void note_wait(struct top *top, const struct trace_task *task)
{
	if (task->kind != TASKS_WAIT || task->code > TASKS_WAIT_QUEUE_LAST)
		return;
	top->waited = task->end;
	top->waited_ns = lasts(task);
	top->waited_thread = task->thread_task;
}

/* A thread is moved to a CPU: its task does not say to which one. */
static void on_migrate(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct top_row *row = cpu_row(data, it->to);

	if (row && it->task->tid)
		row->who.sum.migrations++;
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	const struct report_process *p;
	struct top *top = data;
	struct top_row *row;

	if (task->kind == TASKS_FILE || (task->kind == TASKS_THREAD && top->by == TOP_BY_CPU))
		return;
	note_wait(top, task);
	row = row_of(top, task);
	if (!row)
		return;
	/* Its last name. */
	if (task->kind == TASKS_THREAD)
		set_name(row, task->what);
	p = report_process_of(&top->report, task);
	sums_add(&row->who.sum, task, p && p->recorder);
}

static void on_page(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_add *rec = world_page(it);
	const struct trace_file id = {
		.dev = rec->dev, .generation = rec->generation, .ino = rec->ino,
	};
	struct top *top = data;
	struct report_file *file = report_file_get(&top->report.files, &id);

	if (!file) {
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	*(ctx->position == WORLD_PAGE_ADD ? &file->added : &file->removed) += world_pages(it);
}

int top_attach_files(struct top *top)
{
	struct hookable *world = &top->report.world->hooks;

	top->report.files.pages = true;
	return hook_attach(world, WORLD_PAGE_ADD, on_page, top) ?:
	       hook_attach(world, WORLD_PAGE_REMOVE, on_page, top);
}

static int attach_rows(struct top *top, struct hookable *tasks, hook_fn on_start)
{
	return hook_attach(tasks, TASKS_AT_START, on_start, top) ?:
	       hook_attach(tasks, TASKS_AT_END, on_end, top);
}

static int attach_cpu(struct top *top, struct hookable *tasks)
{
	u32 i, nr = top->report.nr_cpus;

	top->cpus = calloc(nr + 1, sizeof(*top->cpus));
	if (!top->cpus)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		top->cpus[i].who.number = i + 1;
		top->cpus[i].id = top->report.cpus[i].nr;
	}
	return attach_rows(top, tasks, on_cpu_start) ?:
	       hook_attach(&top->report.world->hooks, WORLD_MIGRATE, on_migrate, top);
}

int top_attach_tasks(struct top *top, struct hookable *tasks)
{
	int ret = report_attach_tasks(&top->report, tasks);

	if (ret)
		return ret;
	switch (top->by) {
	case TOP_BY_FILE:
		return top_attach_files(top);
	case TOP_BY_THREAD:
		return attach_rows(top, tasks, on_thread_start);
	case TOP_BY_CPU:
		return attach_cpu(top, tasks);
	}
	return 0;
}

static struct top_row *rows_of(struct report_process *const *list, size_t nr)
{
	struct top_row *rows = calloc(nr + 1, sizeof(*rows));
	size_t i;

	for (i = 0; rows && i < nr; i++)
		rows[i].who = *list[i];
	return rows;
}

static struct top_row *program_rows(struct report_process **list, size_t *nr)
{
	struct report_process *sums = report_programs(list, nr);
	struct top_row *rows = sums ? calloc(*nr + 1, sizeof(*rows)) : NULL;
	size_t i;

	for (i = 0; rows && i < *nr; i++)
		rows[i].who = sums[i];
	free(sums);
	return rows;
}

static struct top_row *process_rows(struct top *top, size_t *nr)
{
	struct report_process **list = report_processes(&top->report);
	struct top_row *rows = NULL;

	*nr = top->report.nr_covered;
	if (list)
		rows = top->by == TOP_BY_COMM ? program_rows(list, nr) : rows_of(list, *nr);
	free(list);
	return rows;
}

/* The recorder's threads are one row. */
static void add_own(struct top_row *own, const struct top_row *row)
{
	sums_add_sum(&own->who.sum, &row->who.sum);
	own->who.number = row->who.number;
	own->who.recorder = true;
	own->process = row->process;
	own->id = row->process->pid;
	set_name(own, row->process->name);
}

static struct top_row *thread_rows(struct top *top, size_t *nr)
{
	struct top_row *rows = calloc(top->rows.nr + 2, sizeof(*rows)), *row = rows;
	struct top_row own = { 0 };
	struct idmap_slot *slot = NULL;

	while (rows && (slot = idmap_next(&top->rows, slot))) {
		memcpy(row, slot->ptr, sizeof(*row));
		if (row->process && !report_covers(&top->report, row->process))
			continue;
		row->who.sum.threads = 1;
		if (row->process && row->process->recorder)
			add_own(&own, row);
		else
			row++;
	}
	if (rows && own.process)
		*row++ = own;
	*nr = row - rows;
	return rows;
}

void top_add_file(struct top_row *row, const struct report_file *file)
{
	report_add_io(&row->who.sum.io, &file->io);
	report_add(&row->added, file->added);
	report_add(&row->removed, file->removed);
	row->who.sum.bytes = report_bytes(&row->who.sum.io);
}

static struct top_row *file_rows(struct top *top, size_t *nr, struct top_row *all)
{
	struct report_file **list = report_files_sorted(&top->report.files, false, nr);
	struct top_row *rows = list ? calloc(*nr + 1, sizeof(*rows)) : NULL;
	size_t i;

	memset(&all->who.sum.io, 0, sizeof(all->who.sum.io));
	top_add_file(all, &top->report.files.others);
	for (i = 0; rows && i < *nr; i++) {
		rows[i].who.number = i + 1;
		rows[i].file = list[i];
		top_add_file(&rows[i], list[i]);
		top_add_file(all, list[i]);
	}
	free(list);
	return rows;
}

static struct top_row *cpu_rows(const struct top *top, size_t *nr)
{
	struct top_row *rows = calloc(top->report.nr_cpus + 1, sizeof(*rows));

	*nr = top->report.nr_cpus;
	if (rows)
		memcpy(rows, top->cpus, *nr * sizeof(*rows));
	return rows;
}

static struct top_row *make_rows(struct top *top, size_t *nr, struct top_row *all)
{
	switch (top->by) {
	case TOP_BY_FILE:
		return file_rows(top, nr, all);
	case TOP_BY_THREAD:
		return thread_rows(top, nr);
	case TOP_BY_CPU:
		return cpu_rows(top, nr);
	case TOP_BY_REASON:
		return top_reason_rows(top, nr, all);
	}
	return process_rows(top, nr);
}

static void complete(struct top_row *row)
{
	if (!row->process)
		return;
	memcpy(row->who.name, row->process->name, sizeof(row->who.name));
	row->who.pid = row->process->pid;
}

struct top_row *top_rows(struct top *top, size_t *nr, struct top_row *all)
{
	struct top_row *rows;
	size_t i;

	report_settle(&top->report);
	*all = (struct top_row){ .who = top->report.all };
	rows = make_rows(top, nr, all);
	if (!rows)
		return NULL;
	for (i = 0; i < *nr; i++)
		complete(&rows[i]);
	return rows;
}

void top_free(struct top *top)
{
	struct idmap_slot *slot = NULL;

	report_free(&top->report);
	while ((slot = idmap_next(&top->rows, slot)))
		free(slot->ptr);
	idmap_free(&top->rows);
	free(top->cpus);
	top->cpus = NULL;
}
