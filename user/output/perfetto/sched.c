// SPDX-License-Identifier: GPL-2.0-only
/* Switches, wakeups and lives of tasks, as Perfetto's own recorder writes them. */
#include "output/perfetto/perfetto.h"

#define CLONE_THREAD	0x10000

static inline struct perfetto_cpu *cpu_of(struct perfetto *o, u32 nr)
{
	o->now = world_cpu_index(o->world, nr);
	return o->cpus[o->now];
}

/* As the kernel numbers them since Linux 4.14; nothing else is with "preempted". */
static inline u32 state_of(u16 state)
{
	if (likely(state < OVNIK_STATE_PREEMPTED))
		return state;
	if (state >= WORLD_STATE_LOST)
		return PERFETTO_STATE_UNKNOWN;
	return state & OVNIK_STATE_PREEMPTED ? OVNIK_STATE_PREEMPTED : state & 0xff;
}

static const char *name_of(const struct perfetto *o, u32 tid)
{
	static const char idle[OVNIK_COMM_LEN] = "swapper", unknown[OVNIK_COMM_LEN];
	const struct world_task *task = tid ? task_find(&o->world->tasks, tid) : NULL;

	return task ? task->comm : tid ? unknown : idle;
}

/* The first one is full: it says who leaves. */
static void put_first(struct perfetto *o, struct perfetto_cpu *cpu, u64 ns, u32 state, u32 tid)
{
	u8 *start = bundle_begin(&cpu->bundle, ns, cpu->prev), *p;

	start = pb_begin(start, EVENT_SCHED_SWITCH);
	p = pb_text(start, FULL_SWITCH_PREV_COMM, name_of(o, cpu->prev));
	p = pb_uint(p, FULL_SWITCH_PREV_PID, cpu->prev);
	p = pb_uint(p, FULL_SWITCH_PREV_PRIO, BUNDLE_PRIO);
	p = pb_uint(p, FULL_SWITCH_PREV_STATE, state);
	p = pb_text(p, FULL_SWITCH_NEXT_COMM, name_of(o, tid));
	p = pb_uint(p, FULL_SWITCH_NEXT_PID, tid);
	p = pb_uint(p, FULL_SWITCH_NEXT_PRIO, BUNDLE_PRIO);
	bundle_end(&cpu->bundle, pb_end(start, p));
	/* What comes at the same time is in columns, and would be before. */
	bundle_write(&cpu->bundle);
	cpu->known = true;
}

static inline void put_switch(struct perfetto *o, struct perfetto_cpu *cpu, u64 ns, u32 state,
			      u32 tid)
{
	if (unlikely(!cpu->known))
		put_first(o, cpu, ns, state, tid);
	else
		bundle_switch(&cpu->bundle, ns, state, tid, name_of(o, tid));
	cpu->last = tid;
	cpu->away = false;
}

/* It is not known who came after the last one: nobody did. */
static inline void settle(struct perfetto *o, struct perfetto_cpu *cpu, u64 ns)
{
	if (cpu->away && cpu->ns != ns && cpu->known)
		put_switch(o, cpu, cpu->ns, cpu->state, 0);
}

static inline void leave(struct perfetto_cpu *cpu, u64 ns, u16 state)
{
	cpu->away = true;
	cpu->ns = ns;
	cpu->state = state_of(state);
}

static void on_switch(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct perfetto *o = data;
	struct perfetto_cpu *cpu = cpu_of(o, it->cpu);

	if (unlikely(!cpu) || it->task == it->other)
		return;
	settle(o, cpu, it->ns);
	if (unlikely(cpu->last != it->task->tid) && cpu->known)
		put_switch(o, cpu, it->ns, cpu->away ? cpu->state : 0, it->task->tid);
	cpu->prev = it->task->tid;
	leave(cpu, it->ns, it->state);
}

