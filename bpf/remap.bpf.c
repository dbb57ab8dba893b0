// SPDX-License-Identifier: GPL-2.0-only
/* Probes of mappings that move or grow: mremap(), and the stack of a new image. */
#include "compat.bpf.h"
#include "maple.bpf.h"
#include "mm.bpf.h"
#include "path.bpf.h"
#include "task.bpf.h"

#define MREMAP_DONTUNMAP	4	/* include/uapi/linux/mman.h */
#define NR_MREMAP		25
#define NR_MREMAP_IA32		163

struct remap {
	u64	old_start;
	u64	old_length;
	u64	start;
	u64	length;
};

static __always_inline void record_remap(const struct vm_area_struct *vma, u64 mm,
					 const struct remap *remap)
{
	struct ovnik_path_buf *buf = NULL;
	struct ovnik_mremap *rec;
	struct ovnik_mapping map;
	struct ovnik_slot slot;
	struct ovnik_text path;

	ovnik_mapping_of(&map, vma, mm, remap->start);
	ovnik_no_path(&path);
	if (map.file) {
		buf = ovnik_path_of(&path, map.file);
		if (!buf) {
			ovnik_lose(OVNIK_EV_mremap, 1);
			return;
		}
	}
	rec = ovnik_begin_text(&slot, mremap, path, &path);
	if (rec) {
		rec->tid = current_tid();
		ovnik_set_mapping(rec, &map);
		rec->old_start = remap->old_start;
		rec->old_length = remap->old_length;
		rec->start = remap->start;
		rec->length = remap->length;
		ovnik_commit(&slot, mremap);
	}
	if (buf)
		ovnik_path_done(buf);
}

/* For mremap(); a separate function: paths take long to verify. */
static __noinline int record_mremap(const struct remap *remap)
{
	const struct mm_struct *mm = ovnik_current_mm();
	const struct vm_area_struct *vma = ovnik_vma_at(mm, remap->start);

	if (vma)
		record_remap(vma, ovnik_mm_id(mm), remap);
	else
		ovnik_lose(OVNIK_EV_mremap, 1);
	return 0;
}

/* The arguments of the mremap() of the current task; false: it is in none. */
static __always_inline bool in_mremap(struct remap *remap, u64 *flags)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

	if (!ovnik_in_call(task, NR_MREMAP, NR_MREMAP_IA32))
		return false;
	if (task->thread_info.status & TS_COMPAT) {
		remap->old_start = (u32)regs->bx;
		remap->old_length = PAGE_ALIGN((u64)(u32)regs->cx);
		remap->length = PAGE_ALIGN((u64)(u32)regs->dx);
		*flags = regs->si;
	} else {
		remap->old_start = ovnik_untagged(task->mm, regs->di);
		remap->old_length = PAGE_ALIGN(regs->si);
		remap->length = PAGE_ALIGN(regs->dx);
		*flags = regs->r10;
	}
	remap->start = remap->old_start;
	return true;
}

/*
 * mremap() that grows in place calls only vm_stat_account(), at its end, with mmap_lock
 * still held and the number of pages added. One that moves passes the number of all pages
 * at the new place.
 */
static __always_inline bool has_grown(const struct remap *remap, s64 npages)
{
	return remap->old_length && npages > 0 &&
	       npages << PAGE_SHIFT == remap->length - remap->old_length;
}

#ifdef OVNIK_HAVE_MOVE_VRM

/* unsigned long move_vma(vrm) */
SEC("fexit/move_vma") HOOK_TYPES("vma_remap_struct* -> 8")
int BPF_PROG(ovnik_move, struct vma_remap_struct___vrm *vrm, u64 start)
{
	struct remap remap;

	if (IS_ERR_VALUE(start) || !ovnik_on_current(OVNIK_BIT(mremap)))
		return 0;
	remap.old_start = vrm->addr;
	remap.old_length = vrm->old_len;
	remap.start = start;
	remap.length = vrm->new_len;
	record_mremap(&remap);
	return 0;
}

#else

/*
 * move_vma() has too many arguments for a program of its own before 6.6, and compilers make it
 * part of its caller, or split move_page_tables(). It calls these, which are in another file:
 *
 *	copy_vma() with the new place, whose result is NULL if that fails;
 *	vm_stat_account() with the pages of the new place;
 *	do_munmap() or do_vmi_munmap() of the old place, or of the new one after a failure; not
 *	if MREMAP_DONTUNMAP has succeeded.
 *
 * The last call writes the record: it comes after the record of its munmap. With
 * MREMAP_DONTUNMAP vm_stat_account() writes it. If the move has failed then, there comes a
 * munmap of the new place, and all is as before.
 */
enum move_state { NOT_MOVING, COPIED, MOVED };

