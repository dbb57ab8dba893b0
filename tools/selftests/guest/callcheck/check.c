// SPDX-License-Identifier: GPL-2.0-only
/* What a call must leave in the records. */

#include <errno.h>
#include <sys/mman.h>

#include "callcheck.h"

unsigned int checked[NR_CALLS], succeeded[NR_CALLS];
unsigned int differences;

static bool moves_several;

static void complain(const struct call *call, const char *what)
{
	if (differences++ > 10)
		return;
	printf("# %s(%llx, %llx, %llx, %llx, %llx) of task %u = %lld, at %llu: %s\n",
	       formats[call->kind].name, call->arg[0], call->arg[1], call->arg[2], call->arg[3],
	       call->arg[4], call->tid, call->ret, call->enter, what);
}

static void expect(const struct call *call, bool holds, const char *what)
{
	if (!holds)
		complain(call, what);
}

static bool failed(const struct call *call)
{
	return call->ret < 0 && call->ret > -4096;
}

#define PLACE_OF(name) \
	case OVNIK_EV_##name: \
		start = ((const struct ovnik_##name *)rec)->start; \
		length = ((const struct ovnik_##name *)rec)->length; \
		break

/* Of the record of a kind: it begins there, and has that length if one is given. */
static bool is_at(const struct call *call, unsigned int kind, __u64 want, __u64 want_length)
{
	const void *rec = call->last[kind];
	__u64 start = 0, length = 0;

	switch (kind) {
	PLACE_OF(mmap_file);
	PLACE_OF(mmap_anon);
	PLACE_OF(shm_attach);
	PLACE_OF(munmap);
	PLACE_OF(mremap);
	PLACE_OF(madvise_dontneed);
	}
	return start == want && (!want_length || length == want_length);
}

/* Maps made, and the kind of the last one. */
static unsigned int maps_of(const struct call *call, unsigned int *kind)
{
	static const unsigned int kinds[] = {
		OVNIK_EV_mmap_file, OVNIK_EV_mmap_anon, OVNIK_EV_shm_attach
	};
	unsigned int i, sum = 0;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		sum += call->of[kinds[i]];
		if (call->of[kinds[i]])
			*kind = kinds[i];
	}
	return sum;
}

/* Exactly one, where the call says that it is, or none if the call failed. */
static void check_map(const struct call *call, __u64 start, __u64 length)
{
	unsigned int kind = 0, nr = maps_of(call, &kind);

	if (failed(call)) {
		expect(call, !nr, "failed, and a mapping is recorded");
		return;
	}
	expect(call, nr == 1, "not one mapping recorded");
	if (nr == 1)
		expect(call, is_at(call, kind, start, length), "the mapping is elsewhere");
}

/* To what size of huge pages the length is rounded up is not to be seen from here. */
static void check_mmap(const struct call *call)
{
	__u64 length = call->arg[3] & MAP_HUGETLB ? 0 : ALIGNED(call->arg[1]);

	check_map(call, call->ret, length);
	expect(call, !call->of[OVNIK_EV_shm_attach], "a file is said to be a segment");
}

static void check_munmap(const struct call *call)
{
	unsigned int nr = call->of[OVNIK_EV_munmap];

	if (failed(call)) {
		expect(call, !nr, "failed, and is recorded");
		return;
	}
	expect(call, nr == 1 || (!nr && call->empty), "not one record");
	if (nr)
		expect(call, is_at(call, OVNIK_EV_munmap, call->arg[0], ALIGNED(call->arg[1])),
		       "the record is of another place");
}

/*
 * Does mremap() move several mappings at once, and what lies between them? Since 6.17, to
 * a given place with the length as it was. Each has its record, and those that were moved
 * before one could not be, too.
 */
static bool try_to_move_two(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *from = mmap(NULL, 2 * PAGE, PROT_READ, flags, -1, 0);
	char *to = mmap(NULL, 2 * PAGE, PROT_NONE, flags, -1, 0);

	if (from == MAP_FAILED || to == MAP_FAILED || mprotect(from, PAGE, PROT_NONE))
		err(1, "two mappings");
	return mremap(from, 2 * PAGE, 2 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to) == to;
}

void check_begin(void)
{
	moves_several = try_to_move_two();
}

/* Whatever part of the old place the last record has, it is the same part of the new. */
static void check_moved_several(const struct call *call)
{
	const struct ovnik_mremap *rec = call->last[OVNIK_EV_mremap];
	__u64 part;

	expect(call, failed(call) || call->of[OVNIK_EV_mremap], "not recorded");
	if (!call->of[OVNIK_EV_mremap])
		return;
	part = rec->old_start - call->arg[0];
	expect(call, rec->start - call->arg[4] == part && rec->length == rec->old_length &&
	       part + rec->length <= ALIGNED(call->arg[2]), "the record is of another place");
}

static void check_mremap(const struct call *call)
{
	__u64 old = ALIGNED(call->arg[1]), new = ALIGNED(call->arg[2]);
	const struct ovnik_mremap *rec = call->last[OVNIK_EV_mremap];
	unsigned int nr = call->of[OVNIK_EV_mremap];
	bool moved = (__u64)call->ret != call->arg[0];

	if (moves_several && call->arg[3] & MREMAP_FIXED && old == new) {
		check_moved_several(call);
	} else if (failed(call)) {
		expect(call, !nr, "failed, and is recorded");
	} else if (!moved && new <= old) {
		expect(call, !nr, "shrunk or left as it was, and more is recorded");
		expect(call, call->of[OVNIK_EV_munmap] <= (new < old), "too much unmapped");
	} else {
		expect(call, nr == 1, "not one record");
		expect(call, nr != 1 || (is_at(call, OVNIK_EV_mremap, call->ret, new) &&
					 rec->old_start == call->arg[0]),
		       "the record is of another place");
	}
}

/* What was as it is now is not recorded. READ_IMPLIES_EXEC may add a right. */
static void check_mprotect(const struct call *call)
{
	const struct ovnik_mprotect *rec = call->last[OVNIK_EV_mprotect];

	if (!call->of[OVNIK_EV_mprotect])
		return;
	expect(call, (rec->flags & 3) == (call->arg[2] & 3), "other rights are recorded");
	expect(call, call->arg[2] & (PROT_GROWSDOWN | PROT_GROWSUP) ||
	       (rec->start >= call->arg[0] &&
		rec->start + rec->length <= call->arg[0] + ALIGNED(call->arg[1])),
	       "the record is of another place");
}

static void check_madvise(const struct call *call)
{
	unsigned int nr = call->of[OVNIK_EV_madvise_dontneed];
	bool done = call->arg[2] == MADV_DONTNEED && call->arg[1] &&
		    (!failed(call) || call->ret == -ENOMEM);

	expect(call, done || !nr, "nothing was given back, and it is recorded");
	expect(call, !done || nr == 1, "not one record");
	if (done && nr == 1)
		expect(call, is_at(call, OVNIK_EV_madvise_dontneed, call->arg[0],
				   ALIGNED(call->arg[1])), "the record is of another place");
}

void check_call(const struct call *call)
{
	unsigned int kind;

	checked[call->kind]++;
	succeeded[call->kind] += !failed(call);
	if (call->kind != CALL_MADVISE && call->kind != CALL_EXEC)
		expect(call, !call->of[OVNIK_EV_madvise_dontneed], "something was given back");
	switch (call->kind) {
	case CALL_MMAP:
		check_mmap(call);
		break;
	case CALL_MUNMAP:
		check_munmap(call);
		break;
	case CALL_MREMAP:
		check_mremap(call);
		break;
	case CALL_MPROTECT:
		check_mprotect(call);
		break;
	case CALL_SHMAT:
		check_map(call, call->ret, 0);
		expect(call, failed(call) || call->of[OVNIK_EV_shm_attach],
		       "what was attached is no segment");
		break;
	case CALL_SHMDT:
		expect(call, failed(call) == !call->of[OVNIK_EV_munmap], "not unmapped");
		break;
	case CALL_REMAP_FILE:
		check_map(call, call->arg[0], ALIGNED(call->arg[1]));
		break;
	case CALL_MADVISE:
		check_madvise(call);
		break;
	case CALL_BRK:
		expect(call, maps_of(call, &kind) + call->of[OVNIK_EV_munmap] <= 1,
		       "more than one change");
		break;
	}
}
