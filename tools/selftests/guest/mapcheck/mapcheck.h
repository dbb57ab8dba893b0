/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_MAPCHECK_H
#define GUEST_MAPCHECK_H

/* What the parts of mapcheck share. */

#include "../common/space.h"

/**
 * struct snapshot - A process' maps.
 * @checkpoint: when
 * @pid:	whose
 * @load:	it stood still
 * @before:	TSC before they were read
 * @after:	and after
 * @maps:	what they say
 */
struct snapshot {
	unsigned int checkpoint;
	unsigned int pid;
	bool load;
	__u64 before;
	__u64 after;
	struct space maps;
};

extern struct snapshot *snapshots;
extern size_t nr_snapshots;

/* All records, in the order of time. */
extern struct events all;

/* Set by -b: the capture is BPF's. */
extern bool by_bpf;

/**
 * load_snapshots() - Read what mapload has saved; sets snapshots.
 * @path: of MAPS
 */
void load_snapshots(const char *path);

/**
 * next_flat() - Return the next adjacent ranges as one mapping.
 * @space: the mappings
 * @at: where the next one begins; is advanced
 * @flat: is set
 *
 * Return: false at the end.
 */
bool next_flat(const struct space *space, size_t *at, struct range *flat);

/**
 * extent_of() - Which addresses is a record about?
 * @event: the record
 * @start: is set
 * @end: is set
 *
 * Return: false if it is about none.
 */
bool extent_of(const struct event *event, __u64 *start, __u64 *end);

/**
 * same_space() - Are the mappings of a process the same, page by page?
 * @ours: rebuilt
 * @shot: what /proc says
 * @mm: number of the address space
 * @quiet: do not show the difference
 */
bool same_space(const struct space *ours, const struct snapshot *shot, __u64 mm, bool quiet);

/**
 * run() - Apply all records, and compare at each checkpoint.
 * @quiet: do not show a difference, and note no candidates
 */
bool run(bool quiet);

/**
 * note_event() - Note a record that could be altered, before it is applied.
 * @now: address spaces before it
 * @event: the record
 * @number: of it
 */
void note_event(struct spaces *now, const struct event *event, size_t number);

/**
 * find_candidates() - Note the records that made what is mapped.
 * @space: the mappings
 */
void find_candidates(const struct space *space);

/**
 * find_unmaps() - Note the records that unmap a range without a mapping.
 * @space: the mappings
 * @mm: number of the address space
 */
void find_unmaps(const struct space *space, __u64 mm);

/**
 * all_noticed() - Test the checker: is each alteration of a noted record found?
 */
bool all_noticed(void);

#endif /* GUEST_MAPCHECK_H */
