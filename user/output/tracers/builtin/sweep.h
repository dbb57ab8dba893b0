/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_SWEEP_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_SWEEP_H

#include "output/tracers/tracer.h"

/*
 * How many tasks are open at each time. Input: the starts and ends of tasks. Output: stretches
 * with a constant number, in order of time, without holes.
 *
 * Most moments are reported in order, but tasks that wait for a filter are late, and so are tasks
 * that are recognised only at their end. So moments are queued: up to SWEEP_MOST since
 * sweep_oldest(), and up to SWEEP_ROOM before it. Moments in order are queued in a ring, the
 * others in a heap. A moment that is reported after the sweep has passed it takes effect at the
 * sweep's present time, and is counted in @late.
 */

#define SWEEP_ROOM	65536		/* moments */
#define SWEEP_MOST	(1 << 20)	/* moments: 16 MiB */

/* From @from to @to, which is later, @level tasks were open. */
typedef int (*sweep_fn)(void *data, u64 from, u64 to, u64 level);

struct sweep_moment {
	u64 time;
	s64 change;
};

/**
 * struct sweep_queue - Moments that wait.
 * @at: the moments
 * @first: of a ring: index of the first one, modulo @room
 * @nr: how many
 * @room: for how many there is room; power of two
 */
struct sweep_queue {
	struct sweep_moment *at;
	size_t first;
	size_t nr;
	size_t room;
};

/**
 * struct sweep - A sweep.
 * @fn: where stretches go
 * @data: handed to @fn
 * @ring: moments that came in order
 * @heap: those that came late, the first one at the top
 * @last: time of the last moment in @ring
 * @time: it has processed all moments before this
 * @level: tasks open at @time
 * @oldest: no moment before this is still waiting for a filter
 * @late: moments reported after the sweep had passed them
 */
struct sweep {
	sweep_fn fn;
	void *data;
	struct sweep_queue ring;
	struct sweep_queue heap;
	u64 last;
	u64 time;
	s64 level;
	u64 oldest;
	u64 late;
};

/**
 * sweep_init() - Begin a sweep.
 * @s: is set
 * @from: when
 * @fn: where stretches go; returns 0 or a negative errno
 * @data: handed to @fn
 *
 * Context: Any.
 */
void sweep_init(struct sweep *s, u64 from, sweep_fn fn, void *data);

/*
 * What the class of a tracer calls whose data begin with a struct sweep. They return 0, -ENOMEM
 * or what @fn gave.
 */
int sweep_start(void *data, const struct trace_task *task);
int sweep_end(void *data, const struct trace_task *task);
int sweep_oldest(void *data, u64 time);

/**
 * sweep_finish() - Go to the end.
 * @s: the sweep
 * @to: when that is
 *
 * Context: Any.
 * Return: 0; what @s->fn gave.
 */
int sweep_finish(struct sweep *s, u64 to) __must_check;

/**
 * sweep_free() - Free a sweep.
 * @s: as sweep_init() left it, or zeroed
 *
 * Context: Any.
 */
void sweep_free(struct sweep *s);

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_SWEEP_H */
