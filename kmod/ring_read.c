// SPDX-License-Identifier: GPL-2.0-only
/* Reading a ring: its complete sub-buffers, and the counts of events. */
#include <linux/sched.h>
#include <linux/string.h>

#include "ring_read.h"

/**
 * ovnik_ring_peek() - The sub-buffer of a number, if it can be read.
 * @ring: any CPU's
 * @seq:  any number
 *
 * Uses the ring, not the control page, which a reader may have overwritten.
 *
 * Context: Any.
 * Return: the sub-buffer; NULL if it is not closed yet, gone, or a writer is in it.
 */
struct ovnik_subbuf *ovnik_ring_peek(struct ovnik_ring *ring, u64 seq)
{
	struct ovnik_subbuf *sb;

	/* Pairs with close_subbuf(). */
	if (seq >= smp_load_acquire(&ring->seq))
		return NULL;
	sb = ovnik_ring_slot(ring, seq);
	if (!sb || !ovnik_subbuf_complete(sb))
		return NULL;
	/* Records are read after @committed. */
	smp_rmb();
	return READ_ONCE(sb->seq) == seq ? sb : NULL;
}

/**
 * ovnik_ring_oldest() - Number of the oldest sub-buffer still in the ring.
 * @ring: any CPU's that has its sub-buffers
 *
 * Context: Any.
 * Return: the number; that of the open one if there is none.
 */
u64 ovnik_ring_oldest(struct ovnik_ring *ring)
{
	if (READ_ONCE(ring->flags) & OVNIK_SB_OVERWRITE)
		return READ_ONCE(ring->retired);
	return min(READ_ONCE(ring->control->tail), READ_ONCE(ring->seq));
}

/**
 * ovnik_ring_is_whole() - Is all that was recorded written?
 * @ring: any CPU's, which is off
 *
 * Context: Process; ovnik_lock held.
 * Return: true; false if an interrupted writer has not ended.
 */
bool ovnik_ring_is_whole(struct ovnik_ring *ring)
{
	u64 end, seq;

	/* A CPU has none that was never on line. Pairs with ovnik_ring_alloc(). */
	if (!smp_load_acquire(&ring->data))
		return true;
	end = READ_ONCE(ring->seq);
	seq = ovnik_ring_oldest(ring);
	/* A reader may have written any number. */
	if (end > ring->nr)
		seq = max_t(u64, seq, end - ring->nr);
	for (; seq < end; seq++) {
		if (!ovnik_ring_peek(ring, seq))
			return false;
	}
	return true;
}

/* Overwritten records, and those of older sub-buffers in the ring. */
static void sum_before(struct ovnik_ring *ring, u64 seq, u64 *before)
{
	u64 older;
	int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		before[i] = READ_ONCE(ring->overwritten[i]);
	for (older = ring->retired; older < seq; older++) {
		u32 *count = ovnik_subbuf_count(ovnik_ring_slot(ring, older));

		for (i = 0; i < OVNIK_NR_EVENTS; i++)
			before[i] += READ_ONCE(count[i]);
	}
}

/**
 * ovnik_ring_marked() - Can the beginning of this sub-buffer be read?
 * @ring: any CPU's
 * @seq:  any number
 *
 * Context: Any.
 * Return: true if a snapshot has marked how far.
 */
bool ovnik_ring_marked(struct ovnik_ring *ring, u64 seq)
{
	return READ_ONCE(ring->mark.used) && READ_ONCE(ring->mark.seq) == seq;
}

/* What a snapshot has marked of a sub-buffer, as if it had been closed then. */
static bool copy_marked(struct ovnik_ring *ring, u64 seq, struct ovnik_subbuf *to)
{
	const struct ovnik_mark *mark = &ring->mark;
	struct ovnik_subbuf *sb;

	if (!ovnik_ring_marked(ring, seq))
		return false;
	sb = ovnik_ring_slot(ring, seq);
	if (READ_ONCE(sb->seq) != seq)
		return false;
	memcpy(to, sb, min(mark->used, ring->size));
	to->used = mark->used;
	to->committed = mark->used;
	to->tsc_end = mark->end;
	memcpy(ovnik_subbuf_count(to), mark->count, sizeof(mark->count));
	return true;
}

