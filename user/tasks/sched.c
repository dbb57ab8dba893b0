// SPDX-License-Identifier: GPL-2.0-only
/* Which thread runs where, and what is unknown while records are missing. */
#include "tasks/thread_state.h"
#include "world/sight.h"

/* The task that was known to be on the CPU leaves it in on_out(). */
static void on_switch(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th;

	/* The capture has switches, so it shows which thread gets a CPU. */
	if (unlikely(!t->switched))
		tasks_first_switch(t, it);
	th = tasks_thread_of(t, it, it->task);
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

/* It may end its call or fault there. */
static void on_elsewhere_in(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (!th)
		return;
	tasks_unknown(t, th, TASKS_OUTSIDE, it);
	tasks_parts_uncertain(t, th, it->ns);
}

static void on_elsewhere_out(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;

	if (!t->switched && it->state < WORLD_STATE_LOST)
		tasks_first_switch(t, it);
	on_out(data, ctx);
}

static void on_switching(void *data, const struct hook_ctx *ctx)
{
	struct tasks *t = data;

	if (!t->switched)
		tasks_first_switch(t, ctx->item);
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
	const struct trace_task *segment;

	if (!th)
		return;
	th->dumped = 0;
	segment = &th->segment;
	/* Woken before it could leave its CPU, or once more. */
	if (segment->kind == TASKS_RUN ||
	    (segment->kind == TASKS_WAIT && tasks_is_queued(segment->code)))
		return;
	if (segment->kind == TASKS_UNKNOWN &&
	    (!t->switched || it->task->cpu >= 0 || !sight_complete(t->world)))
		return;
	if (th->req.id)
		tasks_answer(t, th, tasks_thread_of(t, it, it->other), it);
	tasks_wait(t, th, is_new(it) ? TASKS_WAIT_NEW : TASKS_WAIT_WOKEN, 0,
		   tasks_is_member(t, it->task), it);
}

static void on_migrate(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (!th)
		return;
	th->task.migrations++;
	if (tasks_tag_wanted(t, &th->task))
		tasks_tag(t, &th->task, it->ns, "migrated to CPU %u", it->to);
}

static void all_unknown(struct tasks *t, struct tasks_threads *list, const struct world_item *it)
{
	while (!LIST_EMPTY(list))
		tasks_unknown(t, LIST_FIRST(list), TASKS_MISSING, it);
}

/* What is not recorded of a CPU from now on. */
static void look_away(struct tasks *t, struct tasks_cpu *cpu, const struct tasks_cpu *now)
{
	t->no_runs += now->no_runs - cpu->no_runs;
	t->no_wakes += now->no_wakes - cpu->no_wakes;
	t->no_ends += now->no_ends - cpu->no_ends;
	t->no_adds += now->no_adds - cpu->no_adds;
	t->adds_gaps += now->no_adds;
	t->dumps += now->no_wakes;
	*cpu = *now;
}

static void lost_uncertain(struct tasks *t, u64 ns)
{
	struct tasks_thread *th;

	while ((th = LIST_FIRST(&t->lost))) {
		LIST_REMOVE(th, uncertain);
		th->listed = false;
		tasks_parts_uncertain(t, th, ns);
	}
}

/* If no switch is missing, the running thread goes on. Its call or fault may not. */
static void running_uncertain(struct tasks *t, const struct tasks_cpu *cpu, u64 ns)
{
	const struct world_task *task = t->world->cpus[cpu - t->cpus].running;
	struct tasks_thread *th = task ? t->slots[task->tid].thread : NULL;

	if (th)
		tasks_parts_uncertain(t, th, ns);
}

static void on_gap_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_cpu *cpu = tasks_cpu_of(t, it->cpu);
	const struct tasks_cpu now = {
		.gap = it->ns,
		.no_runs = sight_hides(it->gap, EV_BIT(sched_switch)),
		.no_wakes = sight_hides(it->gap, EV_BIT(sched_wakeup) | EV_BIT(sched_wakeup_new)),
		.no_ends = sight_hides(it->gap, EV_BIT(page_fault_end) | EV_BIT(file_read) |
				       EV_BIT(file_write)),
		.no_adds = sight_hides(it->gap, EV_BIT(page_add)),
	};

	look_away(t, cpu, &now);
	if (now.no_ends) {
		lost_uncertain(t, it->ns);
		running_uncertain(t, cpu, it->ns);
	}
	if (now.no_runs)
		all_unknown(t, &t->queued, it);
	if (now.no_wakes)
		all_unknown(t, &t->asleep, it);
}

static void on_gap_end(void *data, const struct hook_ctx *ctx)
{
	static const struct tasks_cpu all_seen;
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_cpu *cpu = tasks_cpu_of(t, it->cpu);

	if (cpu->no_ends)
		lost_uncertain(t, it->ns);
	look_away(t, cpu, &all_seen);
}

int tasks_sched_attach(struct tasks *t)
{
	static const struct tasks_hook hooks[] = {
		{ WORLD_SCHED_SWITCH, on_switch, KINDS_SCHED },
		{ WORLD_SCHED_OUT, on_out, KINDS_SCHED },
		{ WORLD_SCHED_IN, on_in, KINDS_SCHED },
		{ WORLD_ELSEWHERE_OUT, on_elsewhere_out, KINDS_SCHED },
		{ WORLD_SWITCHING, on_switching, KINDS_SCHED },
		{ WORLD_ELSEWHERE_IN, on_elsewhere_in, KINDS_SCHED },
		{ WORLD_WAKEUP, on_wakeup, KINDS_SCHED },
		{ WORLD_MIGRATE, on_migrate, KIND_BIT(THREAD) },
		{ WORLD_GAP_BEGIN, on_gap_begin, KINDS_SCHED },
		{ WORLD_GAP_END, on_gap_end, KINDS_SCHED },
	};

	LIST_INIT(&t->queued);
	LIST_INIT(&t->asleep);
	LIST_INIT(&t->lost);
	t->dumps = 1;
	t->adds_gaps = 1;
	return tasks_attach(t, hooks, ARRAY_SIZE(hooks));
}
