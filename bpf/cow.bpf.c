// SPDX-License-Identifier: GPL-2.0-only
/* Probes of copy-on-write: what is copied. task.bpf.c records what a fork shares. */
#include "compat.bpf.h"
#include "mm.bpf.h"

#define FOLIO_ANON		1UL		/* PAGE_MAPPING_ANON, include/linux/page-flags.h */
#define COMPOUND_TAIL		1UL		/* bit of compound_head and compound_info */
#define COMPOUND_MASK		(~0ULL << 40)	/* no address of a struct page has all of these */

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
 * The kind of page that a task is copying: enum ovnik_cow_kind, 0 for none; two bits per
 * tid. Every new page that is no copy checks it, so it must be nearly free.
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

/* Not all upper bits belong to the frame: memory may be encrypted. */
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

/* Device memory has no struct page; then nothing can be read. */
static __always_inline bool is_anon_frame(u64 pfn)
{
	u64 size = bpf_core_type_size(struct page);
	const struct page *page = (void *)(ovnik_config.vmemmap + pfn * size);

	return (u64)BPF_CORE_READ(head_of(page), mapping) & FOLIO_ANON;
}

/*
 * vm_fault_t wp_page_copy(vmf), or the caller it became part of. A new page instead of the
 * zero page is a first touch: nothing was copied.
 */
SEC("fentry/" OVNIK_FN_COPY_PAGE) HOOK_TYPES("vm_fault*")
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

SEC("fexit/" OVNIK_FN_COPY_PAGE) HOOK_TYPES("")
int BPF_PROG(ovnik_copy_leave)
{
	copying_clear(current_tid());
	return 0;
}

/*
 * void page_add_new_anon_rmap(page, vma, address): called from the above when the copy
 * replaces the page, after everything that could prevent it.
 */
SEC("fentry/" OVNIK_FN_NEW_ANON) HOOK_TYPES("*, vm_area_struct*, 8")
int BPF_PROG(ovnik_copied, void *page, struct vm_area_struct *vma, u64 address)
{
	u16 kind = copying_get(current_tid());
	struct ovnik_stash *stash;

	if (!kind)
		return 0;
	/* The end of an earlier copy may have been missed: check that it is this page. */
	copying_clear(current_tid());
	stash = ovnik_stash_get();
	if (!stash || stash->copy != (address & COPY_PAGE) ||
	    !ovnik_on_current(OVNIK_BIT(cow_break)))
		return 0;
	record_cow(vma, address, kind);
	return 0;
}

/* vm_fault_t finish_fault(vmf): a write is the first touch of a page of a file. */
SEC("fexit/finish_fault") HOOK_TYPES("vm_fault* -> 4")
int BPF_PROG(ovnik_copied_new, struct vm_fault *vmf, u32 ret)
{
	const struct vm_area_struct *vma = vmf->vma;

	if (ret || !(vmf->flags & FAULT_FLAG_WRITE) || vma->vm_flags & VM_SHARED)
		return 0;
	if (ovnik_on_current(OVNIK_BIT(cow_break)))
		record_cow(vma, vmf->address, OVNIK_COW_FILE_NEW);
	return 0;
}
