/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_HASH_H
#define OVNIK_UTIL_HASH_H

#include "util/types.h"

/*
 * A hash table with nodes embedded in the elements. Adding never fails: without memory for more
 * buckets the chains get longer. The hash has a random seed, so that no capture can be made to
 * collide.
 *
 *	u64 hash = hash_of(&table, a, b);
 *
 *	for (node = hash_first(&table, hash); node; node = hash_next(node))
 *		if (is_it(container_of(node, struct thing, node), a, b))
 *			...
 */

/**
 * struct hash_node - To be embedded in an element.
 * @next: the next one of the bucket
 * @link: what points to this one
 * @hash: of the element's key
 */
struct hash_node {
	struct hash_node *next;
	struct hash_node **link;
	u64 hash;
};

/**
 * struct hash_table - Elements by key.
 * @buckets: the first one of each
 * @shift: of a hash, to its bucket: there are 2^(64 - @shift)
 * @nr: number of elements
 * @seed: of the hash; odd
 */
struct hash_table {
	struct hash_node **buckets;
	u32 shift;
	u64 nr;
	u64 seed;
};

/**
 * hash_init() - Make an empty table.
 * @t: is set; call hash_destroy() in any case
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int hash_init(struct hash_table *t) __must_check;

/**
 * hash_destroy() - Free a table.
 * @t: as hash_init() left it, or zeroed
 * @free_node: frees an element, which is not used afterwards; NULL: elements are not freed
 *
 * Context: Any.
 */
void hash_destroy(struct hash_table *t, void (*free_node)(struct hash_node *node));

/**
 * hash_add() - Add an element, before those with the same hash.
 * @t: the table
 * @node: of the thing
 * @hash: of its key
 *
 * Context: Any.
 */
void hash_add(struct hash_table *t, struct hash_node *node, u64 hash);

/**
 * hash_del() - Remove an element, in constant time.
 * @t: the table
 * @node: of a thing in it
 *
 * Context: Any.
 */
void hash_del(struct hash_table *t, struct hash_node *node);

/**
 * hash_of() - Hash a key.
 * @t: the table
 * @a: one half of it
 * @b: the other one
 *
 * Context: Any.
 * Return: the hash, whose upper bits are the well mixed ones.
 */
static inline u64 hash_of(const struct hash_table *t, u64 a, u64 b)
{
	u64 mixed = (a ^ t->seed) * 0x9e3779b97f4a7c15ULL;

	mixed ^= mixed >> 32;
	return (mixed + b) * t->seed;
}

/**
 * hash_text() - Hash a key that is text.
 * @t: the table
 * @text: the key
 *
 * Context: Any.
 * Return: the hash.
 */
u64 hash_text(const struct hash_table *t, const char *text);

static inline struct hash_node *hash_match(struct hash_node *node, u64 hash)
{
	while (node && node->hash != hash)
		node = node->next;
	return node;
}

/**
 * hash_first() - The first element with a hash.
 * @t: the table
 * @hash: the hash
 *
 * Context: Any.
 * Return: its node, or NULL.
 */
static inline struct hash_node *hash_first(const struct hash_table *t, u64 hash)
{
	return hash_match(t->buckets[hash >> t->shift], hash);
}

/**
 * hash_next() - The next element with the same hash.
 * @node: of a thing
 *
 * Context: Any.
 * Return: its node, or NULL.
 */
static inline struct hash_node *hash_next(const struct hash_node *node)
{
	return hash_match(node->next, node->hash);
}

/**
 * hash_walk() - Iterate over all elements, in no order.
 * @t: the table, which must not change meanwhile
 * @node: of the thing before; NULL at first
 *
 * Context: Any.
 * Return: the next thing's node; NULL at the end.
 */
struct hash_node *hash_walk(const struct hash_table *t, const struct hash_node *node);

#endif /* OVNIK_UTIL_HASH_H */
