// SPDX-License-Identifier: GPL-2.0-only
/* Probes of copy-on-write: what a fork shares, what is copied. */
#include "compat.bpf.h"
#include "maple.bpf.h"
#include "mm.bpf.h"

#define FOLIO_ANON		1UL		/* PAGE_MAPPING_ANON, include/linux/page-flags.h */
#define COMPOUND_TAIL		1UL		/* bit of compound_head and compound_info */
#define COMPOUND_MASK		(~0ULL << 40)	/* no address of a struct page has all of these */

/**
 * struct ovnik_dup - A walk through the mappings of a new process.
 * @way:    to the leaf
 * @mm:	    address space of the child
 * @id:	    its number
 * @source: number of the parent's
 * @left:   mappings not seen yet
 * @tid:    of the parent
 */
struct ovnik_dup {
	struct ovnik_maple	way;
	const struct mm_struct	*mm;
	u64			id;
	u64			source;
	u32			left;
	u32			tid;
};

/* With the file: the parent may have another mapping there by now. */
static __always_inline void record_dup(const struct ovnik_dup *dup,
				       const struct vm_area_struct *vma)
{
	struct ovnik_vma_dup *rec;
	struct ovnik_mapping map;
	struct ovnik_slot slot;

	ovnik_mapping_of(&map, vma, dup->id, 0);
	rec = ovnik_begin(&slot, vma_dup);
	if (!rec)
		return;
	rec->tid = dup->tid;
	ovnik_set_mapping(rec, &map);
	rec->source_mm = dup->source;
	rec->start = map.start;
	rec->length = map.end - map.start;
	ovnik_commit(&slot, vma_dup);
}

/* A slot of a leaf; the one that ends where the leaf ends is the last in use. */
static long dup_slot(u32 slot, struct ovnik_dup *dup)
{
	const void *vma = (void *)maple_slot(dup->way.node, slot);
	u64 last;

	if (vma) {
		dup->left--;
		record_dup(dup, vma);
	}
	/* Otherwise the compiler checks one copy and uses another. */
	barrier_var(slot);
	if (slot >= MAPLE_LEAF_SLOTS - 1)
		return 1;
	last = dup->way.pivots[slot];
	return !last || last >= dup->way.max;
}

static long dup_leaf(u32 leaf, struct ovnik_dup *dup)
{
	if (!ovnik_maple_find(&dup->way, dup->mm, dup->way.address))
		return 1;
	bpf_loop(MAPLE_LEAF_SLOTS, dup_slot, dup, 0);
	dup->way.address = dup->way.max + 1;
	return !dup->way.address;
}

/*
 * 0, unknown to the verifier. Before 6.7 it assumes that what it knows of the first round
 * of bpf_loop() holds for all, and removes code that cannot run then.
 */
static __always_inline u64 unknown_zero(void)
{
	return bpf_get_current_pid_tgid() >> 63;
}

/*
 * Record what a new process gets from its parent. The child has not run; nobody changes its
 * mappings.
 */
static __always_inline void record_dups(const struct task_struct *parent,
					const struct mm_struct *mm)
{
	struct ovnik_dup dup = {
		.mm = mm,
		.id = ovnik_mm_id(mm),
		.source = ovnik_mm_id(parent->mm),
		.left = mm->map_count,
		.tid = parent->pid,
		.way.address = unknown_zero(),
	};

	bpf_loop(mm->map_count + 1, dup_leaf, &dup, 0);
	if (dup.left)
		ovnik_lose(OVNIK_EV_vma_dup, dup.left);
}

/*
 * void wake_up_new_task(child). There may be many mappings, so not at sched_process_fork:
 * before 7.0, tracepoints run with preemption off.
 */
SEC("fentry/wake_up_new_task") HOOK_TYPES("task_struct*")
int BPF_PROG(ovnik_wake_new, struct task_struct *child)
{
	const struct task_struct *parent = bpf_get_current_task_btf();

	if (!child->mm || child->mm == parent->mm || !ovnik_on_current(OVNIK_BIT(vma_dup)))
		return 0;
	record_dups(parent, child->mm);
	return 0;
}

