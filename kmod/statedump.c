// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statedump: what existed before the capture, said by synthetic records.
 * Tasks that come or go meanwhile have their own events; a decoder puts both
 * together by tid and start time.
 */
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "capture.h"
#include "mm.h"
#include "ring.h"

static u16 task_state(struct task_struct *task)
{
	unsigned int index = task_state_index(task);

	return index ? 1U << (index - 1) : 0;
}

static void dump_task(struct task_struct *task)
{
	struct ovnik_dump_task *rec;
	struct ovnik_slot slot;
	u64 mm, pgd;

	/* Keeps exec and exit from taking the mm away. */
	task_lock(task);
	mm = ovnik_mm_id(task->flags & PF_KTHREAD ? NULL : task->mm);
	pgd = ovnik_mm_pgd(task->flags & PF_KTHREAD ? NULL : task->mm);
	task_unlock(task);

	preempt_disable();
	rec = ovnik_begin(&slot, dump_task);
	if (rec) {
		rec->cpu = task_cpu(task);
		rec->tid = task->pid;
		rec->tgid = task->tgid;
		rec->parent_tgid = rcu_dereference(task->real_parent)->tgid;
		rec->state = task_state(task);
		rec->flags = task->flags & PF_KTHREAD ? OVNIK_TASK_KTHREAD : 0;
		rec->start = task->start_time;
		rec->mm = mm;
		rec->pgd = pgd;
		memcpy(rec->comm, task->comm, sizeof(rec->comm));
		ovnik_commit(&slot, dump_task);
	}
	preempt_enable();
}

static void dump_end(u32 tasks)
{
	struct ovnik_dump_end *rec;
	struct ovnik_slot slot;

	preempt_disable();
	rec = ovnik_begin(&slot, dump_end);
	if (rec) {
		rec->tasks = tasks;
		ovnik_commit(&slot, dump_end);
	}
	preempt_enable();
}

/**
 * ovnik_statedump() - Record every task there is.
 *
 * Context: Process; ovnik_lock held, a capture runs.
 */
void ovnik_statedump(void)
{
	struct task_struct *leader, *task;
	u32 tasks = 0;

	rcu_read_lock();
	for_each_process_thread(leader, task) {
		dump_task(task);
		tasks++;
	}
	rcu_read_unlock();
	dump_end(tasks);
}
