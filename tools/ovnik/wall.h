/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_WALL_H
#define OVNIK_TOOL_WALL_H

#include "util/types.h"

/**
 * struct wall_pair - CLOCK_REALTIME and CLOCK_MONOTONIC at one instant, ns.
 * @realtime:  the former
 * @monotonic: the latter before @realtime was read
 * @width:     until @monotonic was read again
 * @synced:    the kernel believes that @realtime is kept right, by NTP or the like
 * @max_error: at most so much is it wrong then, as the kernel believes
 */
struct wall_pair {
	u64 realtime;
	u64 monotonic;
	u64 width;
	bool synced;
	u64 max_error;
};

void wall_read(struct wall_pair *pair);

#endif /* OVNIK_TOOL_WALL_H */
