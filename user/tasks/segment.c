// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs, waits and unknowns of threads. They are the segments of a thread's life: one ends
 * where the next one begins. A segment is unknown:
 *
 * - Before the first recorded switch: sched_switch may be disabled.
 * - Where the world has lost the thread: see world/doubt.h.
 * - If a filter excludes the thread: its switches are not recorded.
 */
#include "tasks/thread_state.h"
#include "world/sight.h"
#include "world/why.h"

#define WAITS_TEXT(id, text, milestone)		[TASKS_WAIT_##id] = text,
#define WAITS_MILESTONE(id, text, milestone)	[TASKS_WAIT_##id] = milestone,

const char *const tasks_wait_texts[TASKS_NR_WAITS] = {
	TASKS_WAITS(WAITS_TEXT)
};

static const char *const wait_milestones[TASKS_NR_WAITS] = {
	TASKS_WAITS(WAITS_MILESTONE)
};

/* By enum ovni_offcpu, for those that records have. */
static const u8 wait_of[] = {
	[OVNI_OFFCPU_PREEMPTED] = TASKS_WAIT_PREEMPTED,
	[OVNI_OFFCPU_SLEEPING] = TASKS_WAIT_SLEEP,
	[OVNI_OFFCPU_DISK_SLEEP] = TASKS_WAIT_DISK,
	[OVNI_OFFCPU_STOPPED] = TASKS_WAIT_STOPPED,
	[OVNI_OFFCPU_TRACED] = TASKS_WAIT_TRACED,
	[OVNI_OFFCPU_PARKED] = TASKS_WAIT_PARKED,
	[OVNI_OFFCPU_IDLE] = TASKS_WAIT_IDLE,
	[OVNI_OFFCPU_YIELDED] = TASKS_WAIT_YIELDED,
};

/* The world says that it waits. */
static inline enum tasks_wait wait_in(u16 state)
{
	return wait_of[ovni_why_off(state)];
}

static inline bool is_waiting(const struct world_task *task)
{
	return task->place > WORLD_PLACE_CPU;
}

void tasks_segment_milestone(struct tasks *t, const struct tasks_thread *th,
			     const struct trace_task *task, u64 ns)
{
	const struct trace_task *segment = &th->segment;
	const char *kind = "other";

	/* If the segment or the task has just begun, it has waited for nothing. */
	if (!task->id || ns == task->start || ns == segment->start)
		return;
	if (segment->kind == TASKS_RUN)
		kind = "work";
	else if (segment->kind == TASKS_WAIT)
		kind = wait_milestones[segment->code];
	tasks_milestone(t, task, ns, kind, segment->what);
}

/* End the present segment. */
static void tasks_segment_end(struct tasks *t, struct tasks_thread *th, u64 ns, u16 flags)
{
	struct trace_task *segment = &th->segment;

	if (unlikely(!segment->id))
		return;
	tasks_segment_milestone(t, th, &th->task, ns);
	tasks_segment_milestone(t, th, &th->call.task, ns);
	tasks_segment_milestone(t, th, &th->fault.task, ns);
	if (tasks_in_queue(th))
		tasks_leave_queue(th, ns);
	tasks_end(t, segment, ns, flags);
}

static inline void begin_segment(struct tasks *t, struct tasks_thread *th, enum tasks_kind kind,
				 const char *what, u16 flags, const struct world_item *it)
{
	struct trace_task *segment = &th->segment;

	/* Its owner never changes. */
	segment->parent = th->self;
	segment->start = it->ns;
	segment->kind = kind;
	segment->flags = flags;
	segment->code = 0;
	segment->cpu = it->cpu;
	segment->what = what;
	segment->cache = TRACE_CACHE_NONE;
	segment->waker = (struct trace_waker){ 0 };
	tasks_be_at(t, th, segment);
}

void tasks_run(struct tasks *t, struct tasks_thread *th, u16 flags, const struct world_item *it)
{
	/* If it was moved there, that may not be recorded. */
	th->queue = it->cpu;
	tasks_segment_end(t, th, it->ns, 0);
	tasks_request_end(t, th, it->ns, 0);
	begin_segment(t, th, TASKS_RUN, "run", flags, it);
	tasks_start(t, &th->segment);
}

void tasks_part_unseen(struct tasks *t, const struct tasks_thread *th, struct tasks_part *part)
{
	u64 start = part->task.start, known = th->segment.start;

	if (part->task.id)
		tasks_end(t, &part->task, start > known ? start : known, TRACE_UNCERTAIN);
}

