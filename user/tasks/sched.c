// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs, waits and unknowns of threads, which are the tiles of their lives: one ends where
 * the next one begins. What is not sure is unknown:
 *
 * - Before the first switch that was recorded: perhaps none is to be.
 * - A thread that waits for a CPU, while switches of any CPU may be missing: it may have
 *   got that one. One that sleeps, while wakeups may be missing.
 * - Then, until a record says where it is. A wakeup alone does so only if it is known of
 *   each CPU who runs there.
 * - With a filter: whoever it does not cover, whom nobody sees get a CPU.
 */
#include "output/ovni/why.h"
#include "tasks/tasks_priv.h"
#include "world/sight.h"

#define WAITS_TEXT(id, text, milestone)		[TASKS_WAIT_##id] = text,
#define WAITS_MILESTONE(id, text, milestone)	[TASKS_WAIT_##id] = milestone,

const char *const tasks_wait_texts[TASKS_NR_WAITS] = {
	TASKS_WAITS(WAITS_TEXT)
};

static const char *const wait_milestones[TASKS_NR_WAITS] = {
	TASKS_WAITS(WAITS_MILESTONE)
};

/* By enum ovni_offcpu, of those that a record says. */
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

static inline bool is_said(u32 reason)
{
	return reason < ARRAY_SIZE(wait_of) && wait_of[reason];
}

static inline bool is_queued(enum tasks_wait why)
{
	return why <= TASKS_WAIT_QUEUE_LAST;
}

void tasks_tile_milestone(struct tasks *t, const struct tasks_thread *th,
			  const struct trace_task *task, u64 ns)
{
	const struct trace_task *tile = &th->tile;
	const char *kind = "other";

	/* Where the tile, or the task, has just begun it has waited for nothing. */
	if (!task->id || ns == task->start || ns == tile->start)
		return;
	if (tile->kind == TASKS_RUN)
		kind = "work";
	else if (tile->kind == TASKS_WAIT)
		kind = wait_milestones[tile->code];
	tasks_milestone(t, task, ns, kind, tile->what);
}

void tasks_tile_end(struct tasks *t, struct tasks_thread *th, u64 ns, u16 flags)
{
	struct trace_task *tile = &th->tile;

	if (unlikely(!tile->id))
		return;
	if (th->listed)
		LIST_REMOVE(th, doubt);
	th->listed = false;
	th->dumped = 0;
	tasks_tile_milestone(t, th, &th->task, ns);
	tasks_tile_milestone(t, th, &th->call.task, ns);
	tasks_tile_milestone(t, th, &th->fault.task, ns);
	tasks_end(t, tile, ns, flags);
}

static inline void begin_tile(struct tasks *t, struct tasks_thread *th, enum tasks_kind kind,
			      const char *what, u16 flags, const struct world_item *it)
{
	struct trace_task *tile = &th->tile;

	/* Whose it is never changes. */
	tile->parent = th->self;
	tile->start = it->ns;
	tile->kind = kind;
	tile->flags = flags;
	tile->code = 0;
	tile->cpu = it->cpu;
	tile->what = what;
	tasks_be_at(t, th, tile);
}

static void run(struct tasks *t, struct tasks_thread *th, u16 flags, const struct world_item *it)
{
	tasks_tile_end(t, th, it->ns, 0);
	tasks_request_end(t, th, it->ns, 0);
	begin_tile(t, th, TASKS_RUN, "run", flags, it);
	tasks_start(t, &th->tile);
}

static void list_add(struct tasks_threads *list, struct tasks_thread *th)
{
	LIST_INSERT_HEAD(list, th, doubt);
	th->listed = true;
}

void tasks_tile_lost(struct tasks *t, struct tasks_thread *th)
{
	if (th->tile.kind == TASKS_UNKNOWN && !th->listed && tasks_is_in_part(th))
		list_add(&t->lost, th);
}

void tasks_unknown(struct tasks *t, struct tasks_thread *th, const char *what,
		   const struct world_item *it)
{
	if (th->tile.id && th->tile.kind == TASKS_UNKNOWN)
		return;
	tasks_tile_end(t, th, it->ns, 0);
	tasks_request_end(t, th, it->ns, TRACE_DOUBT);
	begin_tile(t, th, TASKS_UNKNOWN, what, 0, it);
	tasks_start(t, &th->tile);
	if (t->no_ends)
		tasks_parts_doubt(t, th, it->ns);
	tasks_tile_lost(t, th);
}

/* A thread waits from now on, if it is seen when that is over. */
static void wait(struct tasks *t, struct tasks_thread *th, enum tasks_wait why, u16 flags,
		 bool member, const struct world_item *it)
{
	bool queued = is_queued(why);
	struct tasks_part *part;

	if (unlikely(queued ? t->no_runs : t->no_wakes)) {
		tasks_unknown(t, th, TASKS_MISSING, it);
		return;
	}
	if (unlikely(!member)) {
		tasks_unknown(t, th, TASKS_OUTSIDE, it);
		return;
	}
	tasks_tile_end(t, th, it->ns, 0);
	begin_tile(t, th, TASKS_WAIT, tasks_wait_texts[why], flags, it);
	th->tile.code = why;
	if (tasks_is_in_part(th))
		th->tile.parent = tasks_parent_of(t, th, TASKS_WAIT);
	tasks_start(t, &th->tile);
	list_add(queued ? &t->queued : &t->asleep, th);
	part = tasks_part_of(th);
	if (part && why == TASKS_WAIT_DISK)
		part->slept = true;
	if (!queued && t->kinds & KINDS_REQ)
		tasks_request(t, th, it);
}

