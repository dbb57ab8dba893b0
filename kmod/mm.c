// SPDX-License-Identifier: GPL-2.0-only
/* Probes of address spaces: who gets which, and when one is torn down. */
#include <linux/ftrace.h>
#include <linux/sched.h>

#include "filter.h"
#include "mm.h"
#include "probe.h"
#include "ring.h"

/**
 * ovnik_record_task_mm() - Record that a task has been given an address space.
 * @task:   who
 * @mm:	    which
 * @reason: enum ovnik_mm_reason
 *
 * Context: Any; preemption off.
 */
void ovnik_record_task_mm(struct task_struct *task, struct mm_struct *mm, u16 reason)
{
	struct ovnik_task_mm *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, task_mm);
	if (!rec)
		return;
	rec->reason = reason;
	rec->tid = task->pid;
	rec->tgid = task->tgid;
	rec->mm = ovnik_mm_id(mm);
	rec->pgd = ovnik_mm_pgd(mm);
	ovnik_commit(&slot, task_mm);
}

/*
 * security_bprm_committing_creds() is the first function of exec that every
 * kernel has out of line and that runs when current->mm is the new one
 * (begin_new_exec(): after exec_mmap()). The image is not mapped yet.
 */
static void notrace probe_exec_mm(unsigned long ip, unsigned long parent_ip,
				  struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	if (!ovnik_wanted(current))
		return;
	preempt_disable_notrace();
	ovnik_record_task_mm(current, current->mm, OVNIK_MM_EXEC);
	preempt_enable_notrace();
}

/* Permanent: with ftrace_enabled=0 it would be refused, not silently dead. */
static struct ftrace_ops exec_mm_ops = {
	.func	= probe_exec_mm,
	.flags	= FTRACE_OPS_FL_RECURSION | FTRACE_OPS_FL_PERMANENT,
};

static void probe_exit_mmap(void *unused, struct mm_struct *mm)
{
	struct ovnik_mm_exit *rec;
	struct ovnik_slot slot;

	if (!ovnik_wanted(current))
		return;
	rec = ovnik_begin(&slot, mm_exit);
	if (!rec)
		return;
	rec->mm = ovnik_mm_id(mm);
	rec->pgd = ovnik_mm_pgd(mm);
	ovnik_commit(&slot, mm_exit);
}

struct ovnik_probe ovnik_mm_probes[] = {
	{
		.hook	= "security_bprm_committing_creds",
		.ops	= &exec_mm_ops,
		.events	= OVNIK_BIT(task_mm),
	}, {
		.hook	= "exit_mmap",
		.func	= probe_exit_mmap,
		.events	= OVNIK_BIT(mm_exit),
	},
	{}
};
