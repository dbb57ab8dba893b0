// SPDX-License-Identifier: GPL-2.0-only
/* The time of day beside the capture's clock: it is what the clocks of nodes have in common. */
#include <string.h>
#include <sys/timex.h>

#include "system.h"
#include "wall.h"

#define READINGS	16

/**
 * wall_read() - Read both clocks as close together as possible.
 * @pair: is set: the narrowest of some readings
 */
void wall_read(struct wall_pair *pair)
{
	struct timex timex = { .modes = 0 };
	int i;

	memset(pair, 0, sizeof(*pair));
	for (i = 0; i < READINGS; i++) {
		u64 monotonic = system_clock_ns(CLOCK_MONOTONIC);
		u64 realtime = system_clock_ns(CLOCK_REALTIME);
		u64 width = system_clock_ns(CLOCK_MONOTONIC) - monotonic;

		if (i && width >= pair->width)
			continue;
		pair->realtime = realtime;
		pair->monotonic = monotonic;
		pair->width = width;
	}
	pair->synced = adjtimex(&timex) >= 0 && !(timex.status & STA_UNSYNC);
	pair->max_error = timex.maxerror * 1000ULL;
}