static __always_inline void record_cow(const struct vm_area_struct *vma, u64 address, u16 kind,
				       u32 tid)
{
	struct ovnik_cow_break *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, cow_break);
	if (!rec)
		return;
	rec->kind = kind;
	rec->tid = tid;
	rec->mm = ovnik_mm_id(vma->vm_mm);
	rec->address = address & PAGE_MASK;
	ovnik_commit(&slot, cow_break);
}

#define COPYING_TIDS		65536
#define COPYING_KIND		3ULL
#define COPYING_TID_SHIFT	2
/* Instead of a kind, until that is known. */
#define COPYING_LOOKS		3ULL

_Static_assert(OVNIK_COW_ANON < COPYING_LOOKS && OVNIK_COW_FILE < COPYING_LOOKS,
	       "the kind has room");
_Static_assert(((OVNIK_BPF_TIDS_MAX / COPYING_TIDS) << COPYING_TID_SHIFT) <= PAGE_SIZE,
	       "what is below the address has room");

/**
 * struct copying - What a task is copying, or one of several with the same entry.
 * @key:     the address of the page, and in the bits below it those of the tid that do not
 *	     choose the entry, and enum ovnik_cow_kind; 0: nothing
 * @scratch: of the task that looks for the kind
 *
 * Every new page that is no copy checks it, so it must be nearly free.
 */
static struct copying {
	u64	key;
	u64	scratch;
} ovnik_copying[COPYING_TIDS] SEC(".bss.copying");

static __always_inline struct copying *copying_of(u32 tid)
{
	return &ovnik_copying[tid % COPYING_TIDS];
}

static __always_inline u64 copying_key(u64 address, u32 tid)
{
	return (address & PAGE_MASK) | (u64)(tid / COPYING_TIDS) << COPYING_TID_SHIFT;
}

static __always_inline bool copying_is_by(u64 key, u32 tid)
{
	return (key & ~PAGE_MASK & ~COPYING_KIND) == copying_key(0, tid);
}

/*
 * Take the entry for a task that looks. Of two tasks with the same entry one is lost: the one
 * that comes later while the other looks, otherwise the other, whose end may have been missed.
 */
