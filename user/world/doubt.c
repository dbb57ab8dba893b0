// SPDX-License-Identifier: GPL-2.0-only
/* What is not known of tasks while records are missing: see doubt.h. */
#include "world/doubt.h"
#include "world/sight.h"
#include "world/why.h"
#include "world/world_priv.h"

#define ENDS	(EV_BIT(page_fault_end) | EV_BIT(file_read) | EV_BIT(file_write))
#define WAKES	(EV_BIT(sched_wakeup) | EV_BIT(sched_wakeup_new))

/* The call or fault of a task may end from here on without a record. */
static void in_doubt(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	struct world_item it = world_note(w, cpu, task);

	if (hook_wanted(&w->hooks, WORLD_DOUBT))
		world_notify(w, WORLD_DOUBT, &it);
}

/* Whoever leaves a CPU is told of by sched_out. */
static void note_lost(struct world *w, const struct world_cpu *cpu, struct world_task *task,
		      u16 state)
{
	struct world_item it = world_note(w, cpu, task);

	it.state = state;
	if (task->place != WORLD_PLACE_CPU)
		world_notify(w, WORLD_LOST, &it);
}

static void lose(struct world *w, const struct world_cpu *cpu, struct world_task *task, u16 state)
{
	if (task->place == WORLD_PLACE_UNKNOWN)
		return;
	note_lost(w, cpu, task, state);
	task->place = WORLD_PLACE_UNKNOWN;
	task->dumped = 0;
	if (w->no_ends)
		in_doubt(w, cpu, task);
}

/* It waits, if the end of that will be recorded. */
static void wait(struct world *w, const struct world_cpu *cpu, struct world_task *task, bool queued)
{
	bool hidden = queued ? w->no_runs : w->no_wakes;

	if (hidden || (w->filtered && !task->member)) {
		lose(w, cpu, task, hidden ? WORLD_STATE_LOST : WORLD_STATE_UNKNOWN);
		return;
	}
	task->dumped = 0;
	task->place = queued ? WORLD_PLACE_QUEUED : WORLD_PLACE_ASLEEP;
}

static bool is_queued(u32 reason)
{
	return reason == OVNI_OFFCPU_PREEMPTED || reason == OVNI_OFFCPU_YIELDED;
}

void world_doubt_left(struct world *w, const struct world_cpu *cpu, struct world_task *task,
		      u16 state)
{
	if (task->tid && state < WORLD_STATE_LOST)
		wait(w, cpu, task, is_queued(ovni_why_off(state)));
	else if (task->tid)
		lose(w, cpu, task, state);
}

void world_doubt_elsewhere(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	task->place = WORLD_PLACE_UNKNOWN;
	task->dumped = 0;
	if (task->tid)
		in_doubt(w, cpu, task);
}

void world_doubt_born(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	if (w->switching)
		wait(w, cpu, task, false);
}

static void wait_dumped(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	if (task->state != OVNIK_STATE_RUNNING)
		wait(w, cpu, task, is_queued(ovni_why_off(task->state)));
	else if (sight_complete(w))
		wait(w, cpu, task, true);
}

void world_doubt_dumped(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	if (w->switching)
		wait_dumped(w, cpu, task);
	else if (!w->filtered || task->member)
		task->dumped = w->dumps + 1;
}

void world_doubt_switching(struct world *w, const struct world_cpu *cpu)
{
	struct world_task *task = NULL;

	w->switching = true;
	while ((task = task_next(&w->tasks, task))) {
		if (task->dumped == w->dumps + 1)
			wait_dumped(w, cpu, task);
	}
}

void world_doubt_woken(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	task->dumped = 0;
	if (!task->tid || task->place == WORLD_PLACE_CPU || task->place == WORLD_PLACE_QUEUED)
		return;
	if (task->place == WORLD_PLACE_UNKNOWN &&
	    (!w->switching || task->cpu >= 0 || !sight_complete(w)))
		return;
	wait(w, cpu, task, true);
}

void world_doubt_acts(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	task->dumped = 0;
	lose(w, cpu, task, WORLD_STATE_UNKNOWN);
}

static bool is_hidden(const struct world_task *task, const struct world_hidden *now)
{
	return (task->place == WORLD_PLACE_QUEUED && now->runs) ||
	       (task->place == WORLD_PLACE_ASLEEP && now->wakes);
}

static void look_away(struct world *w, struct world_cpu *cpu, struct world_hidden now)
{
	w->no_runs += now.runs - cpu->hidden.runs;
	w->no_wakes += now.wakes - cpu->hidden.wakes;
	w->no_ends += now.ends - cpu->hidden.ends;
	w->dumps += now.wakes;
	cpu->hidden = now;
}

void world_doubt_gap_begin(struct world *w, struct world_cpu *cpu, const struct capture_gap *gap)
{
	const struct world_hidden now = {
		.runs = sight_hides(gap, EV_BIT(sched_switch)),
		.wakes = sight_hides(gap, WAKES),
		.ends = sight_hides(gap, ENDS),
	};
	struct world_task *task = NULL;

	look_away(w, cpu, now);
	while ((task = task_next(&w->tasks, task))) {
		if (is_hidden(task, &now))
			lose(w, cpu, task, WORLD_STATE_LOST);
		else if (now.ends && (task == cpu->running || task->place == WORLD_PLACE_UNKNOWN))
			in_doubt(w, cpu, task);
	}
}

void world_doubt_gap_end(struct world *w, struct world_cpu *cpu)
{
	struct world_task *task = NULL;

	while (cpu->hidden.ends && (task = task_next(&w->tasks, task))) {
		if (task->place == WORLD_PLACE_UNKNOWN)
			in_doubt(w, cpu, task);
	}
	look_away(w, cpu, (struct world_hidden){ 0 });
}
