// SPDX-License-Identifier: GPL-2.0-only
/* Probes of copy-on-write: what a fork shares, what is copied. */
#include <linux/ftrace.h>
#include <linux/mmap_lock.h>
#include <linux/sched.h>

#include "compat.h"
#include "filter.h"
#include "mm.h"
#include "probe.h"
#include "ring.h"

/* With the file: the parent may have another mapping there by now. */
static void record_dup(struct vm_area_struct *vma, u64 source)
{
	struct ovnik_vma_dup *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, vma_dup);
	if (!rec)
		return;
	rec->tid = current->pid;
	ovnik_set_vma(rec, vma, vma->vm_start);
	rec->source_mm = source;
	rec->start = vma->vm_start;
	rec->length = vma->vm_end - vma->vm_start;
	ovnik_commit(&slot, vma_dup);
}

/* So many that preemption is off for less than 100,000 instructions. */
#define DUPS_AT_ONCE	64

/*
 * Let others run in between. Where the kernel is not preemptible they may not: there, who
 * schedules counts as having left the trampoline of ftrace.
 */
static void give_way(void)
{
	preempt_enable_notrace();
	if (IS_ENABLED(CONFIG_PREEMPTION) && preemptible())
		cond_resched();
	preempt_disable_notrace();
}

static void record_dups(struct mm_struct *mm)
{
	VMA_ITERATOR(vmi, mm, 0);
	u64 source = ovnik_mm_id(current->mm);
	struct vm_area_struct *vma;
	unsigned int nr = 0;

	preempt_disable_notrace();
	for_each_vma(vmi, vma) {
		record_dup(vma, source);
		if (!(++nr % DUPS_AT_ONCE))
			give_way();
	}
	preempt_enable_notrace();
}

/*
 * void wake_up_new_task(child): what a new process gets from its parent, which is current.
 * Not while copy_page_range() copies: here the child has a number, but has not run, and a
 * fork that fails is not recorded. Not at sched_process_fork: tracepoints run with preemption
 * off.
 */
static void notrace probe_wake_new(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	struct task_struct *child = (void *)ovnik_ftrace_arg(fregs, 0);
	struct mm_struct *mm = child->mm;

	if (!mm || mm == current->mm || !ovnik_wanted(current))
		return;
	/* Only khugepaged and the like could hold it for writing, for a short time. */
	if (!mmap_read_trylock(mm)) {
		/* They may change the number just now. */
		ovnik_lose(OVNIK_EV_vma_dup, data_race(mm->map_count));
		return;
	}
	record_dups(mm);
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
 * pte_t ptep_clear_flush(vma, address, ptep): here the copy replaces the page, after
 * everything that could prevent it. A new page instead of the zero page is a first touch:
 * nothing was copied.
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
	/* Device memory has no struct page. */
	kind = pfn_valid(pfn) && PageAnon(pfn_to_page(pfn)) ? OVNIK_COW_ANON : OVNIK_COW_FILE;
	record_cow(vma, ovnik_ftrace_arg(fregs, 1), kind);
}

static struct ovnik_range set_pte_caller = { .name = OVNIK_FN_SET_PTE };

/*
 * void page_add_new_anon_rmap(page, vma, address), or of a folio: a write is the first
 * touch.
 */
static void notrace probe_new_copy(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	if (!ovnik_in_range(&set_pte_caller, parent_ip) || !ovnik_wanted(current))
		return;
	record_cow((void *)ovnik_ftrace_arg(fregs, 1), ovnik_ftrace_arg(fregs, 2),
		   OVNIK_COW_FILE_NEW);
}

OVNIK_PROBES(cow) = {
	{ .hook = "wake_up_new_task", .entry = probe_wake_new, .events = OVNIK_BIT(vma_dup) },
	{ .hook = "ptep_clear_flush", .entry = probe_copied, .caller = &copy_range,
	  .events = OVNIK_BIT(cow_break) },
	{ .hook = OVNIK_FN_NEW_ANON, .entry = probe_new_copy, .caller = &set_pte_caller,
	  .events = OVNIK_BIT(cow_break) },
	{}
};
