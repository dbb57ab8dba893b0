/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TASKS_THREAD_STATE_H
#define OVNIK_TASKS_THREAD_STATE_H

#include "tasks/tasks_priv.h"

/* What a thread does: its run or wait, its call or fault, its request. Private to the builder. */

/* Use tasks_thread_of(). */
struct tasks_thread *tasks_thread_look(struct tasks *t, const struct world_item *it,
				       const struct world_task *task);

/**
 * tasks_thread_of() - Find the thread of a task of the world, or create it.
 * @t: the builder
 * @it: what happened
 * @task: a task of the world, or NULL
 *
 * Context: From a hook of the world.
 * Return: the thread; NULL for an idle task, and without memory, which is reported.
 */
static inline struct tasks_thread *tasks_thread_of(struct tasks *t, const struct world_item *it,
						   const struct world_task *task)
{
	struct tasks_thread *th;

	if (!task || !task->tid)
		return NULL;
	th = t->slots[task->tid].thread;
	/* Its process may have become known since. */
	if (likely(th) && (th->task.pid == task->tgid || !task->tgid))
		return th;
	return tasks_thread_look(t, it, task);
}

/**
 * tasks_unknown() - It becomes unknown where a thread is.
 * @t: the builder
 * @th: the thread
 * @task: its task in the world
 * @lost: because records may be missing
 * @it: what happened
 *
 * Context: From a hook of the world.
 */
void tasks_unknown(struct tasks *t, struct tasks_thread *th, const struct world_task *task,
		   bool lost, const struct world_item *it);

/**
 * tasks_run() - A thread runs from now on.
 * @t: the builder
 * @th: the thread
 * @flags: enum trace_flags
 * @it: what happened
 *
 * Context: From a hook of the world.
 */
void tasks_run(struct tasks *t, struct tasks_thread *th, u16 flags, const struct world_item *it);

static inline bool tasks_is_queued(enum tasks_wait why)
{
	return why <= TASKS_WAIT_QUEUE_LAST;
}

/* Does a thread wait for a CPU? */
static inline bool tasks_in_queue(const struct tasks_thread *th)
{
	return th->segment.kind == TASKS_WAIT && tasks_is_queued(th->segment.code);
}

/* A thread that waits for a CPU leaves a run queue. */
static inline void tasks_leave_queue(struct tasks_thread *th, u64 ns)
{
	u64 stay = ns - th->queue_since;

	if (stay < th->queue_longest)
		return;
	th->queue_longest = stay;
	th->segment.queue_cpu = th->queue;
}

/**
 * tasks_wait() - A thread waits from now on, and the end of that will be recorded.
 * @t: the builder
 * @th: the thread
 * @why: what it waits for
 * @flags: enum trace_flags
 * @it: what happened
 *
 * Context: From a hook of the world.
 */
void tasks_wait(struct tasks *t, struct tasks_thread *th, enum tasks_wait why, u16 flags,
		const struct world_item *it);

/**
 * tasks_leave() - A thread has left its CPU, in a recorded state, or was lost then.
 * @t: the builder
 * @th: the thread
 * @it: what happened
 *
 * Context: From a hook of the world.
 */
void tasks_leave(struct tasks *t, struct tasks_thread *th, const struct world_item *it);

/**
 * tasks_segment_first() - A thread has appeared: begin the first segment of its life.
 * @t: the builder
 * @th: the thread
 * @task: its task in the world
 * @fresh: the world has not known it before
 * @it: what happened
 *
 * Context: From a hook of the world.
 */
void tasks_segment_first(struct tasks *t, struct tasks_thread *th, const struct world_task *task,
			 bool fresh, const struct world_item *it);

/**
 * tasks_segment_dumped() - A thread waits since the statedump, if it is known to.
 * @t: the builder
 * @th: the thread, for which no record has told what it does
 * @task: its task in the world
 * @it: what happened
 *
 * Context: From a hook of the world.
 */
void tasks_segment_dumped(struct tasks *t, struct tasks_thread *th, const struct world_task *task,
			  const struct world_item *it);

/**
 * tasks_segment_milestone() - Add the milestone of a thread's segment to one of its tasks.
 * @t: the builder
 * @th: the thread
 * @task: of it; nothing happens if it does not go on
 * @ns: when
 *
 * Context: From a hook of the world.
 */
void tasks_segment_milestone(struct tasks *t, const struct tasks_thread *th,
			     const struct trace_task *task, u64 ns);

/* End a thread's call or fault, if it is in it. */
static inline void tasks_part_end(struct tasks *t, const struct tasks_thread *th,
				  struct tasks_part *part, u64 ns, u16 flags)
{
	if (!part->task.id)
		return;
	tasks_segment_milestone(t, th, &part->task, ns);
	tasks_end(t, &part->task, ns, flags);
}

/**
 * tasks_part_unseen() - A call or fault has ended, without a record of when.
 * @t: the builder
 * @th: the thread
 * @part: its call or fault; nothing happens if it is not in it
 *
 * Context: From a hook of the world.
 */
void tasks_part_unseen(struct tasks *t, const struct tasks_thread *th, struct tasks_part *part);

/**
 * tasks_parts_end() - A thread's call and fault end with it.
 * @t: the builder
 * @th: the thread
 * @ns: when
 * @flags: TRACE_OPEN if the capture has ended
 *
 * Context: From a hook of the world.
 */
void tasks_parts_end(struct tasks *t, struct tasks_thread *th, u64 ns, u16 flags);

/**
 * tasks_parts_uncertain() - A thread's call or fault may end from now on without a record.
 * @t: the builder
 * @th: the thread
 * @ns: when
 *
 * Context: From a hook of the world.
 */
void tasks_parts_uncertain(struct tasks *t, struct tasks_thread *th, u64 ns);

/* Is a thread in a call or fault? */
static inline bool tasks_is_in_part(const struct tasks_thread *th)
{
	return th->call.task.id | th->fault.task.id;
}

/* The innermost call or fault of a thread, or NULL. */
static inline struct tasks_part *tasks_part_of(struct tasks_thread *th)
{
	if (th->fault.task.id)
		return &th->fault;
	return th->call.task.id ? &th->call : NULL;
}

/**
 * tasks_request() - A thread begins to wait, and so requests what it waits for.
 * @t: the builder
 * @th: the thread, in its wait
 * @it: what happened
 *
 * Context: From a hook of the world.
 */
void tasks_request(struct tasks *t, struct tasks_thread *th, const struct world_item *it);

/**
 * tasks_woken() - A thread that waits for something is woken: by whom? That answers its request.
 * @t: the builder
 * @th: the thread, still in its wait
 * @waker: the thread that has the waker's number; NULL: none
 * @it: the wakeup; its tid is that number
 *
 * Context: From a hook of the world.
 */
void tasks_woken(struct tasks *t, struct tasks_thread *th, struct tasks_thread *waker,
		 const struct world_item *it);

/* The requester goes on, or may do so: TRACE_UNCERTAIN. */
static inline void tasks_request_end(struct tasks *t, struct tasks_thread *th, u64 ns, u16 flags)
{
	if (th->req.id)
		tasks_end(t, &th->req, ns, flags);
}

#endif /* OVNIK_TASKS_THREAD_STATE_H */
