// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of copying on write: what is copied, page faults. What a fork shares is
 * recorded where the fork is: task.bpf.c.
 */
#include "compat.bpf.h"
#include "mm.bpf.h"

#define FOLIO_ANON		1UL		/* PAGE_MAPPING_ANON, include/linux/page-flags.h */
#define COMPOUND_TAIL		1UL		/* bit of compound_head and compound_info */
#define COMPOUND_MASK		(~0ULL << 40)	/* no address of a struct page has all of these */

#define VM_FAULT_ERROR		(VM_FAULT_OOM | VM_FAULT_SIGBUS | VM_FAULT_SIGSEGV |	\
				 VM_FAULT_HWPOISON | VM_FAULT_HWPOISON_LARGE | VM_FAULT_FALLBACK)
#define X86_TRAP_PF		14		/* arch/x86/include/asm/trapnr.h */
#define SIGBUS			7
#define SIGSEGV			11

static __always_inline void record_cow(const struct vm_area_struct *vma, u64 address, u16 kind)
{
	struct ovnik_cow_break *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, cow_break);
	if (!rec)
		return;
	rec->kind = kind;
	rec->tid = current_tid();
	rec->mm = ovnik_mm_id(vma->vm_mm);
	rec->address = address & PAGE_MASK;
	ovnik_commit(&slot, cow_break);
}

/*
 * What the task is copying: enum ovnik_cow_kind, 0 nothing; two bits a tid. Every new
 * page that is no copy asks, too: that must cost next to nothing.
 */
#define COPYING_BITS		2
#define COPYING_MASK		((1ULL << COPYING_BITS) - 1)
#define COPYING_TIDS		(64 / COPYING_BITS)

_Static_assert(OVNIK_COW_FILE <= COPYING_MASK, "two bits are enough");

#define COPY_PAGE	(~4095ULL)

static u64 ovnik_copying[OVNIK_BPF_TIDS_MAX / COPYING_TIDS] SEC(".bss.copying");

static __always_inline u64 *copying_word(u32 tid)
{
	return &ovnik_copying[tid / COPYING_TIDS % ARRAY_SIZE(ovnik_copying)];
}

static __always_inline u32 copying_shift(u32 tid)
{
	return tid % COPYING_TIDS * COPYING_BITS;
}

static __always_inline u16 copying_get(u32 tid)
{
	return READ_ONCE(*copying_word(tid)) >> copying_shift(tid) & COPYING_MASK;
}

static __always_inline void copying_clear(u32 tid)
{
	if (copying_get(tid))
		__sync_fetch_and_and(copying_word(tid), ~(COPYING_MASK << copying_shift(tid)));
}

static __always_inline void copying_set(u32 tid, u64 kind)
{
	copying_clear(tid);
	__sync_fetch_and_or(copying_word(tid), kind << copying_shift(tid));
}

static __always_inline u64 read_kernel(const void *address)
{
	u64 value = 0;

	if (address)
		bpf_probe_read_kernel(&value, sizeof(value), address);
	return value;
}

/* Not all bits above those of the page are the frame's: memory may be encrypted. */
extern const void physical_mask __ksym __weak;

static __always_inline u64 frame_of(u64 pte)
{
	u64 mask = read_kernel(&physical_mask);

	if (!mask)
		mask = (1ULL << 52) - 1;
	return (pte & mask) >> PAGE_SHIFT;
}

static __always_inline bool is_zero_frame(u64 pfn)
{
	const void *where = &zero_pfn;

	if (!where)
		where = &zero_page_pfn;
	return pfn == read_kernel(where);
}

/* compound_head() */
static __always_inline const struct page *head_of(const struct page *page)
{
	const struct page___info *info = (const void *)page;
	u64 head;

	if (bpf_core_field_exists(info->compound_info))
		head = BPF_CORE_READ(info, compound_info);
	else
		head = BPF_CORE_READ(page, compound_head);
	if (!(head & COMPOUND_TAIL))
		return page;
	if (head >= COMPOUND_MASK)
		return (void *)((u64)page & head & ~COMPOUND_TAIL);
	return (void *)(head & ~COMPOUND_TAIL);
}

