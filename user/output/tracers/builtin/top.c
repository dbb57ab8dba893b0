// SPDX-License-Identifier: GPL-2.0-only
/* Which tasks took longest, grouped by process, thread, what they do, or where. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/args.h"
#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/groups.h"

#define ROWS		20
#define ROWS_MAX	1000000

enum top_by {
	BY_PID,
	BY_TID,
	BY_WHAT,
	BY_WHERE,
	BY_PROCESS,
};

static const char *const by_names[] = {
	[BY_PID] = "pid", [BY_TID] = "tid", [BY_WHAT] = "what", [BY_WHERE] = "where",
	[BY_PROCESS] = "process",
};

/**
 * struct top - Tasks by something.
 * @by: enum top_by
 * @rows: most rows to report
 * @groups: all groups; for by=process one per process, which gets its name when it ends
 */
struct top {
	unsigned int by;
	u64 rows;
	struct groups groups;
};

static int choose_by(struct top *t, const char *name)
{
	for (t->by = 0; name && t->by < ARRAY_SIZE(by_names); t->by++) {
		if (!strcmp(name, by_names[t->by]))
			return 0;
	}
	if (name)
		tracer_report_error("by=%s: not one of pid, tid, what, where, process", name);
	else
		tracer_report_error("needs a group: by=pid, by=tid, by=what, by=where or by=process");
	return -EINVAL;
}

static int top_parse(void *data, const char *args)
{
	struct top *t = data;
	char *by = NULL;
	const struct args_key keys[] = {
		{ .name = "by", .text = &by },
		{ .name = "rows", .number = &t->rows, .max = ROWS_MAX },
	};
	int ret;

	t->rows = ROWS;
	ret = args_parse(args, keys, ARRAY_SIZE(keys));
	if (!ret)
		ret = choose_by(t, by);
	free(by);
	return ret;
}

static struct group *group_of(struct top *t, const struct trace_task *task)
{
	switch (t->by) {
	case BY_PID:
		return groups_numbered(&t->groups, task->pid, "");
	case BY_TID:
		return groups_numbered(&t->groups, task->tid, "");
	case BY_WHAT:
		return groups_named(&t->groups, task->what);
	case BY_PROCESS:
		return groups_numbered(&t->groups, task->tgid_task,
				       task->tgid_task ? "" : "no process");
	}
	return groups_numbered(&t->groups, task->where_id, task->where);
}

static int top_end(void *data, const struct trace_task *task)
{
	struct group *group = group_of(data, task);
	u64 ns = lasts(task);

	if (!group)
		return -ENOMEM;
	group->count++;
	group->total += ns;
	if (ns > group->max)
		group->max = ns;
	return 0;
}

/* A process has ended: all its tasks count for the name it has now. */
static int top_also_end(void *data, const struct trace_task *process)
{
	struct top *t = data;
	struct group *group;
	char *name;

	if (t->by != BY_PROCESS)
		return 0;
	group = groups_numbered(&t->groups, process->id, "");
	if (!group)
		return -ENOMEM;
	if (!group->name)
		return 0;
	name = strdup(process->what);
	if (!name)
		return -ENOMEM;
	free(group->name);
	group->name = name;
	return 0;
}

static int by_total(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->number != y->number)
		return x->number > y->number ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void add_group(struct group *to, const struct group *from)
{
	to->count += from->count;
	to->total += from->total;
	if (from->max > to->max)
		to->max = from->max;
}

/* Combine the groups of processes with the same name. */
static int join_names(struct top *t)
{
	struct groups named = { .others = t->groups.others };
	struct group **list, *group;
	size_t i, nr;
	int ret = 0;

	list = groups_sorted(&t->groups, by_total, &nr);
	if (nr && !list)
		return -ENOMEM;
	for (i = 0; i < nr && !ret; i++) {
		group = list[i]->count ? groups_named(&named, list[i]->name) : NULL;
		if (group)
			add_group(group, list[i]);
		else if (list[i]->count)
			ret = -ENOMEM;
	}
	free(list);
	groups_free(&t->groups);
	t->groups = named;
	return ret;
}

static void answer_group(const struct top *t, const struct group *group, struct tracer_answer *to)
{
	const char *by = by_names[t->by];

	answer_row(to);
	if (!group->name)
		answer_text(to, by, "all others");
	else if (t->by == BY_PID || t->by == BY_TID)
		answer_u64(to, by, group->number);
	else
		answer_text(to, by, group->name);
	answer_u64(to, "tasks", group->count);
	answer_ns(to, "total", sum_u64(group->total));
	answer_ns(to, "average", sum_u64(group->total / group->count));
	answer_ns(to, "max", group->max);
}

static int top_answer(void *data, struct tracer_answer *to)
{
	struct top *t = data;
	struct group **list;
	char columns[64];
	size_t i, nr;

	if (t->by == BY_PROCESS && join_names(t))
		return -ENOMEM;
	list = groups_sorted(&t->groups, by_total, &nr);
	if (nr && !list)
		return -ENOMEM;
	answer_u64(to, "groups", nr);
	snprintf(columns, sizeof(columns), "%s,tasks,total,average,max", by_names[t->by]);
	answer_table(to, "top", columns);
	for (i = 0; i < nr && i < t->rows; i++)
		answer_group(t, list[i], to);
	if (t->groups.others.count)
		answer_group(t, &t->groups.others, to);
	answer_table_end(to);
	free(list);
	return 0;
}

static void top_destroy(void *data)
{
	struct top *t = data;

	groups_free(&t->groups);
}

DEFINE_TRACER(top) = {
	.abi = TRACER_ABI,
	.name = "top",
	.sentence = "whose tasks took longest: by=pid|tid|what|where|process, rows=N",
	.size = sizeof(struct top),
	.parse = top_parse,
	.end = top_end,
	.also = 1U << TASKS_PROCESS,
	.also_end = top_also_end,
	.answer = top_answer,
	.destroy = top_destroy,
};
