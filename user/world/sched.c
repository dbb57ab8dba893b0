// SPDX-License-Identifier: GPL-2.0-only
/* Which task runs on which CPU. */
#include <errno.h>

#include "world/doubt.h"
#include "world/records.h"
#include "world/world_priv.h"

/* @it has time, CPU and record. */
static inline void leave(struct world *w, struct world_cpu *cpu, struct world_task *task, u16 state,
			 struct world_item *it)
{
	cpu->running = NULL;
	task->cpu = -1;
	world_doubt_left(w, cpu, task, state);
	it->task = task;
	it->state = state;
	it->final = state < WORLD_STATE_LOST && (state & STATE_FINAL);
	world_notify(w, WORLD_SCHED_OUT, it);
}

static void leave_elsewhere(struct world *w, struct world_cpu *cpu, struct world_task *task,
			    u16 state)
{
	struct world_item it = world_note(w, cpu, task);

	cpu->running = NULL;
	task->cpu = -1;
	if (!w->switching && state < WORLD_STATE_LOST)
		world_doubt_switching(w, cpu);
	world_doubt_left(w, cpu, task, state);
	it.state = state;
	it.final = state < WORLD_STATE_LOST && (state & STATE_FINAL);
	world_notify(w, WORLD_ELSEWHERE_OUT, &it);
}

static void come_elsewhere(struct world *w, struct world_cpu *cpu, struct world_task *task)
{
	struct world_item it = world_note(w, cpu, task);

	cpu->running = task;
	cpu->outsider = false;
	cpu->sure = world_is_sure(w, task);
	task->cpu = cpu->index;
	world_doubt_elsewhere(w, cpu, task);
	world_notify(w, WORLD_ELSEWHERE_IN, &it);
}

void world_off_cpu(struct world *w, struct world_task *task, u16 state)
{
	struct world_cpu *cpu = &w->cpus[task->cpu];
	struct world_item it;

	if (task->cpu < 0)
		return;
	if (cpu->elsewhere) {
		leave_elsewhere(w, cpu, task, state);
		return;
	}
	it = world_note(w, cpu, task);
	leave(w, cpu, task, state, &it);
}

static inline void come(struct world *w, struct world_cpu *cpu, struct world_task *task,
			struct world_item *it)
{
	if (unlikely(task->cpu >= 0)) {
		w->stats.twice++;
		world_off_cpu(w, task, WORLD_STATE_UNKNOWN);
	}
	cpu->running = task;
	cpu->outsider = false;
	cpu->sure = world_is_sure(w, task);
	task->cpu = cpu->index;
	world_doubt_came(w, task);
	it->task = task;
	world_notify(w, WORLD_SCHED_IN, it);
}

void world_runs(struct world *w, struct world_cpu *cpu, struct world_task *task)
{
	struct world_item it = world_note(w, cpu, task);

	if (!cpu->elsewhere) {
		come(w, cpu, task, &it);
		return;
	}
	if (task->cpu >= 0) {
		w->stats.twice++;
		world_off_cpu(w, task, WORLD_STATE_UNKNOWN);
	}
	come_elsewhere(w, cpu, task);
}

/* The switch takes a task off the CPU that was not known to run there. */
static int correct_prev(struct world *w, struct world_cpu *cpu,
			const struct ovnik_sched_switch *rec, struct world_task **prev)
{
	struct world_task *believed = cpu->running;
	bool final = rec->prev_state & STATE_FINAL;
	int ret = 0;

	*prev = believed;
	if (believed && (world_took_number(w, cpu, rec->prev_tid) ||
			 (final && world_gave_number(w, cpu, rec->prev_tid))))
		return 0;
	/*
	 * A leader that ends may have lost its number to a thread that execs. With a filter, who
	 * is known to run depends on what passes before have found: all must come to the same.
	 */
	*prev = NULL;
	if (final && !w->filtered)
		*prev = world_leader(w, rec->prev_tid);
	if (!*prev)
		ret = world_task_get(w, cpu, rec->prev_tid, prev);
	if (ret || !*prev || *prev == believed)
		return ret;
	if (believed) {
		if (!w->filtered || believed->member)
			w->stats.switches++;
		world_off_cpu(w, believed, WORLD_STATE_UNKNOWN);
	}
	if ((*prev)->cpu >= 0) {
		w->stats.twice++;
		world_off_cpu(w, *prev, WORLD_STATE_UNKNOWN);
	}
	return 0;
}

