/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SUMS_SUMS_H
#define OVNIK_SUMS_SUMS_H

#include "tasks/tasks.h"

/* What is summed up of tasks, by whoever did it. Sums saturate. */

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

/**
 * struct sum - What threads did: of a process, a program, a thread, a CPU, or all of them.
 * @io: system calls on files
 * @wait: waits, by enum tasks_wait; also in @queue, @sleep, @disk, @other
 *
 * measures.def has the others.
 */
struct sum {
#define TIMES(field)		struct report_times field;
#define COUNT(field, ...)	u64 field;
#include "sums/measures.def"
	struct report_io io;
	struct report_times wait[TASKS_NR_WAITS];
};

/* Tables that have columns of sums; a measure is in several. */
enum sum_table {
	IN_SEVERAL	= 1 << 0,	/* of rows that stand for several processes */
	IN_ALL		= 1 << 1,	/* the report's JSON */
	IN_FILE		= 1 << 2,	/* likewise, of files */
	IN_ALL_IO	= IN_ALL | IN_FILE,
	IN_PROGRAMS	= 1 << 3,	/* its programs */
	IN_CPU		= 1 << 4,	/* its processes by time on a CPU */
	IN_QUEUE	= 1 << 5,	/* by time in run queues */
	IN_SLEEP	= 1 << 6,	/* by sleep */
	IN_DISK		= 1 << 7,	/* by disk sleep */
	IN_FAULTS	= 1 << 8,	/* by time in page faults */
	IN_CALLS	= 1 << 9,	/* by time in calls on files */
	IN_FILES	= 1 << 10,	/* its files */
	IN_TOP		= 1 << 11,	/* "top" of processes, programs, threads */
	IN_TOP_CPUS	= 1 << 12,	/* "top" of CPUs */
	IN_NODES	= 1 << 13,	/* the report of several nodes */
	IN_WIDE		= 1 << 14,	/* "top" and nodes, where there is room: in JSON */
	IN_PAGE		= 1 << 15,	/* the page, of the report's JSON */
	IN_DIFF_CPUS	= 1 << 16,	/* "diff" of CPUs; that of programs has all with a "by" */
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

/**
 * sums_add() - Add a task that has ended; no other function adds up tasks of threads.
 * @sum: the sum
 * @task: the task; of any kind
 * @own: the recorder did it: its reads are nobody's hit ratio
 */
void sums_add(struct sum *sum, const struct trace_task *task, bool own);

/**
 * sums_add_call() - Add a system call on a file that has ended, or a part of one.
 * @io: the sum
 * @task: the call
 * @own: the recorder did it
 * @counts: it is one more
 */
void sums_add_call(struct report_io *io, const struct trace_task *task, bool own, bool counts);

/**
 * sums_add_sum() - Add a sum to another one.
 * @to: that one
 * @sum: the sum
 */
void sums_add_sum(struct sum *to, const struct sum *sum);

#endif /* OVNIK_SUMS_SUMS_H */
