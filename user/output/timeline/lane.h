/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TIMELINE_LANE_H
#define OVNIK_OUTPUT_TIMELINE_LANE_H

#include <sys/queue.h>

#include "util/types.h"

/*
 * Lanes: what happened at one place, in the order of time, in bounded memory. While there is
 * room, each interval is an item. Then neighbours that together last no longer than the width
 * become one item that has their sums by key, and the width doubles until all lanes fit. Sums
 * are exact at any width; so is each interval longer than the width.
 *
 * The text of a lane, which a page gets as it is, is made of LEB128 numbers:
 *
 *	item	(zigzag gap << 2 | has bytes << 1 | is a mix), then
 *	one	key, ns, [bytes]
 *	mix	number of parts, ns, and for each part: key, count, ns, [bytes]
 *
 * The gap is from the end of the item before. A mix lasts longer than its parts if there
 * were gaps between them.
 */

#define LANE_PARTS	20	/* of an item; the least of more are summed up by group */
#define LANE_GROUP	(1ULL << 31)	/* key of a group, and all greater ones */

/**
 * struct lane_part - What an item contains of a key.
 * @key: the key
 * @count: how many intervals
 * @ns: how long they lasted
 * @bytes: how many bytes they were about
 */
struct lane_part {
	u64 key;
	u64 count;
	u64 ns;
	u64 bytes;
};

/**
 * struct lane_item - An interval, or a mix of neighbours.
 * @start: when it begins, ns
 * @end: when it ends
 * @nr: length of @parts
 * @mix: it is not one interval
 * @parts: one for each key
 */
struct lane_item {
	u64 start;
	u64 end;
	u32 nr;
	bool mix;
	struct lane_part parts[LANE_PARTS];
};

/**
 * struct lane - What happened at one place.
 * @link: in the list of all lanes
 * @coarse: bits of a key that a mix tells apart
 * @grouped: keys have groups
 * @text: items but the last
 * @len: bytes of @text
 * @room: bytes that @text may have
 * @at: end of the last item in @text
 * @last: the last item, if its @nr is not 0
 */
struct lane {
	SLIST_ENTRY(lane) link;
	u64 coarse;
	bool grouped;
	u8 *text;
	size_t len;
	size_t room;
	u64 at;
	struct lane_item last;
};

/**
 * struct lanes - All lanes.
 * @list: the lanes
 * @width: neighbours that last no longer are one item; ns
 * @bytes: of all texts
 * @limit: the most bytes they may have
 * @group_of: the group of a key, LANE_GROUP or greater; 0: of all others
 * @data: for @group_of
 */
struct lanes {
	SLIST_HEAD(, lane) list;
	u64 width;
	size_t bytes;
	size_t limit;
	u64 (*group_of)(void *data, u64 key);
	void *data;
};

/**
 * lane_new() - Make a lane.
 * @all: all lanes
 * @coarse: bits of a key that a mix tells apart
 *
 * Context: Any.
 * Return: the lane, freed by lanes_free(); NULL without memory.
 */
struct lane *lane_new(struct lanes *all, u64 coarse) __must_check;

/**
 * lane_add() - Something happened.
 * @all: all lanes
 * @lane: where
 * @start: when it began, ns
 * @end: when it ended
 * @key: what it was; not 0
 * @bytes: how many bytes it was about
 *
 * Context: Any. Times may go back a little.
 * Return: 0, -ENOMEM.
 */
int lane_add(struct lanes *all, struct lane *lane, u64 start, u64 end, u64 key, u64 bytes)
	__must_check;

/**
 * lane_end() - Nothing more happens: all items are in the text.
 * @all: all lanes
 * @lane: the lane
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int lane_end(struct lanes *all, struct lane *lane) __must_check;

/**
 * lane_read() - Read the next item of a lane.
 * @lane: the lane
 * @at: where it is in the text; 0: the first
 * @item: the item before, all zero if there is none; is set
 *
 * Context: After lane_end().
 * Return: false behind the last.
 */
bool lane_read(const struct lane *lane, size_t *at, struct lane_item *item);

/**
 * lanes_free() - Free all lanes.
 * @all: all lanes; none are left
 *
 * Context: Any.
 */
void lanes_free(struct lanes *all);

#endif /* OVNIK_OUTPUT_TIMELINE_LANE_H */
