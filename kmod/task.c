// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the life of a task: fork, exec, exit, change of name. They run in the task
 * itself or in its parent, with preemption off: by ovnik_no_preemption() where the tracepoint
 * does not.
 */
#include <linux/binfmts.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/mm_types.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "compat.h"
#include "config.h"
#include "files.h"
#include "filter.h"
#include "mm.h"
#include "path.h"
#include "probe.h"
#include "ring.h"
#include "statedump.h"

static void record_fork(struct task_struct *parent, struct task_struct *child)
{
	struct ovnik_task_fork *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, task_fork);
	if (!rec)
		return;
	rec->flags = child->flags & PF_KTHREAD ? OVNIK_TASK_KTHREAD : 0;
	rec->parent_tid = parent->pid;
	rec->child_tid = child->pid;
	rec->parent_tgid = parent->tgid;
	rec->child_tgid = child->tgid;
	rec->child_start = child->start_time;
	memcpy(rec->child_comm, child->comm, sizeof(rec->child_comm));
	ovnik_commit(&slot, task_fork);
}

/*
 * Every new task passes here before it runs; what create_io_thread() makes, as workers of
 * io_uring, does not pass sched_process_fork. The filter decides about it first.
 */
static void probe_newtask(void *unused, struct task_struct *child,
			  OVNIK_CLONE_FLAGS clone_flags)
{
	ovnik_no_preemption();
	if (static_branch_unlikely(&ovnik_filter_key))
		ovnik_filter_fork(current, child);
	if (!ovnik_wanted(current))
		return;
	if (ovnik_event_on(OVNIK_EV_task_fork))
		record_fork(current, child);
	if (!child->mm || child->mm == current->mm)
		return;
	if (ovnik_event_on(OVNIK_EV_task_mm))
		ovnik_record_task_mm(child, child->mm, OVNIK_MM_FORK);
}

static void probe_exec(void *unused, struct task_struct *task, pid_t old_tid,
		       struct linux_binprm *bprm)
{
	struct inode *inode = file_inode(bprm->file);
	struct ovnik_task_exec *rec;
	struct ovnik_slot slot;

	ovnik_no_preemption();
	if (!ovnik_wanted(task))
		return;
	rec = ovnik_begin_path(&slot, task_exec, filename, &bprm->file->f_path);
	if (!rec)
		return;
	rec->tid = task->pid;
	rec->old_tid = old_tid;
	rec->tgid = task->tgid;
	ovnik_set_inode(rec, inode);
	rec->mm = ovnik_mm_id(task->mm);
	ovnik_commit_str(&slot, task_exec);
}

static void probe_exit(void *unused, OVNIK_EXIT_ARGS)
{
	struct ovnik_task_exit *rec;
	struct ovnik_slot slot;

	ovnik_no_preemption();
	if (!ovnik_wanted(task))
		return;
	if (ovnik_config.overwrite)
		ovnik_dump_exiting(task);
	rec = ovnik_begin(&slot, task_exit);
	if (!rec)
		return;
	rec->exit_code = task->exit_code;
	rec->tid = task->pid;
	rec->tgid = task->tgid;
	ovnik_commit(&slot, task_exit);
}

static void probe_comm(void *unused, struct task_struct *task, const char *comm)
{
	struct ovnik_task_comm *rec;
	struct ovnik_slot slot;

	ovnik_no_preemption();
	if (!ovnik_wanted(task))
		return;
	rec = ovnik_begin(&slot, task_comm);
	if (!rec)
		return;
	rec->tid = task->pid;
	rec->tgid = task->tgid;
	strscpy_pad(rec->comm, comm, sizeof(rec->comm));
	ovnik_commit(&slot, task_comm);
}

OVNIK_PROBES(task) = {
	{ OVNIK_TRACEPOINT(task_newtask, probe_newtask),
	  .events = OVNIK_BIT(task_fork) | OVNIK_BIT(task_mm) | OVNIK_FOR_FILTER },
	{ OVNIK_TRACEPOINT(sched_process_exec, probe_exec), .events = OVNIK_BIT(task_exec) },
	{ OVNIK_TRACEPOINT(sched_process_exit, probe_exit), .events = OVNIK_BIT(task_exit) },
	{ OVNIK_TRACEPOINT(task_rename, probe_comm), .events = OVNIK_BIT(task_comm) },
	{}
};
