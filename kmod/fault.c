// SPDX-License-Identifier: GPL-2.0-only
/* Probes of page faults. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <trace/events/signal.h>
#include <asm/trap_pf.h>
#include <asm/trapnr.h>

#include "compat.h"
#include "config.h"
#include "filter.h"
#include "memory.h"
#include "probe.h"
#include "ring.h"

static __always_inline void fill_fault(struct ovnik_slot slot, unsigned long address,
				       unsigned long code)
{
	struct ovnik_page_fault *rec = (void *)slot.rec;
	u16 error = ovnik_fault_error(code);

	rec->error = error;
	rec->tid = current->pid;
	rec->address = address;
	/* The instruction in user mode: kernel addresses are not recorded. */
	rec->ip = ovnik_shown_ip(error, task_pt_regs(current)->ip);
	ovnik_commit(&slot, page_fault);
}

/* Has its arguments where probe_fault_user() has them; "used" keeps those without use. */
static noinline __used void fault_slow(unsigned long unused, unsigned long address,
				       unsigned long unused_too, unsigned long error)
{
	struct ovnik_slot slot;

	if (ovnik_begin_slow(&slot, page_fault))
		fill_fault(slot, address, error);
}

static void probe_fault_user(void *unused, unsigned long address, struct pt_regs *regs,
			     unsigned long error)
{
	struct ovnik_slot slot;

	ovnik_no_preemption();
	if (!ovnik_wanted(current))
		return;
	if (unlikely(!ovnik_begin_fast(&slot, page_fault)))
		return fault_slow(0, address, 0, error);
	fill_fault(slot, address, error);
}

/* Kernel code touches a user address; faults on kernel addresses are not recorded. */
static void probe_fault_kernel(void *unused, unsigned long address, struct pt_regs *regs,
			       unsigned long error)
{
	if (address < TASK_SIZE_MAX)
		probe_fault_user(unused, address, regs, error);
}

static __always_inline void fill_end(struct ovnik_slot slot, u16 result)
{
	struct ovnik_page_fault_end *rec = (void *)slot.rec;

	rec->result = result;
	rec->tid = current->pid;
	ovnik_commit(&slot, page_fault_end);
}

static noinline void end_slow(u16 result)
{
	struct ovnik_slot slot;

	if (ovnik_begin_slow(&slot, page_fault_end))
		fill_end(slot, result);
}

static __always_inline void record_fault_end(u16 result)
{
	struct ovnik_slot slot;

	if (unlikely(!ovnik_begin_fast(&slot, page_fault_end)))
		return end_slow(result);
	fill_end(slot, result);
}

static __always_inline void fault_leave(u32 fault, u32 flags)
{
	int result = ovnik_fault_result(fault, flags);

	if (unlikely(result < 0))
		return;
	/* The fault may have begun in an earlier capture. */
	if (!ovnik_event_on(OVNIK_EV_page_fault_end) || !ovnik_wanted(current))
		return;
	preempt_disable_notrace();
	record_fault_end(result);
	preempt_enable_notrace();
}

OVNIK_AROUND(fault, handle_mm_fault);

/* vm_fault_t handle_mm_fault(vma, address, flags, regs); the stub checks @regs */
vm_fault_t ovnik_run_fault(struct vm_area_struct *vma, unsigned long address, unsigned int flags,
			   struct pt_regs *regs, unsigned long unused, unsigned long unused_too,
			   unsigned long at)
{
	vm_fault_t fault;

	ovnik_around_enter();
	fault = ovnik_around_body(fault, at, vma, address, flags, regs);
	fault_leave(fault, flags);
	ovnik_around_leave();
	return fault;
}

/*
 * Only signals caused by the processor have an address: force_sig_fault(). Of SI_KERNEL,
 * force_sig(), the trap is that of some fault before.
 */
static void probe_signal(void *unused, int sig, struct kernel_siginfo *info,
			 struct task_struct *task, int group, int result)
{
	ovnik_no_preemption();
	if ((sig != SIGSEGV && sig != SIGBUS) || task != current || !ovnik_wanted(current))
		return;
	if (info == SEND_SIG_NOINFO || info == SEND_SIG_PRIV)
		return;
	if (info->si_code <= 0 || info->si_code == SI_KERNEL)
		return;
	if (current->thread.trap_nr != X86_TRAP_PF)
		return;
	record_fault_end(OVNIK_FAULT_FAILED);
}

OVNIK_PROBES(fault) = {
	{ OVNIK_TRACEPOINT(page_fault_user, probe_fault_user), .events = OVNIK_BIT(page_fault) },
	{ OVNIK_TRACEPOINT(page_fault_kernel, probe_fault_kernel),
	  .events = OVNIK_BIT(page_fault) },
	{ .hook = "handle_mm_fault", .around = &ovnik_around_fault,
	  .events = OVNIK_BIT(page_fault_end) },
	{ OVNIK_TRACEPOINT(signal_generate, probe_signal), .events = OVNIK_BIT(page_fault_end) },
	{}
};
