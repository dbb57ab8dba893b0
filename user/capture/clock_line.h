/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_CLOCK_LINE_H
#define OVNIK_CAPTURE_CLOCK_LINE_H

#include "capture/clock.h"

/* What fitting the line (clock_fit.c) and using it (clock.c) share. */

/* Entries of each array of struct clock. */
#define CLOCK_COLLECT_MAX	(2 * CLOCK_KNOTS_MAX)

/**
 * clock_middle() - When CLOCK_MONOTONIC was read for an anchor, as well as that is known.
 * @anchor: the anchor
 *
 * Context: Any.
 * Return: TSC.
 */
static inline u64 clock_middle(const struct clock_anchor *anchor)
{
	return anchor->tsc + anchor->width / 2;
}

/**
 * clock_drift() - What the drift adds to a span of time.
 * @clock: with the drift that is taken out
 * @ns: length of the span
 *
 * Context: Any.
 * Return: ns to be added; less than 0 if the span gets shorter.
 */
s64 clock_drift(const struct clock *clock, s64 ns);

#endif /* OVNIK_CAPTURE_CLOCK_LINE_H */
