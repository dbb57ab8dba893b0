// SPDX-License-Identifier: GPL-2.0-only
/* Probes of page faults. */
#include "mm.bpf.h"

#define X86_TRAP_PF		14		/* arch/x86/include/asm/trapnr.h */
#define SIGBUS			7
#define SIGSEGV			11
#define SI_KERNEL		0x80		/* include/uapi/asm-generic/siginfo.h */

static __always_inline void record_fault(u64 address, u64 code, u64 ip)
{
	struct ovnik_page_fault *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, page_fault);
	if (!rec)
		return;
	rec->error = ovnik_fault_error(code);
	rec->tid = current_tid();
	rec->address = address;
	rec->ip = ip;
	ovnik_commit(&slot, page_fault);
}

SEC("tp_btf/page_fault_user") HOOK_TYPES("8, pt_regs*, 8")
int BPF_PROG(ovnik_fault_user, u64 address, struct pt_regs *regs, u64 error)
{
	if (ovnik_on_current(OVNIK_BIT(page_fault)))
		record_fault(address, error, regs->ip);
	return 0;
}

/*
 * Kernel code touches a user address; faults on kernel addresses are not recorded. Nor is
 * the kernel instruction. It may be within exec, whose new image has the owner's rights, but the
 * registers are of the old one still, which had others.
 */
SEC("tp_btf/page_fault_kernel") HOOK_TYPES("8, pt_regs*, 8")
int BPF_PROG(ovnik_fault_kernel, u64 address, struct pt_regs *regs, u64 error)
{
	const struct pt_regs *user;

	if ((s64)address < 0 || !ovnik_on_current(OVNIK_BIT(page_fault)))
		return 0;
	user = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	record_fault(address, error, ovnik_config.private ? OVNIK_NO_ADDRESS : user->ip);
	return 0;
}

static __always_inline void record_fault_end(u16 result, bool ns_only)
{
	struct ovnik_page_fault_end *rec;
	struct ovnik_slot slot;

	rec = ns_only ? ovnik_begin_ns(&slot, page_fault_end) :
			ovnik_begin(&slot, page_fault_end);
	if (!rec)
		return;
	rec->result = result;
	rec->tid = current_tid();
	ovnik_commit(&slot, page_fault_end);
}

/* The handle_mm_fault() of a page fault, called with @flags, has returned @fault. */
static __always_inline void fault_leave(u32 fault, u32 flags, bool ns_only)
{
	int result = ovnik_fault_result(fault, flags);

	if (result >= 0 && ovnik_wanted())
		record_fault_end(result, ns_only);
}

/* vm_fault_t handle_mm_fault(vma, address, flags, regs) */
SEC("fexit/handle_mm_fault") HOOK_TYPES("*, 8, 4, pt_regs* -> 4")
int BPF_PROG(ovnik_fault_leave, void *vma, u64 address, u32 flags, struct pt_regs *regs, u32 fault)
{
	/* get_user_pages() passes no regs: not a page fault. */
	if (regs && ovnik_event_on(OVNIK_EV_page_fault_end))
		fault_leave(fault, flags, false);
	return 0;
}

/**
 * enum fault_entry - How handle_mm_fault() was called; bits.
 * @FAULT_ENTERED: called
 * @FAULT_ASKED:   by a page fault
 * @FAULT_TRIED:   with FAULT_FLAG_TRIED
 * @FAULT_ON:	   while ends were recorded
 */
enum fault_entry {
	FAULT_ENTERED	= 1,
	FAULT_ASKED	= 2,
	FAULT_TRIED	= 4,
	FAULT_ON	= 8,
};

/*
 * The same where our module is attached, which must be alone. A launch by bpftool attaches
 * both.
 */
SEC("kprobe/handle_mm_fault") HOOK_TYPES("*, 8, 4, pt_regs*")
int BPF_KPROBE(ovnik_fault_enter_kprobe, void *vma, u64 address, u32 flags, struct pt_regs *regs)
{
	struct ovnik_stash *stash;

	/* Also while nothing is recorded: recording may be on when it returns. */
	if (!ovnik_config.by_kprobe || !ovnik_wanted())
		return 0;
	stash = ovnik_stash_make();
	if (!stash)
		return 0;
	/* Its return was missed: too many tasks are inside. */
	if (stash->fault & FAULT_ASKED && stash->fault & FAULT_ON)
		ovnik_lose(OVNIK_EV_page_fault_end, 1);
	stash->fault = FAULT_ENTERED;
	if (ovnik_on(OVNIK_BIT(page_fault_end)))
		stash->fault |= FAULT_ON;
	if (regs)
		stash->fault |= FAULT_ASKED;
	if (flags & FAULT_FLAG_TRIED)
		stash->fault |= FAULT_TRIED;
	return 0;
}

SEC("kretprobe/handle_mm_fault") HOOK_TYPES("... -> 4")
int BPF_KRETPROBE(ovnik_fault_leave_kprobe, u32 fault)
{
	struct ovnik_stash *stash;
	u64 entry;

	if (!ovnik_config.by_kprobe || !ovnik_wanted())
		return 0;
	stash = ovnik_stash_get();
	entry = stash ? stash->fault : 0;
	if (stash)
		stash->fault = 0;
	if (!ovnik_on(OVNIK_BIT(page_fault_end)))
		return 0;
	if (!entry)
		ovnik_lose(OVNIK_EV_page_fault_end, 1);
	if (entry & FAULT_ASKED)
		fault_leave(fault, entry & FAULT_TRIED ? FAULT_FLAG_TRIED : 0, true);
	return 0;
}

/*
 * Only signals caused by the processor have an address: force_sig_fault(). Of SI_KERNEL,
 * force_sig(), the trap is that of some fault before.
 */
SEC("tp_btf/signal_generate") HOOK_TYPES("4, kernel_siginfo*, task_struct*")
int BPF_PROG(ovnik_fault_signal, int sig, struct kernel_siginfo *info, struct task_struct *task)
{
	struct task_struct *self = bpf_get_current_task_btf();
	int code;

	if ((sig != SIGSEGV && sig != SIGBUS) || !ovnik_on_current(OVNIK_BIT(page_fault_end)))
		return 0;
	/* SEND_SIG_NOINFO and SEND_SIG_PRIV are 0 and 1. */
	if (task != self || (u64)info <= 1)
		return 0;
	code = BPF_CORE_READ(info, si_code);
	if (code <= 0 || code == SI_KERNEL)
		return 0;
	if (self->thread.trap_nr == X86_TRAP_PF)
		record_fault_end(OVNIK_FAULT_FAILED, false);
	return 0;
}
