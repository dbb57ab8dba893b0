/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_PLAYER_H
#define OVNIK_EMU_PLAYER_H

#include "util/types.h"

/*
 * Merging streams by clock. The order of equal clocks is that of upstream's binary
 * heap: neither stable nor sorted, but deterministic, so it must be the same here.
 */

/**
 * struct player_entry - A stream and its next event.
 * @clock: clock of that event
 * @ptr: the stream
 */
struct player_entry {
	s64 clock;
	void *ptr;
};

/**
 * struct player - A binary min-heap as an array; its root is entry 1.
 * @entry: the heap
 * @n: entries
 * @room: entries there is room for
 * @limit: player_is_next() is true below this clock, until the heap changes
 * @limited: @limit is known
 */
struct player {
	struct player_entry *entry;
	u32 n;
	u32 room;
	bool limited;
	s64 limit;
};

/**
 * player_init() - Make an empty heap.
 * @p: heap
 * @room: most entries it will have
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check player_init(struct player *p, u32 room);

/**
 * player_push() - Add a stream.
 * @p: heap, not full
 * @clock: clock of its next event
 * @ptr: the stream
 */
void player_push(struct player *p, s64 clock, void *ptr);

/**
 * player_pop() - Take the stream with the smallest clock.
 * @p: heap
 *
 * Return: the stream, or NULL if there is none.
 */
void *player_pop(struct player *p);

/* player_is_next() while @p->limit is not known. */
bool player_look(struct player *p, s64 clock);

/**
 * player_is_next() - Would a stream be popped at once if it were pushed?
 * @p: heap
 * @clock: clock of the stream's next event
 *
 * Saves most of the work, as streams tend to have several events in a row.
 *
 * Return: true if player_push() followed by player_pop() would give the same
 * stream and leave the heap unchanged; false if not, or if that is uncertain.
 */
static inline bool player_is_next(struct player *p, s64 clock)
{
	return clock < p->limit || (!p->limited && player_look(p, clock));
}

/**
 * player_free() - Free the heap.
 * @p: heap
 */
void player_free(struct player *p);

#endif /* OVNIK_EMU_PLAYER_H */
