// SPDX-License-Identifier: GPL-2.0-only
/* What is not known of tasks while records are missing: see doubt.h. */
#include "world/doubt.h"
#include "world/sight.h"
#include "world/task.h"
#include "world/why.h"
#include "world/world_priv.h"

#define ENDS	(EV_BIT(page_fault_end) | EV_BIT(file_read) | EV_BIT(file_write))
#define WAKES	(EV_BIT(sched_wakeup) | EV_BIT(sched_wakeup_new))

/*
 * Of those who are not known to be anywhere, a gap is about those that act: a capture may have as
 * many gaps as tasks.
 */
static bool is_listed(const struct world_task *task)
{
	return task->place > WORLD_PLACE_CPU || (task->place == WORLD_PLACE_UNKNOWN && task->acts);
}

static void put(struct world *w, struct world_task *task, enum world_place place, bool acts)
{
	if (is_listed(task))
		LIST_REMOVE(task, listed);
	task->place = place;
	task->acts = acts;
	if (is_listed(task))
		LIST_INSERT_HEAD(&w->places[place], task, listed);
}

/* The call or fault of a task may end from here on without a record. */
static void in_doubt(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	struct world_item it = world_note(w, cpu, task);

	if (!task->acts)
		return;
	put(w, task, task->place, false);
	if (hook_wanted(&w->hooks, WORLD_DOUBT))
		world_notify(w, WORLD_DOUBT, &it);
}

static void note_lost(struct world *w, const struct world_cpu *cpu, struct world_task *task,
		      u16 state)
{
	struct world_item it = world_note(w, cpu, task);

	task->lost = state == WORLD_STATE_LOST;
	it.state = state;
	if (task->place != WORLD_PLACE_UNKNOWN)
		world_notify(w, WORLD_LOST, &it);
}

static void lose(struct world *w, const struct world_cpu *cpu, struct world_task *task, u16 state)
{
	bool again = task->place == WORLD_PLACE_UNKNOWN;

	note_lost(w, cpu, task, state);
	if (again)
		return;
	put(w, task, WORLD_PLACE_UNKNOWN, task->acts);
	task->dumped = 0;
	if (w->no_ends)
		in_doubt(w, cpu, task);
}

/* Why will it not be known for how long it waits? Return: 0: it will be. */
static u16 why_lost(const struct world *w, const struct world_task *task, bool queued)
{
	if (queued ? w->no_runs : w->no_wakes)
		return WORLD_STATE_LOST;
	return w->filtered && !task->member ? WORLD_STATE_UNKNOWN : 0;
}

/* It waits, if the end of that will be recorded. */
static void wait(struct world *w, const struct world_cpu *cpu, struct world_task *task, bool queued)
{
	u16 lost = why_lost(w, task, queued);

	if (lost) {
		lose(w, cpu, task, lost);
		return;
	}
	task->dumped = 0;
	put(w, task, queued ? WORLD_PLACE_QUEUED : WORLD_PLACE_ASLEEP, task->acts);
}

static bool is_queued(u32 reason)
{
	return reason == OVNI_OFFCPU_PREEMPTED || reason == OVNI_OFFCPU_YIELDED;
}

void world_doubt_left(struct world *w, const struct world_cpu *cpu, struct world_task *task,
		      u16 state)
{
	if (!task->tid)
		return;
	if (state >= WORLD_STATE_LOST)
		lose(w, cpu, task, state);
	else if (!(state & STATE_FINAL))
		wait(w, cpu, task, is_queued(ovni_why_off(state)));
}

void world_doubt_elsewhere(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	task->dumped = 0;
	if (!task->tid)
		return;
	lose(w, cpu, task, WORLD_STATE_UNKNOWN);
	in_doubt(w, cpu, task);
}

void world_doubt_came(struct world *w, struct world_task *task)
{
	put(w, task, WORLD_PLACE_CPU, task->acts);
	task->dumped = 0;
}

/* Where it waits was said of the number. */
void world_doubt_exchanged(struct world *w, struct world_task *task)
{
	if (task->place != WORLD_PLACE_CPU)
		put(w, task, WORLD_PLACE_UNKNOWN, task->acts);
	task->dumped = 0;
	task->lost = false;
}

void world_doubt_gone(struct world *w, struct world_task *task)
{
	put(w, task, WORLD_PLACE_UNKNOWN, false);
}

void world_doubt_born(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	if (w->switching)
		wait(w, cpu, task, false);
}

static void wait_dumped(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	if (task->state == OVNIK_STATE_RUNNING && sight_complete(w))
		wait(w, cpu, task, true);
	else if (task->state != OVNIK_STATE_RUNNING && !(task->state & STATE_FINAL))
		wait(w, cpu, task, is_queued(ovni_why_off(task->state)));
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
	struct world_item it = world_note(w, cpu, NULL);
	struct world_task *task = NULL;

	w->switching = true;
	while ((task = task_next(&w->tasks, task))) {
		if (task->dumped == w->dumps + 1)
			wait_dumped(w, cpu, task);
	}
	world_notify(w, WORLD_SWITCHING, &it);
}

void world_doubt_woken(struct world *w, struct world_task *task)
{
	task->dumped = 0;
	if (!task->tid || task->place == WORLD_PLACE_CPU || task->place == WORLD_PLACE_QUEUED)
		return;
	if (task->place == WORLD_PLACE_UNKNOWN &&
	    (!w->switching || task->cpu >= 0 || !sight_complete(w)))
		return;
	if (!why_lost(w, task, true))
		put(w, task, WORLD_PLACE_QUEUED, task->acts);
}

void world_doubt_not_queued(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	lose(w, cpu, task, why_lost(w, task, true));
}

void world_doubt_acts(struct world *w, const struct world_cpu *cpu, struct world_task *task)
{
	task->dumped = 0;
	lose(w, cpu, task, WORLD_STATE_UNKNOWN);
	put(w, task, WORLD_PLACE_UNKNOWN, true);
}

static void lose_all(struct world *w, const struct world_cpu *cpu, enum world_place place)
{
	while (!LIST_EMPTY(&w->places[place]))
		lose(w, cpu, LIST_FIRST(&w->places[place]), WORLD_STATE_LOST);
}

static void doubt_all(struct world *w, const struct world_cpu *cpu)
{
	while (!LIST_EMPTY(&w->places[WORLD_PLACE_UNKNOWN]))
		in_doubt(w, cpu, LIST_FIRST(&w->places[WORLD_PLACE_UNKNOWN]));
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

	look_away(w, cpu, now);
	if (now.ends && cpu->running && cpu->running->tid)
		in_doubt(w, cpu, cpu->running);
	if (now.runs)
		lose_all(w, cpu, WORLD_PLACE_QUEUED);
	if (now.wakes)
		lose_all(w, cpu, WORLD_PLACE_ASLEEP);
	if (now.ends)
		doubt_all(w, cpu);
}

void world_doubt_gap_end(struct world *w, struct world_cpu *cpu)
{
	if (cpu->hidden.ends)
		doubt_all(w, cpu);
	look_away(w, cpu, (struct world_hidden){ 0 });
}
