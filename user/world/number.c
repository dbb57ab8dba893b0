// SPDX-License-Identifier: GPL-2.0-only
/* Of which process a task is, and threads that exec and so exchange numbers with their leaders. */
#include "util/sorted.h"
#include "world/doubt.h"
#include "world/task.h"
#include "world/world_priv.h"

static bool in_filter(const struct world *w, u32 tgid)
{
	return sorted_has(w->filter, w->nr_filter, tgid);
}

void world_learn_process(struct world *w, struct world_task *task, u32 tgid)
{
	if (task->told || !tgid || tgid > TASK_TID_MAX)
		return;
	task->told = tgid;
	if (w->filtered && in_filter(w, tgid))
		task->told_member = true;
	task->member |= task->told_member;
	if (!task->tgid)
		task->tgid = tgid;
}

void world_know_process(struct world *w, struct world_task *task)
{
	u32 tgid = task->id < w->nr_pids ? w->pids[task->id] : 0;

	/* A task whose process nothing names counts as a leader. */
	if (tgid != task->tid)
		task->tgid = tgid;
	if (w->filtered && in_filter(w, tgid))
		task->member = true;
}

/* The task that exchanges numbers next with the one that has @tid. */
static struct world_task *next_exchange(const struct world *w, const struct world_rename *list,
					u32 tid)
{
	u32 low = 0, high = w->nr_renames;

	while (low < high) {
		u32 mid = low + (high - low) / 2;
		const struct world_rename *at = &list[mid];

		if (at->tid < tid || (at->tid == tid && at->tsc < w->tsc))
			low = mid + 1;
		else
			high = mid;
	}
	if (low == w->nr_renames || list[low].tid != tid)
		return NULL;
	return task_find(&w->tasks, list[low].other);
}

struct world_task *world_heir(const struct world *w, u32 tid)
{
	return next_exchange(w, w->renames, tid);
}

struct world_task *world_leader(const struct world *w, u32 tid)
{
	return next_exchange(w, w->renames_by_old, tid);
}

void world_exchange(struct world *w, struct world_cpu *cpu, struct world_task *task, u32 tid)
{
	struct world_task *leader = task_find(&w->tasks, tid);
	struct world_item it = world_note(w, task->cpu < 0 ? cpu : &w->cpus[task->cpu], task);

	world_doubt_exchanged(w, task);
	world_learn_process(w, task, tid);
	it.tid = task->tid;
	it.other = leader;
	task_remove(&w->tasks, task, w->tsc);
	task->start = 0;
	if (leader) {
		world_doubt_exchanged(w, leader);
		world_learn_process(w, leader, tid);
		task_remove(&w->tasks, leader, w->tsc);
		task->start = leader->start;
		leader->start = 0;
		leader->tid = task->tid;
		task_insert(&w->tasks, leader);
	}
	task->was = task->tid;
	task->tid = tid;
	task_insert(&w->tasks, task);
	world_notify(w, WORLD_TASK_NUMBER, &it);
	if (!*task->late_comm)
		return;
	/* That was its own. Or an exec's next records give it another one. */
	world_set_comm(task->comm, task->late_comm);
	*task->late_comm = '\0';
	it = world_note(w, task->cpu < 0 ? cpu : &w->cpus[task->cpu], task);
	world_notify(w, WORLD_COMM, &it);
}

struct world_task *world_take_number(struct world *w, struct world_cpu *cpu, u32 tid)
{
	struct world_task *task = task_ended(&w->tasks, tid) ? world_heir(w, tid) : NULL;

	if (task)
		world_exchange(w, cpu, task, tid);
	return task;
}

bool world_took_number(struct world *w, struct world_cpu *cpu, u32 tid)
{
	struct world_task *task = cpu->running;

	if (!task || !cpu->sure || !tid || task->told != tid || !task_ended(&w->tasks, tid))
		return false;
	world_exchange(w, cpu, task, tid);
	return true;
}

bool world_is_ending(const struct world_task *task, u32 tgid)
{
	return task && task->exiting && task->tid == tgid && task->told == tgid;
}

bool world_took_early(struct world *w, struct world_cpu *cpu, u32 tid)
{
	struct world_task *task = cpu->running, *leader = task_find(&w->tasks, tid);

	if (!world_is_ending(leader, tid))
		return false;
	/* Without the switches between, one cannot tell who that was. */
	if (w->tasks.known)
		w->tasks.known->clash = true;
	if (!task || !cpu->sure || task == leader || task->told != tid)
		return false;
	world_exchange(w, cpu, task, tid);
	return true;
}

bool world_gave_number(const struct world *w, const struct world_cpu *cpu, u32 tid)
{
	const struct world_task *task = cpu->running, *thread = task_find(&w->tasks, tid);

	return cpu->sure && thread && thread != task && !thread->exiting &&
	       thread->told == task->told && world_is_ending(task, task->told);
}

bool world_names_ended(const struct world *w, const struct world_cpu *cpu, u32 tid)
{
	return cpu->running && cpu->sure && cpu->running->told == tid &&
	       task_ended(&w->tasks, tid);
}
