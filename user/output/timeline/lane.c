// SPDX-License-Identifier: GPL-2.0-only
/* What happened at one place, in bounded memory: see lane.h. */
#include <errno.h>
#include <stdlib.h>

#include "output/timeline/lane.h"

#define HAS_BYTES	2
#define IS_MIX		1
#define NUMBER_MAX	10	/* bytes of a number */
#define ITEM_MAX	(NUMBER_MAX * (3 + 4 * LANE_PARTS))
#define WIDTH_FIRST	1024	/* ns */
#define WIDTH_LAST	(1ULL << 42)

static u8 *put(u8 *p, u64 n)
{
	for (; n > 0x7f; n >>= 7)
		*p++ = n | 0x80;
	*p++ = n;
	return p;
}

static u64 get(const u8 **p)
{
	u64 n = 0;
	u32 shift = 0;

	do {
		n |= (u64)(**p & 0x7f) << shift;
		shift += 7;
	} while (*(*p)++ & 0x80);
	return n;
}

static u64 zigzag(s64 n)
{
	return (u64)n << 1 ^ (u64)(n >> 63);
}

static int make_room(struct lane *lane)
{
	size_t room = lane->room ? 2 * lane->room : 64;
	u8 *text;

	if (lane->room - lane->len >= ITEM_MAX)
		return 0;
	if (room < lane->len + ITEM_MAX)
		room = lane->len + ITEM_MAX;
	text = realloc(lane->text, room);
	if (!text)
		return -ENOMEM;
	lane->text = text;
	lane->room = room;
	return 0;
}

/* The last item goes into the text. */
static int put_last(struct lanes *all, struct lane *lane)
{
	const struct lane_item *item = &lane->last;
	u64 bytes = 0;
	u32 i;
	u8 *p;

	if (make_room(lane))
		return -ENOMEM;
	for (i = 0; i < item->nr; i++)
		bytes |= item->parts[i].bytes;
	p = put(lane->text + lane->len, zigzag(item->start - lane->at) << 2 |
		(bytes ? HAS_BYTES : 0) | (item->mix ? IS_MIX : 0));
	if (item->mix) {
		p = put(p, item->nr);
		p = put(p, item->end - item->start);
	}
	for (i = 0; i < item->nr; i++) {
		p = put(p, item->parts[i].key);
		if (item->mix)
			p = put(p, item->parts[i].count);
		p = put(p, item->parts[i].ns);
		if (bytes)
			p = put(p, item->parts[i].bytes);
	}
	all->bytes += p - lane->text - lane->len;
	lane->len = p - lane->text;
	lane->at = item->end;
	lane->last.nr = 0;
	return 0;
}

/* The item at @p, of a text in which the one before ended at @at. */
static const u8 *read_item(const u8 *p, u64 at, struct lane_item *item)
{
	u64 head = get(&p), gap = head >> 2;
	u32 i;

	item->mix = head & IS_MIX;
	item->nr = item->mix ? get(&p) : 1;
	item->start = at + (gap >> 1 ^ -(gap & 1));
	item->end = item->start + (item->mix ? get(&p) : 0);
	for (i = 0; i < item->nr; i++) {
		struct lane_part *part = &item->parts[i];

		part->key = get(&p);
		part->count = item->mix ? get(&p) : 1;
		part->ns = get(&p);
		part->bytes = head & HAS_BYTES ? get(&p) : 0;
	}
	if (!item->mix)
		item->end += item->parts[0].ns;
	return p;
}

static void sum_up(struct lane_part *to, const struct lane_part *part)
{
	to->count += part->count;
	to->ns += part->ns;
	to->bytes += part->bytes;
}

static u32 find(const struct lane_item *item, u64 key)
{
	u32 i;

	for (i = 0; i < item->nr && item->parts[i].key != key; i++)
		;
	return i;
}

/* One key comes before another to be summed up with others: groups come last. */
static bool is_less(const struct lane_part *a, const struct lane_part *b)
{
	bool is_group = a->key >= LANE_GROUP;

	return is_group == (b->key >= LANE_GROUP) ? a->ns < b->ns : !is_group;
}

/* Of an item that is full, all keys but that of the others: the least. */
static struct lane_part *least_of(struct lane_item *item)
{
	struct lane_part *least = NULL, *p;

	for (p = item->parts; p < item->parts + item->nr; p++) {
		if (p->key && (!least || is_less(p, least)))
			least = p;
	}
	return least;
}

static u64 group_of(const struct lanes *all, const struct lane *lane, u64 key)
{
	return lane->grouped && key < LANE_GROUP ? all->group_of(all->data, key) : 0;
}

/* A key becomes a part of its group. There may be as many keys as before. */
static void sum_up_one(const struct lanes *all, const struct lane *lane, struct lane_item *item,
		       struct lane_part *one)
{
	struct lane_part part = *one;
	u32 i;