static void on_out(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct perfetto *o = data;
	struct perfetto_cpu *cpu = cpu_of(o, it->cpu);

	if (likely(cpu))
		leave(cpu, it->ns, it->state);
}

static void on_in(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct perfetto *o = data;
	struct perfetto_cpu *cpu = cpu_of(o, it->cpu);

	if (unlikely(!cpu))
		return;
	settle(o, cpu, it->ns);
	put_switch(o, cpu, it->ns, cpu->away ? cpu->state : 0, it->task->tid);
}

static void on_gap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct perfetto_cpu *cpu = cpu_of(data, it->cpu);

	if (!cpu || it->gap->dump)
		return;
	bundle_write(&cpu->bundle);
	cpu->bundle.lost = true;
}

static void put_full_waking(struct perfetto_cpu *cpu, const struct world_item *it, u32 waker)
{
	u8 *start, *p;

	p = bundle_begin(&cpu->bundle, it->ns, waker);
	start = pb_begin(p, EVENT_SCHED_WAKING);
	p = pb_text(start, FULL_WAKING_COMM, it->task->comm);
	p = pb_uint(p, FULL_WAKING_PID, it->task->tid);
	p = pb_uint(p, FULL_WAKING_PRIO, BUNDLE_PRIO);
	p = pb_uint(p, FULL_WAKING_TARGET_CPU, it->to);
	bundle_end(&cpu->bundle, pb_end(start, p));
}

static void on_wakeup(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_sched_wakeup *rec = it->rec;	/* sched_wakeup_new is the same */
	struct perfetto *o = data;
	struct perfetto_cpu *cpu = cpu_of(o, it->cpu);

	/* A new task is runnable by its own event, if that was recorded. */
	if (!cpu || (it->event == OVNIK_EV_sched_wakeup_new && it->task->birth != it->tsc))
		return;
	/* The short form is of the one that runs there. */
	if (likely(cpu->known && cpu->last == rec->waker_tid))
		bundle_waking(&cpu->bundle, it->ns, it->task->tid, it->task->comm, it->to);
	else
		put_full_waking(cpu, it, rec->waker_tid);
}

static void on_new(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_fork *rec = it->rec;
	struct perfetto *o = data;
	struct perfetto_cpu *cpu = cpu_of(o, it->cpu);
	u8 *start, *p;

	if (!cpu)
		return;
	o->forked = rec->child_tid;
	o->forked_ns = it->ns;
	start = pb_begin(bundle_begin(&cpu->bundle, it->ns, rec->parent_tid), EVENT_TASK_NEWTASK);
	p = pb_uint(start, NEWTASK_PID, rec->child_tid);
	p = pb_text(p, NEWTASK_COMM, it->task->comm);
	p = pb_uint(p, NEWTASK_CLONE_FLAGS,
		    rec->child_tgid == rec->child_tid ? 0 : CLONE_THREAD);
	bundle_end(&cpu->bundle, pb_end(start, p));
}

static void on_exec(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exec *rec = it->rec;
	struct perfetto *o = data;
	struct perfetto_cpu *cpu = cpu_of(o, it->cpu);
	u8 *start, *p;

	if (!cpu)
		return;
	start = pb_begin(bundle_begin(&cpu->bundle, it->ns, rec->tid), EVENT_PROCESS_EXEC);
	p = pb_text(start, EXEC_FILENAME, rec->filename);
	p = pb_uint(p, EXEC_PID, rec->tid);
	p = pb_uint(p, EXEC_OLD_PID, rec->old_tid ? rec->old_tid : rec->tid);
	bundle_end(&cpu->bundle, pb_end(start, p));
}

/* A thread goes on under another number. */
static void on_number(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct perfetto *o = data;
	struct perfetto_cpu *cpu = cpu_of(o, it->cpu);

	if (cpu && cpu->known && cpu->last == it->tid)
		put_switch(o, cpu, it->ns, OVNIK_STATE_DEAD, it->task->tid);
	perfetto_free_task(o, it->ns, it->tid);
}

