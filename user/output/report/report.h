/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_REPORT_REPORT_H
#define OVNIK_OUTPUT_REPORT_REPORT_H

#include <ovnik.h>

#include "output/facts.h"
#include "output/report/files.h"
#include "output/tracers/answer.h"
#include "tasks/tasks.h"
#include "util/idmap.h"
#include "world/world.h"

/*
 * What a user wants to know first of a capture: who used the CPUs, who waited for what,
 * which files cost most, what is missing. Attached to tasks and to the world. Memory: by
 * processes, by 65,536 files and those that are open, and some KiB a CPU.
 */

/**
 * struct report_options - What to do.
 * @rows: of a table, at most
 * @json: as JSON, with all processes and files
 */
struct report_options {
	unsigned int rows;
	bool json;
};

/**
 * struct report_process - A process. Times are those of all its threads together.
 *
 * Or the sum of some, of which only what can be summed is set, and the first @number.
 *
 * @number: from 1, in the order in which they came up
 * @pid: number, which another one may have had before
 * @start: when it came up, or was first known, since the capture's begin, ns
 * @end: when it ended, or the capture did
 * @name: of its leader, the last one
 * @processes: of how many it is the sum
 * @threads: that it ever had
 * @cpu: on a CPU
 * @queue: ready, but waiting for one
 * @sleep: waiting for something
 * @disk: the same, not to be disturbed, as for a disk
 * @other: stopped, traced, parked, idle, or being made
 * @unknown: nobody knows
 * @faults: page faults
 * @major: of them, those that had to read
 * @failed: of them, those that ended in a signal, or an error
 * @cow: copies of shared pages
 * @io: system calls on files
 * @meanwhile: of queue.c
 */
struct report_process {
	u64 number;
	u64 pid;
	u64 start;
	u64 end;
	char name[OVNIK_COMM_LEN];
	u64 processes;
	u64 threads;
	struct report_times cpu;
	struct report_times queue;
	struct report_times sleep;
	struct report_times disk;
	struct report_times other;
	struct report_times unknown;
	struct report_times faults;
	u64 major;
	u64 failed;
	u64 cow;
	struct report_io io;
	u64 meanwhile;
};

/**
 * struct report_wait - A wait in a run queue.
 * @ns: how long
 * @start: since the capture's begin
 * @process: who waited
 * @tid: which thread of it
 * @why: enum tasks_wait
 * @on: the CPU that it got; -1: none, until the capture's end or events are missing
 * @known: it is known who ran there meanwhile
 * @ran: how long anybody did
 * @processes: how many of them
 * @most: who did longest
 * @most_ns: how long
 */
struct report_wait {
	u64 ns;
	u64 start;
	struct report_process *process;
	u32 tid;
	u32 why;
	s64 on;
	bool known;
	u64 ran;
	u64 processes;
	struct report_process *most;
	u64 most_ns;
};

#define REPORT_RUNS	1024	/* of a CPU, that are remembered */

/**
 * struct report_run - Somebody was on a CPU.
 * @process: who
 * @start: from
 * @end: to
 */
struct report_run {
	struct report_process *process;
	u64 start;
	u64 end;
};

/**
 * struct report_cpu - What is known of a CPU.
 * @nr: its number
 * @busy: somebody was on it
 * @since: from when on its runs are known; 0: never
 * @runs: the last ones; NULL: there was none
 * @nr_runs: all there were
 * @gap: where records are missing, it begins, ns
 * @blind: so long records may be missing
 * @gaps: how often
 * @inexact: of them, those in which more is missing than was counted
 * @lost: by event; NULL: none
 * @other: of events that are not known
 * @causes: enum gap_cause
 */
struct report_cpu {
	u32 nr;
	struct report_times busy;
	u64 since;
	struct report_run *runs;
	u64 nr_runs;
	u64 gap;
	u64 blind;
	u64 gaps;
	u64 inexact;
	u64 *lost;
	u64 other;
	u32 causes;
};

/**
 * struct report_pages - Pages, of a cache.
 * @added: so many, of 4 KiB
 * @removed: likewise
 */
struct report_pages {
	u64 added;
	u64 removed;
};