void tasks_parts_uncertain(struct tasks *t, struct tasks_thread *th, u64 ns)
{
	tasks_part_end(t, th, &th->fault, ns, TRACE_UNCERTAIN);
	tasks_part_end(t, th, &th->call, ns, TRACE_UNCERTAIN);
}

void tasks_parts_end(struct tasks *t, struct tasks_thread *th, u64 ns, u16 flags)
{
	u16 uncertain = flags ? flags : TRACE_UNCERTAIN;

	if (!flags && th->segment.kind == TASKS_RUN) {
		tasks_part_unseen(t, th, &th->fault);
		tasks_part_unseen(t, th, &th->call);
	}
	tasks_segment_end(t, th, ns, flags);
	tasks_request_end(t, th, ns, uncertain);
	if (th->fault.task.id)
		tasks_end(t, &th->fault.task, ns, uncertain);
	if (th->call.task.id)
		tasks_end(t, &th->call.task, ns, uncertain);
}

static const char *why_unknown(const struct tasks *t, const struct world_task *task, bool lost)
{
	if (lost)
		return "events missing";
	if (task->cpu >= 0 || (t->world->filtered && !task->member))
		return "outside the filter";
	return "not seen";
}

void tasks_unknown(struct tasks *t, struct tasks_thread *th, const struct world_task *task,
		   bool lost, const struct world_item *it)
{
	if (th->segment.id && th->segment.kind == TASKS_UNKNOWN)
		return;
	tasks_segment_end(t, th, it->ns, 0);
	tasks_request_end(t, th, it->ns, TRACE_UNCERTAIN);
	begin_segment(t, th, TASKS_UNKNOWN, why_unknown(t, task, lost), 0, it);
	tasks_start(t, &th->segment);
}

/* Who was woken is queued where the wakeup says, and who can go on where it was. */
static void enter_queue(struct tasks_thread *th, enum tasks_wait why, const struct world_item *it)
{
	th->queue = it->cpu;
	if (why == TASKS_WAIT_NEW || why == TASKS_WAIT_WOKEN)
		th->queue = it->to;
	else if (why == TASKS_WAIT_RUNNABLE)
		th->queue = TRACE_NO_CPU;
	th->queue_since = it->ns;
	th->queue_longest = 0;
	th->segment.queue_cpu = th->queue;
}

void tasks_wait(struct tasks *t, struct tasks_thread *th, enum tasks_wait why, u16 flags,
		const struct world_item *it)
{
	struct tasks_part *part;

	tasks_segment_end(t, th, it->ns, 0);
	begin_segment(t, th, TASKS_WAIT, tasks_wait_texts[why], flags, it);
	th->segment.code = why;
	if (tasks_is_queued(why))
		enter_queue(th, why, it);
	part = tasks_part_of(th);
	if (part)
		th->segment.parent = tasks_parent_of(t, th, TASKS_WAIT);
	if (part && why == TASKS_WAIT_DISK) {
		part->slept = true;
		th->segment.cache = part->added ? TRACE_CACHE_MISS : TRACE_CACHE_NONE;
	}
	tasks_start(t, &th->segment);
	if (!tasks_is_queued(why) && t->kinds & KINDS_REQ)
		tasks_request(t, th, it);
}

/* What is recorded about it may be from another CPU. */
static void run_there(struct tasks *t, struct tasks_thread *th, const struct world_task *task,
		      const struct world_item *it)
{
	struct world_item there = *it;

	there.cpu = t->world->cpus[task->cpu].nr;
	tasks_run(t, th, th->task.flags, &there);
}

void tasks_segment_first(struct tasks *t, struct tasks_thread *th, const struct world_task *task,
			 bool fresh, const struct world_item *it)
{
	if (!(t->kinds & KINDS_SCHED))
		return;
	if (sight_runs(t->world, task))
		run_there(t, th, task, it);
	else if (fresh && is_waiting(task))
		tasks_wait(t, th, TASKS_WAIT_BORN, 0, it);
	else
		tasks_unknown(t, th, task, fresh && task->lost, it);
}

void tasks_segment_dumped(struct tasks *t, struct tasks_thread *th, const struct world_task *task,
			  const struct world_item *it)
{
	bool known = th->segment.id && th->segment.kind != TASKS_UNKNOWN;

	if (known || !is_waiting(task))
		return;
	tasks_wait(t, th, task->state == OVNIK_STATE_RUNNING ? TASKS_WAIT_RUNNABLE :
		   wait_in(task->state), TRACE_EARLY, it);
}

void tasks_leave(struct tasks *t, struct tasks_thread *th, const struct world_item *it)
{
	if (likely(is_waiting(it->task)))
		tasks_wait(t, th, wait_in(it->state), 0, it);
}
