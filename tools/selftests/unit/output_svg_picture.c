// SPDX-License-Identifier: GPL-2.0-only
/* Pictures of times that no real capture has. */
#define _GNU_SOURCE	/* for the harness */
#include <stdlib.h>
#include <string.h>

#include "output/svg/picture.h"
#include "kselftest_harness.h"

FIXTURE(picture) {
	struct world world;
	struct timeline tl;
};

FIXTURE_SETUP(picture)
{
	hookable_init(&self->world.hooks, world_positions, WORLD_NR_POSITIONS, NULL);
	ASSERT_EQ(0, timeline_init(&self->tl, &self->world, 1 << 16));
}

FIXTURE_TEARDOWN(picture)
{
	timeline_free(&self->tl);
	hookable_destroy(&self->world.hooks);
}

/* How many times the axis has; -1: there is no picture. */
static int times(struct timeline *tl, u64 length)
{
	char *text = NULL, *at;
	size_t size;
	int nr = 0, ret;
	FILE *f;

	tl->end = length;
	f = open_memstream(&text, &size);
	if (!f)
		return -1;
	ret = picture_write(f, tl, 85, 10);
	if (fclose(f) || ret)
		nr = -1;
	for (at = text; at && (at = strstr(at, "class=\"d m\"")); at++)
		nr++;
	free(text);
	return nr;
}

TEST_F(picture, of_a_second)
{
	EXPECT_LE(3, times(&self->tl, 1000000000));
	EXPECT_GE(20, times(&self->tl, 1000000000));
}

/* Its last time and one more are less than it. */
TEST_F(picture, of_all_times)
{
	EXPECT_LE(3, times(&self->tl, ~0ULL));
	EXPECT_GE(20, times(&self->tl, ~0ULL));
}

TEST_F(picture, of_no_time)
{
	EXPECT_LE(1, times(&self->tl, 0));
}

TEST_HARNESS_MAIN
