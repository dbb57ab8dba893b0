/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_SPACE_H
#define GUEST_SPACE_H

/*
 * Every address space as the records tell it, and which process is in which. Made
 * from the event table alone, and nothing of the decoder's, which it may refute.
 */

#include "merge.h"

#define MAX_TIDS	0x400000U

/**
 * struct range - Something mapped, the same all over.
 * @start:  its first byte
 * @end:    behind its last
 * @flags:  enum ovnik_vma_flags
 * @dev:    of its file; 0 if there is none
 * @ino:    of its file
 * @offset: in its file of @start
 * @path:   of its file; NULL if it was not told
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

static inline void init_spaces(struct spaces *all)
{
	memset(all, 0, sizeof(*all));
	all->mm_of = calloc(MAX_TIDS, sizeof(*all->mm_of));
	if (!all->mm_of)
		err(1, "no memory");
}

static inline void free_spaces(struct spaces *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		free(all->space[i].range);
	free(all->space);
	free(all->mm_of);
}

static inline struct space *space_of(struct spaces *all, __u64 mm)
{
	if (mm >= 1 << 20)
		errx(1, "address space %llu", mm);
	while (all->nr <= mm) {
		all->space = grow(all->space, all->nr, &all->room, sizeof(*all->space));
		memset(&all->space[all->nr++], 0, sizeof(*all->space));
	}
	return &all->space[mm];
}

/* The first range that ends behind @address. */
static inline size_t find_range(const struct space *space, __u64 address)
{
	size_t low = 0, high = space->nr;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (space->range[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static inline struct range *insert_range(struct space *space, size_t at)
{
	space->range = grow(space->range, space->nr, &space->room, sizeof(*space->range));
	memmove(&space->range[at + 1], &space->range[at],
		(space->nr++ - at) * sizeof(*space->range));
	return &space->range[at];
}

/* Two ranges where there was one, if @address is in the midst of one. */
static inline void split_range(struct space *space, __u64 address)
{
	size_t i = find_range(space, address);
	struct range *range;

	if (i == space->nr || space->range[i].start >= address)
		return;
	range = insert_range(space, i);
	range[0] = range[1];
	range[0].end = address;
	range[1].start = address;
	range[1].offset += address - range[0].start;
}

static inline void cut_range(struct space *space, __u64 start, __u64 end)
{
	size_t first, last;

	split_range(space, start);
	split_range(space, end);
	first = find_range(space, start);
	for (last = first; last < space->nr && space->range[last].start < end;)
		last++;
	memmove(&space->range[first], &space->range[last],
		(space->nr - last) * sizeof(*space->range));
	space->nr -= last - first;
}

static inline void put_range(struct space *space, struct range range)
{
	cut_range(space, range.start, range.end);
	*insert_range(space, find_range(space, range.start)) = range;
}

static inline void protect_range(struct space *space, __u64 start, __u64 end, __u32 flags,
				 size_t from)
{
	size_t i;

	split_range(space, start);
	split_range(space, end);
	for (i = find_range(space, start); i < space->nr && space->range[i].start < end; i++) {
		space->range[i].flags = flags;
		space->range[i].flags_from = from;
	}
}

static inline bool is_mapped(const struct space *space, __u64 start, __u64 end)
{
	size_t i = find_range(space, start);

	return i < space->nr && space->range[i].start < end;
}

static inline const char *path_or_null(const char *path)
{
	return path && *path ? path : NULL;
}

#define RANGE_OF(rec, number) ((struct range){			\
	.start = (rec)->start,					\
	.end = (rec)->start + (rec)->length,			\
	.flags = (rec)->flags,					\
	.dev = (rec)->dev,					\
	.path = path_or_null(text_of((const void *)(rec))),	\
	.from = (number),					\
	.flags_from = (number),					\
})

/* Those kinds that have all of it under the same names. */
#define FILE_RANGE_OF(name)					\
	case OVNIK_EV_##name: {					\
		const struct ovnik_##name *rec = event->record;	\
								\
		range = RANGE_OF(rec, number);			\
		range.ino = rec->ino;				\
		range.offset = rec->offset;			\
		break;						\
	}

