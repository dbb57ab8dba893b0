/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CANON_SPACE_H
#define OVNIK_CANON_SPACE_H

#include "util/idmap.h"
#include "world/mm_tree.h"

#define CANON_LEAF	512	/* pages */
#define CANON_NEAR	256	/* pages; a power of two */
#define CANON_PRIVATE	(1ULL << 63)	/* of an entry: a file's page, which no store changes */
#define CANON_NR	((1ULL << 62) - 1)	/* of an entry: the canonical page */

/* A page referenced lately; page 0 of no address space: none. */
struct canon_near {
	u64 cr3;
	u64 page;
	u64 entry;
};

struct canon;

/*
 * Of CANON_LEAF pages, their entries: canonical page, CANON_PRIVATE; CANON_COPY; 0: not referenced
 * yet.
 */
struct canon_leaf {
	u64 key;
	u64 entries[CANON_LEAF];
};

/**
 * struct canon_space - The canonical pages of an address space.
 * @id: its number in the records; 0: not known
 * @pgd: its page directory frame; 0: not known
 * @old: it existed before the capture, or was forked from such a one: that one's number. Its pages
 *	 may be older than the capture, and be shared since the fork.
 * @fresh: ranges that are not as old
 * @leaves: page / CANON_LEAF, plus 1, to &struct canon_leaf
 * @next: another address space
 */
struct canon_space {
	u64 id;
	u64 pgd;
	u64 old;
	struct world_mm fresh;
	struct idmap leaves;
	struct canon_space *next;
};

/**
 * canon_entry() - The entry of a page, to be changed.
 * @s: address space
 * @page: virtual address >> 12
 *
 * Return: its place; NULL without memory.
 */
u64 *canon_entry(struct canon_space *s, u64 page) __must_check;

/**
 * canon_known() - The entry of a page, if there is one.
 * @s: address space
 * @page: virtual address >> 12
 *
 * Return: its place, or NULL.
 */
u64 *canon_known(const struct canon_space *s, u64 page);

/**
 * canon_drop() - Forget pages.
 * @c: canonical pages
 * @s: address space
 * @first: virtual address >> 12
 * @end: behind the last one
 */
void canon_drop(struct canon *c, struct canon_space *s, u64 first, u64 end);

/**
 * canon_copy() - Let pages be the same as others.
 * @c: canonical pages
 * @to: address space
 * @at: first page there
 * @from: the other one; may be the same if the ranges do not overlap
 * @first: first page there
 * @end: behind the last one
 *
 * Return: 0, -ENOMEM.
 */
int canon_copy(struct canon *c, struct canon_space *to, u64 at, const struct canon_space *from,
	       u64 first, u64 end) __must_check;

/**
 * canon_leaves_free() - Free the entries of an address space.
 * @s: address space
 */
void canon_leaves_free(struct canon_space *s);

#endif /* OVNIK_CANON_SPACE_H */
