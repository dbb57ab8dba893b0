// SPDX-License-Identifier: GPL-2.0-only
/* A heap that merges the streams. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "emu/player.h"

#define NO_CLOCK INT64_MIN	/* none is below it */

/* The heap changes. */
static inline void player_forget(struct player *p)
{
	p->limit = NO_CLOCK;
	p->limited = false;
}

int player_init(struct player *p, u32 room)
{
	p->entry = calloc((size_t)room + 1, sizeof(*p->entry));
	p->n = 0;
	p->room = room;
	player_forget(p);
	return p->entry ? 0 : -ENOMEM;
}

void player_push(struct player *p, s64 clock, void *ptr)
{
	struct player_entry *e = p->entry;
	u32 i = ++p->n;

	player_forget(p);
	/* Rises only while it is strictly smaller than its parent. */
	while (i > 1 && clock < e[i / 2].clock) {
		e[i] = e[i / 2];
		i /= 2;
	}
	e[i].clock = clock;
	e[i].ptr = ptr;
}

void *player_pop(struct player *p)
{
	struct player_entry *e = p->entry;
	struct player_entry *hole = e + 1;
	struct player_entry *end = e + p->n;
	struct player_entry *child;
	struct player_entry last;
	void *ptr;

	if (!p->n)
		return NULL;
	player_forget(p);
	ptr = e[1].ptr;
	last = *end;
	p->n--;
	/*
	 * The left child wins if it is strictly smaller than the sinking node, the
	 * right one if it is strictly smaller than the best so far. Behind the last
	 * child is @last, as it was, which is no better than itself.
	 */
	while ((child = hole + (hole - e)) < end) {
		child += child[1].clock < child[0].clock;
		if (child->clock >= last.clock)
			break;
		*hole = *child;
		hole = child;
	}
	*hole = last;
	return ptr;
}

/*
 * Pushing the smallest entry and taking it out again leaves the heap as it was,
 * unless clocks on the way are equal. On the way of the entry are the parents
 * of the first free place; it shifts them down by one, and the one at the end
 * then has to sink back to its place: along the same way, if each of them is
 * smaller than its former niece and the last one is the largest.
 */
static bool player_is_plain(const struct player *p)
{
	const struct player_entry *e = p->entry;
	u32 i = (p->n + 1) / 2;

	if (i > 1 && e[i / 2].clock == e[i].clock)
		return false;
	/* Every parent of the first free place but the root has a sibling. */
	for (; i > 1; i /= 2) {
		if (e[i ^ 1].clock == e[i / 2].clock)
			return false;
	}
	return true;
}

bool player_look(struct player *p, s64 clock)
{
	s64 first = p->n ? p->entry[1].clock : INT64_MAX;

	if (clock >= first)
		return false;
	p->limited = true;
	if (player_is_plain(p))
		p->limit = first;
	return clock < p->limit;
}

void player_free(struct player *p)
{
	free(p->entry);
	memset(p, 0, sizeof(*p));
}
