/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_SKIP_H
#define OVNIK_CAPTURE_SKIP_H

#include "capture/cursor.h"

/*
 * A pass that skips records. Its cursors do not wait for each other at skipped records: each
 * runs ahead to its next item that is not skipped.
 */

/**
 * typedef cursor_skip_fn - May a record be skipped?
 * @data: the capture's @skip
 * @event: its number in our table
 * @rec: the record in our layout
 * @tsc: its time
 *
 * Return: true if it may.
 */
typedef bool (*cursor_skip_fn)(void *data, unsigned int event, const void *rec, u64 tsc);

/* Skip plain records. Return: true at one that must not be skipped; it is the item then. */
static __always_inline bool cursor_skip_plain(struct cursor *c, cursor_skip_fn skip, void *data)
{
	const struct event_rule *rules = c->rules;
	const u8 *pos = c->pos, *end = c->end;
	u64 last = c->last, limit = c->limit;
	const struct ovnik_record *rec;
	u64 base = c->base;
	u32 left, len;
	u64 tsc;

	for (;; pos += len, last = tsc) {
		struct event_rule rule;

		rec = (const void *)pos;
		left = end - pos;
		if (unlikely(left < sizeof(*rec)))
			break;
		rule = rules[rec->type];
		len = rec->words * OVNIK_REC_ALIGN;
		tsc = base + rec->delta;
		if (unlikely(!rule.plain || len < rule.size || len > left || tsc < last ||
			     tsc > limit))
			break;
		c->decoded[rec->type]++;
		if (likely(skip(data, rule.event, rec, tsc)))
			continue;
		c->item.kind = ITEM_RECORD;
		c->item.event = rule.event;
		c->item.tsc = tsc;
		c->item.data = rec;
		c->pos = pos + len;
		c->last = tsc;
		return true;
	}
	c->pos = pos;
	c->last = last;
	return false;
}

/**
 * cursor_next_unless() - Go to the next item that is not skipped.
 * @c: the cursor; @c->item is set, as by cursor_next()
 * @skip: decides; must be a function that the compiler can inline, because it runs for every
 *	  record
 *
 * To be called by the function in a capture's @next.
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
static __always_inline int cursor_next_unless(struct cursor *c, cursor_skip_fn skip)
{
	void *data = c->cap->skip;
	int ret;

	for (;;) {
		if (cursor_skip_plain(c, skip, data))
			return 0;
		ret = cursor_next_slow(c);
		if (ret || c->item.kind != ITEM_RECORD ||
		    !skip(data, c->item.event, c->item.data, c->item.tsc))
			return ret;
	}
}

#endif /* OVNIK_CAPTURE_SKIP_H */
