// SPDX-License-Identifier: GPL-2.0-only
/* Histograms: see hist.h. */
#include "output/tracers/builtin/hist.h"

u64 hist_percentile(const struct hist *h, u64 permyriad)
{
	u64 rank = (h->nr / 10000) * permyriad + (h->nr % 10000 * permyriad + 9999) / 10000;
	u64 seen = 0;
	unsigned int i;

	if (!h->nr)
		return 0;
	for (i = 0; i < HIST_BUCKETS - 1; i++) {
		seen += h->counts[i];
		if (seen >= rank && seen)
			break;
	}
	return hist_last(i);
}
