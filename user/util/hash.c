// SPDX-License-Identifier: GPL-2.0-only
/* A hash table with embedded nodes: see hash.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/hash.h"

#define BITS_MIN	4
#define BITS_MAX	40
#define SEED		0xd1342543de82ef95ULL

static u64 nr_buckets(const struct hash_table *t)
{
	return 1ULL << (64 - t->shift);
}

int hash_init(struct hash_table *t)
{
	memset(t, 0, sizeof(*t));
	t->buckets = calloc(1U << BITS_MIN, sizeof(*t->buckets));
	if (!t->buckets)
		return -ENOMEM;
	t->shift = 64 - BITS_MIN;
	if (getrandom(&t->seed, sizeof(t->seed), 0) != sizeof(t->seed))
		t->seed = SEED;
	t->seed |= 1;
	return 0;
}

void hash_destroy(struct hash_table *t, void (*free_node)(struct hash_node *node))
{
	u64 i;

	for (i = 0; free_node && t->buckets && i < nr_buckets(t); i++) {
		struct hash_node *node = t->buckets[i];

		while (node) {
			struct hash_node *next = node->next;

			free_node(node);
			node = next;
		}
	}
	free(t->buckets);
	t->buckets = NULL;
}

static void link_node(struct hash_table *t, struct hash_node *node)
{
	struct hash_node **bucket = &t->buckets[node->hash >> t->shift];

	node->next = *bucket;
	node->link = bucket;
	if (node->next)
		node->next->link = &node->next;
	*bucket = node;
}

/* Split each bucket in two and keep the order: the last one added is found first. */
static void split(struct hash_table *larger, u64 bucket, struct hash_node *node)
{
	struct hash_node **ends[2] = {
		&larger->buckets[2 * bucket], &larger->buckets[2 * bucket + 1],
	};
	struct hash_node *next, ***end;

	for (; node; node = next) {
		next = node->next;
		end = &ends[node->hash >> larger->shift & 1];
		node->next = NULL;
		node->link = *end;
		**end = node;
		*end = &node->next;
	}
}

static void grow(struct hash_table *t)
{
	struct hash_table larger = *t;
	u64 i;

	larger.shift--;
	larger.buckets = calloc(nr_buckets(&larger), sizeof(*larger.buckets));
	if (!larger.buckets)
		return;
	for (i = 0; i < nr_buckets(t); i++)
		split(&larger, i, t->buckets[i]);
	free(t->buckets);
	*t = larger;
}

void hash_add(struct hash_table *t, struct hash_node *node, u64 hash)
{
	if (t->nr >= nr_buckets(t) && t->shift > 64 - BITS_MAX)
		grow(t);
	node->hash = hash;
	link_node(t, node);
	t->nr++;
}

void hash_del(struct hash_table *t, struct hash_node *node)
{
	*node->link = node->next;
	if (node->next)
		node->next->link = node->link;
	t->nr--;
}

/* FNV-1a: the end of the text hardly changes its upper bits, so hash_of() mixes them. */
u64 hash_text(const struct hash_table *t, const char *text)
{
	u64 sum;

	for (sum = t->seed; *text; text++)
		sum = (sum ^ (u8)*text) * 0x100000001b3ULL;
	return hash_of(t, sum, 0);
}

struct hash_node *hash_walk(const struct hash_table *t, const struct hash_node *node)
{
	u64 i = node ? (node->hash >> t->shift) + 1 : 0;

	if (node && node->next)
		return node->next;
	for (; i < nr_buckets(t); i++) {
		if (t->buckets[i])
			return t->buckets[i];
	}
	return NULL;
}