	part.key = group_of(all, lane, part.key);
	*one = item->parts[--item->nr];
	i = find(item, part.key);
	if (i == item->nr)
		item->parts[item->nr++] = (struct lane_part){ .key = part.key };
	sum_up(&item->parts[i], &part);
}

/* One more than there is room for is that of the others. */
static bool is_full(const struct lane_item *item)
{
	return item->nr - (find(item, 0) < item->nr) >= LANE_PARTS - 1;
}

/* If there are too many keys, those that lasted least are summed up. */
static void add_part(const struct lanes *all, const struct lane *lane, struct lane_item *to,
		     struct lane_part part)
{
	struct lane_part *least;
	u32 i = find(to, part.key);

	while (i == to->nr && part.key && is_full(to)) {
		least = least_of(to);
		if (is_less(least, &part))
			sum_up_one(all, lane, to, least);
		else
			part.key = group_of(all, lane, part.key);
		i = find(to, part.key);
	}
	if (i == to->nr)
		to->parts[to->nr++] = (struct lane_part){ .key = part.key };
	sum_up(&to->parts[i], &part);
}

/* An item becomes the last one, or a part of it. */
static int add_item(struct lanes *all, struct lane *lane, const struct lane_item *item)
{
	struct lane_item *last = &lane->last;
	struct lane_part part;
	u32 i;

	if (last->nr && item->start >= last->start && item->end - last->start <= all->width) {
		last->mix = true;
		last->parts[0].key &= lane->coarse;
		for (i = 0; i < item->nr; i++) {
			part = item->parts[i];
			part.key &= lane->coarse;
			add_part(all, lane, last, part);
		}
		if (item->end > last->end)
			last->end = item->end;
		return 0;
	}
	if (last->nr && put_last(all, lane))
		return -ENOMEM;
	last->start = item->start;
	last->end = item->end;
	last->mix = item->mix;
	last->nr = item->nr;
	for (i = 0; i < item->nr; i++)
		last->parts[i] = item->parts[i];
	return 0;
}

/* Join what is narrow enough now. */
static int coarsen(struct lanes *all, struct lane *lane)
{
	struct lane_item item, last = lane->last;
	const u8 *p = lane->text, *end = lane->text + lane->len;
	u8 *text = lane->text;
	u64 at = 0;
	int ret = 0;

	all->bytes -= lane->len;
	lane->text = NULL;
	lane->len = 0;
	lane->room = 0;
	lane->at = 0;
	lane->last.nr = 0;
	while (p != end && !ret) {
		p = read_item(p, at, &item);
		at = item.end;
		ret = add_item(all, lane, &item);
	}
	free(text);
	return ret || !last.nr ? ret : add_item(all, lane, &last);
}

static int coarsen_all(struct lanes *all)
{
	struct lane *lane;
	int ret;

	/* So far that there is room for a while. */
	while (all->bytes > all->limit / 4 * 3) {
		all->width = all->width ? 2 * all->width : WIDTH_FIRST;
		SLIST_FOREACH(lane, &all->list, link) {
			ret = coarsen(all, lane);
			if (ret)
				return ret;
		}
		/* There are too many lanes. */
		if (all->width >= WIDTH_LAST)
			all->limit = 2 * all->bytes;
	}
	return 0;
}

struct lane *lane_new(struct lanes *all, u64 coarse)
{
	struct lane *lane = calloc(1, sizeof(*lane));

	if (!lane)
		return NULL;
	lane->coarse = coarse;
	SLIST_INSERT_HEAD(&all->list, lane, link);
	return lane;
}

int lane_add(struct lanes *all, struct lane *lane, u64 start, u64 end, u64 key, u64 bytes)
{
	struct lane_item item;

	item.start = start;
	item.end = end;
	item.nr = 1;
	item.mix = false;
	item.parts[0] = (struct lane_part){ key, 1, end - start, bytes };
	if (add_item(all, lane, &item))
		return -ENOMEM;
	return unlikely(all->bytes > all->limit) ? coarsen_all(all) : 0;
}

int lane_end(struct lanes *all, struct lane *lane)
{
	return lane->last.nr ? put_last(all, lane) : 0;
}

bool lane_read(const struct lane *lane, size_t *at, struct lane_item *item)
{
	if (*at == lane->len)
		return false;
	*at = read_item(lane->text + *at, item->end, item) - lane->text;
	return true;
}

void lanes_free(struct lanes *all)
{
	struct lane *lane;

	while ((lane = SLIST_FIRST(&all->list))) {
		SLIST_REMOVE_HEAD(&all->list, link);
		free(lane->text);
		free(lane);
	}
	all->bytes = 0;
}
