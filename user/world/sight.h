/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_SIGHT_H
#define OVNIK_WORLD_SIGHT_H

#include "world/world.h"

/* What can be relied on in a world with missing records. */

#define EV_BIT(event)	(1ULL << OVNIK_EV_##event)

_Static_assert(OVNIK_NR_EVENTS <= 64, "a bit an event");

/**
 * sight_hides() - May records of some events be missing?
 * @gap: where records are missing
 * @events: EV_BIT() of each event
 *
 * Context: Any.
 * Return: true if so.
 */
static inline bool sight_hides(const struct capture_gap *gap, u64 events)
{
	u32 i;

	if (!gap->exact)
		return true;
	for (i = 0; i < OVNIK_NR_EVENTS; i++) {
		if (gap->lost[i] && events >> i & 1)
			return true;
	}
	return false;
}

/**
 * sight_complete() - Is the running task of every CPU known?
 * @w: the world
 *
 * If so, a task of the filter that is not known to be on a CPU is on none.
 *
 * Context: Any.
 * Return: true if so.
 */
static inline bool sight_complete(const struct world *w)
{
	u32 i;

	for (i = 0; i < w->nr_cpus; i++) {
		if (!w->cpus[i].running && !w->cpus[i].outsider)
			return false;
	}
	return true;
}

/**
 * sight_runs() - Is a task known to run, on a CPU that is not left out?
 * @w: the world
 * @task: the task
 *
 * Context: Any.
 * Return: true if so.
 */
static inline bool sight_runs(const struct world *w, const struct world_task *task)
{
	return task->cpu >= 0 && !w->cpus[task->cpu].elsewhere;
}

/**
 * sight_covers() - Does the capture's filter cover a task? Without a filter, all are covered.
 * @w: the world
 * @tid: the task's TID
 * @tgid: its process
 *
 * Context: Any. Of a task that the filter covers this may become known late.
 * Return: true if so.
 */
static inline bool sight_covers(const struct world *w, u32 tid, u32 tgid)
{
	const struct world_task *task = w->filtered ? task_find(&w->tasks, tid) : NULL;

	return !w->filtered || (task && task->member && task->tgid == tgid);
}

#endif /* OVNIK_WORLD_SIGHT_H */
