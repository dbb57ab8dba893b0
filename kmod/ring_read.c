// SPDX-License-Identifier: GPL-2.0-only
/* Reading a ring: sub-buffers that are complete, and what became of the events. */
#include <linux/sched.h>
#include <linux/string.h>

#include "ring_read.h"

/**
 * ovnik_ring_peek() - The sub-buffer of a number, if it can be read.
 * @ring: any CPU's
 * @seq:  any number
 *
 * Asks the ring, not the control page, which a reader may have scribbled on.
 *
 * Context: Any.
 * Return: the sub-buffer; NULL when it is not closed yet, not there any more, or
 * a writer in it has not ended.
 */
struct ovnik_subbuf *ovnik_ring_peek(struct ovnik_ring *ring, u64 seq)
{
	struct ovnik_subbuf *sb = ovnik_ring_slot(ring, seq);

	/* Pairs with close_subbuf(). */
	if (seq >= smp_load_acquire(&ring->seq) || !ovnik_subbuf_complete(sb))
		return NULL;
	/* What @committed promises is read after it. */
	smp_rmb();
	return READ_ONCE(sb->seq) == seq ? sb : NULL;
}

/**
 * ovnik_ring_oldest() - Number of the oldest sub-buffer still in the ring.
 * @ring: any CPU's
 *
 * Context: Any.
 * Return: the number; that of the open one when there is none.
 */
u64 ovnik_ring_oldest(struct ovnik_ring *ring)
{
	if (ring->flags & OVNIK_SB_OVERWRITE)
		return READ_ONCE(ring->retired);
	return min(READ_ONCE(ring->control->tail), READ_ONCE(ring->seq));
}

/* What was overwritten and what the older sub-buffers in the ring hold. */
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
 * ovnik_ring_copy() - Copy a sub-buffer out of the ring.
 * @ring:   any CPU's
 * @seq:    its number
 * @to:	    room for a whole sub-buffer
 * @before: set, in overwrite mode: per event, how many were recorded before this
 *	    sub-buffer, overwritten or not; or NULL. Takes the longer the more
 *	    sub-buffers lie before it: ask where the number does not follow
 *
 * In overwrite mode the writer does not wait, so the copy is made again when a
 * sub-buffer was opened meanwhile.
 *
 * Context: Process.
 * Return: true; false when it is not there any more or not complete.
 */
bool ovnik_ring_copy(struct ovnik_ring *ring, u64 seq, struct ovnik_subbuf *to, u64 *before)
{
	struct ovnik_subbuf *sb;
	unsigned int start;

	do {
		cond_resched();
		start = raw_read_seqcount_begin(&ring->reuse);
		if (seq < ovnik_ring_oldest(ring))
			return false;
		sb = ovnik_ring_peek(ring, seq);
		if (!sb)
			return false;
		memcpy(to, sb, min(READ_ONCE(sb->used), ring->size));
		if (before && ring->flags & OVNIK_SB_OVERWRITE)
			sum_before(ring, seq, before);
	} while (read_seqcount_retry(&ring->reuse, start));
	return true;
}

/* What is counted outside the sub-buffers. Returns the oldest one that is not in it. */
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

/* False if it was used again meanwhile: what it held is among the past now. */
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
		/* The next one's slot may hold an older one yet. */
		if (sb->seq != seq)
			return true;
		memcpy(count, ovnik_subbuf_count(sb), sizeof(count));
		bytes = READ_ONCE(sb->committed);
	} while (read_seqcount_retry(&ring->reuse, start));

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		totals->recorded[i] += count[i];
	totals->bytes += bytes;
	return true;
}

/* From the oldest on, which is the next to go: then the writer stays behind us. */
static bool add_up(struct ovnik_ring *ring, struct ovnik_totals *totals)
{
	u64 seq, first = add_past(ring, totals);
	bool whole = true;
	int i;

	for (seq = first; ring->data && seq < first + ring->nr; seq++) {
		whole &= add_subbuf(ring, seq, totals);
		cond_resched();
	}
	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		totals->written[i] += totals->recorded[i];
	return whole;
}

/**
 * ovnik_ring_totals() - Add up what became of a CPU's events.
 * @cpu:    the CPU
 * @totals: is set
 *
 * Exact once the capture is stopped; while it runs, off by what happens
 * meanwhile, and should we be overtaken again and again, by what was used again.
 *
 * Context: Process; ovnik_lock held.
 */
void ovnik_ring_totals(unsigned int cpu, struct ovnik_totals *totals)
{
	struct ovnik_ring *ring = per_cpu_ptr(&ovnik_ring, cpu);
	int tries = 3;

	while (!add_up(ring, totals) && --tries)
		;
}
