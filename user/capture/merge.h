/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_MERGE_H
#define OVNIK_CAPTURE_MERGE_H

#include "capture/cursor.h"

#define MERGE_ENDED	((u64)1 << 32)

/**
 * struct merge_key - Where a cursor stands in the order of items.
 * @tsc: of its item
 * @index: of the cursor; MERGE_ENDED more once it has come to its end
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

static inline bool merge_before(const struct merge_key *a, const struct merge_key *b)
{
	return a->tsc != b->tsc ? a->tsc < b->tsc : a->index < b->index;
}

static inline struct merge_key merge_key_of(const struct merge *m, unsigned int index)
{
	const struct cursor *c = &m->cursors[index];

	return (struct merge_key){
		.tsc = c->item.tsc,
		.index = c->item.kind == ITEM_END ? index + MERGE_ENDED : index,
	};
}

/* The cursor at a leaf has a new item: who is the earliest now? */
static inline void merge_play(struct merge *m, unsigned int index)
{
	struct merge_key key = merge_key_of(m, index);
	unsigned int node;

	for (node = (index + m->nr) / 2; node; node /= 2) {
		if (merge_before(&m->tree[node], &key)) {
			struct merge_key winner = m->tree[node];

			m->tree[node] = key;
			key = winner;
		}
	}
	m->tree[0] = key;
}

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
static inline int __must_check merge_next(struct merge *m, const struct capture_item **item)
{
	unsigned int index;
	int ret;

	*item = NULL;
	if (likely(!m->fresh)) {
		index = m->tree[0].index;
		ret = cursor_next(&m->cursors[index]);
		if (unlikely(ret))
			return ret;
		merge_play(m, index);
	}
	m->fresh = false;
	if (likely(m->tree[0].index < MERGE_ENDED))
		*item = &m->cursors[m->tree[0].index].item;
	return 0;
}

#endif /* OVNIK_CAPTURE_MERGE_H */
