/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_TRACERS_H
#define OVNIK_OUTPUT_TRACERS_TRACERS_H

#include "output/tracers/answer.h"
#include "output/tracers/filter.h"
#include "output/tracers/tracer.h"
#include "util/idmap.h"

/*
 * Tracers, any number at once, attached to the tasks' positions. Each is told of tasks
 * that pass its filter. Memory: by open tasks. Of each a tracer was told, or will
 * perhaps be told, is remembered which; with those that wait for their filter also
 * what they are, and up to TRACER_NOTES_MAX tags and milestones.
 */

#define TRACERS_MAX	64

struct held;

/**
 * struct held_queue - Tasks that wait for a filter.
 * @list: a heap: the one that began first is at the top
 * @nr: length of @list
 * @room: for how many there is room
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
 * @filter: whose tasks it is told of
 * @data: its own
 * @later: tasks that wait for its filter until filter_deadline()
 * @until_end: tasks that do until their end is told
 * @left_out: tags and milestones that could not wait with their task
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
};

/**
 * struct tracers - All of them.
 * @list: the tracers
 * @nr: length of @list
 * @of_kind: a bit for each tracer that wants tasks of that kind, per kind
 * @of_tag: a bit for each that wants tags
 * @of_milestone: a bit for each that wants milestones
 * @of_also: a bit for each that is told of all tasks of that kind, per kind
 * @of_tree: a bit for each whose filter has to know who descends from whom
 * @waiting: a bit for each that has tasks waiting for a deadline
 * @deadline: until then none of those needs to be looked at
 * @now: latest time that was told
 * @ended: tasks that have ended
 * @open: open tasks: bits: the tracers that were told; ptr: struct kept, or NULL
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
 * Return: 0; -EINVAL, -ENOENT (told); -ENOMEM.
 */
int tracers_add(struct tracers *ts, const char *spec) __must_check;

/**
 * tracers_add_class() - Add a tracer of a class that is at hand.
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
 * tracers_kinds() - What has to be told.
 * @ts: with all tracers
 *
 * Context: Any.
 * Return: a bit for each enum tasks_kind.
 */
u32 tracers_kinds(const struct tracers *ts);

/**
 * tracers_open() - Start the tracers.
 * @ts: with all tracers
 * @run: of the capture; from and to are not looked at
 *
 * Context: Once.
 * Return: 0; what a tracer gave (told).
 */
int tracers_open(struct tracers *ts, const struct tracer_run *run) __must_check;

/**
 * tracers_attach() - Have the tracers told.
 * @ts: after tracers_open()
 * @tasks: its positions are enum tasks_position; a tracer that cannot go on (told) is
 *	   told to it by hook_fail()
 *
 * Context: Once; before world_begin().
 * Return: 0, -ENOMEM.
 */
int tracers_attach(struct tracers *ts, struct hookable *tasks) __must_check;

/**
 * tracers_answer() - Say what came of it.
 * @ts: all is told
 * @to: where to
 *
 * Context: Once.
 * Return: 0; what a tracer gave (told).
 */
int tracers_answer(struct tracers *ts, struct tracer_answer *to) __must_check;

/**
 * tracers_keep() - Have what the tracers made stay, such as files.
 * @ts: after tracers_answer(), and after the answers were written
 *
 * Context: Once.
 * Return: 0; what a tracer gave (told). What those before it made stays.
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
