// SPDX-License-Identifier: GPL-2.0-only
/* Which thread runs where, or waits, or is lost. */
#include "tasks/thread_state.h"

/* The task that was known to be on the CPU leaves it in on_out(). */
static void on_switch(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (unlikely(th && th->segment.kind != TASKS_RUN))
		tasks_leave(t, th, it);
}

static void on_out(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (th && !it->final)
		tasks_leave(t, th, it);
}

static void on_in(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	/* Without a record, it is known to run, but not since when. */
	if (th)
		tasks_run(t, th, it->rec ? 0 : TRACE_EARLY, it);
}

/* The capture has switches, so it shows which thread gets a CPU. */
static void on_switching(void *data, const struct hook_ctx *ctx)
{
	struct tasks *t = data;
	struct tasks_process *process;
	struct tasks_thread *th;

	LIST_FOREACH(process, &t->processes, link) {
		LIST_FOREACH(th, &process->threads, sibling)
			tasks_segment_dumped(t, th, task_find(&t->world->tasks, th->task.tid),
					     ctx->item);
	}
}

static bool is_new(const struct world_item *it)
{
	const struct ovnik_record *rec = it->rec;

	return rec->type == OVNIK_EV_sched_wakeup_new;
}

static void on_wakeup(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (!th)
		return;
	/* Woken before it could leave its CPU, or once more. */
	if (th->segment.kind == TASKS_RUN || tasks_in_queue(th))
		return;
	if (th->segment.kind == TASKS_WAIT)
		tasks_woken(t, th, tasks_thread_of(t, it, it->other), it);
	if (it->task->place == WORLD_PLACE_QUEUED)
		tasks_wait(t, th, is_new(it) ? TASKS_WAIT_NEW : TASKS_WAIT_WOKEN, 0, it);
}

static void on_migrate(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_sched_migrate *rec = it->rec;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (!th)
		return;
	if (tasks_in_queue(th)) {
		th->queue = rec->orig_cpu;
		tasks_leave_queue(th, it->ns);
		th->queue = it->to;
		th->queue_since = it->ns;
	}
	th->task.migrations++;
	if (tasks_tag_wanted(t, &th->task))
		tasks_tag(t, &th->task, it->ns, "migrated from CPU %u to CPU %u", rec->orig_cpu,
			  it->to);
}

static void on_lost(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (th)
		tasks_unknown(t, th, it->task, it->state == WORLD_STATE_LOST, it);
}

static void on_doubt(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = t->slots[it->task->tid].thread;

	if (th)
		tasks_parts_uncertain(t, th, it->ns);
}

int tasks_sched_attach(struct tasks *t)
{
	static const struct tasks_hook hooks[] = {
		{ WORLD_SCHED_SWITCH, on_switch, KINDS_SCHED },
		{ WORLD_SCHED_OUT, on_out, KINDS_SCHED },
		{ WORLD_SCHED_IN, on_in, KINDS_SCHED },
		{ WORLD_ELSEWHERE_OUT, on_out, KINDS_SCHED },
		{ WORLD_SWITCHING, on_switching, KINDS_SCHED },
		{ WORLD_WAKEUP, on_wakeup, KINDS_SCHED },
		{ WORLD_MIGRATE, on_migrate, KIND_BIT(THREAD) | KIND_BIT(WAIT) },
		{ WORLD_LOST, on_lost, KINDS_SCHED },
		{ WORLD_DOUBT, on_doubt, KINDS_SCHED },
	};

	return tasks_attach(t, hooks, ARRAY_SIZE(hooks));
}
