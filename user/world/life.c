// SPDX-License-Identifier: GPL-2.0-only
/* The live tasks, by number, and how they appear, change and end. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "world/doubt.h"
#include "world/records.h"
#include "world/task.h"
#include "world/world_priv.h"

static void make_member(struct world_task *task)
{
	task->member = true;
	task->told_member = true;
}

static int make(struct world *w, u32 tid, struct world_task **task)
{
	*task = task_new(&w->tasks, tid);
	if (!*task)
		return -ENOMEM;
	(*task)->birth = w->tsc;
	world_know_process(w, *task);
	return 0;
}

/* Nothing says that somebody new has it; without the switches one cannot tell: maybe a thread. */
static void note_reuse(struct world *w, u32 tid)
{
	if (w->tasks.known && task_ended(&w->tasks, tid))
		w->tasks.known->clash = true;
}

static int look(struct world *w, struct world_cpu *cpu, u32 tid, struct world_task **task)
{
	struct world_item it;
	int ret;

	*task = tid ? task_find(&w->tasks, tid) : &cpu->idle;
	if (likely(*task))
		return 0;
	if (tid > TASK_TID_MAX) {
		w->stats.impossible++;
		return 0;
	}
	*task = world_take_number(w, cpu, tid);
	if (*task)
		return 0;
	ret = make(w, tid, task);
	if (ret)
		return ret;
	it = world_note(w, cpu, *task);
	world_notify(w, WORLD_TASK_FOUND, &it);
	return 0;
}

int world_task_look(struct world *w, struct world_cpu *cpu, u32 tid, struct world_task **task)
{
	note_reuse(w, tid);
	return look(w, cpu, tid, task);
}

int world_current_look(struct world *w, struct world_cpu *cpu, u32 tid, struct world_task **task)
{
	world_took_number(w, cpu, tid);
	return world_task_get(w, cpu, tid, task);
}

/* Whoever runs has no part in this: no pass has to see the switches for it. */
int world_dumped_get(struct world *w, struct world_cpu *cpu, u32 tid, struct world_task **task)
{
	*task = task_ended(&w->tasks, tid) ? world_heir(w, tid) : NULL;
	return *task ? 0 : look(w, cpu, tid, task);
}

void world_task_die(struct world *w, struct world_cpu *cpu, struct world_task *task)
{
	struct world_item it = world_note(w, cpu, task);

	/* Without the switches between, one cannot tell whether it is its leader that ends. */
	if (w->tasks.known && !task->exiting && task->tid != task->told &&
	    world_is_ending(task_find(&w->tasks, task->told), task->told))
		w->tasks.known->clash = true;
	world_notify(w, WORLD_TASK_DEAD, &it);
	world_mm_leave(w, task);
	world_doubt_gone(w, task);
	task_remove(&w->tasks, task, w->tsc);
	task_note_end(&w->tasks, task->tid);
	free(task);
}

/* Another task has its number now: its end was not recorded. */
static void replace(struct world *w, struct world_cpu *cpu, struct world_task *task)
{
	if (!w->filtered || task->member)
		w->stats.replaced++;
	world_off_cpu(w, task, WORLD_STATE_UNKNOWN);
	world_task_die(w, cpu, task);
}

/* @flags: enum ovnik_task_flags. Before a record tells them, a task may be either. */
static void learn_kind(struct world_task *task, u32 flags)
{
	task->kthread = flags & OVNIK_TASK_KTHREAD;
	task->program = !task->kthread;
}

static int inherit(struct world *w, struct world_task *child, const struct world_task *parent,
		   const struct ovnik_task_fork *rec)
{
	bool thread = rec->parent_tgid == rec->child_tgid;

	world_learn_process(w, child, rec->child_tgid);
	child->start = rec->child_start;
	learn_kind(child, rec->flags);
	world_set_comm(child->comm, rec->child_comm);
	if (thread || w->filter_children) {
		child->member |= parent->member;
		child->told_member |= parent->told_member;
	}
	/* If it does not share its parent's, a task_mm record comes next. */
	if (child->mm)
		return 0;
	return world_mm_join(w, child, parent->mm, parent->pgd);
}

int world_task_fork(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_task_fork *rec = it->rec;
	struct world_task *child;
	int ret;

	if (!rec->child_tid || rec->child_tid > TASK_TID_MAX) {
		w->stats.impossible++;
		return 0;
	}
	ret = world_task_get(w, cpu, rec->parent_tid, &it->other);
	if (ret || !it->other)
		return ret;
	if (rec->parent_tid)
		world_learn_process(w, it->other, rec->parent_tgid);
	child = task_find(&w->tasks, rec->child_tid);
	/* The statedump may have recorded it before its fork. */
	if (child && (child == it->other || child->start != rec->child_start)) {
		if (child == it->other)
			it->other = &cpu->idle;
		replace(w, cpu, child);
		child = NULL;
	}
	it->fresh = !child;
	if (!child) {
		ret = make(w, rec->child_tid, &child);
		if (ret)
			return ret;
	}
	ret = inherit(w, child, it->other, rec);
	if (ret)
		return ret;
	if (it->fresh)
		world_doubt_born(w, cpu, child);
	it->task = child;
	world_notify(w, WORLD_TASK_NEW, it);
	return 0;
}

/*
 * Without a pass before, the exec's own record is the first to say so. The leader has ended. What
 * has its number and is on this CPU, or on none without having begun to end, is the thread, which
 * a record has named before, or a leader whose end was lost. Return: the thread, if it goes on.
 */
