/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_TRACERFIX_H
#define OVNIK_SELFTESTS_TRACERFIX_H

/*
 * Tracers, told of tasks made by hand, and what they answer.
 *
 *	fix_tracer(f, "busy,kind=run");
 *	fix_run(f, 0, 1000);
 *	id = fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .start = 10 });
 *	fix_end(f, id, 20);
 *	EXPECT_EQ(10, fix_number(f, 0, "busy_ns"));
 */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/tracers.h"

#define FIX_TASKS_MAX	100000

/**
 * struct fix - The tracers and who tells them.
 * @tasks: the domain
 * @ts: the tracers
 * @run: of the capture that there might be
 * @all: tasks told so far, by id
 * @nr: the last id
 * @notes: the last id of a tag or milestone
 * @answers: what they answer, once that was asked for
 * @text: where the answers stand as text
 */
struct fix {
	struct hookable tasks;
	struct tracers ts;
	struct tracer_run run;
	struct trace_task *all;
	u64 nr;
	u64 notes;
	struct json_object *answers;
	char *text;
};

static inline void fix_init(struct fix *f)
{
	memset(f, 0, sizeof(*f));
	f->all = calloc(FIX_TASKS_MAX + 1, sizeof(*f->all));
	hookable_init(&f->tasks, tasks_positions, TASKS_NR_POSITIONS);
	f->run = (struct tracer_run){ .capture = "cap", .host = "host", .clock = "TSC" };
}

static inline void fix_destroy(struct fix *f)
{
	tracers_destroy(&f->ts);
	hookable_destroy(&f->tasks);
	json_object_put(f->answers);
	free(f->text);
	free(f->all);
}

/* Begin: after all tracers were added. */
static inline int fix_run(struct fix *f, u64 begin, u64 end)
{
	int ret;

	f->run.begin = begin;
	f->run.end = end;
	ret = tracers_open(&f->ts, &f->run);
	return ret ? ret : tracers_attach(&f->ts, &f->tasks);
}

/* Tell that @task has begun; what it does not say is made up. Returns its number. */
static inline u64 fix_start(struct fix *f, const struct trace_task *task)
{
	struct trace_task *t = &f->all[++f->nr];

	*t = *task;
	t->id = f->nr;
	t->end = 0;
	if (!t->where) {
		t->where = "proc.1";
		t->where_id = 1;
	}
	if (!t->what)
		t->what = "what";
	hook_invoke(&f->tasks, TASKS_AT_START, t);
	return t->id;
}

static inline void fix_end_flags(struct fix *f, u64 id, u64 end, u16 flags)
{
	struct trace_task *t = &f->all[id];

	t->end = end;
	t->flags |= flags;
	hook_invoke(&f->tasks, TASKS_AT_END, t);
}

static inline void fix_end(struct fix *f, u64 id, u64 end)
{
	fix_end_flags(f, id, end, 0);
}

static inline void fix_tag(struct fix *f, u64 id, u64 time, const char *what)
{
	struct trace_tag tag = { &f->all[id], ++f->notes, time, what };

	hook_invoke(&f->tasks, TASKS_AT_TAG, &tag);
}

static inline void fix_milestone(struct fix *f, u64 id, u64 time, const char *kind,
				 const char *what)
{
	struct trace_milestone m = { &f->all[id], ++f->notes, time, kind, what };

	hook_invoke(&f->tasks, TASKS_AT_MILESTONE, &m);
}

static inline void fix_loss(struct fix *f, const struct trace_loss *loss)
{
	hook_invoke(&f->tasks, TASKS_AT_LOSS, loss);
}

/* Ask for the answers, as JSON if @json. Returns 0 or what a tracer gave. */
static inline int fix_answer(struct fix *f, bool json)
{
	struct tracer_answer *to = answer_create(json);
	size_t size;
	FILE *out;
	int ret;

	ret = tracers_answer(&f->ts, to);
	out = open_memstream(&f->text, &size);
	if (!ret)
		ret = answer_write(to, out);
	if (!ret)
		ret = tracers_keep(&f->ts);
	fclose(out);
	answer_destroy(to);
	if (json && !ret)
		f->answers = json_tokener_parse(f->text);
	return ret;
}

/* Member of an answer, or of a row of one of its tables. NULL if there is none. */
static inline struct json_object *fix_value(struct fix *f, unsigned int tracer,
					    const char *table, unsigned int row,
					    const char *name)
{
	struct json_object *in, *value = NULL;

	if (!f->answers && fix_answer(f, true))
		return NULL;
	in = json_object_array_get_idx(f->answers, tracer);
	if (table) {
		if (!json_object_object_get_ex(in, table, &value))
			return NULL;
		in = json_object_array_get_idx(value, row);
	}
	json_object_object_get_ex(in, name, &value);
	return in ? value : NULL;
}

/* -1 if there is none. */
static inline s64 fix_number(struct fix *f, unsigned int tracer, const char *name)
{
	struct json_object *value = fix_value(f, tracer, NULL, 0, name);

	return value ? json_object_get_int64(value) : -1;
}

static inline double fix_real(struct fix *f, unsigned int tracer, const char *name)
{
	struct json_object *value = fix_value(f, tracer, NULL, 0, name);

	return value ? json_object_get_double(value) : -1;
}

static inline s64 fix_cell(struct fix *f, unsigned int tracer, const char *table,
			   unsigned int row, const char *name)
{
	struct json_object *value = fix_value(f, tracer, table, row, name);

	return value ? json_object_get_int64(value) : -1;
}

/* "" if there is none. */
static inline const char *fix_cell_text(struct fix *f, unsigned int tracer, const char *table,
					unsigned int row, const char *name)
{
	struct json_object *value = fix_value(f, tracer, table, row, name);

	return value ? json_object_get_string(value) : "";
}

static inline unsigned int fix_rows(struct fix *f, unsigned int tracer, const char *table)
{
	struct json_object *value = fix_value(f, tracer, NULL, 0, table);

	return json_object_is_type(value, json_type_array) ? json_object_array_length(value) : 0;
}

#endif /* OVNIK_SELFTESTS_TRACERFIX_H */
