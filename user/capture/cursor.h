/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_CURSOR_H
#define OVNIK_CAPTURE_CURSOR_H

#include "capture/capture.h"

#define CURSOR_PENDING_MAX	4
#define CURSOR_SCRATCH		(2 * OVNIK_REC_MAX)

/**
 * struct cursor - Reads one CPU's file, with one sub-buffer in memory.
 * @item: set by the last cursor_next()
 * @pos: next record
 * @end: end of the bytes present of the sub-buffer; equal to @pos while items
 *	 are pending
 * @rules: how to check most records
 * @base: TSC that stamps are relative to
 * @last: TSC of the last item; no later item is before it
 * @limit: TSC when the sub-buffer was closed
 * @decoded: records of it so far, per type of the capture
 * @layouts: how to read records
 * @scratch: room for a record translated into our layout, and behind that for one that got
 *	     its text from another one
 * @texts: a bit for each place of @sb: a record begins there that has a text of its own
 * @texts_size: bytes allocated
 * @cap: the capture
 * @file: the file
 * @sb: the sub-buffer
 * @loaded: @sb holds one
 * @broken: some of its records could not be read
 * @vouched: its header's counts are exact, as far as a CRC can say that
 * @buf: its bytes
 * @buf_size: bytes allocated
 * @offset: where to look for the next one
 * @first: none has been accepted yet
 * @seq: number of the last one accepted
 * @closed: when the last one accepted was closed (TSC), or its last record's time
 * @lost: lost[] of the last one accepted, per event of the capture
 * @seen: per event, by our number: records that were read or known to be damaged
 * @gap: the gap that is returned next, or was returned last
 * @gap_open: @gap collects what is missing since the last record
 * @pending: items to return before the next record
 * @nr_pending: how many
 * @next_pending: index of the next one
 */
struct cursor {
	struct capture_item item;
	const u8 *pos;
	const u8 *end;
	const struct event_rule *rules;
	u64 base;
	u64 last;
	u64 limit;
	u32 decoded[EVENT_NUMBERS];
	const struct event_layouts *layouts;
	u8 *scratch;
	u8 *texts;
	size_t texts_size;
	struct capture *cap;
	struct capture_file *file;
	struct subbuf sb;
	bool loaded;
	bool broken;
	bool vouched;
	u8 *buf;
	u32 buf_size;
	u64 offset;
	bool first;
	u64 seq;
	u64 closed;
	u64 lost[EVENT_NUMBERS];
	u64 seen[OVNIK_NR_EVENTS];
	struct capture_gap gap;
	bool gap_open;
	struct capture_item pending[CURSOR_PENDING_MAX];
	unsigned int nr_pending;
	unsigned int next_pending;
};

/**
 * cursor_open() - Open a cursor at the beginning of a CPU's file.
 * @c: is set; cursor_close() frees it
 * @cap: the capture
 * @file: one of its files
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int cursor_open(struct cursor *c, struct capture *cap, struct capture_file *file) __must_check;

/**
 * cursor_close() - Free a cursor.
 * @c: as cursor_open() left it, or zeroed
 *
 * Context: Any.
 */
void cursor_close(struct cursor *c);

/* Use cursor_next(). */
int cursor_next_slow(struct cursor *c) __must_check;

/**
 * cursor_next() - Go to the next item.
 * @c: the cursor; @c->item is set, of kind ITEM_END at the end
 *
 * Items never go back in time. Damage is reported and skipped.
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
static inline int __must_check cursor_next(struct cursor *c)
{
	const struct ovnik_record *rec = (const void *)c->pos;
	u32 left = c->end - c->pos, len;
	struct event_rule rule;
	u64 tsc;

	if (unlikely(left < sizeof(*rec)))
		return cursor_next_slow(c);
	rule = c->rules[rec->type];
	len = rec->words * OVNIK_REC_ALIGN;
	tsc = c->base + rec->delta;
	if (unlikely(!rule.plain || len < rule.size || len > left || tsc < c->last ||
		     tsc > c->limit))
		return cursor_next_slow(c);
	c->pos += len;
	c->last = tsc;
	c->decoded[rec->type]++;
	c->item.kind = ITEM_RECORD;
	c->item.event = rule.event;
	c->item.tsc = tsc;
	c->item.data = rec;
	return 0;
}

#endif /* OVNIK_CAPTURE_CURSOR_H */
