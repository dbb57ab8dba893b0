// SPDX-License-Identifier: GPL-2.0-only
/* A map from numbers to pointers. */
#define _GNU_SOURCE	/* for the harness */

#include "util/idmap.h"
#include "kselftest_harness.h"

#define KEYS 100000

/* 0x9e3779b97f4a7c15 times this is 1: a table that takes the upper half of that has all in one. */
#define COLLIDE 0xf1de83e19937733dULL

FIXTURE(idmap) {
	struct idmap map;
};

FIXTURE_SETUP(idmap)
{
}

FIXTURE_TEARDOWN(idmap)
{
	idmap_free(&self->map);
}

static void *number(u64 n)
{
	return (void *)(size_t)n;
}

static u32 longest_run(const struct idmap *map)
{
	u64 i, run = 0, longest = 0;

	for (i = 0; i < 1ULL << (64 - map->shift); i++) {
		run = map->slots[i].key ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

/* KEYS keys that are a number times a step; each is found, and at once. */
static void fill_map(struct __test_metadata *_metadata, struct idmap *map, u64 step)
{
	u64 i;

	for (i = 1; i <= KEYS; i++)
		ASSERT_EQ(0, idmap_set(map, i * step, number(i)));
	EXPECT_EQ(KEYS, map->nr);
	for (i = 1; i <= KEYS; i++)
		ASSERT_EQ(number(i), idmap_ptr(map, i * step));
	EXPECT_EQ(NULL, idmap_ptr(map, (KEYS + 1) * step));
	/* At random, and less than half full, some tens. */
	EXPECT_GT(1000, longest_run(map));
}

TEST_F(idmap, empty)
{
	EXPECT_EQ(NULL, idmap_get(&self->map, 0));
	EXPECT_EQ(NULL, idmap_get(&self->map, 1));
	EXPECT_EQ(NULL, idmap_next(&self->map, NULL));
}

TEST_F(idmap, numbers_in_a_row)
{
	fill_map(_metadata, &self->map, 1);
}

TEST_F(idmap, numbers_in_the_upper_half)
{
	fill_map(_metadata, &self->map, 1ULL << 32);
}

TEST_F(idmap, numbers_made_to_collide)
{
	fill_map(_metadata, &self->map, COLLIDE);
}

TEST_F(idmap, a_number_has_one_slot)
{
	struct idmap_slot *slot = idmap_put(&self->map, 5);

	ASSERT_NE(NULL, slot);
	EXPECT_EQ(0, slot->bits);
	slot->bits = 7;
	slot = idmap_put(&self->map, 5);
	ASSERT_NE(NULL, slot);
	EXPECT_EQ(7, slot->bits);
	EXPECT_EQ(1, self->map.nr);
}

TEST_F(idmap, some_go_and_the_others_are_met_once)
{
	struct idmap_slot *slot = NULL;
	u64 i, nr = 0, sum = 0;

	fill_map(_metadata, &self->map, 1);
	for (i = 1; i <= KEYS; i += 2)
		idmap_del(&self->map, idmap_get(&self->map, i));
	for (i = 1; i <= KEYS; i++)
		ASSERT_EQ(i % 2 ? NULL : number(i), idmap_ptr(&self->map, i));
	while ((slot = idmap_next(&self->map, slot))) {
		nr++;
		sum += slot->key;
	}
	EXPECT_EQ(KEYS / 2, nr);
	EXPECT_EQ(KEYS / 2 * (KEYS / 2 + 1ULL), sum);
}

TEST_HARNESS_MAIN
