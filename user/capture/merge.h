/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_MERGE_H
#define OVNIK_CAPTURE_MERGE_H

#include "capture/cursor.h"

/**
 * struct merge_key - Where a cursor stands in the order of items.
 * @tsc: of its item
 * @index: of the cursor; beyond all others' once it has come to its end
 */
struct merge_key {
	u64 tsc;
	u64 index;
};

/**
 * struct merge - All CPUs' items in the order of time; at equal times the lower
 * CPU's first.
 * @nr: cursors
 * @cursors: one a CPU
 * @tree: a tree of losers with a cursor at each leaf: 0 is the earliest of all,
 *	  each other node the later one of the two that met there
 * @fresh: the first one's item was not given yet
 */
struct merge {
	unsigned int nr;
	struct cursor *cursors;
	struct merge_key *tree;
	bool fresh;
};

/**
 * merge_open() - Begin a pass over a capture.
 * @m: is set; call merge_close() in any case
 * @cap: the capture, after capture_begin_pass()
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int merge_open(struct merge *m, struct capture *cap) __must_check;

/**
 * merge_close() - End a pass.
 * @m: as merge_open() left it
 *
 * Context: Any.
 */
void merge_close(struct merge *m);

/**
 * merge_next() - Take the next item of the capture.
 * @m: the pass
 * @item: set to the item, which is valid until the next call; NULL at the end
 *
 * Items never go back in time. Costs O(log CPUs).
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int merge_next(struct merge *m, const struct capture_item **item) __must_check;

#endif /* OVNIK_CAPTURE_MERGE_H */
