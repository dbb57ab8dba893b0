// SPDX-License-Identifier: GPL-2.0-only
/*
 * From TSC to CLOCK_MONOTONIC: a line of straight segments is laid through anchors. Stamps that
 * are CLOCK_MONOTONIC have no anchors and use the line that is fitted without any.
 *
 * Captures may be damaged, so anchors that the others contradict are removed:
 * first those far off their neighbourhood (a flipped bit), then those off the
 * line between their two neighbours.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capture/clock.h"
#include "capture/clock_line.h"

#define BIN_MS		100
#define BINS_WANTED	32		/* if the capture is shorter than that many BIN_MS */
#define WIDTH_MAX	((u64)1 << 36)	/* wider ones are useless */
#define WINDOW		5		/* neighbours on each side */
#define SLOPE_MAX	255.0L		/* ns per tick that CLOCK_SHIFT allows */

#define GROSS_PPM	1000		/* TSC against NTP's fastest slewing, twice */
#define GROSS_NS	100000
#define BLUR_PPM	10		/* the rate may change by this between neighbours */
#define FINE_NS		200		/* off the line between two neighbours */
#define KHZ_WRONG	0.01L		/* the kernel's rate is less wrong than this */

static int compare_anchors(const void *a, const void *b)
{
	const struct clock_anchor *x = a, *y = b;

	if (clock_middle(x) != clock_middle(y))
		return clock_middle(x) < clock_middle(y) ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static u64 full_bin(const struct clock *clock)
{
	return clock->tsc_khz ? clock->tsc_khz * BIN_MS : (u64)1000000 * BIN_MS;
}

/* Keep the narrowest of the sorted anchors in each bin. */
static void keep_narrowest(struct clock *clock, u64 bin)
{
	unsigned int i, kept = 0;

	for (i = 0; i < clock->nr_anchors; i++) {
		const struct clock_anchor *anchor = &clock->anchors[i];
		struct clock_anchor *last = &clock->anchors[kept - (kept > 0)];

		if (kept && clock_middle(anchor) / bin == clock_middle(last) / bin) {
			if (anchor->width < last->width)
				*last = *anchor;
			continue;
		}
		clock->anchors[kept++] = *anchor;
	}
	clock->nr_anchors = kept;
}

static void thin(struct clock *clock)
{
	qsort(clock->anchors, clock->nr_anchors, sizeof(*clock->anchors), compare_anchors);
	if (!clock->bin)
		clock->bin = full_bin(clock);
	keep_narrowest(clock, clock->bin);
	while (clock->nr_anchors > CLOCK_KNOTS_MAX && clock->bin < (u64)1 << 62) {
		clock->bin *= 2;
		keep_narrowest(clock, clock->bin);
	}
	/* Anchors all over the 64 bits: deliberate damage; any choice will do. */
	if (clock->nr_anchors > CLOCK_KNOTS_MAX)
		clock->nr_anchors = CLOCK_KNOTS_MAX;
}

void clock_add(struct clock *clock, const struct clock_anchor *anchor)
{
	if (clock->source == CLOCK_SOURCE_MONOTONIC)
		return;
	if (anchor->width > WIDTH_MAX || anchor->tsc > ~0ULL - WIDTH_MAX ||
	    anchor->ns > CLOCK_NS_MAX)
		return;
	if (clock->nr_anchors == CLOCK_COLLECT_MAX)
		thin(clock);
	clock->anchors[clock->nr_anchors++] = *anchor;
}

static int compare_slopes(const void *a, const void *b)
{
	long double x = *(const long double *)a, y = *(const long double *)b;

	return x < y ? -1 : x > y;
}

static long double distance(const struct clock_anchor *from, const struct clock_anchor *to)
{
	return (long double)clock_middle(to) - (long double)clock_middle(from);
}

/* Is their distance greater than what their widths leave open? */
static bool are_apart(const struct clock_anchor *from, const struct clock_anchor *to)
{
	return distance(from, to) > (from->width + to->width) / 2.0L;
}

/* The median of the slopes between neighbours: a few wrong ones do not move it. */
static int median_slope(const struct clock *clock, long double *slope)
{
	long double *slopes;
	unsigned int i, nr = 0;

	*slope = 0;
	if (clock->nr_anchors < 2)
		return 0;
	slopes = calloc(clock->nr_anchors, sizeof(*slopes));
	if (!slopes)
		return -ENOMEM;
	for (i = 1; i < clock->nr_anchors; i++) {
		const struct clock_anchor *a = &clock->anchors[i - 1], *b = &clock->anchors[i];

		if (are_apart(a, b) && b->ns > a->ns)
			slopes[nr++] = ((long double)b->ns - a->ns) / distance(a, b);
	}
	if (nr) {
		qsort(slopes, nr, sizeof(*slopes), compare_slopes);
		*slope = slopes[nr / 2];
	}
	free(slopes);
	return 0;
}

/* Return: ns per tick by the rate of the anchors, or the kernel's if they agree; 0: not known. */
static long double known_slope(const struct clock *clock)
{
	u64 khz = clock->measured_khz ? clock->measured_khz : clock->tsc_khz;

	return khz ? 1000000.0L / khz : 0;
}

/* By the first and the last anchor: each may be off by half its width. */
static u64 doubt_of_rate(const struct clock *clock, long double slope)
{
	long double ppm;
	const struct clock_anchor *first = &clock->anchors[0], *last;

	if (clock->nr_anchors < 2)
		return CLOCK_PPM_MAX;
	last = &clock->anchors[clock->nr_anchors - 1];
	if (!are_apart(first, last) || last->ns <= first->ns)
		return CLOCK_PPM_MAX;
	ppm = ((first->width + last->width) * slope / 2 + FINE_NS) * 1000000 /
	      (last->ns - first->ns);
	return ppm < CLOCK_PPM_MAX ? (u64)ppm + 1 : CLOCK_PPM_MAX;
}

static int nominal_slope(const struct clock *clock, long double *slope)
{
	long double known = known_slope(clock);
	int ret = median_slope(clock, slope);

	if (ret)
		return ret;
	if (*slope <= 0 || *slope > SLOPE_MAX)
		*slope = known;
	/* Prefer the kernel's rate unless the capture contradicts it. */
	if (known > 0 && fabsl(*slope / known - 1) < KHZ_WRONG)
		*slope = known;
	if (*slope <= 0 || *slope > SLOPE_MAX)
		*slope = 1;
	return 0;
}

/* Distance in ns of @to from the line with that slope through @from. */
static long double off_line(const struct clock_anchor *from, const struct clock_anchor *to,
			    long double slope)
{
	return (long double)to->ns - from->ns - distance(from, to) * slope;
}

static long double tolerance(const struct clock_anchor *a, const struct clock_anchor *b,
			     long double slope)
{
	long double width = (a->width + b->width) * slope / 2;

	return width + fabsl(distance(a, b)) * slope * GROSS_PPM / 1000000 + GROSS_NS;
}

/* Does most of its neighbourhood agree with anchor @i? */
static bool agrees(const struct clock *clock, unsigned int i, long double slope)
{
	unsigned int from = i > WINDOW ? i - WINDOW : 0;
	unsigned int to = i + WINDOW < clock->nr_anchors ? i + WINDOW : clock->nr_anchors - 1;
	const struct clock_anchor *me = &clock->anchors[i];
	unsigned int j, with = 0, against = 0;

	for (j = from; j <= to; j++) {
		const struct clock_anchor *other = &clock->anchors[j];

		if (j == i)
			continue;
		if (fabsl(off_line(me, other, slope)) <= tolerance(me, other, slope))
			with++;
		else
			against++;
	}
	return with >= against;
}

static void drop_marked(struct clock *clock, const bool *drop)
{
	unsigned int i, kept = 0;

	for (i = 0; i < clock->nr_anchors; i++) {
		if (!drop[i])
			clock->anchors[kept++] = clock->anchors[i];
	}
	clock->nr_anchors = kept;
}

static void reject_gross(struct clock *clock, bool *drop, long double slope)
{
	unsigned int i, kept = 0;

	for (i = 0; i < clock->nr_anchors; i++) {
		drop[i] = !agrees(clock, i, slope);
		kept += !drop[i];
	}
	/* Two contradict each other: keep one, which is better than none. */
	if (!kept && clock->nr_anchors)
		drop[0] = false;
	drop_marked(clock, drop);
}

/* Distance in ns of anchor @i from the line between two others. */
static long double off_between(const struct clock *clock, unsigned int from, unsigned int i,
			       unsigned int to)
{
	const struct clock_anchor *a = &clock->anchors[from], *b = &clock->anchors[to];

	if (clock_middle(a) >= clock_middle(b))
		return 0;
	return fabsl(off_line(a, &clock->anchors[i],
			      ((long double)b->ns - a->ns) / distance(a, b)));
}

/*
 * Does an anchor lie off a line that is straight without it? Where the clock
 * changes its rate, none does: the line bends without it, too.
 */
static bool stands_out(const struct clock *clock, unsigned int i, long double slope)
{
	long double off = off_between(clock, i - 1, i, i + 1), bend = 0, width, other;

	width = (clock->anchors[i - 1].width + clock->anchors[i].width +
		 clock->anchors[i + 1].width) * slope / 2;
	if (off <= width + FINE_NS)
		return false;
	if (i >= 2)
		bend = off_between(clock, i - 2, i - 1, i + 1);
	if (i + 2 < clock->nr_anchors) {
		other = off_between(clock, i - 1, i + 1, i + 2);
		bend = other > bend ? other : bend;
	}
	return bend <= off / 4 + width;
}

/* Do its neighbours give the time more precisely than a wide anchor? */
static bool is_blurred(const struct clock *clock, unsigned int i)
{
	const struct clock_anchor *a = &clock->anchors[i - 1], *b = &clock->anchors[i + 1];
	const struct clock_anchor *me = &clock->anchors[i];
	u64 left = clock_middle(me) - clock_middle(a), right = clock_middle(b) - clock_middle(me);
	u64 width = a->width > b->width ? a->width : b->width;
	u64 near = left < right ? left : right;

	return me->width / 2 > width / 2 + near / 1000000 * BLUR_PPM;
}

static void reject_blurred(struct clock *clock, bool *drop)
{
	unsigned int i;

	memset(drop, 0, clock->nr_anchors);
	for (i = 1; i + 1 < clock->nr_anchors; i++)
		drop[i] = is_blurred(clock, i);
	drop_marked(clock, drop);
}

static void reject_fine(struct clock *clock, bool *drop, long double slope)
{
	unsigned int i, dropped = 0;

	memset(drop, 0, clock->nr_anchors);
	for (i = 1; i + 1 < clock->nr_anchors; i++) {
		drop[i] = stands_out(clock, i, slope);
		dropped += drop[i];
	}
	/* So many cannot all be wrong: the clock itself is unstable. */
	if (dropped * 4 <= clock->nr_anchors)
		drop_marked(clock, drop);
}

static u64 mult_of(u64 ns, u64 ticks)
{
	/* Rounded up, so that the segment's end is exact. */
	return ((((__uint128_t)ns << CLOCK_SHIFT) + ticks - 1) / ticks);
}

static u64 mult_from(long double slope)
{
	return slope * (long double)((u64)1 << CLOCK_SHIFT);
}

static void add_segment(struct clock *clock, u64 tsc, u64 ns, u64 mult)
{
	struct clock_segment *seg = &clock->segments[clock->nr_segments++];

	seg->tsc = tsc;
	seg->ns = ns;
	seg->mult = mult;
}

/* After the last anchor, the line continues with its last slope. */
static void lay_segments(struct clock *clock, long double slope)
{
	const struct clock_anchor *last = NULL;
	u64 mult = mult_from(slope);
	unsigned int i;

	clock->nr_segments = 0;
	for (i = 0; i < clock->nr_anchors; i++) {
		const struct clock_anchor *anchor = &clock->anchors[i];
		u64 ticks, ns;

		if (!last) {
			last = anchor;
			continue;
		}
		if (clock_middle(anchor) <= clock_middle(last) || anchor->ns < last->ns)
			continue;
		ticks = clock_middle(anchor) - clock_middle(last);
		ns = anchor->ns - last->ns;
		if (ns / ticks >= SLOPE_MAX)
			continue;
		mult = mult_of(ns, ticks);
		add_segment(clock, clock_middle(last), last->ns, mult);
		last = anchor;
	}
	if (last)
		add_segment(clock, clock_middle(last), last->ns, mult);
	else
		add_segment(clock, 0, 0, mult);
}

/* Multipliers are rounded down, so that no segment's end is after the next one's begin. */
static void bend_segments(struct clock *clock)
{
	unsigned int i;

	if (!clock->bend.by)
		return;
	/* Stamps that are ns: what is added at 0 may be less than nothing. */
	if (clock->source == CLOCK_SOURCE_MONOTONIC) {
		clock->segments[0].tsc = clock->bend.from;
		clock->segments[0].ns = clock->bend.from;
	}
	for (i = 0; i < clock->nr_segments; i++) {
		struct clock_segment *seg = &clock->segments[i];

		seg->ns = clock_bent(clock, seg->ns);
		seg->mult = seg->mult + clock_drift(clock, seg->mult) - 1;
	}
}

/* A line that is fitted again would judge sub-buffers otherwise than the pass before it. */
static void keep_first(struct clock *clock)
{
	if (clock->nr_first)
		return;
	memcpy(clock->first, clock->segments, clock->nr_segments * sizeof(*clock->first));
	clock->nr_first = clock->nr_segments;
}

/* What the first line lets through may be beyond all times by another one. */
static void limit(struct clock *clock)
{
	const struct clock_segment *last = &clock->segments[clock->nr_segments - 1];
	__uint128_t ticks;

	clock->end = ~0ULL;
	if (clock->source == CLOCK_SOURCE_MONOTONIC || !last->mult)
		return;
	if (last->ns > CLOCK_NS_MAX) {
		clock->end = last->tsc;
		return;
	}
	ticks = ((__uint128_t)(CLOCK_NS_MAX - last->ns) << CLOCK_SHIFT) / last->mult;
	if (ticks < ~0ULL - last->tsc)
		clock->end = last->tsc + (u64)ticks;
}

/* A short capture gets finer bins; its middle half determines how short it is. */
static u64 fit_bin(const struct clock *clock)
{
	unsigned int nr = clock->nr_anchors;
	u64 bin = clock->bin ? clock->bin : full_bin(clock);
	u64 half;

	/* One of two would not have the rate. */
	if (!clock->bin && nr > 1 && nr < 4 && known_slope(clock) <= 0 &&
	    are_apart(&clock->anchors[0], &clock->anchors[nr - 1]))
		return 1;
	if (clock->bin || nr < 4)
		return bin;
	half = clock_middle(&clock->anchors[3 * nr / 4]) - clock_middle(&clock->anchors[nr / 4]);
	if (2 * half / BINS_WANTED < bin)
		bin = 2 * half / BINS_WANTED;
	return bin ? bin : 1;
}

/* Are two anchors further from the line with the given rate than their widths allow? */
static bool deny_rate(const struct clock_anchor *from, const struct clock_anchor *to,
		      long double slope)
{
	long double off = fabsl(off_line(from, to, slope)) - (from->width + to->width) * slope / 2;

	return to->ns > from->ns && off > FINE_NS + (to->ns - from->ns) * KHZ_WRONG;
}

/* Are they so far apart that they would deny half that rate? */
static bool could_deny(const struct clock_anchor *from, const struct clock_anchor *to,
		       long double slope)
{
	long double ns = distance(from, to) * slope;

	return ns / 2 > FINE_NS + (from->width + to->width) * slope / 2 + ns * KHZ_WRONG;
}

/* One wrong anchor denies any rate, so most others must do so, too. */
static bool most_deny_rate(const struct clock *clock, long double slope)
{
	unsigned int i, half = clock->nr_anchors / 2, with = 0, against = 0;

	for (i = 0; i + half < clock->nr_anchors; i++) {
		const struct clock_anchor *from = &clock->anchors[i], *to = from + half;

		if (deny_rate(from, to, slope))
			against++;
		else if (could_deny(from, to, slope))
			with++;
	}
	return against > with;
}

/* A rate that is given may be wrong; that by the first and the last anchor is not. */
static u64 contradicting_khz(const struct clock *clock)
{
	long double slope, khz;
	const struct clock_anchor *first = &clock->anchors[0];
	const struct clock_anchor *last = &clock->anchors[clock->nr_anchors - 1];

	if (!clock->tsc_khz)
		return 0;
	slope = 1000000.0L / clock->tsc_khz;
	if (!deny_rate(first, last, slope) || !most_deny_rate(clock, slope))
		return 0;
	khz = distance(first, last) * 1000000 / (last->ns - first->ns);
	/* Damaged anchors may say anything. */
	return khz < ~0ULL ? khz : ~0ULL;
}

int clock_fit(struct clock *clock)
{
	long double slope;
	bool *drop;
	int ret;

	drop = calloc(CLOCK_COLLECT_MAX, sizeof(*drop));
	if (!drop)
		return -ENOMEM;
	qsort(clock->anchors, clock->nr_anchors, sizeof(*clock->anchors), compare_anchors);
	/* Before the bins, so that no wrong anchor replaces a right one. */
	ret = nominal_slope(clock, &slope);
	if (ret)
		goto out_free;
	reject_gross(clock, drop, slope);
	clock->rate_ppm = doubt_of_rate(clock, slope);
	/* Of those that are near each other, one is kept: it does not deny anything any more. */
	if (clock->nr_anchors > 1)
		clock->measured_khz = contradicting_khz(clock);
	keep_narrowest(clock, fit_bin(clock));
	ret = nominal_slope(clock, &slope);
	if (ret)
		goto out_free;
	reject_blurred(clock, drop);
	reject_fine(clock, drop, slope);
	lay_segments(clock, slope);
	keep_first(clock);
	bend_segments(clock);
	limit(clock);
	clock_seek(clock, clock->segments[0].tsc);
	memset(&clock->residual, 0, sizeof(clock->residual));
out_free:
	free(drop);
	return ret;
}

int clock_set_bend(struct clock *clock, const struct clock_bend *bend)
{
	clock->bend = *bend;
	return clock_fit(clock);
}
