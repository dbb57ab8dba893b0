/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_ASK_WHY_H
#define OVNIK_OUTPUT_ASK_WHY_H

#include "output/output.h"
#include "sums/files.h"
#include "sums/known.h"
#include "sums/runs.h"
#include "tasks/tasks.h"
#include "util/idmap.h"

/*
 * Where the time of some processes went. Attached to tasks. Memory: for processes, threads, files,
 * a few KiB per CPU.
 */

/* What tasks_create() is asked for. */
#define WHY_KINDS								\
	(1U << TASKS_PROCESS | 1U << TASKS_THREAD | 1U << TASKS_RUN | 1U << TASKS_WAIT | \
	 1U << TASKS_UNKNOWN | 1U << TASKS_CALL | 1U << TASKS_FAULT | 1U << TASKS_FILE | \
	 TASKS_MEMORY | TASKS_NOWHERE)

#define WHY_ROWS	10	/* of a table, by default */
#define WHY_STEPS	4	/* of a chain of wakeups */
#define WHY_WAITS	5	/* the longest ones are kept */
#define WHY_ENDED	1024	/* threads that have ended last are kept, see struct tasks_ended */
#define WHY_FAULTS	8	/* more than enum ovni_fault has */

/**
 * enum why_waker - Who ended a wait, if no process did.
 * @WHY_NOBODY: it is not known
 * @WHY_INTERRUPT: no thread, or the one that waited: a timer, a device or another CPU
 * @WHY_CACHE: pages of a file were read
 * @WHY_OPEN: it has not ended when the capture, or the wanted time, does
 */
enum why_waker {
	WHY_NOBODY,
	WHY_INTERRUPT,
	WHY_CACHE,
	WHY_OPEN,
	WHY_NR_PLACES
};

/**
 * struct why_process - A process that the capture has.
 * @name: of its leader, the last one
 * @pid: its number
 * @asked: the question is about it
 * @tree: and so are its children
 * @before: how long it had a CPU for which one of those waited
 */
struct why_process {
	char name[OVNIK_COMM_LEN];
	u32 pid;
	bool asked;
	bool tree;
	struct report_times before;
};

/**
 * struct why_step - A step of a chain of wakeups: who ended a wait, and its own wait before.
 * @process: who; NULL: see @place
 * @place: enum why_waker
 * @tid: its thread
 * @code: enum tasks_wait of its last wait; TASKS_NR_WAITS: it has not waited
 * @flags: enum trace_flags of that
 * @ns: how long that was
 * @ended: when it ended
 */
struct why_step {
	const struct why_process *process;
	u8 place;
	u32 tid;
	u32 code;
	u16 flags;
	u64 ns;
	u64 ended;
};

/**
 * struct why_wait - A wait that has ended.
 * @process: whose
 * @tid: its thread
 * @code: enum tasks_wait
 * @flags: enum trace_flags
 * @start: when it began
 * @ns: how long it was
 * @nr: length of @steps
 * @more: there are steps that are not kept
 * @steps: who ended it, who ended the wait of that one, and so on
 */
struct why_wait {
	const struct why_process *process;
	u32 tid;
	u32 code;
	u16 flags;
	u64 start;
	u64 ns;
	u32 nr;
	bool more;
	struct why_step steps[WHY_STEPS];
};

/**
 * struct why_thread - A thread.
 * @last: its last wait for something that has ended
 * @pending: its last wait for a CPU has ended, but it is not known who had that CPU
 * @queued: when it ended
 * @queue: how long it was
 * @queue_cpu: in whose run queue it was
 */
struct why_thread {
	struct why_wait last;
	bool pending;
	u64 queued;
	u64 queue;
	u32 queue_cpu;
};

/**
 * struct why_cause - Waits for one reason that were ended by the same process.
 * @code: enum tasks_wait
 * @process: who ended them; NULL: see @place
 * @place: enum why_waker
 * @times: how long they were
 */
struct why_cause {
	u32 code;
	const struct why_process *process;
	u8 place;
	struct report_times times;
};

