// SPDX-License-Identifier: GPL-2.0-only
#include "merge.h"

/* Ends the program if anything was lost: nothing could be said for certain. */
static void check_complete(const struct capture *cap)
{
	unsigned int kind;
	size_t i;

	for (i = 0; i < cap->nr_blocks; i++) {
		if (cap->block[i].head->seq != i)
			errx(1, "%s: seq %llu instead of %zu", cap->path,
			     cap->block[i].head->seq, i);
		for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
			if (cap->block[i].lost[kind])
				errx(1, "%s: %llu %s lost", cap->path, cap->block[i].lost[kind],
				     kind_name(kind));
		}
	}
}

/* Two records of a CPU with the same stamp are in the order of the file. */
static int by_stamp(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->tsc != y->tsc)
		return x->tsc < y->tsc ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void load(struct events *all, char **paths, bool complete)
{
	for (; *paths; paths++) {
		struct capture *cap = load_capture(*paths);
		size_t i;

		if (complete)
			check_complete(cap);
		for (i = 0; i < cap->events.nr; i++)
			*add_event(all) = cap->events.event[i];
		free(cap->events.event);
	}
	if (!all->nr)
		errx(1, "an empty capture");
	qsort(all->event, all->nr, sizeof(*all->event), by_stamp);
}

void load_merged(struct events *all, char **paths)
{
	load(all, paths, true);
}

void load_incomplete(struct events *all, char **paths)
{
	load(all, paths, false);
}
