// SPDX-License-Identifier: GPL-2.0-only
/* Clocks of nodes that are aligned by the time of day. */
#include "align/align.h"
#include "capture/clock.h"
#include "capture/meta_wall.h"
#include "kselftest_harness.h"

#define HOUR	3600000000000ll
#define NODES	5

FIXTURE(nodes) {
	struct align a[NODES];
};

FIXTURE_SETUP(nodes)
{
	static const char * const names[NODES] = { "a", "b", "c", "d", "e" };
	int i;

	for (i = 0; i < NODES; i++) {
		self->a[i].node = names[i];
		self->a[i].begin = 1000;
		self->a[i].end = 2000;
	}
}

FIXTURE_TEARDOWN(nodes)
{
}

static void wall(struct align *a, u64 realtime, u64 monotonic)
{
	const struct meta_wall one = { realtime, monotonic, 20, true, 7000 };

	align_read(a, &one, 1);
}

TEST_F(nodes, by_walls)
{
	/* The first does not tell the time of day, the third is left out. */
	wall(&self->a[1], 5000000, 1000);
	wall(&self->a[2], 9000000, 1000);
	self->a[2].node = NULL;
	wall(&self->a[3], 5000000, 3000);
	wall(&self->a[4], 4000000, 1000);
	align_by_walls(self->a, NODES);
	EXPECT_FALSE(self->a[0].known);
	EXPECT_TRUE(self->a[1].known);
	EXPECT_EQ(0, self->a[1].offset);
	EXPECT_FALSE(self->a[2].known);
	EXPECT_EQ(-2000, self->a[3].offset);
	EXPECT_EQ(-1000000, self->a[4].offset);
	EXPECT_EQ(7011, self->a[4].error);
}

TEST_F(nodes, one_alone_with_the_time_of_day)
{
	wall(&self->a[1], 5000000, 1000);
	align_by_walls(self->a, NODES);
	EXPECT_FALSE(self->a[1].known);
	wall(&self->a[2], 5000000, 1000);
	align_by_walls(self->a, NODES);
	EXPECT_TRUE(self->a[1].known);
}

TEST_F(nodes, a_step_while_it_recorded)
{
	struct meta_wall two[] = {
		{ 5000000, 1000, 20, true, 7000 }, { 6000500, 2000, 40, true, 9000 },
	};

	align_read(&self->a[0], two, 2);
	EXPECT_EQ(999490, self->a[0].step);
	EXPECT_EQ(9000 + 11 + 999490, self->a[0].error);
	/* So much may come of reading them. */
	two[1].realtime = 5000000 + 1000 + 1060;
	align_read(&self->a[0], two, 2);
	EXPECT_EQ(0, self->a[0].step);
	two[1].synced = false;
	align_read(&self->a[0], two, 2);
	EXPECT_FALSE(self->a[0].synced);
	EXPECT_EQ(11, self->a[0].error);
}

/* Whatever a damaged capture says, nothing overflows. */
TEST_F(nodes, times_that_cannot_be)
{
	unsigned int i;

	wall(&self->a[0], CLOCK_NS_MAX - 1, 0);
	wall(&self->a[1], 0, CLOCK_NS_MAX - 21);
	wall(&self->a[2], CLOCK_NS_MAX - 1, 1000);
	self->a[3].begin = 0;
	self->a[4].begin = CLOCK_NS_MAX - 1;
	self->a[4].end = CLOCK_NS_MAX - 1;
	align_by_walls(self->a, NODES);
	EXPECT_FALSE(self->a[1].known);
	EXPECT_EQ(0, self->a[1].offset);
	EXPECT_EQ(-1000, self->a[2].offset);
	for (i = 0; i < NODES; i++)
		EXPECT_EQ(i == 4, align_apart(self->a, NODES, i, align_middle(self->a, NODES)));
}

TEST_F(nodes, the_middle)
{
	static const s64 begins[NODES] = { 50, 10, 40, 20, 30 };
	unsigned int i;

	for (i = 0; i < NODES; i++)
		self->a[i].begin = begins[i];
	EXPECT_EQ(30, align_middle(self->a, NODES));
	self->a[4].node = NULL;
	EXPECT_EQ(20, align_middle(self->a, NODES));
	for (i = 0; i < NODES; i++)
		self->a[i].begin = 7;
	EXPECT_EQ(7, align_middle(self->a, NODES));
	EXPECT_EQ(7, align_middle(self->a, 1));
}

/* Most decide which time it is, whoever is first. */
TEST_F(nodes, an_hour_apart)
{
	s64 middle;

	self->a[0].offset = -HOUR;
	self->a[2].offset = HOUR;
	middle = align_middle(self->a, NODES);
	EXPECT_EQ(1000, middle);
	EXPECT_TRUE(align_apart(self->a, NODES, 0, middle));
	EXPECT_FALSE(align_apart(self->a, NODES, 1, middle));
	EXPECT_TRUE(align_apart(self->a, NODES, 2, middle));
}

TEST_HARNESS_MAIN
