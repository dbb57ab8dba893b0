// SPDX-License-Identifier: GPL-2.0-only
/* Reuse distances, against a list of pages in the order of their last use. */
#define _GNU_SOURCE	/* for the harness */

#include <stdlib.h>
#include <string.h>

#include "canon/curve.h"
#include "kselftest_harness.h"

#define PAGES	6000	/* more than there are slots at first */
#define REFS	60000

/* The same the slow way. */
struct slow {
	u32 list[PAGES + 1];
	u32 nr;
	u64 hits[PAGES + 1];
	u64 cold;
};

FIXTURE(curve) {
	struct curve curve;
	struct slow slow;
};

FIXTURE_SETUP(curve)
{
	srandom(7);
}

FIXTURE_TEARDOWN(curve)
{
	curve_free(&self->curve);
}

static void use(struct slow *slow, u32 page)
{
	u32 i;

	for (i = 0; i < slow->nr && slow->list[i] != page; i++)
		;
	if (i < slow->nr) {
		slow->hits[i]++;
	} else {
		slow->cold++;
		slow->nr++;
	}
	memmove(slow->list + 1, slow->list, i * sizeof(*slow->list));
	slow->list[0] = page;
}

static void compare(struct __test_metadata *_metadata, const struct curve *curve,
		    const struct slow *slow, u64 refs)
{
	u64 size, misses = slow->cold;

	EXPECT_EQ(refs, curve->refs);
	EXPECT_EQ(slow->cold, curve->cold);
	for (size = PAGES; size < (u64)PAGES + 1; size--) {
		misses += slow->hits[size];
		ASSERT_EQ(misses, curve_misses(curve, size));
	}
	EXPECT_EQ(refs, misses);
	EXPECT_FALSE(curve->no_memory);
}

TEST_F(curve, pages_at_random)
{
	u32 i, page, known;

	for (i = 0; i < REFS; i++) {
		page = 1 + random() % PAGES;
		known = self->slow.nr;
		use(&self->slow, page);
		ASSERT_EQ(self->slow.nr > known, curve_use(&self->curve, page));
	}
	compare(_metadata, &self->curve, &self->slow, REFS);
}

/* Loops of different lengths, and pages that are used once. */
TEST_F(curve, loops)
{
	u32 i, page;

	for (i = 0; i < REFS; i++) {
		page = 1 + (i % 3 ? i % 7 : i / 100 % 2 ? i % 200 : i / 1000 * 5 % PAGES);
		use(&self->slow, page);
		curve_use(&self->curve, page);
	}
	compare(_metadata, &self->curve, &self->slow, REFS);
}

TEST_F(curve, one_page)
{
	u32 i;

	for (i = 0; i < 1000; i++) {
		use(&self->slow, 5);
		EXPECT_EQ(!i, curve_use(&self->curve, 5));
	}
	compare(_metadata, &self->curve, &self->slow, 1000);
	EXPECT_EQ(1, curve_misses(&self->curve, 1));
}

TEST_F(curve, none)
{
	EXPECT_EQ(0, curve_misses(&self->curve, 0));
	EXPECT_EQ(0, curve_misses(&self->curve, 100));
}

TEST_HARNESS_MAIN
