// SPDX-License-Identifier: GPL-2.0-only
/* A hash table whose elements contain their node. */
#define _GNU_SOURCE	/* for the harness */
#include <stdio.h>
#include <stdlib.h>

#include "util/hash.h"
#include "kselftest_harness.h"

#define KEYS 100000

/* 0x9e3779b97f4a7c15 times this is 1: a table that takes the upper half of that has all in one. */
#define COLLIDE 0xf1de83e19937733dULL

struct thing {
	struct hash_node node;
	u64 a;
	u64 b;
};

FIXTURE(chain) {
	struct hash_table table;
	struct thing *things;
};

FIXTURE_SETUP(chain)
{
	ASSERT_EQ(0, hash_init(&self->table));
	self->things = calloc(KEYS, sizeof(*self->things));
	ASSERT_NE(NULL, self->things);
}

FIXTURE_TEARDOWN(chain)
{
	hash_destroy(&self->table, NULL);
	free(self->things);
}

static u32 longest_chain(const struct hash_table *t)
{
	u64 i, longest = 0;

	for (i = 0; i < 1ULL << (64 - t->shift); i++) {
		const struct hash_node *node;
		u64 n = 0;

		for (node = t->buckets[i]; node; node = node->next)
			n++;
		longest = n > longest ? n : longest;
	}
	return longest;
}

static struct thing *find(const struct hash_table *t, u64 a, u64 b)
{
	struct hash_node *node;

	for (node = hash_first(t, hash_of(t, a, b)); node; node = hash_next(node)) {
		struct thing *thing = container_of(node, struct thing, node);

		if (thing->a == a && thing->b == b)
			return thing;
	}
	return NULL;
}

/* KEYS keys: i times a step, in one half or the other. */
static void fill_table(struct __test_metadata *_metadata, struct _test_data_chain *self,
		       u64 a, u64 b)
{
	struct hash_table *t = &self->table;
	u64 i;

	for (i = 0; i < KEYS; i++) {
		struct thing *thing = &self->things[i];

		thing->a = i * a;
		thing->b = i * b;
		hash_add(t, &thing->node, hash_of(t, thing->a, thing->b));
	}
	EXPECT_EQ(KEYS, t->nr);
	for (i = 0; i < KEYS; i++)
		ASSERT_EQ(&self->things[i], find(t, i * a, i * b));
	EXPECT_EQ(NULL, find(t, KEYS * a, KEYS * b));
	/* At random, as many keys as buckets have a chain of 9 somewhere. */
	EXPECT_GT(30, longest_chain(t));
}

TEST_F(chain, empty)
{
	EXPECT_EQ(NULL, find(&self->table, 0, 0));
	EXPECT_EQ(NULL, hash_walk(&self->table, NULL));
}

TEST_F(chain, numbers_in_a_row)
{
	fill_table(_metadata, self, 1, 0);
}

TEST_F(chain, numbers_in_a_row_behind)
{
	fill_table(_metadata, self, 0, 1);
}

TEST_F(chain, numbers_in_the_upper_half)
{
	fill_table(_metadata, self, 1ULL << 32, 1ULL << 32);
}

TEST_F(chain, numbers_made_to_collide)
{
	fill_table(_metadata, self, COLLIDE, 0);
}

/* What differs is at the end, which a sum of characters would leave in the lower bits. */
TEST_F(chain, text)
{
	struct hash_table *t = &self->table;
	char text[32];
	u32 i;

	for (i = 0; i < KEYS; i++) {
		snprintf(text, sizeof(text), "worker of number %05u", i);
		hash_add(t, &self->things[i].node, hash_text(t, text));
	}
	EXPECT_GT(30, longest_chain(t));
	EXPECT_EQ(hash_text(t, "same"), hash_text(t, "same"));
	EXPECT_NE(hash_text(t, "same"), hash_text(t, "sane"));
}

TEST_F(chain, the_last_one_added_is_found_first)
{
	struct hash_table *t = &self->table;
	struct hash_node *node;
	u32 i;

	for (i = 0; i < 100; i++) {
		self->things[i].a = i % 7;
		hash_add(t, &self->things[i].node, hash_of(t, i % 7, 0));
	}
	node = hash_first(t, hash_of(t, 3, 0));
	for (i = 94; i < 100; i -= 7, node = hash_next(node))
		ASSERT_EQ(&self->things[i].node, node);
	EXPECT_EQ(NULL, node);
}

TEST_F(chain, some_go_and_the_others_are_met_once)
{
	struct hash_table *t = &self->table;
	struct hash_node *node = NULL;
	u64 i, nr = 0, sum = 0;

	fill_table(_metadata, self, 1, 1);
	for (i = 1; i < KEYS; i += 2)
		hash_del(t, &self->things[i].node);
	for (i = 0; i < KEYS; i++)
		ASSERT_EQ(i % 2 ? NULL : &self->things[i], find(t, i, i));
	while ((node = hash_walk(t, node))) {
		nr++;
		sum += container_of(node, struct thing, node)->a;
	}
	EXPECT_EQ(KEYS / 2, nr);
	EXPECT_EQ(KEYS / 2 * (KEYS / 2 - 1ULL), sum);
	EXPECT_EQ(nr, t->nr);
}

TEST_HARNESS_MAIN
