// SPDX-License-Identifier: GPL-2.0-only
/* The test of the checker itself: records are altered, one at a time. */

#include <stddef.h>

#include "mapcheck.h"

#define CANDIDATES	2	/* records of a kind that are altered, one at a time */
#define UNMAPS		64

/* Records whose alteration must be noticed, as far as the first run has found out. */
static struct {
	size_t event[CANDIDATES];
	unsigned int nr;
} candidates[OVNIK_NR_EVENTS];

/* The last ones that did unmap something. */
static size_t unmaps[UNMAPS];
static unsigned int nr_unmaps;

static void add_candidate(unsigned int kind, size_t event)
{
	candidates[kind].event[candidates[kind].nr++ % CANDIDATES] = event;
}

void find_unmaps(const struct space *space, __u64 mm)
{
	__u64 start, end;
	unsigned int i;

	for (i = 0; i < UNMAPS && i < nr_unmaps; i++) {
		const struct event *event = &all.event[unmaps[i]];

		if (mm_of_event(event) == mm && extent_of(event, &start, &end) &&
		    !is_mapped(space, start, end))
			add_candidate(event->kind, unmaps[i]);
	}
}

void find_candidates(const struct space *space)
{
	__u64 start, end;
	size_t i;

	for (i = 0; i < space->nr; i++) {
		const struct range *range = &space->range[i];
		const struct event *event = &all.event[range->flags_from];

		if (!extent_of(event, &start, &end) || range->start != start || range->end != end)
			continue;
		if (range->flags_from == range->from || event->kind == OVNIK_EV_mprotect)
			add_candidate(event->kind, range->flags_from);
	}
}

/*
 * What was unmapped here before is no matter when it is unmapped once more, or when a
 * statedump says again what is mapped.
 */
static void forget_unmaps(__u64 mm, __u64 start, __u64 end)
{
	unsigned int i, kept = 0;
	__u64 from, to;

	for (i = 0; i < UNMAPS && i < nr_unmaps; i++) {
		const struct event *event = &all.event[unmaps[i]];

		if (mm_of_event(event) != mm || !extent_of(event, &from, &to) ||
		    to <= start || end <= from)
			unmaps[kept++] = unmaps[i];
	}
	nr_unmaps = kept;
}

/* Does what comes after this dump_mm allow any number? */
static bool is_interrupted(size_t number)
{
	__u64 mm = mm_of_event(&all.event[number]);
	size_t i;

	for (i = number + 1; by_bpf && i < all.nr; i++) {
		if (all.event[i].kind == OVNIK_EV_dump_end)
			break;
		if (all.event[i].kind != OVNIK_EV_dump_vma && mm_of_event(&all.event[i]) == mm)
			return true;
	}
	return false;
}

void note_event(struct spaces *now, const struct event *event, size_t number)
{
	__u64 start, end;

	if (event->kind == OVNIK_EV_munmap && extent_of(event, &start, &end)) {
		forget_unmaps(mm_of_event(event), start, end);
		if (is_mapped(space_of(now, mm_of_event(event)), end - 1, end))
			unmaps[nr_unmaps++ % UNMAPS] = number;
	}
	if (event->kind == OVNIK_EV_mm_exit && space_of(now, mm_of_event(event))->nr)
		add_candidate(event->kind, number);
	if (event->kind == OVNIK_EV_dump_mm)
		forget_unmaps(mm_of_event(event), 0, ~0ULL);
	if (event->kind == OVNIK_EV_dump_mm && !is_interrupted(number))
		add_candidate(event->kind, number);
}