static inline bool is_member(const struct tasks *t, const struct world_task *task)
{
	return !t->world->filtered || task->member;
}

void tasks_tile_first(struct tasks *t, struct tasks_thread *th, const struct world_task *task,
		      bool born, const struct world_item *it)
{
	if (!(t->kinds & KINDS_SCHED))
		return;
	if (task->cpu >= 0)
		run(t, th, th->task.flags, it);
	else if (born && t->switched)
		wait(t, th, TASKS_WAIT_BORN, 0, is_member(t, task), it);
	else
		tasks_unknown(t, th, is_member(t, task) ? TASKS_NOT_SEEN : TASKS_OUTSIDE, it);
}

/* The statedump has said in which state a thread is, and it is in that still. */
static void wait_dumped(struct tasks *t, struct tasks_thread *th, bool member,
			const struct world_item *it)
{
	u32 reason = ovni_why_off(th->state);

	if (th->state != OVNIK_STATE_RUNNING && is_said(reason))
		wait(t, th, wait_of[reason], TRACE_EARLY, member, it);
	else if (th->state == OVNIK_STATE_RUNNING && sight_complete(t->world))
		wait(t, th, TASKS_WAIT_RUNNABLE, TRACE_EARLY, member, it);
}

void tasks_tile_dumped(struct tasks *t, struct tasks_thread *th, const struct world_item *it)
{
	if (!(t->kinds & KINDS_SCHED))
		return;
	th->state = it->task->state;
	if (t->switched)
		wait_dumped(t, th, is_member(t, it->task), it);
	else if (is_member(t, it->task))
		th->dumped = t->dumps;
}

/* There are switches in the capture: who gets a CPU will be seen. */
static __attribute__((noinline)) void first_switch(struct tasks *t, const struct world_item *it)
{
	struct tasks_process *process;
	struct tasks_thread *th;

	t->switched = true;
	LIST_FOREACH(process, &t->processes, link) {
		LIST_FOREACH(th, &process->threads, sibling) {
			if (th->dumped == t->dumps)
				wait_dumped(t, th, true, it);
		}
	}
}

/* A record says in which state a thread has left its CPU. */
static void leave(struct tasks *t, struct tasks_thread *th, const struct world_item *it)
{
	u32 reason = ovni_why_off(it->state);

	if (likely(is_said(reason)))
		wait(t, th, wait_of[reason], 0, is_member(t, it->task), it);
	else if (reason == OVNI_OFFCPU_LOST)
		tasks_unknown(t, th, TASKS_MISSING, it);
	else if (reason == OVNI_OFFCPU_UNKNOWN)
		tasks_unknown(t, th, TASKS_NOT_SEEN, it);
}

/* Who was on the CPU as far as is known leaves it in on_out(). */
static void on_switch(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th;

	if (unlikely(!t->switched))
		first_switch(t, it);
	th = tasks_thread_of(t, it, it->task);
	if (unlikely(th && th->tile.kind != TASKS_RUN))
		leave(t, th, it);
}

static void on_out(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (th && !it->final)
		leave(t, th, it);
}

static void on_in(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	/* Without a record it is known that it runs, but not since when. */
	if (th)
		run(t, th, it->rec ? 0 : TRACE_EARLY, it);
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
	const struct trace_task *tile;

	if (!th)
		return;
	th->dumped = 0;
	tile = &th->tile;
	/* Woken before it could leave its CPU, or once more. */
	if (tile->kind == TASKS_RUN || (tile->kind == TASKS_WAIT && is_queued(tile->code)))
		return;
	if (tile->kind == TASKS_UNKNOWN && (!t->switched || !sight_complete(t->world)))
		return;
	if (th->req.id)
		tasks_answer(t, th, it);
	wait(t, th, is_new(it) ? TASKS_WAIT_NEW : TASKS_WAIT_WOKEN, 0, is_member(t, it->task), it);
}

static void on_migrate(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (th && tasks_tag_wanted(t, &th->task))
		tasks_tag(t, &th->task, it->ns, "migrated to CPU %u", it->to);
}

static void all_unknown(struct tasks *t, struct tasks_threads *list, const struct world_item *it)
{
	while (!LIST_EMPTY(list))
		tasks_unknown(t, LIST_FIRST(list), TASKS_MISSING, it);
}

/* What is not seen of a CPU from now on. */
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

static void doubt_lost(struct tasks *t, u64 ns)
{
	struct tasks_thread *th;

	while ((th = LIST_FIRST(&t->lost))) {
		LIST_REMOVE(th, doubt);
		th->listed = false;
		tasks_parts_doubt(t, th, ns);
	}
}

/* If no switch is missing, who runs there goes on. What it was in may not. */
static void doubt_running(struct tasks *t, const struct tasks_cpu *cpu, u64 ns)
{
	const struct world_task *task = t->world->cpus[cpu - t->cpus].running;
	struct tasks_thread *th = task ? t->slots[task->tid].thread : NULL;

	if (th)
		tasks_parts_doubt(t, th, ns);
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
		doubt_lost(t, it->ns);
		doubt_running(t, cpu, it->ns);
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
		doubt_lost(t, it->ns);
	look_away(t, cpu, &all_seen);
}

int tasks_sched_attach(struct tasks *t)
{
	static const struct tasks_hook hooks[] = {
		{ WORLD_SCHED_SWITCH, on_switch, KINDS_SCHED },
		{ WORLD_SCHED_OUT, on_out, KINDS_SCHED },
		{ WORLD_SCHED_IN, on_in, KINDS_SCHED },
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
