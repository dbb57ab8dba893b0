/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_IDMAP_H
#define OVNIK_UTIL_IDMAP_H

#include "util/types.h"

/**
 * struct idmap_slot - A key and its values.
 * @key: the number; 0: the slot is empty
 * @bits: of the user
 * @ptr: of the user
 */
struct idmap_slot {
	u64 key;
	u64 bits;
	void *ptr;
};

/**
 * struct idmap - A map from numbers, in constant time. All zero is empty.
 * @slots: open addressing; 2^(64 - @shift) of them
 * @nr: slots in use, at most half
 * @shift: of a hash, to an index
 * @mult: factor of the hash; random, so that no capture can be made to collide
 */
struct idmap {
	struct idmap_slot *slots;
	u32 nr;
	u32 shift;
	u64 mult;
};

/**
 * idmap_put() - Find a number's slot, or make it.
 * @map: the map
 * @key: the number; not 0
 *
 * Context: Any.
 * Return: the slot, zero but for its key if it is new; NULL without memory. Valid until
 * the map is changed.
 */
struct idmap_slot *idmap_put(struct idmap *map, u64 key) __must_check;

/**
 * idmap_get() - Find a number's slot.
 * @map: the map
 * @key: the number; 0 is never there
 *
 * Context: Any.
 * Return: the slot, valid until the map is changed; NULL if there is none.
 */
struct idmap_slot *idmap_get(const struct idmap *map, u64 key);

/**
 * idmap_ptr() - The pointer of a number.
 * @map: the map
 * @key: the number; 0 is never there
 *
 * Context: Any.
 * Return: the slot's pointer; NULL if there is no slot.
 */
static inline void *idmap_ptr(const struct idmap *map, u64 key)
{
	const struct idmap_slot *slot = idmap_get(map, key);

	return slot ? slot->ptr : NULL;
}

/**
 * idmap_set() - Set the pointer of a number.
 * @map: the map
 * @key: the number; not 0
 * @ptr: what
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int idmap_set(struct idmap *map, u64 key, void *ptr) __must_check;

/**
 * idmap_del() - Empty a slot.
 * @map: the map
 * @slot: from idmap_get() or idmap_put(), the map unchanged since
 *
 * Context: Any.
 */
void idmap_del(struct idmap *map, struct idmap_slot *slot);

/**
 * idmap_next() - Iterate over all slots in use, in no order.
 * @map: the map, which must not change meanwhile
 * @slot: the slot before; NULL at first
 *
 * Context: Any.
 * Return: the next slot; NULL at the end.
 */
struct idmap_slot *idmap_next(const struct idmap *map, struct idmap_slot *slot);

/**
 * idmap_free() - Free a map, not what its slots point to; it is empty then.
 * @map: the map
 *
 * Context: Any.
 */
void idmap_free(struct idmap *map);

#endif /* OVNIK_UTIL_IDMAP_H */
