/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_WORLD_PRIV_H
#define OVNIK_WORLD_WORLD_PRIV_H

#include "world/world.h"

/* What the files of the world share; nobody else includes this. */

/* Who leaves the CPU so never comes back. */
#define STATE_FINAL	(OVNIK_STATE_DEAD | OVNIK_STATE_ZOMBIE)

static inline void world_tell(struct world *w, enum world_position pos,
			      const struct world_item *it)
{
	hook_invoke(&w->hooks, pos, it);
}

/* Begin an item without a record behind it. */
static inline struct world_item world_note(const struct world *w, const struct world_cpu *cpu,
					   struct world_task *task)
{
	return (struct world_item){
		.tsc = w->tsc, .ns = w->ns, .cpu = cpu->nr, .task = task,
	};
}

/* Use world_task_get(). */
int world_task_look(struct world *w, struct world_cpu *cpu, u32 tid,
		    struct world_task **task) __must_check;

/**
 * world_task_get() - The task that has a number, made on the spot if need be.
 * @w: the world
 * @cpu: where the record comes from; its idle task has number 0
 * @tid: the number
 * @task: set to the task; NULL if no kernel gives that number, which is counted
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
static inline int __must_check world_task_get(struct world *w, struct world_cpu *cpu, u32 tid,
					      struct world_task **task)
{
	/* Most records are of who runs. */
	*task = cpu->running;
	if (likely(*task) && (*task)->tid == tid)
		return 0;
	return world_task_look(w, cpu, tid, task);
}

/**
 * world_task_die() - A task is gone.
 * @w: the world
 * @cpu: where that is said
 * @task: the task, on no CPU; is freed
 *
 * Context: Any.
 */
void world_task_die(struct world *w, struct world_cpu *cpu, struct world_task *task);

/**
 * world_off_cpu() - A task is not on its CPU any more, nobody said why.
 * @w: the world
 * @task: the task; may be on none
 * @state: WORLD_STATE_LOST or WORLD_STATE_UNKNOWN
 *
 * Context: Any.
 */
void world_off_cpu(struct world *w, struct world_task *task, u16 state);

/**
 * world_runs() - It turns out who runs on a CPU.
 * @w: the world
 * @cpu: the CPU, believed to be without a task
 * @task: who; taken off the CPU where it was believed, if there is one
 *
 * Context: Any.
 */
void world_runs(struct world *w, struct world_cpu *cpu, struct world_task *task);

/**
 * world_mm_join() - A task has an address space.
 * @w: the world
 * @task: the task, not an idle one
 * @id: number of the address space; 0: it has none
 * @pgd: its page directory frame; 0 if not known
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int world_mm_join(struct world *w, struct world_task *task, u64 id, u64 pgd) __must_check;

/**
 * world_mm_leave() - A task has its address space no more.
 * @w: the world
 * @task: the task; may have none
 *
 * Context: Any.
 */
void world_mm_leave(struct world *w, struct world_task *task);

/**
 * world_switch() - A switch was recorded.
 * @w: the world
 * @cpu: where
 * @rec: the record
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int world_switch(struct world *w, struct world_cpu *cpu,
		 const struct ovnik_sched_switch *rec) __must_check;

#endif /* OVNIK_WORLD_WORLD_PRIV_H */
