/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TASK_BPF_H
#define OVNIK_TASK_BPF_H

#include "probe.bpf.h"

/* include/linux/sched.h; macros are not in BTF. */
#define TASK_NOLOAD		0x0400
#define TASK_RTLOCK_WAIT	0x1000
#define TASK_FREEZABLE		0x2000
#define TASK_FROZEN		0x8000
#define TASK_IDLE		(OVNIK_STATE_UNINTERRUPTIBLE | TASK_NOLOAD)
#define TASK_REPORT		0x007f

#define TS_COMPAT		0x0002	/* asm/thread_info.h: a 32-bit system call */

#define X32_SYSCALL_BIT		0x40000000	/* __X32_SYSCALL_BIT, in the number of the call */

#define PF_KTHREAD		0x00200000
#define PF_IO_WORKER		0x00000010

/* As __task_state_index() has it, but the bit itself, not its number. */
static __always_inline u16 ovnik_task_state(u32 state, u32 exit_state)
{
	u32 bits = (state | exit_state) & ~TASK_FREEZABLE;

	/* Nearly always running or asleep: the value itself. */
	if (bits <= OVNIK_STATE_UNINTERRUPTIBLE)
		return bits;
	bits &= TASK_REPORT;
	if ((state & TASK_IDLE) == TASK_IDLE)
		bits = OVNIK_STATE_IDLE;
	if (state & (TASK_RTLOCK_WAIT | TASK_FROZEN))
		bits = OVNIK_STATE_UNINTERRUPTIBLE;
	/* The highest one. */
	bits |= bits >> 1;
	bits |= bits >> 2;
	bits |= bits >> 4;
	return bits - (bits >> 1);
}

/* Does the current @task make this system call? @ia32: its number for 32-bit programs */
static __always_inline bool ovnik_in_call(const struct task_struct *task, u64 nr, u64 ia32)
{
	const struct pt_regs *regs = (void *)bpf_task_pt_regs((void *)task);

	if (task->thread_info.status & TS_COMPAT)
		return regs->orig_ax == ia32;
	return (regs->orig_ax & ~(u64)X32_SYSCALL_BIT) == nr;
}

static __always_inline u16 ovnik_task_cpu(const struct task_struct *task)
{
	return task->thread_info.cpu;
}

static __always_inline u16 ovnik_task_flags(const struct task_struct *task)
{
	return task->flags & PF_KTHREAD ? OVNIK_TASK_KTHREAD : 0;
}

/*
 * The number of an address space: arch/x86 gives each mm_struct one that is never reused
 * (mm_context_t.ctx_id, commit f39681ed0f48).
 */
static __always_inline u64 ovnik_mm_id(const struct mm_struct *mm)
{
	return mm ? mm->context.ctx_id : 0;
}

/*
 * Frame of the page directory: CR3 >> 12 while the mm is loaded. By a helper: the verifier
 * forbids arithmetic on what it knows to be a pointer.
 */
static __always_inline u64 ovnik_mm_pgd(const struct mm_struct *mm)
{
	u64 pgd;

	if (!mm || !ovnik_config.page_offset)
		return 0;
	bpf_core_read(&pgd, sizeof(pgd), &mm->pgd);
	return (pgd - ovnik_config.page_offset) >> 12;
}

/* All but its address space. */
static __always_inline void ovnik_set_dump_task(struct ovnik_dump_task *rec,
						const struct task_struct *task)
{
	rec->cpu = ovnik_task_cpu(task);
	rec->tid = task->pid;
	rec->tgid = task->tgid;
	rec->parent_tgid = task->real_parent->tgid;
	rec->state = ovnik_task_state(task->__state, task->exit_state);
	rec->flags = ovnik_task_flags(task);
	rec->start = task->start_time;
	bpf_probe_read_kernel(rec->comm, sizeof(rec->comm), task->comm);
}

#endif /* OVNIK_TASK_BPF_H */