static bool copy_whole(struct ovnik_ring *ring, u64 seq, struct ovnik_subbuf *to)
{
	struct ovnik_subbuf *sb = ovnik_ring_peek(ring, seq);

	if (sb)
		memcpy(to, sb, min(READ_ONCE(sb->used), ring->size));
	return sb;
}

/**
 * ovnik_ring_copy() - Copy a sub-buffer out of the ring.
 * @ring:   any CPU's
 * @seq:    its number
 * @to:	    room for a whole sub-buffer
 * @before: set, in overwrite mode: per event, how many were recorded before this
 *	    sub-buffer, overwritten or not; or NULL. Takes longer with more sub-buffers
 *	    before it: use it only where the number does not follow
 * @whole:  set: it was closed; otherwise it is what a snapshot has marked
 *
 * In overwrite mode the writer does not wait: the copy is retried if a sub-buffer was
 * opened meanwhile.
 *
 * Context: Process.
 * Return: true; false if it is gone or not complete.
 */
bool ovnik_ring_copy(struct ovnik_ring *ring, u64 seq, struct ovnik_subbuf *to, u64 *before,
		     bool *whole)
{
	unsigned int start;

	do {
		cond_resched();
		start = raw_read_seqcount_begin(&ring->reuse);
		if (seq < ovnik_ring_oldest(ring))
			return false;
		*whole = copy_whole(ring, seq, to);
		if (!*whole && !copy_marked(ring, seq, to))
			return false;
		if (before && ring->flags & OVNIK_SB_OVERWRITE)
			sum_before(ring, seq, before);
	} while (read_seqcount_retry(&ring->reuse, start));
	return true;
}

/* The counts outside the sub-buffers. Returns the oldest sub-buffer not in them. */
static u64 add_past(struct ovnik_ring *ring, struct ovnik_totals *totals)
{
	unsigned int start;
	u64 retired;
	int i;

	do {
		start = raw_read_seqcount_begin(&ring->reuse);
		for (i = 0; i < OVNIK_NR_EVENTS; i++) {
			totals->recorded[i] = ring->past[i];
			totals->written[i] = ring->overwritten[i];
			totals->lost[i] = ring->dropped[i] + ring->overwritten[i];
			totals->text[i] = ring->text[i];
		}
		totals->bytes = ring->bytes;
		retired = ring->retired;
	} while (read_seqcount_retry(&ring->reuse, start));
	return retired;
}

/* False if it was reused meanwhile: its records are in the past now. */
static bool add_subbuf(struct ovnik_ring *ring, u64 seq, struct ovnik_totals *totals)
{
	struct ovnik_subbuf *sb = ovnik_ring_slot(ring, seq);
	u32 count[OVNIK_NR_EVENTS], bytes;
	unsigned int start;
	int i;

	do {
		start = raw_read_seqcount_begin(&ring->reuse);
		if (seq < ring->retired)
			return false;
		/* The slot of the next one may still hold an older one. */
		if (!sb || sb->seq != seq)
			return true;
		memcpy(count, ovnik_subbuf_count(sb), sizeof(count));
		bytes = READ_ONCE(sb->committed);
	} while (read_seqcount_retry(&ring->reuse, start));

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		totals->recorded[i] += count[i];
	totals->bytes += bytes;
	return true;
}

/* From the oldest, which is reused first: then the writer stays behind us. */
static bool add_up(struct ovnik_ring *ring, struct ovnik_totals *totals)
{
	u64 seq, first = add_past(ring, totals);
	u64 end = ring->data || ring->table ? READ_ONCE(ring->seq) + 1 : first;
	bool whole = true;
	int i;

	for (seq = first; seq < end; seq++) {
		whole &= add_subbuf(ring, seq, totals);
		cond_resched();
	}
	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		totals->written[i] += totals->recorded[i];
	return whole;
}

/**
 * ovnik_ring_totals() - Add up the counts of a CPU.
 * @ring:   its ring
 * @totals: is set
 *
 * Exact once the capture has stopped. While it runs, events of the meantime are missing,
 * and so may be those of sub-buffers that were reused meanwhile.
 *
 * Context: Process; ovnik_lock held.
 */
void ovnik_ring_totals(struct ovnik_ring *ring, struct ovnik_totals *totals)
{
	int tries = 3;

	while (!add_up(ring, totals) && --tries)
		;
}
