// SPDX-License-Identifier: GPL-2.0-only
/* From samples to an offset. */
#include <math.h>
#include <stdlib.h>

#include "sync.h"

#define KEPT_MAX	16
#define DRIFT		10000	/* 100 ppm: two clocks drift by less */

static s64 round_trip(const struct sample *s)
{
	return s->back - s->sent;
}

static int compare_trips(const void *a, const void *b)
{
	s64 x = round_trip(a), y = round_trip(b);

	return x < y ? -1 : x > y;
}

static s64 offset_of(const struct sample *s)
{
	return s->sent + round_trip(s) / 2 - s->there;
}

static int compare_offsets(const void *a, const void *b)
{
	s64 x = *(const s64 *)a, y = *(const s64 *)b;

	return x < y ? -1 : x > y;
}

static s64 drift_in(s64 ns)
{
	return llabs(ns) / DRIFT + 1;
}

/* All of them hold for the same offset, if that did not change meanwhile. */
static void bound(struct estimate *e, const struct sample *samples, unsigned int nr)
{
	s64 drift = drift_in((samples[nr - 1].back - samples[0].sent) / 2);
	s64 lower = samples[0].sent - samples[0].there, upper = samples[0].back - samples[0].there;
	unsigned int i;

	for (i = 1; i < nr; i++) {
		s64 low = samples[i].sent - samples[i].there;
		s64 high = samples[i].back - samples[i].there;

		lower = low > lower ? low : lower;
		upper = high < upper ? high : upper;
	}
	e->lower = (lower < upper ? lower : upper) - drift;
	e->upper = (lower < upper ? upper : lower) + drift;
}

static void spread(struct estimate *e, const s64 *offsets, unsigned int nr)
{
	double sum = 0, squares = 0;
	unsigned int i;

	/* From the median on, for doubles are not exact to the ns over months. */
	for (i = 0; i < nr; i++) {
		double off = offsets[i] - e->offset;

		sum += off;
		squares += off * off;
	}
	e->mean = sum / nr + e->offset;
	e->variance = fmax(squares / nr - (sum / nr) * (sum / nr), 0);
}

void estimate_make(struct estimate *e, struct sample *samples, unsigned int nr)
{
	unsigned int i, kept = nr < KEPT_MAX ? nr : KEPT_MAX;
	s64 offsets[KEPT_MAX];

	e->at = samples[0].sent + (samples[nr - 1].back - samples[0].sent) / 2;
	bound(e, samples, nr);
	qsort(samples, nr, sizeof(*samples), compare_trips);
	e->round_trip = round_trip(&samples[0]);
	for (i = 0; i < kept; i++)
		offsets[i] = offset_of(&samples[i]);
	qsort(offsets, kept, sizeof(*offsets), compare_offsets);
	e->offset = offsets[kept / 2];
	spread(e, offsets, kept);
	e->offset = e->offset < e->lower ? e->lower : e->offset;
	e->offset = e->offset > e->upper ? e->upper : e->offset;
}

static s64 between(s64 a, s64 b)
{
	return a + (b - a) / 2;
}

void estimate_join(struct estimate *e, const struct estimate *a, const struct estimate *b)
{
	double apart = (a->mean - b->mean) / 2;

	e->at = between(a->at, b->at);
	e->offset = between(a->offset, b->offset);
	e->lower = between(a->lower, b->lower) - 1;
	e->upper = between(a->upper, b->upper) + 1;
	e->mean = (a->mean + b->mean) / 2;
	e->variance = (a->variance + b->variance) / 2 + apart * apart;
	e->round_trip = a->round_trip < b->round_trip ? a->round_trip : b->round_trip;
}

void estimate_move(struct estimate *e, s64 at)
{
	s64 drift = drift_in(at - e->at);

	e->lower -= drift;
	e->upper += drift;
	e->at = at;
}

s64 estimate_error(const struct estimate *e)
{
	s64 below = e->offset - e->lower, above = e->upper - e->offset;

	return below > above ? below : above;
}
