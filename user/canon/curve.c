// SPDX-License-Identifier: GPL-2.0-only
/* Reuse distances: see curve.h. */
#include <stdlib.h>
#include <string.h>

#include "canon/curve.h"

#define SIZE_MIN	4096U

static void add(struct curve *c, u32 slot, u32 value)
{
	u32 i;

	for (i = slot + 1; i <= c->size; i += i & -i)
		c->tree[i] += value;
}

/* Slots in use before this one. */
static u32 before(const struct curve *c, u32 slot)
{
	u32 sum = 0, i;

	for (i = slot; i; i -= i & -i)
		sum += c->tree[i];
	return sum;
}

/* Give the slots anew, in their order; twice as many as are in use at least. */
static bool renumber(struct curve *c)
{
	u32 size = c->size ?: SIZE_MIN;
	u32 *owners, *tree;
	u32 i, nr = 0;

	while (size / 2 < c->live + 1)
		size *= 2;
	owners = calloc(size, sizeof(*owners));
	tree = calloc(size + 1UL, sizeof(*tree));
	if (!owners || !tree) {
		free(owners);
		free(tree);
		return false;
	}
	for (i = 0; i < c->now; i++) {
		if (!c->owners[i])
			continue;
		owners[nr++] = c->owners[i];
		c->slots[c->owners[i]] = nr;
	}
	free(c->owners);
	free(c->tree);
	c->owners = owners;
	c->tree = tree;
	c->size = size;
	c->now = nr;
	for (i = 0; i < nr; i++)
		add(c, i, 1);
	return true;
}

static bool grow_slots(struct curve *c, u32 page)
{
	u32 room = page + page / 2 + 1024;
	u32 *slots = realloc(c->slots, (size_t)room * sizeof(*slots));

	if (!slots)
		return false;
	memset(slots + c->room, 0, (size_t)(room - c->room) * sizeof(*slots));
	c->slots = slots;
	c->room = room;
	return true;
}

/* Distances are less than the number of pages. */
static bool grow_hits(struct curve *c)
{
	u32 room = c->room_hits ? 2 * c->room_hits : 1024;
	u64 *hits = realloc(c->hits, room * sizeof(*hits));

	if (!hits)
		return false;
	memset(hits + c->room_hits, 0, (room - c->room_hits) * sizeof(*hits));
	c->hits = hits;
	c->room_hits = room;
	return true;
}

/* The last page of the top becomes the latest one in a slot. */
static void move_down(struct curve *c)
{
	u32 page = c->top[CURVE_TOP - 1];

	c->owners[c->now] = page;
	add(c, c->now, 1);
	c->slots[page] = ++c->now;
	c->live++;
}

/* There is room for each number that is needed from here on. */
static bool make_room(struct curve *c, u32 page)
{
	if (page >= c->room && !grow_slots(c, page))
		return false;
	if (c->cold + 1 >= c->room_hits && !grow_hits(c))
		return false;
	return c->now < c->size || renumber(c);
}

/**
 * curve_slow() - curve_use() for a page that is not at the top.
 * @c: the curve
 * @page: the page
 *
 * Return: as curve_use().
 */
bool curve_slow(struct curve *c, u32 page)
{
	bool first;
	u32 slot;

	if (c->no_memory || !make_room(c, page)) {
		c->no_memory = true;
		return false;
	}
	slot = c->slots[page];
	first = !slot;
	if (slot) {
		c->hits[c->nr_top + c->live - before(c, slot)]++;
		add(c, slot - 1, -1U);
		c->owners[slot - 1] = 0;
		c->slots[page] = 0;
		c->live--;
	} else {
		c->cold++;
	}
	if (c->nr_top == CURVE_TOP)
		move_down(c);
	else
		c->nr_top++;
	memmove(c->top + 1, c->top, (c->nr_top - 1) * sizeof(*c->top));
	c->top[0] = page;
	return first;
}

u64 curve_misses(const struct curve *c, u64 pages)
{
	u64 misses = c->cold, i;

	for (i = pages; i < c->room_hits; i++)
		misses += c->hits[i];
	return misses;
}

void curve_free(struct curve *c)
{
	free(c->hits);
	free(c->slots);
	free(c->owners);
	free(c->tree);
	memset(c, 0, sizeof(*c));
}