/* In the first switch; or it leaves the CPU without having been seen to come. */
static __attribute__((noinline)) int rare_prev(struct world *w, struct world_cpu *cpu,
						const struct ovnik_sched_switch *rec,
						struct world_task **prev)
{
	struct world_item it;
	int ret = 0;

	if (!*prev || (*prev)->tid != rec->prev_tid)
		ret = correct_prev(w, cpu, rec, prev);
	if (ret || !*prev)
		return ret;
	if (!w->switching)
		world_doubt_switching(w, cpu);
	if (*prev == cpu->running)
		return 0;
	world_doubt_left(w, cpu, *prev, rec->prev_state);
	it = world_note(w, cpu, *prev);
	it.state = rec->prev_state;
	world_notify(w, WORLD_SCHED_STRAY, &it);
	return 0;
}

int world_switch(struct world *w, struct world_cpu *cpu, const struct ovnik_sched_switch *rec)
{
	struct world_task *prev = cpu->running, *next;
	struct world_item *it = &w->passing;
	int ret;

	if (unlikely(!w->switching || !prev || prev->tid != rec->prev_tid)) {
		ret = rare_prev(w, cpu, rec, &prev);
		if (ret || !prev)
			return ret;
	}
	next = rec->next_tid ? task_find(&w->tasks, rec->next_tid) : &cpu->idle;
	if (unlikely(!next)) {
		ret = world_task_get(w, cpu, rec->next_tid, &next);
		if (ret || !next)
			return ret;
	}
	it->tsc = w->tsc;
	it->ns = w->ns;
	it->cpu = cpu->nr;
	it->rec = rec;
	it->task = prev;
	it->other = next;
	it->state = rec->prev_state;
	it->final = false;
	world_notify(w, WORLD_SCHED_SWITCH, it);
	if (unlikely(prev == next))
		return 0;

	it->other = NULL;
	if (likely(cpu->running))
		leave(w, cpu, prev, rec->prev_state, it);
	prev->state = rec->prev_state;
	if (unlikely(rec->prev_state & STATE_FINAL) && prev->tid)
		world_task_die(w, cpu, prev);
	/* The end of a run of a task outside the filter is not recorded. */
	if (w->filtered && !next->member && next->tid) {
		cpu->outsider = true;
		return 0;
	}
	it->final = false;
	come(w, cpu, next, it);
	return 0;
}

int world_switch_elsewhere(struct world *w, struct world_cpu *cpu,
			   const struct ovnik_sched_switch *rec)
{
	struct world_task *prev = cpu->running, *next;
	int ret = 0;

	if (!prev || prev->tid != rec->prev_tid)
		ret = correct_prev(w, cpu, rec, &prev);
	if (!ret && prev)
		ret = world_task_get(w, cpu, rec->next_tid, &next);
	if (ret || !prev || !next || prev == next)
		return ret;
	leave_elsewhere(w, cpu, prev, rec->prev_state);
	prev->state = rec->prev_state;
	if (rec->prev_state & STATE_FINAL && prev->tid)
		world_task_die(w, cpu, prev);
	if (!w->filtered || next->member || !next->tid)
		world_runs(w, cpu, next);
	else
		cpu->outsider = true;
	return 0;
}

static int wake(struct world *w, struct world_cpu *cpu, struct world_item *it, u32 tid, u32 waker)
{
	int ret = world_task_get(w, cpu, tid, &it->task);

	if (ret || !it->task)
		return ret;
	if (it->task->cpu < 0)
		it->task->state = OVNIK_STATE_RUNNING;
	world_doubt_woken(w, it->task);
	if (hook_wanted(&w->hooks, WORLD_WAKEUP)) {
		it->tid = waker;
		it->other = waker ? task_find(&w->tasks, waker) : &cpu->idle;
		world_notify(w, WORLD_WAKEUP, it);
	}
	world_doubt_waking(w, cpu, it->task);
	return 0;
}

int world_sched_wakeup(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_sched_wakeup *rec = it->rec;

	it->to = rec->cpu;
	return wake(w, cpu, it, rec->tid, rec->waker_tid);
}

int world_sched_wakeup_new(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_sched_wakeup_new *rec = it->rec;

	it->to = rec->cpu;
	return wake(w, cpu, it, rec->tid, rec->waker_tid);
}

int world_sched_migrate(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_sched_migrate *rec = it->rec;
	int ret;

	ret = world_task_get(w, cpu, rec->tid, &it->task);
	if (ret || !it->task)
		return ret;
	it->to = rec->dest_cpu;
	world_notify(w, WORLD_MIGRATE, it);
	return 0;
}
