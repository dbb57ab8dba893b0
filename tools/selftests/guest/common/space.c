// SPDX-License-Identifier: GPL-2.0-only
#include "space.h"

void init_spaces(struct spaces *all)
{
	memset(all, 0, sizeof(*all));
	all->mm_of = calloc(MAX_TIDS, sizeof(*all->mm_of));
	if (!all->mm_of)
		err(1, "no memory");
}

void free_spaces(struct spaces *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++)
		free(all->space[i].range);
	free(all->space);
	free(all->mm_of);
}

struct space *space_of(struct spaces *all, __u64 mm)
{
	if (mm >= 1 << 20)
		errx(1, "address space %llu", mm);
	while (all->nr <= mm) {
		all->space = grow(all->space, all->nr, &all->room, sizeof(*all->space));
		memset(&all->space[all->nr++], 0, sizeof(*all->space));
	}
	return &all->space[mm];
}

/* The first range that ends after @address. */
static size_t find_range(const struct space *space, __u64 address)
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

struct range *insert_range(struct space *space, size_t at)
{
	space->range = grow(space->range, space->nr, &space->room, sizeof(*space->range));
	memmove(&space->range[at + 1], &space->range[at],
		(space->nr++ - at) * sizeof(*space->range));
	return &space->range[at];
}

/* Two ranges where there was one, if @address is within one. */
static void split_range(struct space *space, __u64 address)
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

static void cut_range(struct space *space, __u64 start, __u64 end)
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

void put_range(struct space *space, struct range range)
{
	cut_range(space, range.start, range.end);
	*insert_range(space, find_range(space, range.start)) = range;
}

static void protect_range(struct space *space, __u64 start, __u64 end, __u32 flags, size_t from)
{
	size_t i;

	split_range(space, start);
	split_range(space, end);
	for (i = find_range(space, start); i < space->nr && space->range[i].start < end; i++) {
		space->range[i].flags = flags;
		space->range[i].flags_from = from;
	}
}

bool is_mapped(const struct space *space, __u64 start, __u64 end)
{
	size_t i = find_range(space, start);

	return i < space->nr && space->range[i].start < end;
}

static const char *path_or_null(const char *path)
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
static struct range range_of(const struct event *event, size_t number)
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

__u64 mm_of_event(const struct event *event)
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

static void apply_change(struct spaces *all, const struct event *event, size_t number)
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

void apply_task(struct spaces *all, const struct event *event)
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

void apply_event(struct spaces *all, const struct event *event, size_t number)
{
	apply_change(all, event, number);
	apply_task(all, event);
}
