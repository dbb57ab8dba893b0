/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_WORLD_PRIV_H
#define OVNIK_WORLD_WORLD_PRIV_H

#include <string.h>

#include "world/world.h"

/* Private to user/world. */

/* A task that leaves the CPU in these states never comes back. */
#define STATE_FINAL	(OVNIK_STATE_DEAD | OVNIK_STATE_ZOMBIE)

static inline void world_notify(struct world *w, enum world_position pos,
				const struct world_item *it)
{
	hook_invoke(&w->hooks, pos, it);
}

/* Begin an item without a record. */
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
 * world_task_get() - Find the task that has a number, or create it.
 * @w: the world
 * @cpu: the record's CPU; its idle task has number 0
 * @tid: the number
 * @task: set to the task; NULL if the number is impossible, which is counted
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
static inline int __must_check world_task_get(struct world *w, struct world_cpu *cpu, u32 tid,
					      struct world_task **task)
{
	/* Most records are of the running task. */
	*task = cpu->running;
	if (likely(*task) && (*task)->tid == tid)
		return 0;
	return world_task_look(w, cpu, tid, task);
}

/*
 * Will each pass believe that a task runs where it is believed to run now? The pass that skips
 * switches does not know. With a filter, a later pass knows more members than this one.
 */
static inline bool world_is_sure(const struct world *w, const struct world_task *task)
{
	return !w->tasks.known && (!w->filtered || task->told_member);
}

static inline void world_set_comm(char to[OVNIK_COMM_LEN], const char comm[OVNIK_COMM_LEN])
{
	memcpy(to, comm, OVNIK_COMM_LEN);
	to[OVNIK_COMM_LEN - 1] = '\0';
}

/**
 * world_learn_process() - A record says to which process a task belongs.
 * @w: the world
 * @task: the task
 * @tgid: the process's number; 0: it does not say
 *
 * Only the first one that does counts.
 *
 * Context: Any.
 */
void world_learn_process(struct world *w, struct world_task *task, u32 tgid);

/**
 * world_know_process() - Ask a pass before to which process a new task belongs.
 * @w: the world
 * @task: the task
 *
 * Of a task that lives when the capture begins, only a later record may say so.
 *
 * Context: Any.
 */
void world_know_process(struct world *w, struct world_task *task);

/**
 * world_exchange() - A thread that execs takes the number of its leader.
 * @w: the world
 * @cpu: the record's CPU
 * @task: the thread
 * @tid: the leader's number; the leader, if it is not gone, gets that of the thread
 *
 * Context: Any.
 */
void world_exchange(struct world *w, struct world_cpu *cpu, struct world_task *task, u32 tid);

/**
 * world_take_number() - Find the thread that has taken a number that no task has.
 * @w: the world
 * @cpu: the record's CPU
 * @tid: the number
 *
 * Context: Any.
 * Return: the thread, which has that number now; NULL: none has, or its leader has not ended.
 */
struct world_task *world_take_number(struct world *w, struct world_cpu *cpu, u32 tid);

/**
 * world_is_ending() - Is a task a leader that has begun to end?
 * @task: the task; may be NULL
 * @tgid: its process's number, by which it is known: another one may have it again
 *
 * Context: Any.
 * Return: true if so.
 */
bool world_is_ending(const struct world_task *task, u32 tgid);

/**
 * world_took_early() - As world_took_number(), by a record that an ending leader does not make.
 * @w: the world
 * @cpu: where the thread is believed to run; may be without a task
 * @tid: the number by which a record of its CPU calls it
 *
 * Context: Any.
 * Return: true if so; it has that number now.
 */
bool world_took_early(struct world *w, struct world_cpu *cpu, u32 tid);

/**
 * world_names_ended() - Does a thread name its leader, which has ended?
 * @w: the world
 * @cpu: where the thread is believed to run; may be without a task
 * @tid: the leader's number
 *
 * Context: Any.
 * Return: true if so, and that name is shown nowhere; or it has taken the leader's number, and the
 *	   name is its own: its next record tells.
 */
bool world_names_ended(const struct world *w, const struct world_cpu *cpu, u32 tid);

