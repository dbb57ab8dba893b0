/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CLOCK_H
#define OVNIK_CLOCK_H

#include <linux/types.h>

/**
 * struct ovnik_clock_pair - The TSC and CLOCK_MONOTONIC at one instant.
 * @tsc:   ticks, read first
 * @ns:	   CLOCK_MONOTONIC, ns
 * @width: ticks from @tsc to a TSC read after @ns
 */
struct ovnik_clock_pair {
	u64 tsc;
	u64 ns;
	u64 width;
};

int ovnik_clock_init(void);
u32 ovnik_clock_flags(void);
void ovnik_clock_pair(struct ovnik_clock_pair *pair);

#endif /* OVNIK_CLOCK_H */
