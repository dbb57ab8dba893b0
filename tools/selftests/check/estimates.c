// SPDX-License-Identifier: GPL-2.0-only
/*
 * estimates middle|bounds|passes|moved - what ovnik-sync makes of messages between two clocks that
 * are made up: how far they are apart is known to the nanosecond
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync.h"

#define APART	5000000000LL	/* what to add to the other clock at time 0 */
#define PPM_50	20000		/* its drift: a nanosecond in so many */

static s64 drift = PPM_50;
static int status;

/* What to add at that time, by the clock of this node. */
static s64 apart_at(s64 ns)
{
	return APART + ns / drift;
}

/* A message that takes @there ns, and @back ns on its way back. */
static struct sample message(s64 sent, s64 there, s64 back)
{
	return (struct sample){
		.sent = sent,
		.there = sent + there - apart_at(sent + there),
		.back = sent + there + back,
	};
}

static void expect(const char *what, s64 got, s64 from, s64 to)
{
	printf("%s: %lld of %lld to %lld\n", what, got, from, to);
	if (got < from || got > to)
		status = 1;
}

/* Whose ways take the same time: there is no error. */
static void middle(void)
{
	struct sample samples[3];
	struct estimate e;
	int i;

	drift = 1LL << 60;
	for (i = 0; i < 3; i++)
		samples[i] = message(10000 * i, 1000 + 200 * i, 1000 + 200 * i);
	estimate_make(&e, samples, 3);
	expect("offset", e.offset, APART, APART);
	expect("shortest round trip", e.round_trip, 2000, 2000);
	expect("mean", (s64)e.mean, APART, APART);
}

/* One is fast on its way, one on its way back, and one is slow. */
static void bounds(void)
{
	struct sample samples[3];
	struct estimate e;

	drift = 1LL << 60;
	samples[0] = message(0, 100, 90000);
	samples[1] = message(100000, 80000, 300);
	samples[2] = message(200000, 70000, 70000);
	estimate_make(&e, samples, 3);
	/* Clocks may drift by 100 ppm in 170 us, which is 17 ns, to each side of their middle. */
	expect("at least", e.lower, APART - 100 - 18, APART - 100);
	expect("at most", e.upper, APART + 300, APART + 300 + 18);
	expect("offset", e.offset, e.lower, e.upper);
	expect("error", estimate_error(&e), 200, 436);
}

static void pass(struct estimate *e, s64 from)
{
	struct sample samples[9];
	int i;

	for (i = 0; i < 9; i++)
		samples[i] = message(from + 10000 * i, 1000, 1000);
	estimate_make(e, samples, 9);
}

/* With 20 ms between them a clock drifts by 1,000 ns. */
static void passes(void)
{
	struct estimate there, back, both;
	s64 truth;

	pass(&there, 0);
	pass(&back, 20000000);
	estimate_join(&both, &there, &back);
	truth = apart_at(both.at);
	expect("time", both.at, there.at + 10000000, there.at + 10000000);
	expect("offset", both.offset, truth - 5, truth + 5);
	expect("at least", both.lower, truth - 1100, truth);
	expect("at most", both.upper, truth, truth + 1100);
}

/* Two seconds later a clock may have drifted by 200 us, and has by half of that. */
static void moved(void)
{
	struct estimate e;
	s64 truth = apart_at(2000000000);

	pass(&e, 0);
	estimate_move(&e, 2000000000);
	expect("at least", e.lower, truth - 302000, truth);
	expect("at most", e.upper, truth, truth + 302000);
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	if (!strcmp(what, "middle"))
		middle();
	else if (!strcmp(what, "bounds"))
		bounds();
	else if (!strcmp(what, "passes"))
		passes();
	else if (!strcmp(what, "moved"))
		moved();
	else
		return 2;
	return status;
}
