// SPDX-License-Identifier: GPL-2.0-only
/* From TSC to ns, with anchors that are right and anchors that are not. */
#include <stdlib.h>

#include "capture/clock.h"
#include "kselftest_harness.h"

#define KHZ	2000000
#define SECOND	2000000000ULL	/* ticks */

FIXTURE(clock) {
	struct clock c;
};

FIXTURE_SETUP(clock)
{
	ASSERT_EQ(0, clock_init(&self->c, CLOCK_SOURCE_TSC, KHZ));
}

FIXTURE_TEARDOWN(clock)
{
	clock_destroy(&self->c);
}

/* A clock that runs 20 ppm too fast, and 10 ppm more from the 50th second on. */
static u64 truth(u64 tsc)
{
	u64 ns = tsc / 2 + tsc / 2 * 20 / 1000000;

	if (tsc > 50 * SECOND)
		ns += (tsc - 50 * SECOND) / 2 * 10 / 1000000;
	return ns + 1000000000;
}

static void add(struct clock *c, u64 tsc, s64 wrong)
{
	struct clock_anchor anchor = { .tsc = tsc, .ns = truth(tsc + 20) + wrong, .width = 40 };

	clock_add(c, &anchor);
}

static u64 off(struct clock *c, u64 tsc)
{
	u64 ns = clock_ns(c, tsc), real = truth(tsc);

	return ns > real ? ns - real : real - ns;
}

