// SPDX-License-Identifier: GPL-2.0-only
/* From the world's hooks to ovni events: see translate.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/missing.h"
#include "output/ovni/activity.h"
#include "output/ovni/row.h"
#include "output/ovni/translate.h"
#include "world/sight.h"
#include "world/why.h"

#define NO_THREAD		(-1L)

const struct hook_position ovni_positions[OVNI_NR_POSITIONS] = {
	[OVNI_EVENT] = { "ovni_event", "a thread has made ovni events, all at one clock" },
	[OVNI_CPU_EVENT] = { "ovni_cpu_event", "a CPU has made an ovni event" },
};

static void missing_begin(struct ovni_translate *t, u32 cpu, u64 clock)
{
	struct row row;

	row_begin(&row, clock);
	row_add_u32(&row, MCV('K', 'L', '['), t->cpus[cpu].missing);
	row.step.what = OVNI_GAP;
	t->cpus[cpu].sent = true;
	t->cpus[cpu].since = clock;
	row_notify(t, OVNI_CPU_EVENT, &row, cpu);
}

/* The first event of a thread: now the pending events of CPUs can be sent. */
void ovni_row_first(struct ovni_translate *t, u64 clock)
{
	u32 i;

	t->began = true;
	for (i = 0; i < t->nr_cpus; i++) {
		if (t->cpus[i].missing)
			missing_begin(t, i, clock);
	}
}

static void birth(struct ovni_translate *t, u32 thread, u64 ns, u32 creator, u32 reason)
{
	struct ovni_thread_state *state = &t->threads[thread];
	struct row row;

	if (state->alive)
		return;
	row_begin(&row, clock_of(t, ns));
	row_add_birth(&row, creator ? (s32)creator : -1);
	row_comes(&row, OVNI_BORN);
	row_add_pause(&row, OVNI_BORN, reason);
	state->alive = true;
	state->cpu = VIRTUAL_CPU;
	state->doing.kib = 0;
	ovni_row_send(t, &row, thread);
}

static void free_cpu(struct ovni_translate *t, struct ovni_thread_state *state, u64 clock)
{
	struct ovni_cpu_state *cpu = &t->cpus[state->cpu];

	cpu->left = clock;
	cpu->thread = NO_THREAD;
	state->cpu = VIRTUAL_CPU;
}

static void switch_out(struct ovni_translate *t, u32 thread, u64 ns, u32 reason)
{
	struct ovni_thread_state *state = &t->threads[thread];
	struct row row;

	if (state->cpu < 0)
		return;
	row_begin(&row, clock_of(t, ns));
	row_add_u32(&row, MCV('O', 'A', 's'), VIRTUAL_CPU);
	row_add_pause(&row, OVNI_OFF, reason);
	free_cpu(t, state, row.clock);
	ovni_row_send(t, &row, thread);
}

static void switch_in(struct ovni_translate *t, u32 thread, u64 ns, const struct world_task *task)
{
	struct ovni_thread_state *state = &t->threads[thread];
	struct ovni_cpu_state *cpu = &t->cpus[task->cpu];
	struct row row;

	/* The world has one task per CPU, but tasks with the same tid share a thread. */
	if (unlikely(state->cpu >= 0))
		switch_out(t, thread, ns, OVNI_OFFCPU_UNKNOWN);
	if (unlikely(cpu->thread != NO_THREAD))
		switch_out(t, cpu->thread, ns, OVNI_OFFCPU_UNKNOWN);
	if (unlikely(!state->alive))
		birth(t, thread, ns, 0, OVNI_OFFCPU_NOT_SEEN);

	ns = ovni_wait_later(&state->wait, ns);
	row_begin(&row, clock_of(t, ns > cpu->left ? ns : cpu->left + 1));
	row_add_back(&row);
	row_add_u32(&row, MCV('O', 'A', 's'), task->cpu);
	state->cpu = task->cpu;
	cpu->thread = thread;
	ovni_wait_over(t, thread, row.clock);
	ovni_row_send(t, &row, thread);
	if (ovni_activity_changed(&state->doing, task))
		ovni_activity_resume(t, thread, task);
}

