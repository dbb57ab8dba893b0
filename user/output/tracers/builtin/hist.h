/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_HIST_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_HIST_H

#include "util/types.h"

/*
 * A histogram of any 64-bit values in constant memory. Values below 256 have a bucket
 * each; above, each power of two has 128 buckets of the same width. So a value and the
 * last of its bucket differ by less than 1/128 of the value.
 */

#define HIST_SUB	128	/* buckets of a power of two */
#define HIST_BUCKETS	(2 * HIST_SUB + 56 * HIST_SUB)

/**
 * struct hist - A histogram. All zero is empty.
 * @nr: values
 * @counts: per bucket
 */
struct hist {
	u64 nr;
	u64 counts[HIST_BUCKETS];
};

/**
 * hist_add() - Add a value.
 * @h: the histogram
 * @value: the value
 *
 * Context: Any.
 */
static inline void hist_add(struct hist *h, u64 value)
{
	unsigned int shift = value < 2 * HIST_SUB ? 0 : 56 - __builtin_clzll(value);

	h->nr++;
	h->counts[shift * HIST_SUB + (value >> shift)]++;
}

/**
 * hist_last() - The last value of a bucket.
 * @i: its number
 *
 * Context: Any.
 * Return: the value.
 */
static inline u64 hist_last(unsigned int i)
{
	unsigned int shift = i < 2 * HIST_SUB ? 0 : i / HIST_SUB - 1;

	return ((u64)(i - shift * HIST_SUB + 1) << shift) - 1;
}

/**
 * hist_percentile() - A value that is not less than a share of the values.
 * @h: the histogram
 * @permyriad: the share, of 10000
 *
 * Context: Any.
 * Return: the last value of the bucket of the least value of which that is true; 0 if the
 * histogram is empty.
 */
u64 hist_percentile(const struct hist *h, u64 permyriad);

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_HIST_H */