/* struct vm_area_struct *copy_vma(vmap, addr, len, …) */
SEC("fentry/copy_vma") HOOK_TYPES("*, 8, 8")
int BPF_PROG(ovnik_move_copy, void *vmap, u64 start, u64 length)
{
	struct ovnik_stash *stash;

	if (!ovnik_on_current(OVNIK_BIT(mremap)))
		return 0;
	stash = ovnik_stash_make();
	if (!stash) {
		ovnik_lose(OVNIK_EV_mremap, 1);
		return 0;
	}
	stash->move.state = COPIED;
	stash->move.start = start;
	stash->move.length = length;
	return 0;
}

/* @remap: the arguments of the system call. Return: is this vm_stat_account() part of a move? */
static __always_inline bool note_move(s64 npages, struct remap *remap, u64 flags)
{
	struct ovnik_stash *stash = ovnik_stash_get();

	/* A copy_vma() that failed leaves its state to the next call, which may grow in place. */
	if (!stash || stash->move.state != COPIED || has_grown(remap, npages) ||
	    npages << PAGE_SHIFT != stash->move.length)
		return false;
	stash->move.state = MOVED;
	if (!(flags & MREMAP_DONTUNMAP))
		return true;
	stash->move.state = NOT_MOVING;
	remap->start = stash->move.start;
	remap->old_length = stash->move.length;
	remap->length = stash->move.length;
	record_mremap(remap);
	return true;
}

/* int do_munmap(mm, start, len, uf), int do_vmi_munmap(vmi, mm, start, len, uf, unlock) */
SEC("fexit/" OVNIK_FN_UNMAP) HOOK_TYPES(OVNIK_UNMAP_TYPES)
int BPF_PROG(ovnik_move, OVNIK_UNMAP_ARGS)
{
	struct ovnik_stash *stash;
	struct remap remap;

	if (!ovnik_on_current(OVNIK_BIT(mremap)))
		return 0;
	stash = ovnik_stash_get();
	if (!stash || stash->move.state != MOVED)
		return 0;
	stash->move.state = NOT_MOVING;
	if (start == stash->move.start)
		return 0;
	remap.old_start = start;
	remap.old_length = length;
	remap.start = stash->move.start;
	remap.length = stash->move.length;
	record_mremap(&remap);
	return 0;
}

#endif /* OVNIK_HAVE_MOVE_VRM */

/* void vm_stat_account(mm, flags, npages) */
SEC("fentry/vm_stat_account") HOOK_TYPES("*, 8, 8")
int BPF_PROG(ovnik_grow, void *mm, u64 vm_flags, s64 npages)
{
	struct remap remap;
	u64 flags;

	if (npages <= 0 || !ovnik_on_current(OVNIK_BIT(mremap)) || !in_mremap(&remap, &flags))
		return 0;
#ifndef OVNIK_HAVE_MOVE_VRM
	if (note_move(npages, &remap, flags))
		return 0;
#endif
	if (has_grown(&remap, npages))
		record_mremap(&remap);
	return 0;
}

static __always_inline void lose_shift(void)
{
	if (ovnik_event_on(OVNIK_EV_munmap))
		ovnik_lose(OVNIK_EV_munmap, 1);
	if (ovnik_event_on(OVNIK_EV_mremap))
		ovnik_lose(OVNIK_EV_mremap, 1);
}

/* int shift_arg_pages(vma, shift) */
SEC("fentry/" OVNIK_FN_SHIFT_STACK) HOOK_TYPES("vm_area_struct*")
int BPF_PROG(ovnik_shift_enter, struct vm_area_struct *vma)
{
	struct ovnik_stash *stash;

	if (!ovnik_on_current(OVNIK_BIT(mremap) | OVNIK_BIT(munmap)))
		return 0;
	stash = ovnik_stash_make();
	if (!stash) {
		lose_shift();
		return 0;
	}
	stash->shift.start = vma->vm_start;
	stash->shift.end = vma->vm_end;
	stash->shift.known = 1;
	return 0;
}

/* The old place is unmapped without the functions that unmap. */
static __always_inline void record_shift(const struct vm_area_struct *vma, u64 start, u64 end)
{
	struct remap remap = {
		.old_start = start,
		.old_length = end - start,
		.start = vma->vm_start,
		.length = vma->vm_end - vma->vm_start,
	};
	u64 unmapped = vma->vm_end > start ? vma->vm_end : start;
	u64 mm = ovnik_mm_id(vma->vm_mm);

	if (ovnik_event_on(OVNIK_EV_munmap))
		ovnik_record_munmap(mm, unmapped, end - unmapped);
	if (ovnik_event_on(OVNIK_EV_mremap))
		record_remap(vma, mm, &remap);
}

SEC("fexit/" OVNIK_FN_SHIFT_STACK) HOOK_TYPES("vm_area_struct*, 8 -> 4")
int BPF_PROG(ovnik_shift_leave, struct vm_area_struct *vma, u64 shift, int ret)
{
	struct ovnik_stash *stash;

	if (!ovnik_on_current(OVNIK_BIT(mremap) | OVNIK_BIT(munmap)))
		return 0;
	stash = ovnik_stash_get();
	if (!stash || !stash->shift.known)
		return 0;
	stash->shift.known = 0;
	if (!ret)
		record_shift(vma, stash->shift.start, stash->shift.end);
	return 0;
}
