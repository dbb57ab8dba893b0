/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_SPACE_H
#define GUEST_SPACE_H

/*
 * Every address space by the records, and which process is in which. Made
 * from the event table alone, and nothing of the decoder's, which it may refute.
 */

#include "merge.h"

#define MAX_TIDS	0x400000U

/**
 * struct range - Something mapped, the same all over.
 * @start:  its first byte
 * @end:    after its last
 * @flags:  enum ovnik_vma_flags
 * @dev:    of its file; 0 if there is none
 * @ino:    of its file
 * @offset: in its file of @start
 * @path:   of its file; NULL if it is unknown
 * @from:   number of the event that has made it
 * @flags_from: number of the event that has set @flags
 */
struct range {
	__u64 start;
	__u64 end;
	__u32 flags;
	__u32 dev;
	__u64 ino;
	__u64 offset;
	const char *path;
	size_t from;
	size_t flags_from;
};

/**
 * struct space - An address space.
 * @range:  what is mapped, by address
 * @nr:     of these
 * @room:   for so many
 * @expect: mappings that dump_mm has promised and that have not come yet
 * @changed: it was changed while some had not
 */
struct space {
	struct range *range;
	size_t nr;
	size_t room;
	__u32 expect;
	bool changed;
};

/**
 * struct spaces - All of them.
 * @space: by the number of the address space
 * @nr:    of these
 * @room:  for so many
 * @mm_of: by process
 */
struct spaces {
	struct space *space;
	size_t nr;
	size_t room;
	__u64 *mm_of;
};

/**
 * init_spaces() - No address spaces yet.
 * @all: these
 */
void init_spaces(struct spaces *all);

/**
 * free_spaces() - Free what they have.
 * @all: these
 */
void free_spaces(struct spaces *all);

/**
 * space_of() - The address space of a number, which is made if it is not there.
 * @all: of these
 * @mm: its number
 *
 * Return: it, until the next one is made.
 */
struct space *space_of(struct spaces *all, __u64 mm);

/**
 * insert_range() - Make room for a range.
 * @space: the address space
 * @at: before this one
 *
 * Return: it, to be filled.
 */
struct range *insert_range(struct space *space, size_t at);

/**
 * put_range() - Map a range over what is there.
 * @space: the address space
 * @range: what is mapped
 */
void put_range(struct space *space, struct range range);

/**
 * is_mapped() - Is anything mapped here?
 * @space: the address space
 * @start: first byte
 * @end: after the last
 */
bool is_mapped(const struct space *space, __u64 start, __u64 end);

/**
 * mm_of_event() - Which address space an event changes.
 * @event: one of ours
 *
 * Return: its number, or 0.
 */
__u64 mm_of_event(const struct event *event);

/**
 * apply_task() - Which process has which address space, by an event about a task.
 * @all: everything before it
 * @event: one of ours
 */
void apply_task(struct spaces *all, const struct event *event);

/**
 * apply_event() - What an event changes.
 * @all: everything before it
 * @event: one of ours
 * @number: its place among them
 */
void apply_event(struct spaces *all, const struct event *event, size_t number);

#endif /* GUEST_SPACE_H */
