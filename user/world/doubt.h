/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_DOUBT_H
#define OVNIK_WORLD_DOUBT_H

#include "world/world.h"

/*
 * Where a task is, and since when that is not known; private to user/world. The one rule for what
 * missing records do to what a task is in, which outputs are told by hooks:
 *
 *	lost	A task that waits for a CPU is lost where switches of any CPU may be missing, and
 *		one that waits for anything else where wakeups may be. It stays so until a record
 *		says where it is; a wakeup says so only if the running task of every CPU is known.
 *	doubt	Where ends of calls and faults may be missing, those of the task that runs on that
 *		CPU and of each task that is not known to be anywhere may have ended: at the
 *		beginning of that gap; where a task gets lost meanwhile; and at its end, for those
 *		that began in it. So do those of a task that comes to a CPU that is left out.
 */

/* The functions tell where a task is; only their place in the order of hooks is told here. */

/* Before sched_out, elsewhere_out, or the sched_switch of a task that was not known to run. */
void world_doubt_left(struct world *w, const struct world_cpu *cpu, struct world_task *task,
		      u16 state);

/* Before elsewhere_in. */
void world_doubt_elsewhere(struct world *w, const struct world_cpu *cpu, struct world_task *task);

/* Before task_new. */
void world_doubt_born(struct world *w, const struct world_cpu *cpu, struct world_task *task);

/* Before task_dump, of a task that was not known. */
void world_doubt_dumped(struct world *w, const struct world_cpu *cpu, struct world_task *task);

/* Before wakeup. */
void world_doubt_woken(struct world *w, struct world_task *task);

/* Use world_doubt_waking(). */
void world_doubt_not_queued(struct world *w, const struct world_cpu *cpu, struct world_task *task);

/* After wakeup: it does not sleep any more. */
static inline void world_doubt_waking(struct world *w, const struct world_cpu *cpu,
				      struct world_task *task)
{
	if (unlikely(task->place == WORLD_PLACE_ASLEEP))
		world_doubt_not_queued(w, cpu, task);
}

/* Before sched_in. */
void world_doubt_came(struct world *w, struct world_task *task);

/* Before it has another number. */
void world_doubt_exchanged(struct world *w, struct world_task *task);

/* Before it is freed. */
void world_doubt_gone(struct world *w, struct world_task *task);

/* Use world_acts(). */
void world_doubt_acts(struct world *w, const struct world_cpu *cpu, struct world_task *task);

/* Before what is recorded of a call or fault: its task does not wait. */
static inline void world_acts(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	if (likely(task->place == WORLD_PLACE_CPU))
		task->acts = true;
	else if (task->tid)
		world_doubt_acts(w, cpu, task);
}

/* Before sched_switch or elsewhere_out of the first switch. */
void world_doubt_switching(struct world *w, const struct world_cpu *cpu);

/* After gap_begin and gap_end. */
void world_doubt_gap_begin(struct world *w, struct world_cpu *cpu, const struct capture_gap *gap);
void world_doubt_gap_end(struct world *w, struct world_cpu *cpu);

#endif /* OVNIK_WORLD_DOUBT_H */
