/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_META_WALL_H
#define OVNIK_CAPTURE_META_WALL_H

#include "util/types.h"

struct json_object;

/**
 * struct meta_wall - CLOCK_REALTIME and CLOCK_MONOTONIC at one instant, ns.
 * @realtime: the former
 * @monotonic: the latter before @realtime was read
 * @width: until @monotonic was read again
 * @synced: the node's kernel believes that @realtime is right
 * @max_error: but for so much
 */
struct meta_wall {
	u64 realtime;
	u64 monotonic;
	u64 width;
	bool synced;
	u64 max_error;
};

/**
 * meta_wall_offset() - How far the time of day is ahead.
 * @wall: of two readings, @realtime lies between those of CLOCK_MONOTONIC
 *
 * Context: Any.
 * Return: CLOCK_REALTIME less CLOCK_MONOTONIC, ns.
 */
static inline s64 meta_wall_offset(const struct meta_wall *wall)
{
	return (s64)wall->realtime - (s64)(wall->monotonic + wall->width / 2);
}

/**
 * meta_walls_read() - Read the times of day that meta.json has.
 * @clock: its member "clock"
 * @walls: is set, to be freed; also after a failure
 * @nr: is set
 *
 * Context: Any.
 * Return: NULL; what is wrong with them.
 */
const char *meta_walls_read(struct json_object *clock, struct meta_wall **walls, unsigned int *nr);

#endif /* OVNIK_CAPTURE_META_WALL_H */
