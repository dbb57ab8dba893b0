/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_TRACER_H
#define OVNIK_OUTPUT_TRACERS_TRACER_H

#include <ovnik.h>

#include "answer/values.h"
#include "trace/activity.h"
#include "tasks/tasks.h"

/*
 * A tracer makes an answer from tasks. One that is loaded with --tracer PATH.so needs
 * only this header and those it includes. It is one C file that defines
 *
 *	const struct tracer_class ovnik_tracer = { .abi = TRACER_ABI, .name = ..., };
 *
 *	cc -shared -fPIC -I user -I kmod/include/uapi -o mine.so mine.c
 *
 * It may use answer_*(), tracer_report_error(), tasks_kind_names, tasks_wait_texts and
 * tasks_memory_texts; no other symbol of the program is available. For result and code of a
 * task see ovnik.h (enum ovnik_fault_result, enum ovnik_file_op) and activity.h (enum
 * ovni_fault).
 *
 * A tracer gets only tasks that pass its filter; see filter.h. It does not get tags,
 * milestones and the end of a task that does not pass. If the filter has a duration, or
 * a window that begins later, it is not known at once whether a task passes. Then start,
 * tags and milestones are reported as soon as it is known: for TASKS_ENDS_LATE at the
 * end.
 */

#define TRACER_ABI	5

#define TRACER_NOTES_MAX	64	/* tags and milestones that wait with a task */

/**
 * enum tracer_flags - What a class of tracers needs.
 * @TRACER_WHOLE: whole tasks; otherwise, only the part of a task that is within the
 *		  filter's window is reported, with the tags and milestones in it
 * @TRACER_UNFILTERED: all tasks of @kinds of the class: a filter is an error
 * @TRACER_NODES: it takes the captures of several nodes: init is called before each, answer after
 *		  the last
 * @TRACER_ALIKE: its answer makes sense of tasks of one kind: without kind= there is a warning
 * @TRACER_WAKERS: it says who ended waits: if the capture does not know, there is a warning
 */
enum tracer_flags {
	TRACER_WHOLE		= 1 << 0,
	TRACER_UNFILTERED	= 1 << 1,
	TRACER_NODES		= 1 << 2,
	TRACER_ALIKE		= 1 << 3,
	TRACER_WAKERS		= 1 << 4,
};

/**
 * enum tracer_notes - What a tracer gets of a task besides its start and end.
 * @TRACER_TAGS: its tags
 * @TRACER_MILESTONES: its milestones
 */
enum tracer_notes {
	TRACER_TAGS		= 1 << 0,
	TRACER_MILESTONES	= 1 << 1,
};

/**
 * struct tracer_run - What is known at the beginning.
 * @capture: directory of the capture
 * @host: where it was recorded
 * @clock: what the stamps count: "TSC", "CLOCK_MONOTONIC"
 * @begin: of the capture: CLOCK_MONOTONIC, ns
 * @end: of the capture
 * @from: where the filter's window begins, not before @begin
 * @to: where it ends, not after @end
 * @real: CLOCK_REALTIME at @begin, ns; 0: the capture does not tell it
 * @node: number of the node, from 0
 * @several: there are captures of other nodes, too
 * @command: the program that was run, with its arguments; "": none was
 */
struct tracer_run {
	const char *capture;
	const char *host;
	const char *clock;
	u64 begin;
	u64 end;
	u64 from;
	u64 to;
	u64 real;
	u32 node;
	bool several;
	const char *command;
};

/**
 * struct tracer_class - A kind of tracer.
 * @abi: TRACER_ABI
 * @name: short
 * @sentence: what it answers
 * @kinds: kinds that it gets by default: a bit for each enum tasks_kind; 0: all
 * @flags: enum tracer_flags
 * @size: bytes of a tracer's own data, which are zero at first
 * @keys: keys of its own although a filter has keys of these names, separated by
 *	  commas; or NULL
 * @parse: @args is what the user wrote after the name, without the filter: "key=value"
 *	   separated by commas, or ""; an error here is wrong usage, and no capture is
 *	   read; or NULL: then args are an error
 * @init: the capture is open; or NULL
 * @start: a task has begun; or NULL
 * @end: a task has ended; or NULL
 * @tag: a task got a tag; or NULL
 * @milestone: a task has a milestone; or NULL
 * @loss: events are missing; or NULL
 * @oldest: no task that began before @time waits for its filter any more, so none will
 *	    be reported late; called now and then; or NULL
 * @also: kinds whose tasks are all passed to @also_start and @also_end, whether they pass
 *	  the filter or not: a bit for each enum tasks_kind
 * @also_start: such a task has begun; before @start; or NULL
 * @also_end: such a task has ended; after @end; or NULL
 * @answer: all is reported: write the answer; returns 0 or a negative errno; or NULL
 * @keep: all answers are written: make permanent what @answer prepared, such as a file
 *	  with a temporary name; or NULL
 * @destroy: free what the others allocated, also after a failed @parse or @init; or NULL
 * @notes: after @parse: which enum tracer_notes it needs; NULL: those that it has functions for
 *
 * Functions return 0, or a negative errno (reported by tracer_report_error()) that ends the run.
 */
struct tracer_class {
	u32 abi;
	const char *name;
	const char *sentence;
	u32 kinds;
	u32 flags;
	u32 size;
	const char *keys;
	int (*parse)(void *data, const char *args);
	int (*init)(void *data, const struct tracer_run *run);
	int (*start)(void *data, const struct trace_task *task);
	int (*end)(void *data, const struct trace_task *task);
	int (*tag)(void *data, const struct trace_tag *tag);
	int (*milestone)(void *data, const struct trace_milestone *milestone);
	int (*loss)(void *data, const struct trace_loss *loss);
	int (*oldest)(void *data, u64 time);
	u32 also;
	int (*also_start)(void *data, const struct trace_task *task);
	int (*also_end)(void *data, const struct trace_task *task);
	int (*answer)(void *data, struct tracer_answer *to);
	int (*keep)(void *data);
	void (*destroy)(void *data);
	u32 (*notes)(const void *data);
};

/**
 * tracer_report_error() - Report why a tracer cannot go on.
 * @fmt: printf format, without newline
 */
void tracer_report_error(const char *fmt, ...) __printf_like(1, 2);

#endif /* OVNIK_OUTPUT_TRACERS_TRACER_H */