/**
 * struct why - The question.
 * @json: answer as JSON, with all rows
 * @rows: rows of a table
 * @about: which processes
 * @inventory: of the capture's tasks
 * @world: what it is made of
 * @begin: of the capture, ns
 * @processes: struct why_process, by id of its task
 * @threads: struct why_thread, by id of its task
 * @ended: ids of threads that have ended, the last at index (@nr_ended - 1) % WHY_ENDED
 * @nr_ended: how many threads have ended
 * @causes: struct why_cause, by its key
 * @cpus: in the order of the world's
 * @nr_cpus: length of @cpus
 * @known: which of them are in the capture
 * @asked: number of processes that were asked for
 * @threads_asked: number of their threads
 * @life: of those threads
 * @run: they had a CPU
 * @waits: they waited, by enum tasks_wait
 * @nobody: of the waits for a CPU: no thread had it
 * @beyond: likewise: who had it is not known, or no longer
 * @no_cpu: likewise: the thread got none, or that is not recorded
 * @unknown: it is not known what they did
 * @faults: page faults, by enum ovni_fault
 * @memory: page faults in memory without a file
 * @mapped: files, and page faults in them, counted as reads
 * @files: files of system calls
 * @no_file: those without a recorded end, which says the file
 * @longest: the longest waits for something, the longest first
 * @nr_longest: length of @longest
 */
struct why {
	bool json;
	unsigned int rows;
	const struct narrow_options *about;
	const struct inventory *inventory;
	struct world *world;
	u64 begin;
	struct idmap processes;
	struct idmap threads;
	u64 ended[WHY_ENDED];
	u64 nr_ended;
	struct idmap causes;
	struct sums_runs *cpus;
	u32 nr_cpus;
	struct report_known known;
	u64 asked;
	u64 threads_asked;
	struct report_times life;
	struct report_times run;
	struct report_times waits[TASKS_NR_WAITS];
	struct report_times nobody;
	struct report_times beyond;
	struct report_times no_cpu;
	struct report_times unknown;
	struct report_times faults[WHY_FAULTS];
	struct report_times memory[TRACE_NR_MEMORY];
	struct report_files mapped;
	struct report_files files;
	struct report_io no_file;
	struct why_wait longest[WHY_WAITS];
	unsigned int nr_longest;
};

/**
 * why_attach() - Attach a question to a world.
 * @why: with @about and @inventory; call why_free() in any case
 * @w: the world
 *
 * Context: Before tasks_create().
 * Return: 0, -ENOMEM.
 */
int why_attach(struct why *why, struct world *w) __must_check;

/**
 * why_attach_tasks() - Attach it to tasks.
 * @why: the question, after why_attach()
 * @tasks: of at least WHY_KINDS
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int why_attach_tasks(struct why *why, struct hookable *tasks) __must_check;

extern const char *const why_places[WHY_NR_PLACES];

/**
 * why_ender() - Who ended a wait, if no process did?
 * @wait: a wait of which no step is known
 *
 * Return: enum why_waker.
 */
static inline unsigned int why_ender(const struct why_wait *wait)
{
	return wait->flags & TRACE_OPEN ? WHY_OPEN : WHY_NOBODY;
}

/**
 * why_who() - Say who.
 * @process: a process; NULL: none
 * @place: enum why_waker, if there is none
 *
 * Return: a text, never empty.
 */
const char *why_who(const struct why_process *process, unsigned int place);

struct tracer_answer;

/**
 * why_write_times() - Write three cells of a row.
 * @to: where to
 * @times: what
 */
void why_write_times(struct tracer_answer *to, const struct report_times *times);

/**
 * why_write_others() - Write a cell: how many rows are not shown.
 * @to: where to
 * @column: its column
 * @nr: how many
 */
void why_write_others(struct tracer_answer *to, const char *column, size_t nr);

/**
 * why_write_which() - Write which file: JSON says all of it.
 * @why: the question
 * @file: the file
 * @facts: of the last pass
 * @to: where to
 */
void why_write_which(const struct why *why, const struct report_file *file,
		     const struct facts *facts, struct tracer_answer *to);

/* A hook of the world: something is mapped. */
void why_mapped(void *data, const struct hook_ctx *ctx);

/**
 * why_faulted() - A page fault of a process has ended.
 * @why: the question, which is about that process
 * @task: the fault
 *
 * Return: 0, -ENOMEM.
 */
int why_faulted(struct why *why, const struct trace_task *task) __must_check;

/**
 * why_write_memory() - Write page faults by what is mapped there.
 * @why: the question
 * @facts: of the last pass
 * @to: where to
 *
 * Return: 0, -ENOMEM.
 */
int why_write_memory(const struct why *why, const struct facts *facts,
		     struct tracer_answer *to) __must_check;

/* Write a table: who had the CPU, who ended other waits. Return: 0, -ENOMEM. */
int why_write_before(const struct why *why, struct tracer_answer *to) __must_check;
int why_write_causes(const struct why *why, struct tracer_answer *to) __must_check;

/**
 * why_free() - Free a question.
 * @why: as why_attach() left it, or zeroed
 */
void why_free(struct why *why);

#endif /* OVNIK_OUTPUT_ASK_WHY_H */
