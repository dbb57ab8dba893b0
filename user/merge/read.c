// SPDX-License-Identifier: GPL-2.0-only
/* Reading an application's stream, with regions that are not sorted: see read.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/clock.h"
#include "merge/read.h"
#include "util/msg.h"

static int fail_at(const char *path, u64 offset, const struct ovni_ev *ev, const char *reason)
{
	char mcv[OVNI_MCV_TEXT];

	msg_error("%s: offset %llu: event %s at clock %llu: %s", path,
		  (unsigned long long)offset, ovni_mcv_text(mcv, ev->mcv),
		  (unsigned long long)ev->clock, reason);
	return -EINVAL;
}

int merge_reader_fail(const struct merge_reader *r, const char *reason)
{
	return fail_at(r->in.path, r->offset, &r->ev, reason);
}

static int scout_fail(const struct merge_reader *r, const char *reason)
{
	return fail_at(r->scout.path, r->scout.offset, &r->scout.ev, reason);
}

static int no_memory(const struct merge_reader *r)
{
	msg_error("%s: out of memory", r->in.path);
	return -ENOMEM;
}

static bool is_region(const struct ovni_ev *ev, char value)
{
	return ev->mcv[0] == 'O' && ev->mcv[1] == 'U' && ev->mcv[2] == value;
}

/* An event within a region. */
static int scout_inside(struct merge_reader *r, u64 *low)
{
	const struct ovni_ev *ev = &r->scout.ev;

	if (is_region(ev, '['))
		return scout_fail(r, "the unsorted region before it has no end");
	if (is_region(ev, ']') && ev->clock < r->high)
		return scout_fail(r, "the clock goes back, behind events of its region too");
	if (ev->clock > r->high)
		r->high = ev->clock;
	if (is_region(ev, ']'))
		return 1;
	if (ev->clock < *low)
		*low = ev->clock;
	return 0;
}

static int scout_outside(struct merge_reader *r)
{
	const struct ovni_ev *ev = &r->scout.ev;

	if (ev->clock < r->high)
		return scout_fail(r, "the clock goes back");
	r->high = ev->clock;
	return is_region(ev, ']') ? scout_fail(r, "no unsorted region has begun") : 0;
}

/* Region @nr of those that are ahead. */
static struct merge_region *region_ahead(struct merge_reader *r, u32 nr)
{
	return &r->ahead[(r->first_ahead + nr) % MERGE_REGIONS_AHEAD];
}

/* A region that goes back behind the beginning of others is one with them. */
static void add_region(struct merge_reader *r, u64 low, u64 end)
{
	while (r->nr_ahead && region_ahead(r, r->nr_ahead - 1)->low > low)
		r->nr_ahead--;
	*region_ahead(r, r->nr_ahead++) = (struct merge_region){ .low = low, .end = end };
	r->regions++;
}

/* Look ahead to the end of the next region that has events. */
static int scout(struct merge_reader *r)
{
	bool inside = false;
	u64 low = OVNI_CLOCK_MAX;
	int ret;

	while ((ret = ovni_stream_next(&r->scout)) > 0) {
		if (!inside) {
			ret = scout_outside(r);
			inside = is_region(&r->scout.ev, '[');
		} else {
			ret = scout_inside(r, &low);
			inside = !ret;
		}
		if (ret < 0)
			return ret;
		if (!ret || low == OVNI_CLOCK_MAX)
			continue;
		add_region(r, low, r->scout.offset);
		return 0;
	}
	if (!ret && inside && !r->scout.killed)
		ret = scout_fail(r, "the unsorted region has no end");
	else if (!ret && inside && low != OVNI_CLOCK_MAX)
		add_region(r, low, r->scout.size);
	r->all = true;
	r->cut = r->scout.cut;
	ovni_stream_close(&r->scout);
	return ret;
}

/* Go to the next region. */
static int next_region(struct merge_reader *r)
{
	int ret = 0;

	while (!r->all && r->nr_ahead < MERGE_REGIONS_AHEAD && !ret)
		ret = scout(r);
	r->end = 0;
	if (ret || !r->nr_ahead)
		return ret;
	r->low = region_ahead(r, 0)->low;
	r->end = region_ahead(r, 0)->end;
	r->first_ahead++;
	r->nr_ahead--;
	return 0;
}

void merge_raw_put(u8 *to, const struct ovni_ev *ev, u64 clock)
{
	struct ovni_ev_header head = {
		.flags = OVNI_EV_SIZE_CODE(ev->size),
		.mcv = { ev->mcv[0], ev->mcv[1], ev->mcv[2] },
		.clock = clock,
	};

	if (ev->jumbo)
		head.flags = OVNI_EV_JUMBO | OVNI_EV_SIZE_CODE(OVNI_EV_JUMBO_SIZE);
	memcpy(to, &head, sizeof(head));
	to += sizeof(head);
	if (ev->jumbo) {
		memcpy(to, &ev->size, OVNI_EV_JUMBO_SIZE);
		to += OVNI_EV_JUMBO_SIZE;
	}
	if (ev->size)
		memcpy(to, ev->payload, ev->size);
}

static void raw_get(const u8 *from, struct ovni_ev *ev)
{
	struct ovni_ev_header head;

	memcpy(&head, from, sizeof(head));
	memset(ev, 0, sizeof(*ev));
	ev->clock = head.clock;
	memcpy(ev->mcv, head.mcv, sizeof(ev->mcv));
	ev->jumbo = head.flags & OVNI_EV_JUMBO;
	from += sizeof(head);
	if (ev->jumbo) {
		memcpy(&ev->size, from, sizeof(ev->size));
		from += sizeof(ev->size);
	} else {
		ev->size = head.flags & OVNI_EV_SIZE_MASK;
		ev->size += ev->size > 0;
	}
	ev->payload = from;
}