/**
 * world_took_number() - Has the thread that runs on a CPU taken the number of its leader?
 * @w: the world
 * @cpu: where it is believed to run; may be without a task
 * @tid: the number by which a record of its CPU calls it
 *
 * A thread that execs does so when its leader has ended, before a record says so; none does if the
 * exec then fails. What a CPU records is of the task that runs there.
 *
 * Context: Any.
 * Return: true if so; it has that number now.
 */
bool world_took_number(struct world *w, struct world_cpu *cpu, u32 tid);

/**
 * world_gave_number() - Has the leader that runs on a CPU the number of a thread that execs?
 * @w: the world
 * @cpu: where it is believed to run
 * @tid: the number by which a record calls what leaves the CPU for the last time
 *
 * Context: Any.
 * Return: true if so. It ends by the number that it had: as long as it lives, the thread does not
 *	   take it.
 */
bool world_gave_number(const struct world *w, const struct world_cpu *cpu, u32 tid);

/* Use world_current_get(). */
int world_current_look(struct world *w, struct world_cpu *cpu, u32 tid,
		       struct world_task **task) __must_check;

/**
 * world_current_get() - As world_task_get(), of the task that runs on the CPU.
 * @w: the world
 * @cpu: the record's CPU; its idle task has number 0
 * @tid: the number
 * @task: set to the task; NULL if the number is impossible, which is counted
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
static inline int __must_check world_current_get(struct world *w, struct world_cpu *cpu, u32 tid,
						 struct world_task **task)
{
	*task = cpu->running;
	if (likely(*task) && (*task)->tid == tid)
		return 0;
	return world_current_look(w, cpu, tid, task);
}

/**
 * world_dumped_get() - As world_task_get(), of the process that the statedump is at.
 * @w: the world
 * @cpu: the record's CPU
 * @tid: its number
 * @task: set to its leader, or a thread that is about to get that number; NULL if the number is
 *	  impossible, which is counted
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int world_dumped_get(struct world *w, struct world_cpu *cpu, u32 tid,
		     struct world_task **task) __must_check;

/**
 * world_heir() - Find the thread that takes a leader's number next.
 * @w: the world
 * @tid: the leader's
 *
 * Context: Any.
 * Return: the thread, if it has not done so yet; NULL: none, or not known.
 */
struct world_task *world_heir(const struct world *w, u32 tid);

/**
 * world_leader() - Find the task whose number a thread takes next.
 * @w: the world
 * @tid: the thread's
 *
 * Context: Any.
 * Return: the leader, if it has not ended; NULL: none, or not known.
 */
struct world_task *world_leader(const struct world *w, u32 tid);

/**
 * world_task_die() - A task has ended.
 * @w: the world
 * @cpu: the record's CPU
 * @task: the task, on no CPU; is freed
 *
 * Context: Any.
 */
void world_task_die(struct world *w, struct world_cpu *cpu, struct world_task *task);

/**
 * world_off_cpu() - A task is not on its CPU any more, for an unknown reason.
 * @w: the world
 * @task: the task; may be on none
 * @state: WORLD_STATE_LOST or WORLD_STATE_UNKNOWN
 *
 * Context: Any.
 */
void world_off_cpu(struct world *w, struct world_task *task, u16 state);

/**
 * world_runs() - The task that runs on a CPU becomes known.
 * @w: the world
 * @cpu: the CPU, believed to be without a task
 * @task: the task; taken off the CPU where it was believed, if any
 *
 * Context: Any.
 */
void world_runs(struct world *w, struct world_cpu *cpu, struct world_task *task);

/**
 * world_mm_join() - A task gets an address space.
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
 * world_mm_leave() - A task gives up its address space.
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

/**
 * world_switch_elsewhere() - A switch was recorded on a CPU that is left out.
 * @w: the world
 * @cpu: where
 * @rec: the record
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int world_switch_elsewhere(struct world *w, struct world_cpu *cpu,
			   const struct ovnik_sched_switch *rec) __must_check;

#endif /* OVNIK_WORLD_WORLD_PRIV_H */
