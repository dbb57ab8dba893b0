/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SUMS_SUMS_H
#define OVNIK_SUMS_SUMS_H

#include "tasks/tasks.h"

/* The sums of the report. They saturate. */

/**
 * struct report_times - How often something happened, and how long it took.
 * @ns: in all
 * @nr: how often
 * @longest: the longest one, ns
 */
struct report_times {
	u64 ns;
	u64 nr;
	u64 longest;
};

/**
 * struct report_io - System calls on files with a recorded end, and what they transferred.
 * @time: of all calls; those of aio and io_uring have none
 * @reads: number of reads
 * @read_bytes: bytes read
 * @writes: number of writes
 * @written_bytes: bytes written
 * @errors: failed reads and writes
 * @hits: reads that found their data in the page cache
 * @misses: reads that added it there
 * @own: of @reads: those of the recorder, which are neither a hit nor a miss
 */
struct report_io {
	struct report_times time;
	u64 reads;
	u64 read_bytes;
	u64 writes;
	u64 written_bytes;
	u64 errors;
	u64 hits;
	u64 misses;
	u64 own;
};

static inline void report_add(u64 *sum, u64 n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = (u64)-1;
}

static inline void report_time(struct report_times *times, u64 ns)
{
	report_add(&times->ns, ns);
	times->nr++;
	if (ns > times->longest)
		times->longest = ns;
}

static inline void report_add_times(struct report_times *sum, const struct report_times *times)
{
	report_add(&sum->ns, times->ns);
	sum->nr += times->nr;
	if (times->longest > sum->longest)
		sum->longest = times->longest;
}

static inline void report_add_io(struct report_io *sum, const struct report_io *io)
{
	report_add_times(&sum->time, &io->time);
	sum->reads += io->reads;
	report_add(&sum->read_bytes, io->read_bytes);
	sum->writes += io->writes;
	report_add(&sum->written_bytes, io->written_bytes);
	sum->errors += io->errors;
	sum->hits += io->hits;
	sum->misses += io->misses;
	sum->own += io->own;
}

static inline u64 report_bytes(const struct report_io *io)
{
	u64 bytes = io->read_bytes;

	report_add(&bytes, io->written_bytes);
	return bytes;
}

#endif /* OVNIK_SUMS_SUMS_H */
