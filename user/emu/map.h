/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_MAP_H
#define OVNIK_EMU_MAP_H

#include "util/types.h"

/**
 * struct emu_map_entry - One key and what it leads to.
 * @key: any number; several entries may have the same
 * @ptr: what was added
 * @next: index of the next entry of the bucket plus one, 0 at the end
 */
struct emu_map_entry {
	u64 key;
	void *ptr;
	u32 next;
};

/**
 * struct emu_map - Pointers by number, in constant time. All zero is empty.
 * @entry: the entries in the order in which they were added
 * @bucket: index of the first entry plus one, 0 for an empty bucket
 * @n: entries
 * @room: entries there is room for, also the number of buckets; power of two
 */
struct emu_map {
	struct emu_map_entry *entry;
	u32 *bucket;
	u32 n;
	u32 room;
};

/**
 * emu_map_add() - Add a pointer; the key may be there already.
 * @map: map
 * @key: number to find it by
 * @ptr: pointer, not NULL
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check emu_map_add(struct emu_map *map, u64 key, void *ptr);

/**
 * emu_map_find() - First entry with a key, in the order of adding.
 * @map: map
 * @key: number
 *
 * Return: the entry or NULL.
 */
const struct emu_map_entry *emu_map_find(const struct emu_map *map, u64 key);

/**
 * emu_map_next() - Next entry with the same key.
 * @map: map
 * @e: entry
 *
 * Return: the entry or NULL.
 */
const struct emu_map_entry *emu_map_next(const struct emu_map *map, const struct emu_map_entry *e);

/**
 * emu_map_get() - What the first entry with a key leads to.
 * @map: map
 * @key: number
 *
 * Return: the pointer or NULL.
 */
void *emu_map_get(const struct emu_map *map, u64 key);

/**
 * emu_map_free() - Free the map, not what it leads to.
 * @map: map
 */
void emu_map_free(struct emu_map *map);

/**
 * emu_map_hash() - Make a key from text.
 * @text: string
 *
 * Different strings may have the same key: compare what is found.
 */
u64 emu_map_hash(const char *text);

#endif /* OVNIK_EMU_MAP_H */
