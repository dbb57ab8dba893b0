// SPDX-License-Identifier: GPL-2.0-only
/* Threads that wait for a CPU: see output/ovni/wait.h. */
#include "output/ovni/row.h"
#include "output/ovni/wait.h"
#include "trace/wait.h"
#include "world/sight.h"
#include "world/why.h"

#define NO_THREAD	(-1)

static void list_add(struct ovni_translate *t, u32 thread)
{
	struct ovni_wait *wait = &t->threads[thread].wait;

	wait->prev = NO_THREAD;
	wait->next = t->waiting;
	if (wait->next != NO_THREAD)
		t->threads[wait->next].wait.prev = thread;
	t->waiting = thread;
}

static void list_del(struct ovni_translate *t, u32 thread)
{
	const struct ovni_wait *wait = &t->threads[thread].wait;

	if (wait->prev != NO_THREAD)
		t->threads[wait->prev].wait.next = wait->next;
	else
		t->waiting = wait->next;
	if (wait->next != NO_THREAD)
		t->threads[wait->next].wait.prev = wait->prev;
}

/* An event of the stream of the CPU with index @on, later than the thread's last one. */
static inline void emit(struct ovni_translate *t, u32 thread, u32 head, u32 size, u32 on, u64 ns)
{
	struct ovni_wait *wait = &t->threads[thread].wait;
	const struct inventory_thread *who = &t->inventory->threads[thread];
	const struct ovni_wait_payload payload = { who->pid, who->tid, wait->cpu, wait->why };
	struct row row;

	row_begin(&row, clock_of(t, ovni_wait_later(wait, ns)));
	row_add(&row, head | SIZED(size));
	memcpy(row.end, &payload, size);
	row.end += size;
	wait->since = row.clock;
	row_notify(t, OVNI_CPU_EVENT, &row, on);
}

static void begin(struct ovni_translate *t, u32 thread, enum ovni_wait_why why, s32 cpu, u32 on,
		  u64 ns)
{
	struct ovni_wait *wait = &t->threads[thread].wait;

	wait->why = why;
	wait->cpu = cpu;
	list_add(t, thread);
	emit(t, thread, MCV('K', 'W', '['), OVNI_WAIT_BEGIN_SIZE, on, ns);
}

static void move(struct ovni_translate *t, u32 thread, s32 cpu, u32 on, u64 ns)
{
	struct ovni_wait *wait = &t->threads[thread].wait;

	if (wait->cpu == cpu)
		return;
	wait->cpu = cpu;
	emit(t, thread, MCV('K', 'W', 'm'), OVNI_WAIT_MOVE_SIZE, on, ns);
}

static void end(struct ovni_translate *t, u32 thread, u32 on, u64 ns)
{
	list_del(t, thread);
	t->threads[thread].wait.why = 0;
	emit(t, thread, MCV('K', 'W', ']'), OVNI_WAIT_END_SIZE, on, ns);
}

void ovni_wait_over(struct ovni_translate *t, u32 thread, u64 clock)
{
	struct ovni_wait *wait = &t->threads[thread].wait;

	wait->since = clock;
	if (!wait->why)
		return;
	list_del(t, thread);
	wait->why = 0;
}

static s32 target_of(const struct ovni_translate *t, u32 nr)
{
	u32 cpu = world_cpu_index(t->world, nr);

	return cpu < t->nr_cpus && !t->nr_blind ? (s32)cpu : NO_THREAD;
}

static void on_wakeup(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);
	struct ovni_thread_state *state;

	if (thread < 0)
		return;
	state = &t->threads[thread];
	/* Woken before it could leave its CPU. */
	if (state->cpu >= 0 || !state->alive)
		return;
	if (state->wait.why) {
		move(t, thread, target_of(t, it->to), world_cpu_index(t->world, it->cpu), it->ns);
		return;
	}
	if (it->task->place != WORLD_PLACE_QUEUED)
		return;
	begin(t, thread, it->event == OVNIK_EV_sched_wakeup_new ? OVNI_WAIT_NEW : OVNI_WAIT_WOKEN,
	      target_of(t, it->to), world_cpu_index(t->world, it->cpu), it->ns);
}

static void on_migrate(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);

	if (thread >= 0 && t->threads[thread].wait.why)
		move(t, thread, target_of(t, it->to), world_cpu_index(t->world, it->cpu), it->ns);
}

/* A thread leaves a CPU that was thought to wait for one. */
static void on_stray(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct ovni_translate *t = data;
	long thread = ovni_thread_of(t, it->task);

	if (thread < 0)
		return;
	if (t->threads[thread].wait.why)
		end(t, thread, world_cpu_index(t->world, it->cpu), it->ns);
	if (t->threads[thread].alive)
		ovni_wait_left(t, thread, it);
}

void ovni_wait_left(struct ovni_translate *t, u32 thread, const struct world_item *it)
{
	struct ovni_wait *wait = &t->threads[thread].wait;
	u32 cpu, why = OVNI_WAIT_YIELDED;

	if (it->task->place != WORLD_PLACE_QUEUED || wait->why)
		return;
	if (ovni_why_off(it->state) == OVNI_OFFCPU_PREEMPTED)
		why = OVNI_WAIT_PREEMPTED;
	cpu = world_cpu_index(t->world, it->cpu);
	begin(t, thread, why, t->nr_blind ? NO_THREAD : (s32)cpu, cpu, it->ns);
}

void ovni_wait_gap(struct ovni_translate *t, u32 cpu, const struct capture_gap *gap, bool begins,
		   u64 ns)
{
	bool blind = begins && sight_hides(gap, EV_BIT(sched_migrate));
	s32 thread = t->waiting;

	t->nr_blind += blind - t->cpus[cpu].blind;
	t->cpus[cpu].blind = blind;
	for (; blind && thread != NO_THREAD; thread = t->threads[thread].wait.next)
		move(t, thread, NO_THREAD, cpu, ns);
}

int ovni_wait_attach(struct ovni_translate *t, struct world *w)
{
	static const struct hook_use hooks[] = {
		{ WORLD_WAKEUP, on_wakeup },
		{ WORLD_MIGRATE, on_migrate },
		{ WORLD_SCHED_STRAY, on_stray },
	};

	t->waiting = NO_THREAD;
	return hook_attach_all(&w->hooks, hooks, ARRAY_SIZE(hooks), t);
}
