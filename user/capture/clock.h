/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_CLOCK_H
#define OVNIK_CAPTURE_CLOCK_H

#include "util/types.h"

#define CLOCK_KNOTS_MAX		8192
#define CLOCK_SHIFT		56
#define CLOCK_NS_MAX		((u64)1 << 62)	/* no machine is up for 146 years */
#define CLOCK_PPM_MAX		1000000		/* a rate so uncertain is not known */
#define CLOCK_WRONG_NS		100000000	/* no clock is that far off its anchors */

/**
 * enum clock_source - What the stamps of a capture count.
 * @CLOCK_SOURCE_TSC: ticks of the TSC
 * @CLOCK_SOURCE_MONOTONIC: ns of CLOCK_MONOTONIC
 *
 * Stamps are called TSC here and elsewhere, whatever they count.
 */
enum clock_source {
	CLOCK_SOURCE_TSC,
	CLOCK_SOURCE_MONOTONIC,
};

/**
 * struct clock_anchor - One moment on both clocks.
 * @tsc: TSC before CLOCK_MONOTONIC was read
 * @ns: CLOCK_MONOTONIC
 * @width: ticks until the TSC was read again: @ns was read at
 *	   @tsc + @width / 2, +- @width / 2
 */
struct clock_anchor {
	u64 tsc;
	u64 ns;
	u64 width;
};

/**
 * struct clock_segment - A segment of the line from TSC to ns.
 * @tsc: where it begins
 * @ns: CLOCK_MONOTONIC at @tsc
 * @mult: ns per tick, times 2^CLOCK_SHIFT
 */
struct clock_segment {
	u64 tsc;
	u64 ns;
	u64 mult;
};

/**
 * struct clock_bend - How a clock drifts, which is taken out.
 * @from: nothing is to be added to ns of CLOCK_MONOTONIC then
 * @over: so many ns later
 * @by: that is to be added, and in proportion between, before and after; 0: nothing ever
 */
struct clock_bend {
	s64 from;
	s64 over;
	s64 by;
};

/**
 * struct clock_residual - How far the anchors lie off the line.
 * @anchors: anchors compared
 * @rejected: anchors too far off the others, not compared
 * @max_ns: greatest distance beyond an anchor's own uncertainty, ns
 * @sum_squares: of the distances from the middle of each anchor, ns^2
 */
struct clock_residual {
	u64 anchors;
	u64 rejected;
	u64 max_ns;
	double sum_squares;
};

/**
 * struct clock - Conversion from TSC to CLOCK_MONOTONIC.
 * @source: what the stamps count
 * @tsc_khz: rate of the TSC as the kernel knows it, 0 if not known
 * @anchors: collected, at most 2 * CLOCK_KNOTS_MAX
 * @nr_anchors: length of @anchors
 * @bin: ticks in which one anchor is kept once there are too many; 0 at first
 * @rate_ppm: how far off the rate by the anchors may be; CLOCK_PPM_MAX: they give none
 * @measured_khz: rate by the anchors, if it contradicts @tsc_khz; else 0
 * @bend: drift that is taken out
 * @segments: the line, by @tsc
 * @nr_segments: length of @segments
 * @first: the line that was fitted first, without drift taken out: see clock_check()
 * @nr_first: length of @first
 * @end: last TSC that can be converted; all after it are CLOCK_NS_MAX
 * @lo: where the segment used last begins
 * @hi: where it ends
 * @cur: that segment
 * @residual: see clock_check()
 */
struct clock {
	enum clock_source source;
	u64 tsc_khz;
	struct clock_anchor *anchors;
	unsigned int nr_anchors;
	u64 bin;
	u64 rate_ppm;
	u64 measured_khz;
	struct clock_bend bend;
	struct clock_segment *segments;
	unsigned int nr_segments;
	struct clock_segment *first;
	unsigned int nr_first;
	u64 end;
	u64 lo;
	u64 hi;
	struct clock_segment cur;
	struct clock_residual residual;
};

/**
 * clock_init() - Begin to collect anchors.
 * @clock: is set; clock_destroy() frees it
 * @source: what the stamps count
 * @tsc_khz: rate of the TSC, 0 if not known
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int clock_init(struct clock *clock, enum clock_source source, u64 tsc_khz) __must_check;

/**
 * clock_destroy() - Free a clock.
 * @clock: as clock_init() left it, or zeroed
 *
 * Context: Any.
 */
void clock_destroy(struct clock *clock);

