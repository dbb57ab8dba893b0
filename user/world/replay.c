// SPDX-License-Identifier: GPL-2.0-only
/* A world that stands at some moment of a capture: see replay.h. */
#include <string.h>

#include "world/replay.h"

int replay_open(struct replay *r, const char *dir)
{
	int ret;

	memset(r, 0, sizeof(*r));
	ret = capture_open(&r->cap, dir);
	if (ret)
		return ret;
	capture_begin_pass(&r->cap, false);
	ret = world_init(&r->world, &r->cap);
	return ret ? ret : merge_open(&r->merge, &r->cap);
}

static int begin(struct replay *r)
{
	r->began = true;
	world_begin(&r->world, r->cap.begin);
	return merge_next(&r->merge, &r->next);
}

int replay_until(struct replay *r, u64 tsc)
{
	int ret = 0;

	if (!r->began)
		ret = begin(r);
	while (!ret && r->next && r->next->tsc <= tsc) {
		ret = world_feed(&r->world, r->next);
		if (!ret)
			ret = merge_next(&r->merge, &r->next);
	}
	return ret ? ret : r->world.hooks.error;
}

void replay_close(struct replay *r)
{
	merge_close(&r->merge);
	world_destroy(&r->world);
	capture_close(&r->cap);
}
