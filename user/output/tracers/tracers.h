/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_TRACERS_H
#define OVNIK_OUTPUT_TRACERS_TRACERS_H

#include "answer/answer.h"
#include "output/tracers/filter.h"
#include "output/tracers/tracer.h"
#include "util/idmap.h"

/*
 * Tracers, any number at once, attached to the tasks' positions. Each gets the tasks
 * that pass its filter. Memory: by open tasks. For each, the tracers that got it or may
 * still get it are kept; if it waits for a filter, also its contents and up to
 * TRACER_NOTES_MAX tags and milestones.
 */

#define TRACERS_MAX	64

struct held;

/**
 * struct held_queue - Tasks that wait for a filter.
 * @list: a heap: the one that began first is at the top
 * @nr: length of @list
 * @room: entries allocated at @list
 */
struct held_queue {
	struct held **list;
	size_t nr;
	size_t room;
};

/**
 * struct tracer - A tracer and its filter.
 * @class: what it is
 * @lib: of dlopen(); NULL: it is built in
 * @spec: what the user wrote
 * @filter: which tasks it gets
 * @data: its own
 * @later: tasks that wait for its filter until filter_deadline()
 * @until_end: tasks that do until their end is reported
 * @left_out: tags and milestones that could not wait with their task
 * @notes: enum tracer_notes that it gets
 */
struct tracer {
	const struct tracer_class *class;
	void *lib;
	char *spec;
	struct filter filter;
	void *data;
	struct held_queue later;
	struct held_queue until_end;
	u64 left_out;
	u32 notes;
};

/**
 * struct tracers - All of them.
 * @list: the tracers
 * @nr: length of @list
 * @of_kind: a bit for each tracer that wants tasks of that kind, per kind
 * @of_tag: a bit for each that wants tags
 * @of_milestone: a bit for each that wants milestones
 * @of_also: a bit for each that gets all tasks of that kind, per kind
 * @of_tree: a bit for each whose filter must know descent
 * @waiting: a bit for each that has tasks waiting for a deadline
 * @deadline: until then none of those needs to be checked
 * @now: latest time that was reported
 * @ended: tasks that have ended
 * @open: open tasks: bits: the tracers that got them; ptr: struct kept, or NULL
 */
struct tracers {
	struct tracer list[TRACERS_MAX];
	unsigned int nr;
	u64 of_kind[TASKS_NR_KINDS];
	u64 of_tag;
	u64 of_milestone;
	u64 of_also[TASKS_NR_KINDS];
	u64 of_tree;
	u64 waiting;
	u64 deadline;
	u64 now;
	u64 ended;
	struct idmap open;
};

/**
 * tracers_add() - Add a tracer.
 * @ts: zeroed at first; call tracers_destroy() in any case
 * @spec: "NAME[,KEY=VALUE]...": the name of a built-in tracer, or the path of a shared
 *	  object, which has a slash in it or ends in .so
 *
 * Context: Before tracers_open().
 * Return: 0; -EINVAL, -ENOENT (reported); -ENOMEM.
 */
int tracers_add(struct tracers *ts, const char *spec) __must_check;

/**
 * tracers_add_class() - Add a tracer of a given class.
 * @ts: as for tracers_add()
 * @class: what it is; must outlive @ts
 * @spec: as for tracers_add(); the name is for the answer only
 *
 * Context: Before tracers_open().
 * Return: as tracers_add().
 */
int tracers_add_class(struct tracers *ts, const struct tracer_class *class, const char *spec)
	__must_check;

/**
 * tracers_list() - Print which tracers are built in.
 *
 * Context: Any.
 */
void tracers_list(void);

/**
 * tracers_of_one() - Which tracer cannot be of the captures of several nodes?
 * @ts: with all tracers
 *
 * Its class is not of several, or its filter is of a time, a process or a thread of one of them.
 *
 * Context: Any.
 * Return: what the user wrote for it; NULL: all of them can.
 */
const char *tracers_of_one(const struct tracers *ts);

/**
 * tracers_name_wakers() - Does any of the tracers say who ended waits?
 * @ts: with all tracers
 *
 * Context: Any.
 * Return: true if one is of TRACER_WAKERS, or gets answers (req_in).
 */
bool tracers_name_wakers(const struct tracers *ts);

/**
 * tracers_kinds() - Which kinds of tasks the tracers need.
 * @ts: with all tracers
 *
 * Context: Any.
 * Return: a bit for each enum tasks_kind; TASKS_MEMORY, if page faults are among them.
 */
u32 tracers_kinds(const struct tracers *ts);

/**
 * tracers_open() - Start the tracers.
 * @ts: with all tracers
 * @run: of the capture; from and to are ignored
 *
 * Context: Once; with several captures, before each, after tracers_next().
 * Return: 0; the error of a tracer (reported).
 */
int tracers_open(struct tracers *ts, const struct tracer_run *run) __must_check;

/**
 * tracers_next() - Forget the tasks of a capture: that of another node comes.
 * @ts: all of its tasks are reported
 *
 * Context: Not from a hook.
 */
void tracers_next(struct tracers *ts);

/**
 * tracers_attach() - Attach the tracers to tasks.
 * @ts: after tracers_open()
 * @tasks: its positions are enum tasks_position; a tracer that cannot go on (reported)
 *	   calls its hook_fail()
 *
 * Context: After each tracers_open(); before world_begin().
 * Return: 0, -ENOMEM.
 */
int tracers_attach(struct tracers *ts, struct hookable *tasks) __must_check;

/**
 * tracers_answer() - Collect the answers.
 * @ts: all is reported
 * @to: where to
 *
 * Context: Once.
 * Return: 0; the error of a tracer (reported).
 */
int tracers_answer(struct tracers *ts, struct tracer_answer *to) __must_check;

/**
 * tracers_keep() - Make permanent what the tracers made, such as files.
 * @ts: after tracers_answer(), and after the answers were written
 *
 * Context: Once.
 * Return: 0; the error of a tracer (reported). What those before it made stays.
 */
int tracers_keep(struct tracers *ts) __must_check;

/**
 * tracers_destroy() - Free all tracers.
 * @ts: any
 *
 * Context: Not from a hook.
 */
void tracers_destroy(struct tracers *ts);

#endif /* OVNIK_OUTPUT_TRACERS_TRACERS_H */
