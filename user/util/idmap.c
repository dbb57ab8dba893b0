// SPDX-License-Identifier: GPL-2.0-only
/* A map with numbers as keys: see idmap.h. */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "util/idmap.h"

#define BITS_MIN	6
#define BITS_MAX	31
#define MULT		0x9e3779b97f4a7c15ULL

static u64 last_of(const struct idmap *map)
{
	return (1ULL << (64 - map->shift)) - 1;
}

/*
 * The factor is random, so that no capture can choose keys that collide. A factor close to a
 * simple fraction of 2^64 would make consecutive numbers collide; the second factor prevents that.
 */
static u64 home_of(const struct idmap *map, u64 key)
{
	u64 h = key * map->mult;

	return ((h ^ h >> 32) * MULT) >> map->shift;
}

/* The slot of @key, or the empty one where it would be. */
static struct idmap_slot *probe(const struct idmap *map, u64 key)
{
	u64 last = last_of(map), i = home_of(map, key);

	while (map->slots[i].key && map->slots[i].key != key)
		i = (i + 1) & last;
	return &map->slots[i];
}

static bool grow(struct idmap *map)
{
	struct idmap bigger = { .nr = map->nr, .mult = map->mult, .shift = map->shift - 1 };
	struct idmap_slot *slot = NULL;

	if (!map->slots) {
		bigger.shift = 64 - BITS_MIN;
		if (getrandom(&bigger.mult, sizeof(bigger.mult), 0) != sizeof(bigger.mult))
			bigger.mult = MULT;
		bigger.mult |= 1;
	}
	if (bigger.shift < 64 - BITS_MAX)
		return false;
	bigger.slots = calloc(last_of(&bigger) + 1, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	while ((slot = idmap_next(map, slot)))
		*probe(&bigger, slot->key) = *slot;
	free(map->slots);
	*map = bigger;
	return true;
}

struct idmap_slot *idmap_put(struct idmap *map, u64 key)
{
	struct idmap_slot *slot;

	if ((!map->slots || 2ULL * map->nr > last_of(map)) && !grow(map))
		return NULL;
	slot = probe(map, key);
	if (!slot->key) {
		slot->key = key;
		map->nr++;
	}
	return slot;
}

struct idmap_slot *idmap_get(const struct idmap *map, u64 key)
{
	struct idmap_slot *slot;

	if (!map->slots || !key)
		return NULL;
	slot = probe(map, key);
	return slot->key ? slot : NULL;
}

int idmap_set(struct idmap *map, u64 key, void *ptr)
{
	struct idmap_slot *slot = idmap_put(map, key);

	if (!slot)
		return -ENOMEM;
	slot->ptr = ptr;
	return 0;
}

/* Move the following slots up, except those that would come before their hashed place. */
void idmap_del(struct idmap *map, struct idmap_slot *slot)
{
	u64 last = last_of(map), hole = slot - map->slots, i = hole;

	for (;;) {
		i = (i + 1) & last;
		if (!map->slots[i].key)
			break;
		if (((i - home_of(map, map->slots[i].key)) & last) < ((i - hole) & last))
			continue;
		map->slots[hole] = map->slots[i];
		hole = i;
	}
	map->slots[hole] = (struct idmap_slot){ .key = 0 };
	map->nr--;
}

struct idmap_slot *idmap_next(const struct idmap *map, struct idmap_slot *slot)
{
	struct idmap_slot *end;

	if (!map->slots)
		return NULL;
	end = map->slots + last_of(map) + 1;
	for (slot = slot ? slot + 1 : map->slots; slot < end; slot++) {
		if (slot->key)
			return slot;
	}
	return NULL;
}

void idmap_free(struct idmap *map)
{
	free(map->slots);
	*map = (struct idmap){ .slots = NULL };
}