static int window_room(struct merge_reader *r, u64 bytes)
{
	u64 room = r->room ? r->room : 4096;
	void *grown;

	while (room < r->bytes + bytes)
		room *= 2;
	if (room != r->room) {
		grown = realloc(r->raw, room);
		if (!grown)
			return no_memory(r);
		r->raw = grown;
		r->room = room;
	}
	if (r->nr < r->list_room)
		return 0;
	grown = realloc(r->list, (r->list_room ? 2 * (size_t)r->list_room : 256) *
			sizeof(*r->list));
	if (!grown)
		return no_memory(r);
	r->list = grown;
	r->list_room = r->list_room ? 2 * r->list_room : 256;
	return 0;
}

/* Put the present event of the file into the window. */
static int window_add(struct merge_reader *r)
{
	const struct ovni_ev *ev = &r->in.ev;
	u64 bytes = merge_raw_size(ev);
	char reason[80];
	int ret;

	if (r->bytes + bytes > MERGE_SORT_BYTES) {
		snprintf(reason, sizeof(reason),
			 "more than %u MiB of events would have to be sorted",
			 MERGE_SORT_BYTES >> 20);
		return fail_at(r->in.path, r->in.offset, ev, reason);
	}
	ret = window_room(r, bytes);
	if (ret)
		return ret;
	merge_raw_put(r->raw + r->bytes, ev, ev->clock);
	r->list[r->nr].clock = ev->clock;
	r->list[r->nr].at = r->bytes;
	r->list[r->nr++].offset = r->in.offset;
	r->bytes += bytes;
	if (ev->clock > r->top)
		r->top = ev->clock;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct merge_sorted *x = a, *y = b;

	if (x->clock != y->clock)
		return x->clock < y->clock ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* From the present event to the end of the region and of those that overlap it. */
static int window_fill(struct merge_reader *r)
{
	int ret = 1;

	while (ret > 0) {
		if (r->in.offset == r->end) {
			ret = next_region(r);
			if (ret || !r->end || r->low >= r->top)
				break;
		} else if (r->in.ev.mcv[0] != 'O' || r->in.ev.mcv[1] != 'U') {
			ret = window_add(r);
			if (ret)
				break;
		}
		ret = ovni_stream_next(&r->in);
	}
	if (ret < 0)
		return ret;
	qsort(r->list, r->nr, sizeof(*r->list), compare);
	return 0;
}

static int window_next(struct merge_reader *r)
{
	const struct merge_sorted *entry = &r->list[r->next++];

	raw_get(r->raw + entry->at, &r->ev);
	r->offset = entry->offset;
	return 1;
}

static void window_drop(struct merge_reader *r)
{
	free(r->raw);
	free(r->list);
	r->raw = NULL;
	r->list = NULL;
	r->bytes = 0;
	r->room = 0;
	r->top = 0;
	r->nr = 0;
	r->list_room = 0;
	r->next = 0;
}

static int file_next(struct merge_reader *r)
{
	int ret;

	do {
		ret = ovni_stream_next(&r->in);
		if (ret <= 0)
			return ret;
		if (r->in.offset >= r->end && !(r->all && !r->nr_ahead)) {
			ret = next_region(r);
			if (ret)
				return ret;
		}
	} while (r->in.ev.mcv[0] == 'O' && r->in.ev.mcv[1] == 'U');
	r->ev = r->in.ev;
	r->offset = r->in.offset;
	return 1;
}

static int read_next(struct merge_reader *r)
{
	int ret;

	if (r->next < r->nr)
		return window_next(r);
	if (r->raw)
		window_drop(r);
	ret = file_next(r);
	if (ret <= 0 || !r->end || r->ev.clock < r->low)
		return ret;
	return window_fill(r) ?: window_next(r);
}

static int too_far_back(const struct merge_reader *r)
{
	char reason[120];

	snprintf(reason, sizeof(reason),
		 "an unsorted region goes back over more than %u others: sort the stream with ovnisort first",
		 MERGE_REGIONS_AHEAD);
	return merge_reader_fail(r, reason);
}

int merge_reader_next(struct merge_reader *r)
{
	int ret = read_next(r);

	if (ret > 0 && r->ev.clock < r->last)
		return too_far_back(r);
	r->last = r->ev.clock;
	if (ret > 0 && r->clock)
		r->ev.clock = clock_bent(r->clock, r->ev.clock);
	return ret;
}

int merge_reader_check(struct merge_reader *r)
{
	int ret = 0;

	while (!r->all && !ret) {
		r->nr_ahead = 0;
		ret = scout(r);
	}
	return ret;
}

int merge_reader_open(struct merge_reader *r, const char *path, bool killed, u32 window,
		      const struct clock *clock)
{
	int ret;

	memset(r, 0, sizeof(*r));
	r->clock = clock;
	ret = ovni_stream_open(&r->in, path, window);
	if (!ret)
		ret = ovni_stream_open(&r->scout, path, window);
	/* Clocks are checked here. */
	r->in.unsorted = true;
	r->scout.unsorted = true;
	r->in.killed = killed;
	r->scout.killed = killed;
	return ret;
}

void merge_reader_close(struct merge_reader *r)
{
	window_drop(r);
	ovni_stream_close(&r->in);
	ovni_stream_close(&r->scout);
}
