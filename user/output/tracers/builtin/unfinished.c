// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tasks that had not ended when the capture did, or whose end is uncertain, the oldest first,
 * each with its parents. They show what hangs, and where.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/args.h"
#include "output/tracers/builtin/builtin.h"
#include "util/heap.h"
#include "util/idmap.h"

#define ROWS		100
#define ROWS_MAX	100000
#define DEPTH_MAX	64	/* parents reported */

/* An open task that can be a parent; or a row of the answer, with the task's parents. */
struct opened {
	u64 id;
	u64 parent;
	u64 start;
	u64 end;
	u16 kind;
	u16 flags;
	const char *where;
	char *parents;
	char what[];
};

/**
 * struct unfinished - What did not end.
 * @begin: of the capture
 * @open: struct opened, by id, whether they pass the filter or not
 * @nr_open: tasks that had not ended
 * @nr_uncertain: tasks whose end is uncertain
 * @rows: those that began first: a heap, the last one of them is at the top
 * @nr_rows: length of @rows
 * @room: rows to report
 */
struct unfinished {
	u64 begin;
	struct idmap open;
	u64 nr_open;
	u64 nr_uncertain;
	struct opened **rows;
	u64 nr_rows;
	u64 room;
};

static void free_opened(struct opened *o)
{
	if (!o)
		return;
	free(o->parents);
	free(o);
}

static int unfinished_parse(void *data, const char *args)
{
	struct unfinished *u = data;
	const struct args_key keys[] = {
		{ .name = "rows", .number = &u->room, .max = ROWS_MAX },
	};

	u->room = ROWS;
	return args_parse(args, keys, ARRAY_SIZE(keys));
}

static int unfinished_init(void *data, const struct tracer_run *run)
{
	struct unfinished *u = data;

	u->begin = run->begin;
	u->rows = calloc(u->room, sizeof(struct opened *));
	return u->rows ? 0 : -ENOMEM;
}

static struct opened *new_opened(const struct trace_task *task)
{
	struct opened *o = malloc(sizeof(*o) + strlen(task->what) + 1);

	if (!o)
		return NULL;
	o->id = task->id;
	o->parent = task->parent;
	o->start = task->start;
	o->end = task->end;
	o->kind = task->kind;
	o->flags = task->flags;
	o->where = task->where;
	o->parents = NULL;
	strcpy(o->what, task->what);
	return o;
}

static int unfinished_also_start(void *data, const struct trace_task *task)
{
	struct unfinished *u = data;
	struct idmap_slot *slot = idmap_put(&u->open, task->id);

	if (!slot)
		return -ENOMEM;
	slot->ptr = new_opened(task);
	return slot->ptr ? 0 : -ENOMEM;
}

/* "thread sh at proc.1.thread.1, process sh at proc.1" */
static char *parents_of(const struct unfinished *u, u64 id)
{
	struct idmap_slot *slot;
	const struct opened *o;
	unsigned int depth;
	char *text = NULL;
	size_t size;
	FILE *f;

	f = open_memstream(&text, &size);
	if (!f)
		return NULL;
	for (depth = 0; id && depth < DEPTH_MAX; depth++, id = o->parent) {
		slot = idmap_get(&u->open, id);
		if (!slot) {
			fprintf(f, "%stask %llu", depth ? ", " : "", id);
			break;
		}
		o = slot->ptr;
		fprintf(f, "%s%s %s%sat %s", depth ? ", " : "", tasks_kind_names[o->kind], o->what,
			*o->what ? " " : "", o->where);
	}
	if (!fclose(f))
		return text;
	free(text);
	return NULL;
}

static bool is_before(const struct opened *a, const struct opened *b)
{
	return a->start < b->start || (a->start == b->start && a->id < b->id);
}

static bool is_after(const struct opened *a, const struct opened *b)
{
	return is_before(b, a);
}