static void death(struct ovni_translate *t, u32 thread, u64 ns)
{
	struct ovni_thread_state *state = &t->threads[thread];
	struct row row;

	if (!state->alive)
		return;
	row_begin(&row, clock_of(t, state->cpu < 0 ? ovni_wait_later(&state->wait, ns) : ns));
	if (state->cpu < 0) {
		row_add_back(&row);
		ovni_wait_over(t, thread, row.clock);
	}
	if (unlikely(state->doing.pending)) {
		ovni_row_send(t, &row, thread);
		ovni_activity_settle(t, thread);
		row_begin(&row, clock_of(t, ns));
	}
	ovni_activity_pop(t, &state->doing, &row);
	row_add_end(&row);
	if (state->cpu >= 0)
		free_cpu(t, state, row.clock);
	state->alive = false;
	ovni_row_send(t, &row, thread);
}

static long find_thread(struct ovni_translate *t, const struct world_task *task, u32 tid)
{
	long thread;

	if (task->id >= t->inventory->nr_tasks)
		return NO_THREAD;
	thread = inventory_find(t->inventory, t->inventory->pids[task->id], tid);
	t->thread_of[task->id] = thread;
	return thread;
}

static void come_up(struct ovni_translate *t, const struct world_item *it, u32 creator, u32 reason)
{
	long thread = find_thread(t, it->task, it->task->tid);

	if (thread >= 0)
		birth(t, thread, it->ns, creator, reason);
	else
		t->dropped++;
}

static void on_new(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	come_up(data, it, it->other->tid, OVNI_OFFCPU_NEW);
}

static void on_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	u16 state = it->task->state;

	/* Runnable, and not known to be on a CPU: it waits for one. */
	if (state == OVNIK_STATE_RUNNING)
		state = OVNIK_STATE_PREEMPTED;
	if (it->fresh)
		come_up(data, it, 0, ovni_why_off(state));
}

static void on_found(void *data, const struct hook_ctx *ctx)
{
	come_up(data, ctx->item, 0, OVNI_OFFCPU_NOT_SEEN);
}

static void on_out(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);

	if (thread == NO_THREAD)
		return;
	if (unlikely(it->final)) {
		death(t, thread, it->ns);
		return;
	}
	switch_out(t, thread, it->ns, ovni_why_off(it->state));
	ovni_wait_left(t, thread, it);
}

static void on_in(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);

	if (thread != NO_THREAD)
		switch_in(t, thread, it->ns, it->task);
}

/* A thread that is paused is now so for another reason. */
static void off_cpu(struct ovni_translate *t, u32 thread, u64 ns, u32 reason)
{
	struct ovni_wait *wait = &t->threads[thread].wait;
	struct row row;

	row_begin(&row, clock_of(t, ovni_wait_later(wait, ns)));
	row_add(&row, MCV('K', 'C', 'I'));
	row_comes(&row, OVNI_OFF);
	row_add_u32(&row, MCV('K', 'C', 'O'), reason);
	row.step.reason = reason;
	ovni_wait_over(t, thread, row.clock);
	ovni_row_send(t, &row, thread);
}

static void on_lost(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);

	/* What follows tells of the others. */
	if (it->task->place == WORLD_PLACE_CPU || it->task->cpu >= 0)
		return;
	if (thread >= 0 && t->threads[thread].alive && t->threads[thread].cpu < 0)
		ovni_activity_off_cpu(t, thread, ovni_why_off(it->state), false, it->ns);
}

static void on_elsewhere_in(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);

	if (thread < 0 || !t->threads[thread].alive)
		return;
	off_cpu(t, thread, it->ns, OVNI_OFFCPU_UNKNOWN);
}

static void on_elsewhere_out(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);

	if (thread < 0 || !t->threads[thread].alive || it->final)
		return;
	off_cpu(t, thread, it->ns, ovni_why_off(it->state));
	ovni_wait_left(t, thread, it);
}

static void on_dead(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);

	if (thread != NO_THREAD)
		death(t, thread, it->ns);
}

/* A task continues in the stream of its new number. */
static void reborn(struct ovni_translate *t, const struct world_task *task, u64 ns)
{
	bool elsewhere = task->cpu >= 0 && !sight_runs(t->world, task);
	long thread = find_thread(t, task, task->tid);

	if (thread < 0)
		return;
	birth(t, thread, ns, 0, elsewhere ? OVNI_OFFCPU_UNKNOWN : OVNI_OFFCPU_NEW);
	if (task->cpu >= 0 && !elsewhere)
		switch_in(t, thread, ns, task);
}

