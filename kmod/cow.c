// SPDX-License-Identifier: GPL-2.0-only
/* Probes of copying on write: what a fork shares, what is copied, page faults. */
#include <linux/ftrace.h>
#include <linux/mmap_lock.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <asm/trapnr.h>

#include "around.h"
#include "compat.h"
#include "config.h"
#include "filter.h"
#include "mm.h"
#include "probe.h"
#include "ring.h"

/* With the file: the parent may have something else there by now. */
static void record_dup(struct task_struct *parent, struct vm_area_struct *vma)
{
	struct inode *inode = vma->vm_file ? file_inode(vma->vm_file) : NULL;
	struct ovnik_vma_dup *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, vma_dup);
	if (!rec)
		return;
	rec->tid = parent->pid;
	rec->flags = ovnik_vma_flags(vma->vm_flags);
	rec->source_mm = ovnik_mm_id(parent->mm);
	rec->mm = ovnik_mm_id(vma->vm_mm);
	rec->start = vma->vm_start;
	rec->length = vma->vm_end - vma->vm_start;
	rec->offset = ovnik_vma_offset(vma, vma->vm_start);
	rec->ino = inode ? inode->i_ino : 0;
	rec->dev = inode ? inode->i_sb->s_dev : 0;
	rec->generation = inode ? inode->i_generation : 0;
	ovnik_commit(&slot, vma_dup);
}

/**
 * ovnik_record_vma_dups() - Record what a new process has got from its parent.
 * @parent: who forks
 * @mm:	    address space of the child, which has not run
 *
 * At the end of the fork, not while copy_page_range() copies: then the child
 * already has a number, and a fork that fails half way is none.
 *
 * Context: Process; preemption off.
 */
void ovnik_record_vma_dups(struct task_struct *parent, struct mm_struct *mm)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;

	/* Only khugepaged and the like could hold it for writing, and not for long. */
	if (!mmap_read_trylock(mm)) {
		ovnik_lose(OVNIK_EV_vma_dup, READ_ONCE(mm->map_count));
		return;
	}
	for_each_vma(vmi, vma)
		record_dup(parent, vma);
	mmap_read_unlock(mm);
}

static void record_cow(struct vm_area_struct *vma, unsigned long address, u16 kind)
{
	struct ovnik_cow_break *rec;
	struct ovnik_slot slot;

	preempt_disable_notrace();
	rec = ovnik_begin(&slot, cow_break);
	if (rec) {
		rec->kind = kind;
		rec->tid = current->pid;
		rec->mm = ovnik_mm_id(vma->vm_mm);
		rec->address = address & PAGE_MASK;
		ovnik_commit(&slot, cow_break);
	}
	preempt_enable_notrace();
}

static struct ovnik_range copy_range = { .name = OVNIK_FN_COPY_PAGE };

/*
 * pte_t ptep_clear_flush(vma, address, ptep): where the copy replaces the page,
 * after all that may still keep it from happening. Instead of the zero page a
 * new one is mapped; that is a first touch, nothing was copied.
 */
static void notrace probe_copied(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	struct vm_area_struct *vma;
	unsigned long pfn;
	u16 kind;

	if (!ovnik_in_range(&copy_range, parent_ip) || !ovnik_wanted(current))
		return;
	vma = (void *)ovnik_ftrace_arg(fregs, 0);
	pfn = pte_pfn(*(pte_t *)ovnik_ftrace_arg(fregs, 2));
	if (is_zero_pfn(pfn))
		return;
	/* Memory of a device has no struct page. */
	kind = pfn_valid(pfn) && PageAnon(pfn_to_page(pfn)) ? OVNIK_COW_ANON : OVNIK_COW_FILE;
	record_cow(vma, ovnik_ftrace_arg(fregs, 1), kind);
}

static struct ovnik_range set_pte_caller = { .name = OVNIK_FN_SET_PTE };

/* void page_add_new_anon_rmap(page, vma, address), or of a folio: a write touches first. */
static void notrace probe_new_copy(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	if (!ovnik_in_range(&set_pte_caller, parent_ip) || !ovnik_wanted(current))
		return;
	record_cow((void *)ovnik_ftrace_arg(fregs, 1), ovnik_ftrace_arg(fregs, 2),
		   OVNIK_COW_FILE_NEW);
}

