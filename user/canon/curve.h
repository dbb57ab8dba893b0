/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CANON_CURVE_H
#define OVNIK_CANON_CURVE_H

#include "util/types.h"

#define CURVE_TOP	8	/* pages used last: most references are to these */

/*
 * How often a memory of N pages that replaces the least recently used one would miss, for all N
 * at once: each reference hits in memories that are larger than the number of different pages that
 * were used since its own page was. (R. L. Mattson et al., Evaluation techniques for storage
 * hierarchies, 1970.) A Fenwick tree over the order of last uses counts them: O(log pages) a
 * reference, memory by pages.
 */

/**
 * struct curve - Reuse distances of a string of references.
 * @refs: references
 * @cold: to a page for the first time
 * @hits: by distance: how many; those that are not @cold
 * @room_hits: of @hits
 * @top: the pages used last, the latest one first
 * @nr_top: of @top
 * @slots: page to the slot of its last use, plus 1; 0: never used, or in @top
 * @room: of @slots
 * @owners: slot to page; 0: the page was used again
 * @tree: over slots: which are in use
 * @size: slots; a power of two
 * @now: slots given out
 * @live: in use
 * @no_memory: there was none: the curve is wrong
 */
struct curve {
	u64 refs;
	u64 cold;
	u64 *hits;
	u32 room_hits;
	u32 top[CURVE_TOP];
	u32 nr_top;
	u32 *slots;
	u32 room;
	u32 *owners;
	u32 *tree;
	u32 size;
	u32 now;
	u32 live;
	bool no_memory;
};

bool curve_slow(struct curve *c, u32 page);

/**
 * curve_use() - The next reference.
 * @c: the curve; at first all zero
 * @page: number of the page, from 1 on, without large holes
 *
 * Return: true if it is the first one to this page.
 */
static inline bool curve_use(struct curve *c, u32 page)
{
	u32 i, j;

	c->refs++;
	for (i = 0; i < c->nr_top; i++) {
		if (c->top[i] != page)
			continue;
		c->hits[i]++;
		for (j = i; j; j--)
			c->top[j] = c->top[j - 1];
		c->top[0] = page;
		return false;
	}
	return curve_slow(c, page);
}

/**
 * curve_misses() - Misses of a memory.
 * @c: the curve
 * @pages: its size; 0: each reference is a miss
 *
 * Return: how many, with those to a page for the first time.
 */
u64 curve_misses(const struct curve *c, u64 pages);

/**
 * curve_free() - Free a curve.
 * @c: the curve, or all zero
 */
void curve_free(struct curve *c);

#endif /* OVNIK_CANON_CURVE_H */