/* What is mapped from now on, by an event that maps something. */
static inline struct range range_of(const struct event *event, size_t number)
{
	const struct ovnik_shm_attach *shm = event->record;
	struct range range = {};

	switch (event->kind) {
	FILE_RANGE_OF(mmap_file);
	FILE_RANGE_OF(mmap_anon);
	FILE_RANGE_OF(mremap);
	FILE_RANGE_OF(vma_dup);
	FILE_RANGE_OF(dump_vma);
	case OVNIK_EV_shm_attach:
		range = RANGE_OF(shm, number);
		range.ino = shm->shmid;
		break;
	}
	return range;
}

/* Which space an event changes; 0 if none. */
static inline __u64 mm_of_event(const struct event *event)
{
#define MM_OF(name) \
	case OVNIK_EV_##name: \
		return ((const struct ovnik_##name *)event->record)->mm

	switch (event->kind) {
	MM_OF(mmap_file);
	MM_OF(mmap_anon);
	MM_OF(shm_attach);
	MM_OF(munmap);
	MM_OF(mprotect);
	MM_OF(mremap);
	MM_OF(vma_dup);
	MM_OF(mm_exit);
	MM_OF(dump_mm);
	MM_OF(dump_vma);
	default:
		return 0;
	}
}

static inline void apply_change(struct spaces *all, const struct event *event, size_t number)
{
	__u64 mm = mm_of_event(event);
	const struct ovnik_mprotect *protect = event->record;
	const struct ovnik_munmap *unmap = event->record;
	const struct ovnik_dump_mm *dump = event->record;

	if (!mm)
		return;
	if (event->kind != OVNIK_EV_dump_vma && space_of(all, mm)->expect)
		space_of(all, mm)->changed = true;
	switch (event->kind) {
	case OVNIK_EV_munmap:
		cut_range(space_of(all, mm), unmap->start, unmap->start + unmap->length);
		break;
	case OVNIK_EV_mprotect:
		protect_range(space_of(all, mm), protect->start,
			      protect->start + protect->length, protect->flags, number);
		break;
	case OVNIK_EV_mm_exit:
		space_of(all, mm)->nr = 0;
		break;
	case OVNIK_EV_dump_mm:
		space_of(all, mm)->nr = 0;
		space_of(all, mm)->expect = dump->vmas;
		space_of(all, mm)->changed = false;
		break;
	default:
		space_of(all, mm)->expect -= event->kind == OVNIK_EV_dump_vma;
		put_range(space_of(all, mm), range_of(event, number));
	}
}

static inline void apply_task(struct spaces *all, const struct event *event)
{
	const struct ovnik_task_fork *fork = event->record;
	const struct ovnik_dump_task *dump = event->record;
	const struct ovnik_task_mm *mm = event->record;

	switch (event->kind) {
	case OVNIK_EV_task_fork:
		/* As it stays after vfork(); otherwise a task_mm follows. */
		if (fork->child_tgid != fork->parent_tgid)
			all->mm_of[fork->child_tgid % MAX_TIDS] =
				all->mm_of[fork->parent_tgid % MAX_TIDS];
		break;
	case OVNIK_EV_task_mm:
		all->mm_of[mm->tgid % MAX_TIDS] = mm->mm;
		break;
	case OVNIK_EV_dump_task:
		if (dump->mm)
			all->mm_of[dump->tgid % MAX_TIDS] = dump->mm;
		break;
	}
}

/**
 * apply_event() - What an event changes.
 * @all:    everything before it
 * @event:  one of ours
 * @number: its place among them
 */
static inline void apply_event(struct spaces *all, const struct event *event, size_t number)
{
	apply_change(all, event, number);
	apply_task(all, event);
}

#endif /* GUEST_SPACE_H */