/**
 * clock_add() - Collect an anchor.
 * @clock: before or after clock_fit(); the line changes at the next clock_fit()
 * @anchor: the anchor; may be wrong
 *
 * Memory is bounded: if there are too many anchors, only the narrowest of each
 * interval is kept.
 *
 * Context: Any.
 */
void clock_add(struct clock *clock, const struct clock_anchor *anchor);

/**
 * clock_fit() - Fit the line through the anchors.
 * @clock: with the anchors collected
 *
 * Anchors that contradict the rest are left out; the line never goes back.
 * Without anchors it begins at TSC 0, with the known rate or one tick per ns.
 * Stamps that are CLOCK_MONOTONIC are not converted, whatever the anchors say.
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int clock_fit(struct clock *clock) __must_check;

/**
 * clock_set_bend() - Take out drift.
 * @clock: after clock_fit(); the line is fitted again
 * @bend: the drift: less than a tenth
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int clock_set_bend(struct clock *clock, const struct clock_bend *bend) __must_check;

/**
 * clock_bent() - Take drift out of a time.
 * @clock: a clock
 * @ns: CLOCK_MONOTONIC
 *
 * Context: Any.
 * Return: ns, as clock_ns() returns them.
 */
u64 clock_bent(const struct clock *clock, u64 ns);

/**
 * clock_check() - Compare an anchor with the line.
 * @clock: after clock_fit()
 * @anchor: any anchor of the capture
 *
 * Adds to @clock->residual. What belongs to the capture is judged by the line that was fitted
 * first, so that each pass over it has the same records: outputs rely on that.
 *
 * Context: Any.
 * Return: true if it agrees, or nearly so; false if it is further off than any
 * clock can be.
 */
bool clock_check(struct clock *clock, const struct clock_anchor *anchor);

/**
 * clock_in_range() - Can a TSC value be of the capture?
 * @clock: after clock_fit()
 * @tsc: any value
 *
 * Context: Any.
 * Return: true if CLOCK_MONOTONIC is less than CLOCK_NS_MAX then, by the line that was fitted
 * first.
 */
bool clock_in_range(const struct clock *clock, u64 tsc);

/* Use clock_ns(). */
void clock_seek(struct clock *clock, u64 tsc);

/**
 * clock_near() - Is a TSC value on the segment used last?
 * @clock: after clock_fit()
 * @tsc: any value
 *
 * Context: Any.
 * Return: true if clock_on_segment() converts it.
 */
static inline bool clock_near(const struct clock *clock, u64 tsc)
{
	return tsc >= clock->cur.tsc && tsc < clock->hi;
}

/**
 * clock_on_segment() - Convert a TSC value for which clock_near() holds.
 * @clock: after clock_fit()
 * @tsc: the value
 *
 * Context: Any.
 * Return: CLOCK_MONOTONIC in ns.
 */
static inline u64 clock_on_segment(const struct clock *clock, u64 tsc)
{
	return clock->cur.ns +
	       (u64)(((__uint128_t)(tsc - clock->cur.tsc) * clock->cur.mult) >> CLOCK_SHIFT);
}

/**
 * clock_ns() - Convert a TSC value.
 * @clock: after clock_fit()
 * @tsc: any value
 *
 * Exact to the ns; cheap while values stay near each other.
 *
 * Context: One thread at a time.
 * Return: CLOCK_MONOTONIC in ns; 0 if it would be negative, CLOCK_NS_MAX if it would be more.
 */
static inline u64 clock_ns(struct clock *clock, u64 tsc)
{
	if (unlikely(tsc < clock->lo || tsc >= clock->hi))
		clock_seek(clock, tsc);
	if (unlikely(tsc < clock->cur.tsc)) {
		__uint128_t back = ((__uint128_t)(clock->cur.tsc - tsc) * clock->cur.mult) >>
				   CLOCK_SHIFT;

		return back < clock->cur.ns ? clock->cur.ns - (u64)back : 0;
	}
	if (unlikely(tsc > clock->end))
		return CLOCK_NS_MAX;
	return clock_on_segment(clock, tsc);
}

/**
 * clock_rms() - How far the anchors lie off the line.
 * @residual: of a clock
 *
 * Context: Any.
 * Return: the root of the mean square, ns, rounded down; 0 without anchors.
 */
u64 clock_rms(const struct clock_residual *residual);

#endif /* OVNIK_CAPTURE_CLOCK_H */