static __always_inline void fill_fault(struct ovnik_slot slot, unsigned long address,
				       unsigned long error)
{
	struct ovnik_page_fault *rec = (void *)slot.rec;

	rec->error = error;
	rec->tid = current->pid;
	rec->address = address;
	/* Of the user: where in the kernel it is touched is nobody's business. */
	rec->ip = task_pt_regs(current)->ip;
	ovnik_commit(&slot, page_fault);
}

static noinline void fault_slow(void *unused, unsigned long address, struct pt_regs *regs,
				unsigned long error)
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
		return fault_slow(unused, address, regs, error);
	fill_fault(slot, address, error);
}

/* The kernel touches what belongs to a user; its own addresses are no events. */
static void probe_fault_kernel(void *unused, unsigned long address, struct pt_regs *regs,
			       unsigned long error)
{
	if (address < TASK_SIZE_MAX)
		probe_fault_user(unused, address, regs, error);
}

static void record_fault_end(u16 result)
{
	struct ovnik_page_fault_end *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, page_fault_end);
	if (!rec)
		return;
	rec->result = result;
	rec->tid = current->pid;
	ovnik_commit(&slot, page_fault_end);
}

/**
 * ovnik_fault_leave() - A page fault's handle_mm_fault() returns.
 * @fault: what it returns
 * @flags: enum fault_flag it was called with
 *
 * Context: Process, may be preempted; from around_fault.S only.
 */
asmlinkage void ovnik_fault_leave(u32 fault, u32 flags)
{
	/* As mm_account_fault() has it: what is asked again has waited for a disk. */
	bool major = fault & VM_FAULT_MAJOR || flags & FAULT_FLAG_TRIED;
	u16 result = major ? OVNIK_FAULT_MAJOR : OVNIK_FAULT_MINOR;

	if (unlikely(fault & (VM_FAULT_ERROR | VM_FAULT_RETRY))) {
		/* It is asked again, or a signal follows: see probe_signal(). */
		if (!(fault & VM_FAULT_OOM))
			return;
		result = OVNIK_FAULT_FAILED;
	}
	/* It may have begun in an earlier capture. */
	if (!ovnik_event_on(OVNIK_EV_page_fault_end) || !ovnik_wanted(current))
		return;
	preempt_disable_notrace();
	record_fault_end(result);
	preempt_enable_notrace();
}

/* Only what the processor caused has an address: force_sig_fault(). */
static void probe_signal(void *unused, int sig, struct kernel_siginfo *info,
			 struct task_struct *task, int group, int result)
{
	ovnik_no_preemption();
	if ((sig != SIGSEGV && sig != SIGBUS) || task != current || !ovnik_wanted(current))
		return;
	if (info == SEND_SIG_NOINFO || info == SEND_SIG_PRIV || info->si_code <= 0)
		return;
	if (current->thread.trap_nr != X86_TRAP_PF)
		return;
	record_fault_end(OVNIK_FAULT_FAILED);
}

struct ovnik_probe ovnik_cow_probes[] = {
	{
		.hook	= "ptep_clear_flush",
		.entry	= probe_copied,
		.caller	= &copy_range,
		.events	= OVNIK_BIT(cow_break),
	}, {
		.hook	= OVNIK_FN_NEW_ANON,
		.entry	= probe_new_copy,
		.caller	= &set_pte_caller,
		.events	= OVNIK_BIT(cow_break),
	}, {
		.hook	= "page_fault_user",
		.func	= probe_fault_user,
		.events	= OVNIK_BIT(page_fault),
	}, {
		.hook	= "page_fault_kernel",
		.func	= probe_fault_kernel,
		.events	= OVNIK_BIT(page_fault),
	}, {
		.hook	= "handle_mm_fault",
		.around	= true,
		.events	= OVNIK_BIT(page_fault_end),
	}, {
		.hook	= "signal_generate",
		.func	= probe_signal,
		.events	= OVNIK_BIT(page_fault_end),
	},
	{}
};