/* Memory of a device has no struct page; then nothing can be read. */
static __always_inline bool is_anon_frame(u64 pfn)
{
	u64 size = bpf_core_type_size(struct page);
	const struct page *page = (void *)(ovnik_config.vmemmap + pfn * size);

	return (u64)BPF_CORE_READ(head_of(page), mapping) & FOLIO_ANON;
}

/*
 * vm_fault_t wp_page_copy(vmf), or what it has become part of. Instead of the zero page
 * a new one is mapped; that is a first touch, nothing was copied.
 */
SEC("fentry/" OVNIK_FN_COPY_PAGE)
int BPF_PROG(ovnik_copy_enter, struct vm_fault *vmf)
{
	struct ovnik_stash *stash;
	u64 pfn;

	if (!ovnik_on_current(OVNIK_BIT(cow_break)))
		return 0;
	copying_clear(current_tid());
	pfn = frame_of(vmf->orig_pte.pte);
	if (is_zero_frame(pfn))
		return 0;
	stash = ovnik_stash_make();
	if (!stash) {
		ovnik_lose(OVNIK_EV_cow_break, 1);
		return 0;
	}
	stash->copy = vmf->address & COPY_PAGE;
	copying_set(current_tid(), is_anon_frame(pfn) ? OVNIK_COW_ANON : OVNIK_COW_FILE);
	return 0;
}

SEC("fexit/" OVNIK_FN_COPY_PAGE)
int BPF_PROG(ovnik_copy_leave)
{
	copying_clear(current_tid());
	return 0;
}

/*
 * void page_add_new_anon_rmap(page, vma, address): while the task is in the above, the
 * copy replaces the page, after all that may still keep it from happening.
 */
SEC("fentry/" OVNIK_FN_NEW_ANON)
int BPF_PROG(ovnik_copied, void *page, struct vm_area_struct *vma, u64 address)
{
	u16 kind = copying_get(current_tid());
	struct ovnik_stash *stash;

	if (!kind)
		return 0;
	/* The end of an earlier one may have been missed: is it this page? */
	copying_clear(current_tid());
	stash = ovnik_stash_get();
	if (!stash || stash->copy != (address & COPY_PAGE) ||
	    !ovnik_on_current(OVNIK_BIT(cow_break)))
		return 0;
	record_cow(vma, address, kind);
	return 0;
}

/* vm_fault_t finish_fault(vmf): a write is the first touch of a page of a file. */
SEC("fexit/finish_fault")
int BPF_PROG(ovnik_copied_new, struct vm_fault *vmf, u32 ret)
{
	const struct vm_area_struct *vma = vmf->vma;

	if (ret || !(vmf->flags & FAULT_FLAG_WRITE) || vma->vm_flags & VM_SHARED)
		return 0;
	if (ovnik_on_current(OVNIK_BIT(cow_break)))
		record_cow(vma, vmf->address, OVNIK_COW_FILE_NEW);
	return 0;
}

static __always_inline void record_fault(u64 address, u64 error, u64 ip)
{
	struct ovnik_page_fault *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, page_fault);
	if (!rec)
		return;
	rec->error = error;
	rec->tid = current_tid();
	rec->address = address;
	rec->ip = ip;
	ovnik_commit(&slot, page_fault);
}

SEC("tp_btf/page_fault_user")
int BPF_PROG(ovnik_fault_user, u64 address, struct pt_regs *regs, u64 error)
{
	if (ovnik_on_current(OVNIK_BIT(page_fault)))
		record_fault(address, error, regs->ip);
	return 0;
}

/*
 * The kernel touches what belongs to a user; its own addresses are no events. Where in
 * the kernel that is, is nobody's business.
 */
