/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_WORLD_PRIV_H
#define OVNIK_WORLD_WORLD_PRIV_H

#include "world/world.h"

/* What the files of the world share; nobody else includes this. */

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
int world_task_get(struct world *w, struct world_cpu *cpu, u32 tid,
		   struct world_task **task) __must_check;

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
 *
 * Context: Any.
 */
void world_off_cpu(struct world *w, struct world_task *task);

/**
 * world_runs() - It turns out who runs on a CPU.
 * @w: the world
 * @cpu: the CPU, believed to be without a task
 * @task: who; taken off the CPU where it was believed, if there is one
 *
 * Context: Any.
 */
void world_runs(struct world *w, struct world_cpu *cpu, struct world_task *task);

/*
 * The records of tasks and of the scheduler. @it has tsc, ns, cpu and rec.
 *
 * Return: 0, -ENOMEM.
 */
int world_switch(struct world *w, struct world_cpu *cpu, struct world_item *it);
int world_wakeup(struct world *w, struct world_cpu *cpu, struct world_item *it);
int world_wakeup_new(struct world *w, struct world_cpu *cpu, struct world_item *it);
int world_migrate(struct world *w, struct world_cpu *cpu, struct world_item *it);
int world_fork(struct world *w, struct world_cpu *cpu, struct world_item *it);
int world_exec(struct world *w, struct world_cpu *cpu, struct world_item *it);
int world_exit(struct world *w, struct world_cpu *cpu, struct world_item *it);
int world_comm(struct world *w, struct world_cpu *cpu, struct world_item *it);
int world_mm(struct world *w, struct world_cpu *cpu, struct world_item *it);
int world_dump(struct world *w, struct world_cpu *cpu, struct world_item *it);

#endif /* OVNIK_WORLD_WORLD_PRIV_H */
