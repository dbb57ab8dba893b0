/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_MERGE_H
#define OVNIK_CAPTURE_MERGE_H

#include "capture/cursor.h"

#define MERGE_ENDED	((u64)1 << 32)

/**
 * struct merge_key - A cursor's place in the order of items.
 * @tsc: of its item
 * @index: of the cursor; plus MERGE_ENDED once it has ended
 */
struct merge_key {
	u64 tsc;
	u64 index;
};

/**
 * struct merge - All CPUs' items in the order of time; at equal times the lower
 * CPU is first.
 * @nr: cursors
 * @cursors: one per CPU
 * @tree: a loser tree with a cursor at each leaf: 0 is the earliest of all,
 *	  each other node is the later one of the two that met there
 * @ahead: the capture has @next: cursors skip what need not be seen
 * @given: the cursor whose item was returned last, NULL at first
 */
struct merge {
	unsigned int nr;
	struct cursor *cursors;
	struct merge_key *tree;
	bool ahead;
	struct cursor *given;
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
 * merge_copy() - Copy a pass: the copy's next item is the one that @from returned last.
 * @to: is set; call merge_close() in any case
 * @from: the pass
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int merge_copy(struct merge *to, const struct merge *from) __must_check;

/**
 * merge_close() - End a pass.
 * @m: as merge_open() or merge_copy() left it
 *
 * Context: Any.
 */
void merge_close(struct merge *m);

static inline bool merge_before(const struct merge_key *a, const struct merge_key *b)
{
	return a->tsc != b->tsc ? a->tsc < b->tsc : a->index < b->index;
}

static inline struct merge_key merge_key_of(const struct cursor *c)
{
	u64 index = c->item.cpu;

	return (struct merge_key){
		.tsc = c->item.tsc,
		.index = unlikely(c->item.kind == ITEM_END) ? index + MERGE_ENDED : index,
	};
}

/* The cursor at a leaf has a new item: find the earliest cursor. */
static inline void merge_play(struct merge *m, const struct cursor *c)
{
	struct merge_key key = merge_key_of(c);
	unsigned int node;

	for (node = (c->item.cpu + m->nr) / 2; node; node /= 2) {
		struct merge_key *other = &m->tree[node];
		struct merge_key winner;

		/* One comparison for most; the index decides where times are equal. */
		if (likely(other->tsc > key.tsc) || !merge_before(other, &key))
			continue;
		winner = *other;
		*other = key;
		key = winner;
	}
	m->tree[0] = key;
}

static inline int __must_check merge_advance(const struct merge *m, struct cursor *c)
{
	return unlikely(m->ahead) ? c->cap->next(c) : cursor_next(c);
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
	struct cursor *c = m->given;
	int ret;

	*item = NULL;
	if (likely(c)) {
		ret = merge_advance(m, c);
		if (unlikely(ret))
			return ret;
		merge_play(m, c);
	}
	if (unlikely(m->tree[0].index >= MERGE_ENDED))
		return 0;
	c = &m->cursors[m->tree[0].index];
	m->given = c;
	*item = &c->item;
	return 0;
}

#endif /* OVNIK_CAPTURE_MERGE_H */