/* Its end as a thread is told after this. */
static void on_dead(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct perfetto *o = data;

	o->dead = it->task->tid;
	o->dead_ns = it->ns;
}

static void on_exit_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exit *rec = it->rec;
	struct perfetto_cpu *cpu = cpu_of(data, it->cpu);
	u8 *start, *p;

	if (!cpu)
		return;
	start = pb_begin(bundle_begin(&cpu->bundle, it->ns, rec->tid), EVENT_PROCESS_EXIT);
	p = pb_text(start, EXIT_COMM, it->task->comm);
	p = pb_uint(p, EXIT_PID, rec->tid);
	p = pb_uint(p, EXIT_TGID, rec->tgid);
	bundle_end(&cpu->bundle, pb_end(start, p));
}

static void on_comm(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	if (cpu_of(data, it->cpu))
		perfetto_name_task(data, it->ns, it->task->tid, it->task->comm);
}

void perfetto_name_task(struct perfetto *o, u64 ns, u32 tid, const char *comm)
{
	struct perfetto_cpu *cpu = o->cpus[o->now];
	u8 *start, *p;

	if (!cpu || !*comm)
		return;
	start = pb_begin(bundle_begin(&cpu->bundle, ns, tid), EVENT_TASK_RENAME);
	p = pb_uint(start, RENAME_PID, tid);
	p = pb_text(p, RENAME_NEWCOMM, comm);
	bundle_end(&cpu->bundle, pb_end(start, p));
}

void perfetto_free_task(struct perfetto *o, u64 ns, u32 tid)
{
	struct perfetto_cpu *cpu = o->cpus[o->now];
	u8 *start, *p;

	if (!cpu)
		return;
	start = pb_begin(bundle_begin(&cpu->bundle, ns, tid), EVENT_PROCESS_FREE);
	p = pb_uint(start, FREE_PID, tid);
	bundle_end(&cpu->bundle, pb_end(start, p));
}

void perfetto_io_wait(struct perfetto *o, u64 ns, u32 tid)
{
	struct perfetto_cpu *cpu = o->cpus[o->now];
	u8 *start, *p;

	if (!cpu)
		return;
	/* Behind the switch, wherever that will be written. */
	start = pb_begin(bundle_begin(&cpu->bundle, ns + 1, tid), EVENT_SCHED_BLOCKED_REASON);
	p = pb_uint(pb_uint(start, BLOCKED_PID, tid), BLOCKED_IO_WAIT, 1);
	bundle_end(&cpu->bundle, pb_end(start, p));
}

int perfetto_attach_sched(struct perfetto *o)
{
	static const struct hook_use hooks[] = {
		{ WORLD_SCHED_SWITCH, on_switch },
		{ WORLD_SCHED_OUT, on_out },
		{ WORLD_SCHED_IN, on_in },
		/* States of threads are made of the switches of all CPUs. */
		{ WORLD_ELSEWHERE_OUT, on_switch },
		{ WORLD_ELSEWHERE_IN, on_in },
		{ WORLD_GAP_BEGIN, on_gap },
		{ WORLD_WAKEUP, on_wakeup },
		{ WORLD_TASK_NEW, on_new },
		{ WORLD_TASK_NUMBER, on_number },
		{ WORLD_TASK_EXEC, on_exec },
		{ WORLD_TASK_EXIT, on_exit_begin },
		{ WORLD_TASK_DEAD, on_dead },
		{ WORLD_COMM, on_comm },
	};

	return hook_attach_all(&o->world->hooks, hooks, ARRAY_SIZE(hooks), o);
}

void perfetto_end_sched(struct perfetto *o)
{
	u32 i;

	for (i = 0; i < o->world->nr_cpus; i++) {
		if (!o->cpus[i])
			continue;
		settle(o, o->cpus[i], ~0ULL);
		bundle_write(&o->cpus[i]->bundle);
	}
}
