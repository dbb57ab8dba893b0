/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FILECHECK_H
#define GUEST_FILECHECK_H

/* What the parts of filecheck share. */

#include "../common/event.h"
#include "../common/filelog.h"

#define TIDS		0x400000

/**
 * struct item - What a record says, or should say.
 * @begin:  its time; not before
 * @end:    its time; not after
 * @ino:    of the file
 * @offset: first byte
 * @result: bytes, or length
 * @kind:   enum ovnik_event
 * @tid:    who
 * @op:	    enum ovnik_file_op
 * @dev:    of the file
 * @generation: of the file
 * @mode:   flags of the open file, or of the rename
 * @loose:  enum log_flags
 * @order:  position in what it comes from
 * @text:   path
 * @match:  what it was found to be the same as
 */
struct item {
	__u64 begin;
	__u64 end;
	__u64 ino;
	__u64 offset;
	__s64 result;
	__u32 kind;
	__u32 tid;
	__u32 op;
	__u32 dev;
	__u32 generation;
	__u32 mode;
	__u32 loose;
	size_t order;
	const char *text;
	const struct item *match;
};

/**
 * struct items - Items, in an array that grows.
 * @item: the items
 * @nr: how many
 * @room: length of @item
 */
struct items {
	struct item *item;
	size_t nr;
	size_t room;
};

extern struct filelog *filelog;
/* By tid: tasks that are in the log. */
extern bool *actors;
/* Differences are not shown. */
extern bool quiet;

/**
 * add_item() - Append an item, all zero but @order.
 * @items: the array
 *
 * Return: the item.
 */
struct item *add_item(struct items *items);

/**
 * print_item() - Print an item, unless quiet.
 * @whose: begins the line
 * @item: the item; NULL: nothing
 */
void print_item(const char *whose, const struct item *item);

/**
 * take_records() - Append what the records say about the files and tasks of the log.
 * @items: the array
 * @events: the records
 */
void take_records(struct items *items, const struct events *events);

/**
 * take_log() - Append what the log says that must be recorded.
 * @items: the array
 */
void take_log(struct items *items);

/**
 * load_log() - Read the log; sets filelog and actors.
 * @path: of the log
 */
void load_log(const char *path);

/**
 * same_items() - Are these the same items?
 * @want: from the log; is sorted
 * @got: from the records; is sorted, and each @match is set
 */
bool same_items(struct items *want, struct items *got);

/**
 * all_sums() - Are the bytes of each process those of its /proc/PID/io?
 * @got: from the records
 */
bool all_sums(const struct items *got);

/**
 * opens_pair() - Are files closed as often as opened, and not used after they were deleted?
 * @got: from the records
 */
bool opens_pair(const struct items *got);

/**
 * check() - Check all of that.
 * @events: the records
 * @want: from the log
 * @got: is set, from the records
 */
bool check(const struct events *events, struct items *want, struct items *got);

/**
 * all_noticed() - Test the checker: is each altered record noticed?
 * @events: the records
 * @want: from the log
 * @got: from the records, after check()
 */
bool all_noticed(struct events *events, struct items *want, const struct items *got);

/**
 * same_counts() - Does ftrace count as many system calls of each task?
 * @dir: its instance
 * @got: from the records
 */
bool same_counts(const char *dir, const struct items *got);

#endif /* GUEST_FILECHECK_H */