HEAP(rows, struct opened *, is_after, HEAP_PUT)

/* Those that began first have a row each. */
static int add_row(struct unfinished *u, struct opened *o)
{
	if (u->nr_rows == u->room && is_before(u->rows[0], o)) {
		free_opened(o);
		return 0;
	}
	o->parents = parents_of(u, o->parent);
	if (!o->parents) {
		free_opened(o);
		return -ENOMEM;
	}
	if (u->nr_rows < u->room) {
		rows_rise(u->rows, u->nr_rows++, o);
		return 0;
	}
	free_opened(u->rows[0]);
	rows_sink(u->rows, u->nr_rows, 0, o);
	return 0;
}

static int unfinished_end(void *data, const struct trace_task *task)
{
	struct unfinished *u = data;
	struct opened *o;

	u->nr_open += !!(task->flags & TRACE_OPEN);
	u->nr_uncertain += !!(task->flags & TRACE_UNCERTAIN);
	if (!(task->flags & (TRACE_OPEN | TRACE_UNCERTAIN)))
		return 0;
	/* Format it again: the name may have been unknown before. */
	o = new_opened(task);
	return o ? add_row(u, o) : -ENOMEM;
}

static int unfinished_also_end(void *data, const struct trace_task *task)
{
	struct unfinished *u = data;
	struct idmap_slot *slot = idmap_get(&u->open, task->id);

	if (!slot)
		return 0;
	free_opened(slot->ptr);
	idmap_del(&u->open, slot);
	return 0;
}

static void answer_opened(const struct unfinished *u, const struct opened *o,
			  struct tracer_answer *to)
{
	answer_row(to);
	answer_ns(to, "since", o->start > u->begin ? o->start - u->begin : 0);
	answer_ns(to, "for", o->end > o->start ? o->end - o->start : 0);
	answer_text(to, "end", o->flags & TRACE_OPEN ? "open" : "in doubt");
	answer_text(to, "kind", tasks_kind_names[o->kind]);
	answer_text(to, "what", o->what);
	answer_text(to, "where", o->where);
	answer_text(to, "in", o->parents);
}

static int by_start(const void *a, const void *b)
{
	return is_before(*(struct opened *const *)a, *(struct opened *const *)b) ? -1 : 1;
}

static int unfinished_answer(void *data, struct tracer_answer *to)
{
	const struct unfinished *u = data;
	u64 i;

	qsort(u->rows, u->nr_rows, sizeof(struct opened *), by_start);
	answer_u64(to, "open", u->nr_open);
	answer_u64(to, "in doubt", u->nr_uncertain);
	answer_table(to, "oldest", "since,for,end,kind,what,where,in");
	for (i = 0; i < u->nr_rows; i++)
		answer_opened(u, u->rows[i], to);
	answer_table_end(to);
	return 0;
}

static void unfinished_destroy(void *data)
{
	struct unfinished *u = data;
	struct idmap_slot *slot = NULL;

	while ((slot = idmap_next(&u->open, slot)))
		free_opened(slot->ptr);
	idmap_free(&u->open);
	while (u->nr_rows)
		free_opened(u->rows[--u->nr_rows]);
	free(u->rows);
}

DEFINE_TRACER(unfinished) = {
	.abi = TRACER_ABI,
	.name = "unfinished",
	.sentence = "what had not ended when the capture did, and in what: rows=N",
	.flags = TRACER_WHOLE,
	.size = sizeof(struct unfinished),
	.parse = unfinished_parse,
	.init = unfinished_init,
	.end = unfinished_end,
	.also = 1U << TASKS_PROCESS | 1U << TASKS_THREAD | 1U << TASKS_CALL | 1U << TASKS_FAULT |
		1U << TASKS_REQ_OUT,
	.also_start = unfinished_also_start,
	.also_end = unfinished_also_end,
	.answer = unfinished_answer,
	.destroy = unfinished_destroy,
};
