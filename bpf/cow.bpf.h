/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_COW_BPF_H
#define OVNIK_COW_BPF_H

#include "maple.bpf.h"
#include "mm.bpf.h"

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
 * Record what a new process gets from its parent, at the end of the fork. The child has not
 * run; nobody changes its mappings.
 */
static __always_inline void ovnik_record_vma_dups(const struct task_struct *parent,
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

#endif /* OVNIK_COW_BPF_H */
