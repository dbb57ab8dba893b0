/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_FILTER_H
#define OVNIK_OUTPUT_TRACERS_FILTER_H

#include "tasks/tasks.h"
#include "util/idmap.h"

/*
 * Which tasks a tracer gets. A task must pass all of:
 *
 *	kind=KIND[|KIND]...	it is of one of these kinds
 *	what=PATTERN		what it does, see TASKS_KINDS; as fnmatch(3), "*" also
 *				matches "/"
 *	where=PATTERN		where it is done, likewise
 *	pid=PID			that process does it
 *	tid=TID			that thread does it
 *	tree=PID		that process does it, or one that descends from it, as far
 *				as the capture shows descent
 *	from=TIME		it goes on after this time, or begins at it, since the
 *				capture's begin
 *	to=TIME			it begins before this time
 *	min=TIME		it lasts at least that long
 *	max=TIME		it lasts at most that long
 *
 * A TIME has a unit: s, ms, us or ns. A task's duration is that of the whole task,
 * whatever the window, which is from and to. What a task does is checked when it begins,
 * or at its end if that is not known before or may change, as that of a process does.
 * Its duration is known while it goes on if its end is reported in time; for kinds in
 * TASKS_ENDS_LATE it is known when the end is reported.
 */

/**
 * enum filter_verdict - Does a task pass?
 * @FILTER_NO: it does not
 * @FILTER_YES: it does
 * @FILTER_LATER: known later: see filter_deadline() and filter_at_end()
 * @FILTER_LAST: not known before its end
 */
enum filter_verdict {
	FILTER_NO,
	FILTER_YES,
	FILTER_LATER,
	FILTER_LAST,
};

/**
 * struct filter - A filter, compiled.
 * @kinds: a bit for each kind that passes
 * @what: pattern; NULL: any
 * @where: pattern; NULL: any
 * @what_is_text: @what is a plain text, not a pattern
 * @pid: process; 0: any
 * @tid: thread; 0: any
 * @tree: process; 0: any
 * @from: as the user wrote it; filter_begin() converts it to CLOCK_MONOTONIC
 * @to: likewise; all bits set: no end
 * @min: ns
 * @max: ns; all bits set: none
 * @sums: for a tracer that sums up in the order of time: it gets a window's tasks when
 *	  the window begins
 * @places: by number of a place: does it match @where? FILTER_LATER: not known yet
 * @nr_places: length of @places
 * @seen: with @pid, @tid or @tree: there was a task of it, regardless of window and text
 * @family: with @tree: the tasks that are its processes and threads, by id
 */
struct filter {
	u32 kinds;
	char *what;
	char *where;
	bool what_is_text;
	u32 pid;
	u32 tid;
	u32 tree;
	u64 from;
	u64 to;
	u64 min;
	u64 max;
	bool sums;
	u8 *places;
	u32 nr_places;
	bool seen;
	struct idmap family;
};

/**
 * filter_init() - Make a filter that everything passes.
 * @f: is set
 *
 * Context: Any.
 */
void filter_init(struct filter *f);

/**
 * filter_destroy() - Free a filter.
 * @f: as filter_init() left it, or later
 *
 * Context: Any.
 */
void filter_destroy(struct filter *f);

/**
 * filter_add() - Add one condition.
 * @f: the filter
 * @key: what is before the "="
 * @value: what is after it
 *
 * Context: Before filter_begin().
 * Return: 1; 0 if @key is not a filter's; -EINVAL (reported), -ENOMEM.
 */
int filter_add(struct filter *f, const char *key, const char *value) __must_check;

/**
 * filter_check() - Are the conditions compatible?
 * @f: the filter with all conditions
 *
 * Context: Any.
 * Return: 0, -EINVAL (reported).
 */
int filter_check(const struct filter *f) __must_check;

/**
 * filter_takes_all_kinds() - Was no kind chosen?
 * @f: the filter
 *
 * Context: Any.
 * Return: true if tasks of each kind pass.
 */
bool filter_takes_all_kinds(const struct filter *f);

/**
 * filter_begin() - Set when the capture begins.
 * @f: the filter
 * @begin: CLOCK_MONOTONIC, ns
 *
 * Context: Before the first task; again before that of another capture, if from and to are not set.
 */
void filter_begin(struct filter *f, u64 begin);

/**
 * filter_note() - Remember a task's descent.
 * @f: a filter with @tree set
 * @task: a process or thread that has begun, whatever the filter
 *
 * Context: Before filter_at_start() with that task.
 * Return: 0, -ENOMEM.
 */
int filter_note(struct filter *f, const struct trace_task *task) __must_check;

/**
 * filter_forget() - Undo filter_note().
 * @f: a filter with @tree set
 * @task: a process or thread that has ended
 *
 * Context: Any.
 */
void filter_forget(struct filter *f, const struct trace_task *task);

/**
 * filter_at_start() - Does a task that has begun pass?
 * @f: the filter
 * @task: of a kind that passes
 *
 * Context: After filter_begin().
 * Return: enum filter_verdict; -ENOMEM.
 */
int filter_at_start(struct filter *f, const struct trace_task *task) __must_check;

/**
 * filter_deadline() - When is it known whether a task that goes on passes?
 * @f: the filter, which returned FILTER_LATER
 * @start: of the task
 *
 * If it still goes on then, it passes unless @f->max is set.
 *
 * Context: After filter_begin().
 * Return: CLOCK_MONOTONIC, ns; not before that of a task that began earlier.
 */
u64 filter_deadline(const struct filter *f, u64 start);

/**
 * filter_at_end() - Does a task that has ended pass?
 * @f: the filter, which returned FILTER_LATER or FILTER_LAST
 * @verdict: which of them
 * @task: the task
 *
 * Context: After filter_begin().
 * Return: true, false.
 */
bool filter_at_end(const struct filter *f, int verdict, const struct trace_task *task);

#endif /* OVNIK_OUTPUT_TRACERS_FILTER_H */
