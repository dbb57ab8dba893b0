/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_READ_H
#define OVNIK_MERGE_READ_H

#include "trace/stream.h"

struct clock;

/* At most this many bytes of events are sorted. */
#define MERGE_SORT_BYTES	(64U << 20)

/* So many unsorted regions are looked at ahead of what is read: a power of two. */
#define MERGE_REGIONS_AHEAD	256U

/**
 * struct merge_region - Unsorted regions that are sorted as one.
 * @low: smallest clock in them
 * @end: offset of the last OU]
 */
struct merge_region {
	u64 low;
	u64 end;
};

/**
 * struct merge_sorted - One of the sorted events.
 * @clock: its clock
 * @at: where it begins in the window
 * @offset: where it begins in the file
 */
struct merge_sorted {
	u64 clock;
	u64 at;
	u64 offset;
};

/**
 * struct merge_reader - A stream of an application, in the order of its clocks.
 * @ev: the present event; valid until the next one is read
 * @offset: where in the file it begins
 * @regions: unsorted regions so far
 * @clock: takes drift out of the clocks of events; NULL: they are as they are
 * @in: the file
 * @last: clock of the event before
 * @scout: the same file, ahead of @in
 * @high: largest clock that @scout read
 * @ahead: a ring of regions that @scout found, behind @end; each begins after the one before
 * @first_ahead: where the first one is, counted on and on
 * @nr_ahead: how many
 * @low: smallest clock in the next region
 * @end: offset of its OU]; 0: there is none ahead
 * @all: @scout reached the end of the file
 * @cut: bytes there of an event that is not whole
 * @raw: window of events to be sorted
 * @bytes: length of @raw
 * @room: bytes allocated for it
 * @top: largest clock in the window
 * @list: the events in it
 * @nr: how many
 * @list_room: entries allocated at @list
 * @next: index of the next one
 *
 * Between OU[ and OU], clocks may go back, even before those ahead of OU[. The events
 * are returned as upstream's sorting tool would sort the stream, without OU[ and OU]:
 * all is sorted from the first event that is not older than everything in the region
 * to the region's end, and equal clocks stay in order. Memory is bounded by
 * MERGE_SORT_BYTES. A region that goes back over more than MERGE_REGIONS_AHEAD others is refused.
 */
struct merge_reader {
	struct ovni_ev ev;
	u64 offset;
	u64 regions;
	const struct clock *clock;
	struct ovni_stream in;
	struct ovni_stream scout;
	u64 last;
	u64 high;
	struct merge_region ahead[MERGE_REGIONS_AHEAD];
	u32 first_ahead;
	u32 nr_ahead;
	u64 low;
	u64 end;
	bool all;
	u64 cut;
	u8 *raw;
	u64 bytes;
	u64 room;
	u64 top;
	struct merge_sorted *list;
	u32 nr;
	u32 list_room;
	u32 next;
};

/**
 * merge_reader_open() - Open a stream of an application.
 * @r: is set; call merge_reader_close() in any case
 * @path: file name; must outlive @r
 * @killed: so may have been who wrote it: it may end within an event or an unsorted region
 * @window: bytes to read at once
 * @clock: for its clocks, or NULL; must outlive @r
 *
 * Return: 0 or a negative errno, which is reported.
 */
int __must_check merge_reader_open(struct merge_reader *r, const char *path, bool killed,
				   u32 window, const struct clock *clock);

/**
 * merge_reader_next() - Go to the next event.
 * @r: reader
 *
 * Return: 1 with the event in @r->ev, 0 at the end, or a negative errno, which is
 * reported with file name and offset.
 */
int __must_check merge_reader_next(struct merge_reader *r);

/**
 * merge_reader_check() - Check the rest of a stream.
 * @r: reader; nothing is read from it afterwards
 *
 * Return: 0 or a negative errno, which is reported with file name and offset.
 */
int __must_check merge_reader_check(struct merge_reader *r);

/**
 * merge_reader_fail() - Report what is wrong with the present event.
 * @r: reader
 * @reason: what is wrong
 *
 * Return: -EINVAL.
 */
int merge_reader_fail(const struct merge_reader *r, const char *reason);

/**
 * merge_reader_close() - Free a reader's memory.
 * @r: as merge_reader_open() left it, or zeroed
 */
void merge_reader_close(struct merge_reader *r);

/**
 * merge_raw_size() - Bytes of an event in a stream.
 * @ev: the event
 */
static inline u64 merge_raw_size(const struct ovni_ev *ev)
{
	return sizeof(struct ovni_ev_header) + (ev->jumbo ? OVNI_EV_JUMBO_SIZE : 0) + ev->size;
}

/**
 * merge_raw_put() - Write an event in the format of a stream.
 * @to: merge_raw_size() bytes
 * @ev: the event
 * @clock: the clock it gets
 */
void merge_raw_put(u8 *to, const struct ovni_ev *ev, u64 clock);

#endif /* OVNIK_MERGE_READ_H */