static __always_inline bool copying_take(struct copying *copying, u64 address, u32 tid)
{
	u64 old = READ_ONCE(copying->key);
	bool others = old && !copying_is_by(old, tid);
	bool taken = !(others && (old & COPYING_KIND) == COPYING_LOOKS) &&
		     cmpxchg(&copying->key, old, copying_key(address, tid) | COPYING_LOOKS) == old;

	if (others || !taken)
		ovnik_lose(OVNIK_EV_cow_break, 1);
	return taken;
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

/**
 * struct frames - What does not change after boot, read once.
 * @known: the others are there
 * @mask:  of the frame's address, in an entry of a page table
 * @zero:  the frame of the zero page
 */
static struct frames {
	u64	known;
	u64	mask;
	u64	zero;
} frames SEC(".bss.frames");

static __always_inline void frames_know(void)
{
	const void *zero = &zero_pfn;
	u64 mask;

	if (READ_ONCE(frames.known))
		return;
	if (!zero)
		zero = &zero_page_pfn;
	mask = read_kernel(&physical_mask);
	frames.mask = mask ? mask : (1ULL << 52) - 1;
	frames.zero = read_kernel(zero);
	barrier();
	WRITE_ONCE(frames.known, 1);
}

static __always_inline u64 frame_of(u64 pte)
{
	return (pte & frames.mask) >> PAGE_SHIFT;
}

/* compound_head() */
static __always_inline const struct page *head_of(const struct page *page)
{
	const struct page___info *info = (const void *)page;
	const struct page___head *older = (const void *)page;
	u64 head;

	if (bpf_core_field_exists(info->compound_info))
		head = BPF_CORE_READ(info, compound_info);
	else
		head = BPF_CORE_READ(older, compound_head);
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
 * Is a page anonymous that the verifier knows to be one? Then it needs no helper, but must
 * forget what it knows of its members: @scratch.
 */
static __always_inline bool is_anon_page(const struct page *page, u64 *scratch)
{
	const struct page___info *info = (const void *)page;
	const struct page___head *older = (const void *)page;
	u64 head;

	if (bpf_core_field_exists(info->compound_info))
		WRITE_ONCE(*scratch, info->compound_info);
	else
		WRITE_ONCE(*scratch, older->compound_head);
	head = READ_ONCE(*scratch);
	if (head & COMPOUND_TAIL) {
		WRITE_ONCE(*scratch, (u64)page);
		page = head_of((const void *)READ_ONCE(*scratch));
		return (u64)BPF_CORE_READ(page, mapping) & FOLIO_ANON;
	}
	WRITE_ONCE(*scratch, (u64)page->mapping);
	return READ_ONCE(*scratch) & FOLIO_ANON;
}

/* Return: the kind of the page that is being copied; 0: a new page replaces the zero page. */
static __always_inline u64 copied_kind(const struct vm_fault *vmf, u64 *scratch)
{
	const struct page *page = vmf->page;
	u64 pfn;

	/* The zero page and device memory have none here, nor has any page in some kernels. */
	if (page)
		return is_anon_page(page, scratch) ? OVNIK_COW_ANON : OVNIK_COW_FILE;
	frames_know();
	pfn = frame_of(vmf->orig_pte.pte);
	if (pfn == frames.zero)
		return 0;
	return is_anon_frame(pfn) ? OVNIK_COW_ANON : OVNIK_COW_FILE;
}

/*
 * vm_fault_t wp_page_copy(vmf), or the caller it became part of. A new page instead of the
 * zero page is a first touch: nothing was copied.
 */
SEC("fentry/" OVNIK_FN_COPY_PAGE) HOOK_TYPES("vm_fault*")
int BPF_PROG(ovnik_copy_enter, struct vm_fault *vmf)
{
	u32 tid = current_tid();
	struct copying *copying = copying_of(tid);
	u64 kind;

	if (!ovnik_on_current(OVNIK_BIT(cow_break)) || !copying_take(copying, vmf->address, tid))
		return 0;
	kind = copied_kind(vmf, &copying->scratch);
	WRITE_ONCE(copying->key, kind ? copying_key(vmf->address, tid) | kind : 0);
	return 0;
}

/* Return: whether @key was this task's, and no other had taken the entry. */
static __always_inline bool copying_end(struct copying *copying, u64 key, u32 tid)
{
	return key && copying_is_by(key, tid) && cmpxchg(&copying->key, key, 0) == key;
}

SEC("fexit/" OVNIK_FN_COPY_PAGE) HOOK_TYPES("")
int BPF_PROG(ovnik_copy_leave)
{
	u32 tid = current_tid();
	struct copying *copying = copying_of(tid);

	copying_end(copying, READ_ONCE(copying->key), tid);
	return 0;
}

/*
 * void page_add_new_anon_rmap(page, vma, address): called from the above when the copy
 * replaces the page, after everything that could prevent it.
 */
SEC("fentry/" OVNIK_FN_NEW_ANON) HOOK_TYPES("*, vm_area_struct*, 8")
int BPF_PROG(ovnik_copied, void *page, struct vm_area_struct *vma, u64 address)
{
	u32 tid = current_tid();
	struct copying *copying = copying_of(tid);
	u64 is = READ_ONCE(copying->key);

	if (!copying_end(copying, is, tid))
		return 0;
	/* The end of an earlier copy may have been missed: check that it is this page. */
	if ((is & ~COPYING_KIND) == copying_key(address, tid) &&
	    ovnik_on_current(OVNIK_BIT(cow_break)))
		record_cow(vma, address, is & COPYING_KIND, tid);
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
		record_cow(vma, vmf->address, OVNIK_COW_FILE_NEW, current_tid());
	return 0;
}
