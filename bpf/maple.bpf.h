/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MAPLE_BPF_H
#define OVNIK_MAPLE_BPF_H

/*
 * Finding a mapping in the maple tree of an address space: lib/maple_tree.c. The caller
 * must prevent changes of the tree, as in the kernel.
 */

#include "compat.bpf.h"

#define MAPLE_LEAF_SLOTS	16	/* MAPLE_RANGE64_SLOTS */
#define MAPLE_HEIGHT_MAX	31
#define MAPLE_NODE_MASK		255UL
#define MAPLE_TYPE_SHIFT	3
#define MAPLE_TYPE_MASK		15

/**
 * struct ovnik_maple - A way down in a tree.
 * @address: to find
 * @node:    the current one: a leaf at the end of the way, 0 if there is none
 * @max:     last address of the node
 * @slot:    of the node, with @address
 * @pivots:  last address of each of its slots but the last one; 0 after those in use
 */
struct ovnik_maple {
	u64	address;
	u64	node;
	u64	max;
	u32	slot;
	u64	pivots[MAPLE_LEAF_SLOTS - 1];
};

/* Of an encoded pointer to a node, or the root. */
static __always_inline u32 maple_type(u64 node)
{
	return node >> MAPLE_TYPE_SHIFT & MAPLE_TYPE_MASK;
}

static __always_inline void *maple_pointer(u64 node)
{
	return (void *)(node & ~MAPLE_NODE_MASK);
}

/* What a slot holds: a node; in a leaf, a mapping or NULL. */
static __always_inline u64 maple_slot(u64 node, u32 slot)
{
	const struct maple_range_64 *range = maple_pointer(node);
	const struct maple_arange_64 *arange = maple_pointer(node);
	const void *where = &range->slot;
	u64 value = 0;

	if (maple_type(node) == maple_arange_64)
		where = &arange->slot;
	bpf_probe_read_kernel(&value, sizeof(value), where + slot * sizeof(value));
	return value;
}

/* The last addresses of the slots of a node. Return: the most there can be. */
static __always_inline u32 read_pivots(struct ovnik_maple *way)
{
	const struct maple_range_64 *range = maple_pointer(way->node);
	const struct maple_arange_64 *arange = maple_pointer(way->node);

	if (maple_type(way->node) == maple_arange_64) {
		bpf_core_read(way->pivots, sizeof(arange->pivot), &arange->pivot);
		return ARRAY_SIZE(arange->pivot);
	}
	bpf_core_read(way->pivots, sizeof(range->pivot), &range->pivot);
	return ARRAY_SIZE(range->pivot);
}

/*
 * In a node with @nr pivots: go to the slot of the address. A separate function, verified once: it
 * has many paths, and kernels from 6.7 on would follow each through all rounds of bpf_loop().
 */
__noinline int maple_find_slot(struct ovnik_maple *way, u32 nr)
{
	u32 i;

	/* Nobody calls it without; the verifier does not know. */
	if (!way)
		return 0;
	for (i = 0; i < MAPLE_LEAF_SLOTS - 1; i++) {
		if (i >= nr || !way->pivots[i] || way->pivots[i] >= way->address)
			break;
	}
	way->slot = i;
	if (i < MAPLE_LEAF_SLOTS - 1 && i < nr && way->pivots[i] &&
	    maple_type(way->node) > maple_leaf_64)
		way->max = way->pivots[i];
	return 0;
}

/* In a node: go to the slot; unless it is a leaf, to the node there. */
static long maple_descend(u32 level, struct ovnik_maple *way)
{
	maple_find_slot(way, read_pivots(way));
	if (maple_type(way->node) <= maple_leaf_64)
		return 1;
	way->node = maple_slot(way->node, way->slot);
	return !way->node;
}

/* The leaf of an address, way->node; false: there is none. */
static __always_inline bool ovnik_maple_find(struct ovnik_maple *way, const struct mm_struct *mm,
					     u64 address)
{
	way->address = address;
	way->max = ~0ULL;
	way->node = ovnik_maple_root(mm);
	/* xa_is_node(): an empty tree has none. */
	if ((way->node & 3) != 2 || way->node <= 4096)
		return false;
	bpf_loop(MAPLE_HEIGHT_MAX, maple_descend, way, 0);
	return way->node;
}

/* vma_lookup(): the mapping with an address, or NULL. */
static __always_inline const struct vm_area_struct *ovnik_vma_at(const struct mm_struct *mm,
								 u64 address)
{
	struct ovnik_maple way;

	if (!ovnik_maple_find(&way, mm, address))
		return NULL;
	return (void *)maple_slot(way.node, way.slot);
}

#endif /* OVNIK_MAPLE_BPF_H */
