/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_RING_READ_H
#define OVNIK_RING_READ_H

#include <linux/types.h>

#include "ring.h"

/**
 * struct ovnik_totals - The counts of a CPU.
 * @recorded:	per event: in the ring, or read from it
 * @lost:	per event: dropped without room, or overwritten
 * @written:	per event: written to the ring, overwritten later or not
 * @text:	per event: bytes of strings in what was written
 * @bytes:	written, sub-buffer headers included
 */
struct ovnik_totals {
	u64 recorded[OVNIK_NR_EVENTS];
	u64 lost[OVNIK_NR_EVENTS];
	u64 written[OVNIK_NR_EVENTS];
	u64 text[OVNIK_NR_EVENTS];
	u64 bytes;
};

void ovnik_ring_totals(struct ovnik_ring *ring, struct ovnik_totals *totals);
struct ovnik_subbuf *ovnik_ring_peek(struct ovnik_ring *ring, u64 seq);
bool ovnik_ring_marked(struct ovnik_ring *ring, u64 seq);
bool ovnik_ring_copy(struct ovnik_ring *ring, u64 seq, struct ovnik_subbuf *to, u64 *before,
		     bool *whole);
u64 ovnik_ring_oldest(struct ovnik_ring *ring);
bool ovnik_ring_is_whole(struct ovnik_ring *ring);

#endif /* OVNIK_RING_READ_H */