/**
 * struct report - The report.
 * @opt: what to do
 * @world: what it is made of, while attached
 * @tasks: likewise
 * @writing: what is told at the moment is a write, not a read
 * @begin: of the capture, ns
 * @end: likewise
 * @filtered: only some processes are in it
 * @processes: struct report_process by id of its task
 * @last: the one that was asked for last
 * @last_id: id of its task
 * @sum: of all processes; pid and so on are not set
 * @files: files
 * @cpus: in the order of the world's
 * @nr_cpus: length of @cpus
 * @pages: of files in the page cache
 * @buffers: of block devices
 * @uncertain: calls and faults of which the end was not seen
 * @waits: the worst waits, the worst first
 * @nr_waits: length of @waits
 * @max_waits: the most there can be
 * @ended: a wait that has just ended, and may be one of those; process NULL: none
 * @ended_at: when
 * @ended_thread: id of the thread's task
 */
struct report {
	struct report_options opt;
	struct world *world;
	struct tasks *tasks;
	bool writing;
	u64 begin;
	u64 end;
	bool filtered;
	struct idmap processes;
	struct report_process *last;
	u64 last_id;
	struct report_process sum;
	struct report_files files;
	struct report_cpu *cpus;
	u32 nr_cpus;
	struct report_pages pages;
	struct report_pages buffers;
	u64 uncertain;
	struct report_wait *waits;
	unsigned int nr_waits;
	unsigned int max_waits;
	struct report_wait ended;
	u64 ended_at;
	u64 ended_thread;
};

/**
 * report_cpu_of() - Find a CPU.
 * @r: the report
 * @nr: its number
 *
 * Context: Any.
 * Return: the CPU, NULL if the capture has none of this number.
 */
static inline struct report_cpu *report_cpu_of(const struct report *r, u32 nr)
{
	u32 i = world_cpu_index(r->world, nr);

	return likely(i < r->nr_cpus) ? &r->cpus[i] : NULL;
}

/**
 * report_attach_machine() - Attach to the world for what tasks do not tell.
 * @r: the report
 *
 * Context: Before the builder of tasks is attached: what it tells of a call lacks what
 * is learned here.
 * Return: 0, -ENOMEM.
 */
int report_attach_machine(struct report *r) __must_check;

/**
 * report_queue_ran() - Somebody has left a CPU.
 * @r: the report
 * @process: who
 * @task: the run
 *
 * Context: From a hook. The same is true of the others.
 * Return: 0, -ENOMEM.
 */
int report_queue_ran(struct report *r, struct report_process *process,
		     const struct trace_task *task) __must_check;

/**
 * report_queue_run() - Somebody has got a CPU.
 * @r: the report
 * @task: the run
 */
void report_queue_run(struct report *r, const struct trace_task *task);

/**
 * report_queue_waited() - A wait in a run queue has ended.
 * @r: the report
 * @process: whose
 * @task: the wait
 */
void report_queue_waited(struct report *r, struct report_process *process,
			 const struct trace_task *task);

/**
 * report_queue_finish() - No more waits will end.
 * @r: the report
 */
void report_queue_finish(struct report *r);

/**
 * report_write_processes() - Say what became of each process.
 * @r: the report
 * @facts: of the last pass
 * @to: where to
 *
 * Context: Any. The same is true of the others.
 * Return: 0, -ENOMEM.
 */
int report_write_processes(struct report *r, const struct facts *facts,
			   struct tracer_answer *to) __must_check;

/**
 * report_programs() - Sum processes up by name.
 * @processes: processes; are sorted by name
 * @nr: how many; is set: how many names
 *
 * Return: the sums, an array to be freed; NULL without memory.
 */
struct report_process *report_programs(struct report_process **processes, size_t *nr);

/**
 * report_write_files() - Say what was done to files, and what the page cache was good for.
 * @r: the report
 * @facts: of the last pass
 * @to: where to
 *
 * Return: 0, -ENOMEM.
 */
int report_write_files(const struct report *r, const struct facts *facts,
		       struct tracer_answer *to) __must_check;

/**
 * report_write_capture() - Say what there is of the capture.
 * @r: the report
 * @facts: of the last pass
 * @to: where to
 */
void report_write_capture(const struct report *r, const struct facts *facts,
			  struct tracer_answer *to);

/**
 * report_write_losses() - Say what is missing, and how good the clock is.
 * @r: the report
 * @facts: of the last pass
 * @to: where to
 */
void report_write_losses(const struct report *r, const struct facts *facts,
			 struct tracer_answer *to);

/**
 * report_attach_tasks() - Have a report told of tasks.
 * @r: the report
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int report_attach_tasks(struct report *r) __must_check;

#endif /* OVNIK_OUTPUT_REPORT_REPORT_H */