#define FIELD(kind, field, bit)	\
	{ OVNIK_EV_##kind, offsetof(struct ovnik_##kind, field), bit, 0, #kind "." #field }
/* Longer would not do: what comes after may hide it. */
#define SHORTER(kind)	\
	{ OVNIK_EV_##kind, offsetof(struct ovnik_##kind, length), 0, -0x1000, #kind ".length" }
#define GONE(kind)	{ OVNIK_EV_##kind, 0, 0, 0, #kind " is gone" }

/* Each a change of one bit, a page less, or the loss of the record. */
static const struct mutation {
	unsigned int kind;
	unsigned int at;
	__u32 bit;
	int add;
	const char *name;
} mutations[] = {
	GONE(mmap_file),
	FIELD(mmap_file, flags, OVNIK_VMA_WRITE),
	FIELD(mmap_file, start, 0x1000),
	SHORTER(mmap_file),
	FIELD(mmap_file, offset, 0x1000),
	FIELD(mmap_file, ino, 1),
	FIELD(mmap_file, dev, 1),
	FIELD(mmap_file, mm, 1),
	GONE(mmap_anon),
	FIELD(mmap_anon, flags, OVNIK_VMA_SHARED),
	FIELD(mmap_anon, start, 0x1000),
	SHORTER(mmap_anon),
	GONE(shm_attach),
	FIELD(shm_attach, flags, OVNIK_VMA_WRITE),
	FIELD(shm_attach, start, 0x1000),
	FIELD(shm_attach, shmid, 1),
	GONE(munmap),
	SHORTER(munmap),
	GONE(mprotect),
	FIELD(mprotect, flags, OVNIK_VMA_EXEC),
	GONE(mremap),
	FIELD(mremap, start, 0x1000),
	FIELD(mremap, flags, OVNIK_VMA_WRITE),
	GONE(vma_dup),
	FIELD(vma_dup, start, 0x1000),
	SHORTER(vma_dup),
	FIELD(vma_dup, flags, OVNIK_VMA_EXEC),
	FIELD(vma_dup, ino, 1),
	GONE(dump_vma),
	FIELD(dump_vma, flags, OVNIK_VMA_EXEC),
	FIELD(dump_mm, vmas, 1),
	GONE(mm_exit),
};

/* The record is copied: what is in the file stays what it was. */
static void alter(struct event *event, const struct mutation *mutation)
{
	const struct ovnik_record *rec = event->record;
	size_t length = rec->words ? rec->words * 8U : (rec->size + 7U) & ~7U;
	char *copy = malloc(length);
	__u32 value;

	if (!copy)
		err(1, "no memory");
	memcpy(copy, rec, length);
	memcpy(&value, copy + mutation->at, sizeof(value));
	value = (value ^ mutation->bit) + mutation->add;
	memcpy(copy + mutation->at, &value, sizeof(value));
	event->record = copy;
	if (!mutation->bit && !mutation->add)
		event->kind = 0;
}

static bool is_noticed(const struct mutation *mutation, size_t number)
{
	struct event kept = all.event[number];
	bool same;

	alter(&all.event[number], mutation);
	same = run(true);
	free((void *)all.event[number].record);
	all.event[number] = kept;
	return !same;
}

/* The kinds that every run has; of the others there may be none left to be seen. */
static bool is_certain(unsigned int kind)
{
	return kind == OVNIK_EV_mmap_file || kind == OVNIK_EV_mmap_anon ||
	       kind == OVNIK_EV_munmap || kind == OVNIK_EV_vma_dup || kind == OVNIK_EV_mm_exit ||
	       kind == OVNIK_EV_dump_vma || kind == OVNIK_EV_dump_mm;
}

bool all_noticed(void)
{
	const struct mutation *mutation = mutations;
	unsigned int tried = 0;
	bool ok = true;

	for (; mutation < mutations + sizeof(mutations) / sizeof(*mutations); mutation++) {
		unsigned int i, nr = candidates[mutation->kind].nr;

		if (!nr) {
			printf("# no record for: %s\n", mutation->name);
			ok = ok && !is_certain(mutation->kind);
		}
		for (i = 0; i < nr && i < CANDIDATES; i++, tried++) {
			size_t number = candidates[mutation->kind].event[i];

			if (is_noticed(mutation, number))
				continue;
			printf("# not noticed: %s\n", mutation->name);
			print_event("altered", &all.event[number]);
			ok = false;
		}
	}
	printf("# %u alterations of one record each\n", tried);
	return ok;
}
