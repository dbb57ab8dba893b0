// SPDX-License-Identifier: GPL-2.0-only
/* Lanes with levels of detail: sums stay exact, long intervals stay alone. */
#define _GNU_SOURCE	/* for the harness */

#include "output/timeline/lane.h"
#include "kselftest_harness.h"

#define KEYS	100	/* more than an item has parts */
#define MANY	50000
#define LONG	100000000	/* ns */

FIXTURE(lane) {
	struct lanes all;
	struct lane *lane;
};

FIXTURE_SETUP(lane)
{
	self->all.limit = 1 << 16;
	self->lane = lane_new(&self->all, ~0ULL);
	ASSERT_NE(NULL, self->lane);
}

FIXTURE_TEARDOWN(lane)
{
	lanes_free(&self->all);
}

/**
 * struct sums - What a lane's text contains.
 * @count: how many intervals
 * @ns: how long they lasted
 * @bytes: how many bytes
 * @alone: items that are one interval of LONG
 * @end: of the last one
 */
struct sums {
	u64 count;
	u64 ns;
	u64 bytes;
	u64 alone;
	u64 end;
};

static u64 number(const u8 **p)
{
	u64 n = 0;
	u32 shift = 0;

	do {
		n |= (u64)(**p & 0x7f) << shift;
		shift += 7;
	} while (*(*p)++ & 0x80);
	return n;
}

static struct sums read_text(const struct lane *lane)
{
	const u8 *p = lane->text;
	struct sums sums = { .count = 0 };

	while (p < lane->text + lane->len) {
		u64 head = number(&p), nr = head & 1 ? number(&p) : 1, ns = 0;
		u64 span = head & 1 ? number(&p) : 0;

		sums.end += head >> 3;
		while (nr--) {
			number(&p);
			sums.count += head & 1 ? number(&p) : 1;
			ns = number(&p);
			sums.ns += ns;
			sums.bytes += head & 2 ? number(&p) : 0;
		}
		sums.end += head & 1 ? span : ns;
		sums.alone += !(head & 1) && ns == LONG;
	}
	return sums;
}

TEST_F(lane, sums)
{
	u64 i, ns, at = 5, sum = 0, longs = 0;
	struct sums sums;

	for (i = 0; i < MANY; i++) {
		ns = i % 10000 == 99 ? LONG : i * 7919 % 1000;
		longs += ns == LONG;
		ASSERT_EQ(0, lane_add(&self->all, self->lane, at, at + ns, 1 + i % KEYS, i & 3));
		sum += ns;
		at += ns + i % 3;
	}
	ASSERT_EQ(0, lane_end(&self->all, self->lane));
	EXPECT_GE(self->all.limit, self->all.bytes);
	EXPECT_EQ(self->all.bytes, self->lane->len);
	EXPECT_LT(0, self->all.width);
	sums = read_text(self->lane);
	EXPECT_EQ(MANY, sums.count);
	EXPECT_EQ(sum, sums.ns);
	EXPECT_EQ(longs, sums.alone);
	EXPECT_EQ(at - (MANY - 1) % 3, sums.end);
	EXPECT_EQ(MANY / 4 * 6, sums.bytes);
}

/* What lasted longest is told apart, whenever it came. */
TEST_F(lane, longest)
{
	struct lane_item item = { 0 };
	u64 key, end, ns = 0, others = 0;
	size_t at = 0;
	u32 i;

	self->all.width = 1 << 20;
	for (key = 1; key <= KEYS; key++) {
		end = 10 * key + (key == 70 ? 9 : 1);
		ASSERT_EQ(0, lane_add(&self->all, self->lane, 10 * key, end, key, 0));
	}
	ASSERT_EQ(0, lane_end(&self->all, self->lane));
	ASSERT_TRUE(lane_read(self->lane, &at, &item));
	EXPECT_EQ(LANE_PARTS, item.nr);
	for (i = 0; i < item.nr; i++) {
		ns += item.parts[i].key == 70 ? item.parts[i].ns : 0;
		others += item.parts[i].key ? 0 : item.parts[i].count;
	}
	EXPECT_EQ(9, ns);
	EXPECT_EQ(KEYS - (LANE_PARTS - 1), others);
	EXPECT_FALSE(lane_read(self->lane, &at, &item));
}

static u64 group_of(void *data, u64 key)
{
	(void)data;
	return LANE_GROUP + key % 3;
}

/* Keys that have groups are summed up by group. */
TEST_F(lane, groups)
{
	u64 key, ns[3] = { 0 }, longest = 0;
	struct lane_item item = { 0 };
	size_t at = 0;
	u32 i;

	self->all.width = 1 << 20;
	self->all.group_of = group_of;
	self->lane->grouped = true;
	for (key = 1; key <= KEYS; key++)
		ASSERT_EQ(0, lane_add(&self->all, self->lane, 200 * key, 201 * key, key, 0));
	ASSERT_EQ(0, lane_end(&self->all, self->lane));
	ASSERT_TRUE(lane_read(self->lane, &at, &item));
	EXPECT_GE(LANE_PARTS, item.nr);
	for (i = 0; i < item.nr; i++) {
		key = item.parts[i].key;
		ASSERT_NE(0, key);
		ns[key < LANE_GROUP ? key % 3 : key - LANE_GROUP] += item.parts[i].ns;
		longest += key == KEYS || key == KEYS - 1;
	}
	EXPECT_EQ(2, longest);
	for (key = 1; key <= KEYS; key++)
		ns[key % 3] -= key;
	EXPECT_EQ(0, ns[0]);
	EXPECT_EQ(0, ns[1]);
	EXPECT_EQ(0, ns[2]);
}

/* A width for which there is no need does not come. */
TEST_F(lane, few)
{
	u64 i;

	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, lane_add(&self->all, self->lane, 2 * i, 2 * i + 1, 1, 0));
	ASSERT_EQ(0, lane_end(&self->all, self->lane));
	EXPECT_EQ(0, self->all.width);
	EXPECT_EQ(100, read_text(self->lane).count);
}

/* Lanes that cannot be narrower get the room that they need. */
TEST_F(lane, too_many)
{
	struct lane *lane;
	u64 i;

	for (i = 0; i < 20000; i++) {
		lane = lane_new(&self->all, ~0ULL);
		ASSERT_NE(NULL, lane);
		ASSERT_EQ(0, lane_add(&self->all, lane, 0, 1ULL << 45, 1, 0));
		ASSERT_EQ(0, lane_add(&self->all, lane, 1ULL << 45, 1ULL << 46, 2, 0));
	}
	EXPECT_LT(1 << 16, self->all.limit);
}

TEST_HARNESS_MAIN
