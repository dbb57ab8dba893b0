// SPDX-License-Identifier: GPL-2.0-only
/* The times of day in meta.json. */
#include <stdlib.h>

#include "capture/clock.h"
#include "capture/meta_json.h"
#include "capture/meta_wall.h"

static const char *read_wall(struct json_object *obj, struct meta_wall *wall)
{
	if (!json_object_is_type(obj, json_type_object))
		return "a time of day is not an object";
	wall->realtime = get_u64(obj, "realtime");
	wall->monotonic = get_u64(obj, "monotonic");
	wall->width = get_u64(obj, "width");
	wall->synced = get_bool(obj, "synced");
	wall->max_error = get_u64(obj, "max_error");
	if (wall->realtime < CLOCK_NS_MAX && wall->monotonic < CLOCK_NS_MAX &&
	    wall->width < CLOCK_NS_MAX - wall->monotonic && wall->max_error < CLOCK_NS_MAX)
		return NULL;
	return "a time of day is impossible";
}

const char *meta_walls_read(struct json_object *clock, struct meta_wall **walls, unsigned int *nr)
{
	struct json_object *list = get_of(clock, "walls", json_type_array);
	size_t i, n = list ? json_object_array_length(list) : 0;
	const char *why = NULL;

	if (!n)
		return NULL;
	*walls = calloc(n, sizeof(**walls));
	if (!*walls)
		return "no memory for its times of day";
	*nr = n;
	for (i = 0; i < n && !why; i++)
		why = read_wall(json_object_array_get_idx(list, i), *walls + i);
	return why;
}