static struct world_task *end_made_up(struct world *w, struct world_cpu *cpu,
				      struct world_task *task, struct world_task *leader)
{
	if (leader == cpu->running) {
		world_off_cpu(w, task, WORLD_STATE_UNKNOWN);
		world_task_die(w, cpu, task);
		return NULL;
	}
	if (leader->cpu < 0 && !leader->exiting)
		world_task_die(w, cpu, leader);
	return task;
}

/* The exec's own record: the last time to notice. */
static void note_exchange(struct world *w, struct world_cpu *cpu, u32 old_tid, u32 tid)
{
	struct world_task *task = task_find(&w->tasks, old_tid);
	struct world_task *leader = task_find(&w->tasks, tid);

	if (!task || !tid || tid > TASK_TID_MAX || old_tid == tid ||
	    (leader && leader->was == old_tid))
		return;
	if (leader && !w->nr_renames)
		task = end_made_up(w, cpu, task, leader);
	if (task)
		world_exchange(w, cpu, task, tid);
}

int world_task_exec(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_task_exec *rec = it->rec;
	int ret;

	if (rec->old_tid)
		note_exchange(w, cpu, rec->old_tid, rec->tid);
	ret = world_task_get(w, cpu, rec->tid, &it->task);
	if (ret || !it->task || !it->task->tid)
		return ret;
	it->task->was = 0;
	make_member(it->task);
	world_learn_process(w, it->task, rec->tgid);
	/* A helper of the kernel was one of its threads until now. */
	learn_kind(it->task, 0);
	if (rec->mm && rec->mm != it->task->mm)
		ret = world_mm_join(w, it->task, rec->mm, 0);
	if (ret)
		return ret;
	world_notify(w, WORLD_TASK_EXEC, it);
	return 0;
}

/* The task that a record names, which is not an idle one. */
static int named(struct world *w, struct world_cpu *cpu, struct world_item *it, u32 tid, u32 tgid)
{
	int ret;

	if (!tid) {
		w->stats.impossible++;
		return 0;
	}
	ret = world_task_get(w, cpu, tid, &it->task);
	if (ret || !it->task)
		return ret;
	make_member(it->task);
	world_learn_process(w, it->task, tgid);
	return 0;
}

/* As named(), of a record of the task that runs; that of a fork may name its child. */
static int subject(struct world *w, struct world_cpu *cpu, struct world_item *it, u32 tid, u32 tgid)
{
	if (!world_took_early(w, cpu, tid))
		world_took_number(w, cpu, tid);
	return named(w, cpu, it, tid, tgid);
}

int world_task_exit(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_task_exit *rec = it->rec;
	int ret = subject(w, cpu, it, rec->tid, rec->tgid);

	if (ret || !it->task)
		return ret;
	it->task->exiting = true;
	/* It has just given up its address space. */
	world_mm_leave(w, it->task);
	world_notify(w, WORLD_TASK_EXIT, it);
	return 0;
}

int world_task_comm(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_task_comm *rec = it->rec;
	int ret;

	if (world_names_ended(w, cpu, rec->tid)) {
		world_set_comm(cpu->running->late_comm, rec->comm);
		return 0;
	}
	ret = named(w, cpu, it, rec->tid, rec->tgid);
	if (ret || !it->task)
		return ret;
	world_set_comm(it->task->comm, rec->comm);
	world_notify(w, WORLD_COMM, it);
	return 0;
}

int world_task_mm(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_task_mm *rec = it->rec;
	int ret = subject(w, cpu, it, rec->tid, rec->tgid);

	if (ret || !it->task)
		return ret;
	it->mm = rec->mm ? mm_lookup(&w->mms, rec->mm) : NULL;
	it->fresh = !it->mm || !it->mm->assigned;
	ret = world_mm_join(w, it->task, rec->mm, rec->pgd);
	if (ret)
		return ret;
	it->task->mm_epoch = w->mm_epoch + 1;
	it->mm = it->task->space;
	world_notify(w, WORLD_MM_ASSIGN, it);
	return 0;
}

static void fill_from_dump(struct world *w, struct world_task *task,
			   const struct ovnik_dump_task *rec)
{
	world_learn_process(w, task, rec->tgid);
	task->start = rec->start;
	learn_kind(task, rec->flags);
	if (task->cpu < 0)
		task->state = rec->state;
	world_set_comm(task->comm, rec->comm);
}

int world_dump_task(struct world *w, struct world_cpu *cpu, struct world_item *it)
{
	const struct ovnik_dump_task *rec = it->rec;
	struct world_task *task;
	int ret;

	if (!rec->tid || rec->tid > TASK_TID_MAX) {
		w->stats.impossible++;
		return 0;
	}
	task = task_find(&w->tasks, rec->tid);
	/* A dead task does nothing more that a row could show. */
	if (!task && (rec->state & (OVNIK_STATE_DEAD | OVNIK_STATE_ZOMBIE))) {
		task_note_end(&w->tasks, rec->tid);
		return 0;
	}
	if (!task)
		task = world_take_number(w, cpu, rec->tid);
	if (task && task->start && rec->start && task->start != rec->start) {
		replace(w, cpu, task);
		task = NULL;
	}
	it->fresh = !task;
	if (!task) {
		note_reuse(w, rec->tid);
		ret = make(w, rec->tid, &task);
		if (ret)
			return ret;
	}
	it->moved = rec->mm && (task->mm != rec->mm || !task->pgd);
	fill_from_dump(w, task, rec);
	ret = world_mm_join(w, task, rec->mm, rec->pgd);
	if (ret)
		return ret;
	if (it->fresh)
		world_doubt_dumped(w, cpu, task);
	it->task = task;
	world_notify(w, WORLD_TASK_DUMP, it);
	return 0;
}
