// SPDX-License-Identifier: GPL-2.0-only
/* From TSC to CLOCK_MONOTONIC: the line of clock_fit() converts values and judges anchors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/clock.h"
#include "capture/clock_line.h"

int clock_init(struct clock *clock, enum clock_source source, u64 tsc_khz)
{
	memset(clock, 0, sizeof(*clock));
	clock->source = source;
	clock->tsc_khz = tsc_khz;
	clock->anchors = calloc(CLOCK_COLLECT_MAX, sizeof(*clock->anchors));
	clock->segments = calloc(CLOCK_COLLECT_MAX, sizeof(*clock->segments));
	clock->first = calloc(CLOCK_COLLECT_MAX, sizeof(*clock->first));
	if (!clock->anchors || !clock->segments || !clock->first) {
		clock_destroy(clock);
		return -ENOMEM;
	}
	return 0;
}

void clock_destroy(struct clock *clock)
{
	free(clock->anchors);
	free(clock->segments);
	free(clock->first);
	clock->anchors = NULL;
	clock->segments = NULL;
	clock->first = NULL;
}

s64 clock_drift(const struct clock *clock, s64 ns)
{
	if (!clock->bend.by)
		return 0;
	return (__int128)ns * clock->bend.by / clock->bend.over;
}

u64 clock_bent(const struct clock *clock, u64 ns)
{
	s64 moved = ns + clock_drift(clock, (s64)ns - clock->bend.from);

	return moved > 0 ? moved : 0;
}

/* The last segment that begins at or before @tsc, else the first. */
static unsigned int segment_at(const struct clock_segment *segments, unsigned int nr, u64 tsc)
{
	unsigned int low = 0, high = nr;

	while (high - low > 1) {
		unsigned int mid = low + (high - low) / 2;

		if (segments[mid].tsc <= tsc)
			low = mid;
		else
			high = mid;
	}
	return low;
}

void clock_seek(struct clock *clock, u64 tsc)
{
	unsigned int low = segment_at(clock->segments, clock->nr_segments, tsc);

	clock->cur = clock->segments[low];
	clock->lo = low ? clock->cur.tsc : 0;
	clock->hi = low + 1 < clock->nr_segments ? clock->segments[low + 1].tsc : clock->end;
}

static const struct clock_segment *first_at(const struct clock *clock, u64 tsc)
{
	return &clock->first[segment_at(clock->first, clock->nr_first, tsc)];
}

/* Of values that cannot be converted, the nearest. */
static u64 ns_on(const struct clock_segment *seg, u64 tsc)
{
	__uint128_t ns;

	if (tsc < seg->tsc) {
		ns = ((__uint128_t)(seg->tsc - tsc) * seg->mult) >> CLOCK_SHIFT;
		return ns < seg->ns ? seg->ns - (u64)ns : 0;
	}
	ns = (((__uint128_t)(tsc - seg->tsc) * seg->mult) >> CLOCK_SHIFT) + seg->ns;
	return ns < ~0ULL ? ns : ~0ULL;
}

bool clock_in_range(const struct clock *clock, u64 tsc)
{
	return ns_on(first_at(clock, tsc), tsc) < CLOCK_NS_MAX;
}

static u64 half_width(const struct clock_anchor *anchor, const struct clock_segment *seg)
{
	return ((__uint128_t)anchor->width * seg->mult) >> (CLOCK_SHIFT + 1);
}

/* How far an anchor at @ns is off a segment. */
static u64 off_segment(const struct clock_anchor *anchor, u64 ns, const struct clock_segment *seg)
{
	u64 by = ns_on(seg, clock_middle(anchor));

	return by > ns ? by - ns : ns - by;
}

bool clock_check(struct clock *clock, const struct clock_anchor *anchor)
{
	const struct clock_segment *seg = first_at(clock, clock_middle(anchor));
	struct clock_residual *res = &clock->residual;
	u64 off = off_segment(anchor, anchor->ns, seg);
	u64 half = half_width(anchor, seg);

	if (off > CLOCK_WRONG_NS && off - CLOCK_WRONG_NS > half) {
		res->rejected++;
		return false;
	}
	clock_seek(clock, clock_middle(anchor));
	off = off_segment(anchor, clock_bent(clock, anchor->ns), &clock->cur);
	half = half_width(anchor, &clock->cur);
	res->anchors++;
	res->sum_squares += (double)off * off;
	if (off > half && off - half > res->max_ns)
		res->max_ns = off - half;
	return true;
}

/* Rounded down; avoids libm. */
static u64 square_root(double x)
{
	u64 low = 0, high = (u64)1 << 32;

	while (high - low > 1) {
		u64 mid = low + (high - low) / 2;

		if ((double)mid * mid <= x)
			low = mid;
		else
			high = mid;
	}
	return low;
}

u64 clock_rms(const struct clock_residual *residual)
{
	return residual->anchors ? square_root(residual->sum_squares / residual->anchors) : 0;
}
