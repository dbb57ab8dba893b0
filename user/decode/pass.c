// SPDX-License-Identifier: GPL-2.0-only
/* One pass over a capture: see pass.h. */
#include <errno.h>
#include <stdio.h>

#include "capture/merge.h"
#include "decode/pass.h"
#include "util/msg.h"

#define LOOK_EVERY	65536	/* items between two looks at errors and progress */

static void show_progress(const struct capture *cap, const char *what)
{
	u64 total = cap->subbufs ? cap->subbufs : 1;

	fprintf(stderr, "\r%s: %3llu %%", what, cap->stats.subbufs * 100 / total);
}

/* Feed some items: errors and progress are not checked after each one. */
static int feed_some(struct world *w, struct merge *m, bool *more)
{
	const struct capture_item *item;
	unsigned int n;
	int ret;

	for (n = 0; n < LOOK_EVERY; n++) {
		ret = merge_next(m, &item);
		if (unlikely(ret || !item)) {
			*more = false;
			return ret;
		}
		ret = world_feed(w, item);
		if (unlikely(ret))
			return ret;
	}
	return 0;
}

static int feed_all(struct capture *cap, struct world *w, struct merge *m, const char *progress)
{
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		ret = feed_some(w, m, &more);
		if (!ret)
			ret = w->hooks.error;
		if (progress && more)
			show_progress(cap, progress);
	}
	return ret;
}

/* A damaged capture without a record: outputs would be wrong, not just incomplete. */
static int check_records(const struct capture *cap)
{
	if (capture_records(cap) || !capture_damages(cap))
		return 0;
	msg_error("%s: the capture is damaged, and not one record of it can be read", cap->dir);
	return -ENODATA;
}

int pass_run(struct capture *cap, struct world *w, const char *progress)
{
	struct merge m;
	int ret;

	ret = merge_open(&m, cap);
	if (ret)
		goto out_close;
	world_begin(w, cap->begin);
	ret = feed_all(cap, w, &m, progress);
	if (!ret)
		ret = world_end(w, cap->end);
out_close:
	merge_close(&m);
	if (progress)
		fprintf(stderr, "\r%-16s\r", "");
	if (ret == -ENOMEM)
		msg_error("no memory");
	return ret ? ret : check_records(cap);
}