/* exec by a thread that is not the leader changes numbers: both streams end first. */
static void on_number(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task), other = NO_THREAD;

	if (it->other)
		other = ovni_thread_of(t, it->other);
	if (thread != NO_THREAD)
		death(t, thread, it->ns);
	if (other != NO_THREAD)
		death(t, other, it->ns);
	reborn(t, it->task, it->ns + 1);
	if (it->other)
		reborn(t, it->other, it->ns + 1);
}

static u32 missing_of(u32 causes)
{
	if (causes & (GAP_DAMAGED | GAP_MISSING))
		return OVNI_MISSING_DAMAGED;
	return causes & GAP_LOST ? OVNI_MISSING_LOST : OVNI_MISSING_OVERWRITTEN;
}

static void on_gap_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	u32 cpu = world_cpu_index(t->world, it->cpu);

	ovni_wait_gap(t, cpu, it->gap, true, it->ns);
	t->cpus[cpu].missing = missing_of(it->gap->causes);
	if (t->began && !t->cpus[cpu].sent)
		missing_begin(t, cpu, clock_of(t, it->ns));
}

/* At least 1 ns later, so that it is visible however short it was. */
static void on_gap_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	u32 index = world_cpu_index(t->world, it->cpu);
	struct ovni_cpu_state *cpu = &t->cpus[index];
	struct row row;

	ovni_wait_gap(t, index, it->gap, false, it->ns);
	cpu->missing = 0;
	if (!cpu->sent)
		return;
	cpu->sent = false;
	row_begin(&row, clock_of(t, it->ns > cpu->since ? it->ns : cpu->since + 1));
	row_add(&row, MCV('K', 'L', ']'));
	row.step.what = OVNI_GAP_OVER;
	row_notify(t, OVNI_CPU_EVENT, &row, index);
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	u32 i;

	t->over = true;
	for (i = 0; i < t->inventory->nr_threads; i++)
		death(t, i, it->ns);
}

static int make_tables(struct ovni_translate *t, const struct world *w)
{
	u32 i;

	for (i = 0; i < OVNI_NR_ACTIVITIES; i++)
		t->mark_of[i] = ovni_activities[i].mark;
	t->nr_cpus = w->nr_cpus;
	t->cpus = calloc(w->nr_cpus, sizeof(*t->cpus));
	t->threads = calloc(t->inventory->nr_threads + 1, sizeof(*t->threads));
	t->thread_of = malloc((t->inventory->nr_tasks + 1) * sizeof(*t->thread_of));
	if (!t->cpus || !t->threads || !t->thread_of)
		return -ENOMEM;
	for (i = 0; i < w->nr_cpus; i++)
		t->cpus[i].thread = NO_THREAD;
	for (i = 0; i < t->inventory->nr_threads; i++)
		t->threads[i].cpu = VIRTUAL_CPU;
	for (i = 0; i < t->inventory->nr_tasks; i++)
		t->thread_of[i] = NO_THREAD;
	return 0;
}

int ovni_translate_attach(struct ovni_translate *t, struct world *w,
			  const struct inventory *inventory)
{
	static const struct hook_use hooks[] = {
		{ WORLD_TASK_NEW, on_new },
		{ WORLD_TASK_DUMP, on_dump },
		{ WORLD_TASK_FOUND, on_found },
		{ WORLD_TASK_NUMBER, on_number },
		{ WORLD_TASK_DEAD, on_dead },
		{ WORLD_SCHED_OUT, on_out },
		{ WORLD_SCHED_IN, on_in },
		{ WORLD_ELSEWHERE_IN, on_elsewhere_in },
		{ WORLD_ELSEWHERE_OUT, on_elsewhere_out },
		{ WORLD_LOST, on_lost },
		{ WORLD_GAP_BEGIN, on_gap_begin },
		{ WORLD_GAP_END, on_gap_end },
		{ WORLD_CAPTURE_END, on_end },
	};

	memset(t, 0, sizeof(*t));
	t->inventory = inventory;
	t->world = w;
	hookable_init(&t->hooks, ovni_positions, OVNI_NR_POSITIONS, &w->hooks);
	t->events = &t->hooks;
	return make_tables(t, w) ?:
	       hook_attach_all(&w->hooks, hooks, ARRAY_SIZE(hooks), t) ?:
	       ovni_activity_attach(t, w) ?:
	       ovni_wait_attach(t, w);
}

void ovni_translate_destroy(struct ovni_translate *t)
{
	hookable_destroy(&t->hooks);
	free(t->cpus);
	free(t->threads);
	free(t->thread_of);
	t->cpus = NULL;
	t->threads = NULL;
	t->thread_of = NULL;
}
