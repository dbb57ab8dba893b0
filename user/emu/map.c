// SPDX-License-Identifier: GPL-2.0-only
/* A hash table from numbers to pointers that keeps the order of adding. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/map.h"

static u32 map_slot(const struct emu_map *map, u64 key)
{
	/* Fibonacci hashing: the upper bits of the product are well mixed. */
	return (u32)((key * 0x9e3779b97f4a7c15ull) >> 32) & (map->room - 1);
}

static void map_link(struct emu_map *map, u32 i)
{
	u32 *link = &map->bucket[map_slot(map, map->entry[i].key)];

	while (*link)
		link = &map->entry[*link - 1].next;
	*link = i + 1;
	map->entry[i].next = 0;
}

static int map_grow(struct emu_map *map)
{
	u32 room = map->room ? 2 * map->room : 16;
	struct emu_map_entry *entry;
	u32 *bucket;
	u32 i;

	entry = realloc(map->entry, room * sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	map->entry = entry;
	bucket = calloc(room, sizeof(*bucket));
	if (!bucket)
		return -ENOMEM;
	free(map->bucket);
	map->bucket = bucket;
	map->room = room;
	for (i = 0; i < map->n; i++)
		map_link(map, i);
	return 0;
}

int emu_map_add(struct emu_map *map, u64 key, void *ptr)
{
	if (map->n == map->room && map_grow(map))
		return -ENOMEM;
	map->entry[map->n].key = key;
	map->entry[map->n].ptr = ptr;
	map_link(map, map->n);
	map->n++;
	return 0;
}

static const struct emu_map_entry *map_follow(const struct emu_map *map, u32 link, u64 key)
{
	for (; link; link = map->entry[link - 1].next) {
		if (map->entry[link - 1].key == key)
			return &map->entry[link - 1];
	}
	return NULL;
}

const struct emu_map_entry *emu_map_find(const struct emu_map *map, u64 key)
{
	if (!map->room)
		return NULL;
	return map_follow(map, map->bucket[map_slot(map, key)], key);
}

const struct emu_map_entry *emu_map_next(const struct emu_map *map, const struct emu_map_entry *e)
{
	return map_follow(map, e->next, e->key);
}

void *emu_map_get(const struct emu_map *map, u64 key)
{
	const struct emu_map_entry *e = emu_map_find(map, key);

	return e ? e->ptr : NULL;
}

void emu_map_free(struct emu_map *map)
{
	free(map->entry);
	free(map->bucket);
	memset(map, 0, sizeof(*map));
}

u64 emu_map_hash(const char *text)
{
	u64 h = 0xcbf29ce484222325ull;

	for (; *text; text++)
		h = (h ^ (u8)*text) * 0x100000001b3ull;
	return h;
}