SEC("tp_btf/page_fault_kernel")
int BPF_PROG(ovnik_fault_kernel, u64 address, struct pt_regs *regs, u64 error)
{
	const struct pt_regs *user;

	if ((s64)address < 0 || !ovnik_on_current(OVNIK_BIT(page_fault)))
		return 0;
	user = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	record_fault(address, error, user->ip);
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

/* A page fault's handle_mm_fault() has returned @fault, called with @flags. */
static __always_inline void fault_leave(u32 fault, u32 flags, bool ns_only)
{
	/* As mm_account_fault() has it: what is asked again has waited for a disk. */
	bool major = fault & VM_FAULT_MAJOR || flags & FAULT_FLAG_TRIED;
	u16 result = major ? OVNIK_FAULT_MAJOR : OVNIK_FAULT_MINOR;

	if (fault & (VM_FAULT_ERROR | VM_FAULT_RETRY)) {
		/* It is asked again, or a signal follows: see ovnik_fault_signal. */
		if (!(fault & VM_FAULT_OOM))
			return;
		result = OVNIK_FAULT_FAILED;
	}
	if (ovnik_wanted())
		record_fault_end(result, ns_only);
}

/* vm_fault_t handle_mm_fault(vma, address, flags, regs) */
SEC("fexit/handle_mm_fault")
int BPF_PROG(ovnik_fault_leave, void *vma, u64 address, u32 flags, struct pt_regs *regs, u32 fault)
{
	/* Without regs get_user_pages() asks: no page fault. */
	if (regs && ovnik_event_on(OVNIK_EV_page_fault_end))
		fault_leave(fault, flags, false);
	return 0;
}

/**
 * enum fault_entry - How handle_mm_fault() was called; bits.
 * @FAULT_ENTERED: it was
 * @FAULT_ASKED:   by a page fault
 * @FAULT_TRIED:   with FAULT_FLAG_TRIED
 * @FAULT_ON:	   while its end was recorded
 */
enum fault_entry {
	FAULT_ENTERED	= 1,
	FAULT_ASKED	= 2,
	FAULT_TRIED	= 4,
	FAULT_ON	= 8,
};

/*
 * The same where something else is attached to it that must be alone: our module. Who
 * has launched us by bpftool has both.
 */
SEC("kprobe/handle_mm_fault")
int BPF_KPROBE(ovnik_fault_enter_kprobe, void *vma, u64 address, u32 flags, struct pt_regs *regs)
{
	struct ovnik_stash *stash;

	/* Also while nothing is recorded: it may be when it returns. */
	if (!ovnik_config.fault_by_kprobe || !ovnik_wanted())
		return 0;
	stash = ovnik_stash_make();
	if (!stash)
		return 0;
	/* Its return was not seen: too many tasks are in there. */
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

SEC("kretprobe/handle_mm_fault")
int BPF_KRETPROBE(ovnik_fault_leave_kprobe, u32 fault)
{
	struct ovnik_stash *stash;
	u64 entry;

	if (!ovnik_config.fault_by_kprobe || !ovnik_wanted())
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

/* Only what the processor caused has an address: force_sig_fault(). */
SEC("tp_btf/signal_generate")
int BPF_PROG(ovnik_fault_signal, int sig, struct kernel_siginfo *info, struct task_struct *task)
{
	struct task_struct *self = bpf_get_current_task_btf();

	if ((sig != SIGSEGV && sig != SIGBUS) || !ovnik_on_current(OVNIK_BIT(page_fault_end)))
		return 0;
	/* SEND_SIG_NOINFO and SEND_SIG_PRIV are 0 and 1. */
	if (task != self || (u64)info <= 1 || BPF_CORE_READ(info, si_code) <= 0)
		return 0;
	if (self->thread.trap_nr == X86_TRAP_PF)
		record_fault_end(OVNIK_FAULT_FAILED, false);
	return 0;
}