TEST_F(clock, a_time_that_cannot_be)
{
	struct clock_anchor late = { .tsc = 5, .ns = ~0ULL - 5, .width = 40 };

	clock_add(&self->c, &late);
	EXPECT_EQ(0, self->c.nr_anchors);
	add(&self->c, SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_TRUE(clock_in_range(&self->c, 0));
	EXPECT_TRUE(clock_in_range(&self->c, 1ULL << 62));
	EXPECT_FALSE(clock_in_range(&self->c, ~0ULL));
}

TEST_F(clock, a_rate_that_the_anchors_deny)
{
	self->c.tsc_khz = KHZ / 10 * 9;
	add(&self->c, SECOND, 0);
	add(&self->c, SECOND + 100, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	/* Too short to decide. */
	EXPECT_EQ(0, self->c.measured_khz);
	add(&self->c, 2 * SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_EQ(KHZ / 1000, self->c.measured_khz / 1000 + 1);
	self->c.tsc_khz = KHZ;
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_EQ(0, self->c.measured_khz);
}

/* They are in the same interval, so that only one of them is kept. */
TEST_F(clock, anchors_near_each_other_deny_a_rate)
{
	const u64 us = SECOND / 1000000;

	self->c.tsc_khz = 7 * KHZ / 2;
	add(&self->c, SECOND, 0);
	add(&self->c, SECOND + 100 * us, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_EQ(1, self->c.nr_anchors);
	EXPECT_EQ(KHZ / 1000, self->c.measured_khz / 1000 + 1);
	EXPECT_GE(50, off(&self->c, SECOND + 100 * us));
	/* Nor is that forgotten when they are fitted again. */
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_GE(50, off(&self->c, SECOND + 100 * us));
}

TEST_F(clock, a_rate_that_is_right_within_the_widths)
{
	add(&self->c, SECOND, 0);
	add(&self->c, SECOND + 10, 10);
	add(&self->c, SECOND + 2000, 110);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_EQ(0, self->c.measured_khz);
	EXPECT_GE(150, off(&self->c, SECOND + 2000));
}

TEST_F(clock, one_wrong_anchor_does_not_deny_a_rate)
{
	const u64 us = SECOND / 1000000;
	unsigned int i;

	for (i = 0; i < 3; i++)
		add(&self->c, SECOND + i * 50 * us, i == 2 ? 60000 : 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_EQ(0, self->c.measured_khz);
	EXPECT_GE(50, off(&self->c, SECOND + 50 * us));
}

/* Sub-buffers are judged as before, whatever anchors the pass over them has found. */
TEST_F(clock, what_is_judged_once_stays)
{
	struct clock_anchor anchor = { .tsc = 5 * SECOND, .ns = truth(5 * SECOND), .width = 40 };
	u64 t;

	add(&self->c, SECOND, 0);
	add(&self->c, 10 * SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_TRUE(clock_check(&self->c, &anchor));
	EXPECT_GE(CLOCK_WRONG_NS, self->c.residual.max_ns);
	for (t = 2; t <= 9; t++)
		add(&self->c, t * SECOND, 3000000000);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_TRUE(clock_check(&self->c, &anchor));
	EXPECT_LE(CLOCK_WRONG_NS, self->c.residual.max_ns);
	EXPECT_TRUE(clock_in_range(&self->c, 1ULL << 62));
}

/* Nor does a time wrap around, with a line that the first one did not foresee. */
TEST_F(clock, the_latest_time_is_the_last_one)
{
	struct clock_anchor anchor = { .width = 40 };
	unsigned int i;
	u64 bit, ns, last = 0;

	add(&self->c, SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	for (i = 1; i < 9; i++) {
		anchor.tsc = SECOND + i * SECOND;
		anchor.ns = truth(SECOND) + i * SECOND * 200;
		clock_add(&self->c, &anchor);
	}
	ASSERT_EQ(0, clock_fit(&self->c));
	for (bit = 0; bit < 64; bit++) {
		ns = clock_ns(&self->c, (u64)1 << bit);
		EXPECT_LE(last, ns);
		last = ns;
	}
	EXPECT_EQ(CLOCK_NS_MAX, last);
	EXPECT_EQ(CLOCK_NS_MAX, clock_ns(&self->c, ~0ULL));
	EXPECT_EQ(0, clock_ns(&self->c, 0));
}

TEST_F(clock, a_rate_beyond_64_bits)
{
	const struct clock_anchor first = { .tsc = 1000, .ns = 1000 };
	const struct clock_anchor last = { .tsc = 1ULL << 62, .ns = 1001 };

	self->c.tsc_khz = KHZ;
	clock_add(&self->c, &first);
	clock_add(&self->c, &last);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_EQ(~0ULL, self->c.measured_khz);
}

TEST_F(clock, exact_at_and_between_anchors)
{
	u64 t;

	for (t = 1; t <= 100; t++)
		add(&self->c, t * SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	for (t = 1; t < 100; t++) {
		EXPECT_GE(2, off(&self->c, t * SECOND + 20));
		EXPECT_GE(2, off(&self->c, t * SECOND + SECOND / 3));
	}
	/* Beyond the ends it goes on as near them. */
	EXPECT_GE(100, off(&self->c, SECOND / 2));
	EXPECT_GE(100, off(&self->c, 101 * SECOND));
}

/* Who converts many takes it while a stamp is near, also before the first anchor. */
TEST_F(clock, the_short_way_has_the_same_time)
{
	unsigned int nr = 0;
	u64 t, ns;

	for (t = 10; t <= 20; t++)
		add(&self->c, t * SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	for (t = 8 * SECOND; t < 22 * SECOND; t += SECOND / 3) {
		ns = clock_ns(&self->c, t);
		if (!clock_near(&self->c, t))
			continue;
		EXPECT_EQ(ns, clock_on_segment(&self->c, t));
		nr++;
	}
	/* From the first anchor on, it is there. */
	EXPECT_EQ(36, nr);
}

TEST_F(clock, never_goes_back)
{
	u64 t, ns, last = 0;

	for (t = 1; t <= 100; t++)
		add(&self->c, t * SECOND / 10, (t * 7919) % 40 - 20);
	ASSERT_EQ(0, clock_fit(&self->c));
	for (t = 0; t < 11 * SECOND; t += SECOND / 977) {
		ns = clock_ns(&self->c, t);
		EXPECT_LE(last, ns);
		last = ns;
	}
}

TEST_F(clock, a_flipped_bit_does_not_bend_it)
{
	unsigned int bit;
	u64 t;

	for (bit = 10; bit < 62; bit++) {
		struct clock_anchor bad = { .tsc = 42 * SECOND + 12345, .width = 40 };

		clock_destroy(&self->c);
		ASSERT_EQ(0, clock_init(&self->c, CLOCK_SOURCE_TSC, KHZ));
		for (t = 1; t <= 100; t++)
			add(&self->c, t * SECOND, 0);
		bad.ns = truth(bad.tsc + 20);
		if (bit & 1)
			bad.ns ^= (u64)1 << bit;
		else
			bad.tsc ^= (u64)1 << bit;
		clock_add(&self->c, &bad);
		ASSERT_EQ(0, clock_fit(&self->c));
		for (t = 1; t < 100; t++) {
			EXPECT_GE(1000, off(&self->c, t * SECOND + SECOND / 2)) {
				TH_LOG("bit %u", bit);
			}
		}
	}
}

TEST_F(clock, an_unknown_rate_is_learnt)
{
	u64 t;

	self->c.tsc_khz = 0;
	for (t = 1; t <= 20; t++)
		add(&self->c, t * SECOND, t == 7 ? 1LL << 40 : 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	for (t = 1; t < 20; t++)
		EXPECT_GE(2, off(&self->c, t * SECOND + SECOND / 2));
}

/* Without meta.json a short capture has few, within one bin. */
TEST_F(clock, two_anchors_near_each_other_have_the_rate)
{
	u64 tsc;

	self->c.tsc_khz = 0;
	add(&self->c, SECOND, 0);
	add(&self->c, SECOND + SECOND / 1000, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	/* 20 ns each for two of 40 ticks, and 200, of a millisecond */
	EXPECT_GT(self->c.rate_ppm, 200);
	EXPECT_LT(self->c.rate_ppm, 250);
	/* Fitted again, after a pass. */
	ASSERT_EQ(0, clock_fit(&self->c));
	for (tsc = SECOND; tsc < 3 * SECOND; tsc += SECOND / 7)
		EXPECT_LT(off(&self->c, tsc), 1 + (tsc - SECOND) / 2 * self->c.rate_ppm / 1000000);
}

TEST_F(clock, one_anchor_has_no_rate)
{
	self->c.tsc_khz = 0;
	add(&self->c, SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_EQ(CLOCK_PPM_MAX, self->c.rate_ppm);
}

TEST_F(clock, one_anchor_and_the_rate_are_enough)
{
	add(&self->c, 10 * SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_EQ(truth(10 * SECOND + 20) + 1000000000, clock_ns(&self->c, 11 * SECOND + 20));
	EXPECT_EQ(truth(10 * SECOND + 20) - 1000000000, clock_ns(&self->c, 9 * SECOND + 20));
}

TEST_F(clock, none_is_not_a_crash)
{
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_EQ(500, clock_ns(&self->c, 1000));
}

TEST_F(clock, memory_is_bounded)
{
	u64 t;

	for (t = 1; t <= 300000; t++)
		add(&self->c, t * SECOND / 5, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	EXPECT_GE(2 * CLOCK_KNOTS_MAX, self->c.nr_anchors);
	for (t = 1; t < 300000; t += 1000)
		EXPECT_GE(300, off(&self->c, t * SECOND / 5));
}

TEST_F(clock, thinned_out_above_twice_the_limit)
{
	u64 t;

	for (t = 1; t <= 2 * CLOCK_KNOTS_MAX; t++)
		add(&self->c, t * SECOND, 0);
	EXPECT_EQ(2 * CLOCK_KNOTS_MAX, self->c.nr_anchors);
	add(&self->c, t * SECOND, 0);
	EXPECT_GE(CLOCK_KNOTS_MAX + 1, self->c.nr_anchors);
	EXPECT_LT(CLOCK_KNOTS_MAX / 2, self->c.nr_anchors);
}

TEST_F(clock, the_residual_is_what_lies_beyond_the_width)
{
	struct clock_anchor anchor = { .tsc = 5 * SECOND, .width = 40 };
	u64 t;

	for (t = 1; t <= 10; t++)
		add(&self->c, t * SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	anchor.ns = truth(anchor.tsc + 20) + 110;
	EXPECT_TRUE(clock_check(&self->c, &anchor));
	EXPECT_GE(2, self->c.residual.max_ns - 100 + 1);
	anchor.ns += 10000000000ULL;
	EXPECT_FALSE(clock_check(&self->c, &anchor));
	EXPECT_EQ(1, self->c.residual.rejected);
}

/* Whatever the anchors say: they find damaged headers, and nothing else. */
TEST_F(clock, monotonic_stamps_are_ns)
{
	struct clock_anchor anchor = { .tsc = 3 * SECOND, .ns = 3 * SECOND + 20, .width = 40 };
	u64 t;

	clock_destroy(&self->c);
	ASSERT_EQ(0, clock_init(&self->c, CLOCK_SOURCE_MONOTONIC, 1000000));
	for (t = 1; t <= 100; t++)
		add(&self->c, t * SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	for (t = 0; t < 64; t++)
		EXPECT_EQ((1ULL << t) + 5, clock_ns(&self->c, (1ULL << t) + 5));
	EXPECT_EQ(0, clock_ns(&self->c, 0));
	EXPECT_EQ(~0ULL, clock_ns(&self->c, ~0ULL));
	EXPECT_TRUE(clock_check(&self->c, &anchor));
	EXPECT_EQ(0, self->c.residual.max_ns);
	anchor.ns += 1000000000;
	EXPECT_FALSE(clock_check(&self->c, &anchor));
}

/* 50 ppm too slow since the 10th second: what is added grows, and was negative before. */
TEST_F(clock, drift_is_taken_out)
{
	static const struct clock_bend bend = {
		.from = 11000000000, .over = 1000000000, .by = 50000,
	};
	u64 tsc, last = 0;

	add(&self->c, SECOND, 0);
	add(&self->c, 40 * SECOND, 0);
	ASSERT_EQ(0, clock_fit(&self->c));
	ASSERT_EQ(0, clock_set_bend(&self->c, &bend));
	for (tsc = SECOND / 2; tsc < 45 * SECOND; tsc += SECOND / 7) {
		s64 want = truth(tsc) + ((s64)truth(tsc) - bend.from) / 20000;
		s64 got = clock_ns(&self->c, tsc);

		EXPECT_GE(2, llabs(want - got));
		EXPECT_LT(last, got);
		last = got;
	}
}

TEST_F(clock, drift_of_stamps_that_are_ns)
{
	static const struct clock_bend bend = { .from = 500000000000, .over = 1000000, .by = 100 };
	u64 ns;

	self->c.source = CLOCK_SOURCE_MONOTONIC;
	self->c.tsc_khz = 0;
	ASSERT_EQ(0, clock_set_bend(&self->c, &bend));
	for (ns = 400000000000; ns < 700000000000; ns += 777777777) {
		s64 want = ns + ((s64)ns - bend.from) / 10000;

		EXPECT_GE(2, llabs(want - (s64)clock_ns(&self->c, ns)));
	}
	EXPECT_EQ(0, clock_ns(&self->c, 1));
}

TEST_HARNESS_MAIN
