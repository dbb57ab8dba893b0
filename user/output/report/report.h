/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_REPORT_REPORT_H
#define OVNIK_OUTPUT_REPORT_REPORT_H

#include <argp.h>
#include <stdio.h>

#include <ovnik.h>

#include "answer/answer.h"
#include "output/output.h"
#include "sums/files.h"
#include "sums/known.h"
#include "sums/recorder.h"
#include "sums/runs.h"
#include "sums/table.h"
#include "tasks/tasks.h"
#include "util/idmap.h"
#include "world/world.h"

/*
 * The first things to know about a capture: which processes used the CPUs, what they waited
 * for, which files cost most, what is missing. Attached to tasks and to the world. Memory:
 * for processes, 65,536 files plus open ones, and a few KiB per CPU.
 */

struct report_nodes;

/* What tasks_create() is asked for. */
#define REPORT_KINDS								\
	(1U << TASKS_PROCESS | 1U << TASKS_THREAD | 1U << TASKS_RUN | 1U << TASKS_WAIT | \
	 1U << TASKS_UNKNOWN | 1U << TASKS_CALL | 1U << TASKS_FAULT | 1U << TASKS_FILE | \
	 TASKS_NOWHERE)

/* The tables, by the name that a user asks for. */
#define REPORT_TABLES(T) \
	T(programs) T(cpu) T(queue) T(disk) T(sleep) T(faults) T(calls) T(waits) T(files) \
	T(cache) T(cpus) T(losses) T(clock)

/**
 * enum report_part - A table, or two that belong together.
 */
enum report_part {
#define REPORT_PART(name) REPORT_PART_##name,
	REPORT_TABLES(REPORT_PART)
#undef REPORT_PART
	REPORT_NR_PARTS
};

/**
 * struct report_options - What to do.
 * @rows: most rows of a table; 0: the default
 * @list: what was asked for with --tables
 * @parts: bit n: enum report_part n is shown; JSON: all are
 * @json: as JSON
 * @all: all processes and files, however many @rows
 * @self: the recorder is a process as any other
 */
struct report_options {
	unsigned int rows;
	const char *list;
	u32 parts;
	bool json;
	bool all;
	bool self;
};

/* Help of the two options. */
#define REPORT_NO_SELF	"Show ovnik, the recorder, in one row after the others (default)"
#define REPORT_SELF	"Show ovnik, the recorder, like any other process"
#define REPORT_RECORDER	"recorder (ovnik)"	/* longer than any name of a process */

/**
 * struct report_process - A process.
 *
 * Or the sum of several: only @sum is set, and the first @number.
 *
 * @number: from 1, in the order of appearance
 * @pid: number, which another process may have had before
 * @start: when it appeared, or was first known, since the capture's begin, ns
 * @end: when it ended, or the capture did
 * @name: of its leader, the last one; of the recorder at its end, REPORT_RECORDER
 * @recorder: it recorded: it is behind all others, however large
 * @covered: it is not left out, see report_settle()
 * @program: it is known not to be a kernel thread
 * @sum: what its threads did
 * @in_wait: how long it ran during the wait in question
 */
struct report_process {
	u64 number;
	u64 pid;
	u64 start;
	u64 end;
	char name[sizeof(REPORT_RECORDER)];
	bool recorder;
	bool covered;
	bool program;
	struct sum sum;
	u64 in_wait;
};

/**
 * struct report_wait - A wait in a run queue.
 * @ns: how long
 * @start: since the capture's begin
 * @process: the process that waited
 * @tid: its thread
 * @why: enum tasks_wait
 * @on: the CPU in whose run queue it was, until it got one; -1: it got none, until the capture's
 *	end or events are missing
 * @known: it is known what ran there during the wait
 * @ran: how long processes ran there
 * @processes: how many processes ran
 * @most: the one that ran longest
 * @most_ns: how long it ran
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

/**
 * report_name() - The name of a process, for a sentence. In a table an unknown one is "-".
 * @name: its name
 *
 * Return: the name, or that it is not known.
 */
static inline const char *report_name(const char *name)
{
	return *name ? name : "(name not known)";
}

#define REPORT_MOST	80	/* bytes of the text */

/**
 * report_wait_most() - Say who ran longest during a wait.
 * @wait: it is known, and not nobody
 * @text: set to name, PID, its share of the wait, and how many others ran
 */
void report_wait_most(const struct report_wait *wait, char text[REPORT_MOST]);

/**
 * struct report_cpu - What is known about a CPU.
 * @nr: its number
 * @elsewhere: it is left out: only who runs there is known
 * @sum: what ran on it
 * @runs: which processes it was given
 * @gap: where its current gap begins, ns
 * @blind: how long records may be missing
 * @gaps: number of gaps
 * @inexact: those of them in which more is missing than was counted
 * @lost: by event; NULL: none
 * @other: of unknown events
 * @causes: enum gap_cause
 */
struct report_cpu {
	u32 nr;
	bool elsewhere;
	struct sum sum;
	struct sums_runs runs;
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
 * @added: number of added pages of world_page_size()
 * @removed: number of removed ones
 */
struct report_pages {
	u64 added;
	u64 removed;
};

/**
 * struct report - The report.
 * @opt: what to do
 * @several: there are captures of other nodes, too
 * @nodes: what is known of those before; NULL: nothing
 * @marked: the application's phases, if its trace is merged; NULL: it is not
 * @phases: the same, at the end
 * @nr_phases: length of @phases
 * @world: what it is made of
 * @begin: of the capture, ns
 * @end: likewise
 * @filtered: the capture has only some processes
 * @recorder: who recorded, unless it is as any other process
 * @command: PID of the process that became the recorded command; 0: none is known
 * @forked: it has made processes
 * @processes: struct report_process by id of its task
 * @nr_covered: how many of them are not left out, after report_settle()
 * @last: the one that was looked up last
 * @last_id: id of its task
 * @loose: how many threads were seen whose process is not known
 * @all: the sum of all processes, after report_settle()
 * @files: files
 * @cpus: in the order of the world's
 * @nr_cpus: length of @cpus
 * @known: which of them are in the capture
 * @dump: what is missing from dump.ovk; nothing else is set
 * @pages: of files in the page cache
 * @buffers: of block devices
 * @uncertain: calls and faults whose end was not recorded
 * @waits: the worst waits, the worst first
 * @nr_waits: length of @waits
 * @max_waits: most entries of @waits
 * @ended: a wait that has just ended, and may be one of those; process NULL: none
 * @ended_at: when
 * @ended_in: in which CPU's run queue it was
 * @ended_thread: id of the thread's task
 */
struct report {
	struct report_options opt;
	bool several;
	struct report_nodes *nodes;
	struct report_phases *marked;
	struct report_phase *phases;
	u32 nr_phases;
	struct world *world;
	u64 begin;
	u64 end;
	bool filtered;
	struct recorder recorder;
	u32 command;
	bool forked;
	struct idmap processes;
	u32 nr_covered;
	struct report_process *last;
	u64 last_id;
	u64 loose;
	struct report_process all;
	struct report_files files;
	struct report_cpu *cpus;
	u32 nr_cpus;
	struct report_known known;
	struct report_cpu dump;
	struct report_pages pages;
	struct report_pages buffers;
	u64 uncertain;
	struct report_wait *waits;
	unsigned int nr_waits;
	unsigned int max_waits;
	struct report_wait ended;
	u64 ended_at;
	u32 ended_in;
	u64 ended_thread;
};

/**
 * report_cpu_of() - Find a CPU.
 * @r: the report
 * @nr: its number
 *
 * Context: Any.
 * Return: the CPU, NULL if the capture has none with this number.
 */
static inline struct report_cpu *report_cpu_of(const struct report *r, u32 nr)
{
	u32 i = world_cpu_index(r->world, nr);

	return likely(i < r->nr_cpus) ? &r->cpus[i] : NULL;
}

/**
 * report_process_of() - Find the process of a task.
 * @r: the report
 * @task: the task
 *
 * Context: Its process's own task is reported first.
 * Return: the process, NULL if it is not known.
 */
struct report_process *report_process_of(struct report *r, const struct trace_task *task);

/**
 * report_queue_end() - No more waits will end.
 * @r: the report
 */
void report_queue_end(struct report *r);

/**
 * report_settle() - Sum up all processes, and leave out those that a filter does not cover.
 * @r: the report
 *
 * A capture names them if they meet those that it covers. What they do is not recorded. Whom
 * it covers may become known late.
 *
 * Context: At the end of the pass; before anything of it is written.
 */
void report_settle(struct report *r);

/**
 * report_covers() - Is a process not left out? See report_settle().
 * @r: the report, after the pass
 * @p: the process; NULL: it is not known
 *
 * Return: true if so.
 */
static inline bool report_covers(const struct report *r, const struct report_process *p)
{
	return !r->filtered || (p && p->covered);
}

/**
 * report_processes() - List the processes that are not left out.
 * @r: the report, after report_settle()
 *
 * Return: an array to be freed, of @r->nr_covered; NULL without memory.
 */
struct report_process **report_processes(const struct report *r);

/**
 * report_programs() - Sum processes up by name.
 * @processes: the processes; they are reordered
 * @nr: their number; is set to the number of sums
 *
 * Return: an array of sums to be freed, NULL without memory.
 */
struct report_process *report_programs(struct report_process **processes, size_t *nr);

/**
 * report_sort() - Sort, the largest first; of equals, the one with the lowest number; the recorder
 * last.
 * @list: processes or sums, or structs that begin with one
 * @nr: length of @list
 * @at: offset of the u64 to sort by
 */
void report_sort(struct report_process **list, size_t nr, size_t at);

/**
 * report_has_row() - Does a table have a row of a process?
 * @opt: what to do
 * @p: the process, or sum; or a struct that begins with one
 * @rank: its index after report_sort()
 * @at: offset of the u64 that was sorted by
 *
 * Return: true if it does.
 */
bool report_has_row(const struct report_options *opt, const struct report_process *p, size_t rank,
		    size_t at);

/**
 * report_time_of_cpus() - Sum up the time of all CPUs that are known and not left out.
 * @r: the report
 *
 * Return: ns.
 */
u64 report_time_of_cpus(const struct report *r);

/**
 * report_shows() - Is a table asked for?
 * @r: the report
 * @part: the table
 *
 * Return: true if it is.
 */
static inline bool report_shows(const struct report *r, enum report_part part)
{
	return r->opt.json || r->opt.parts >> part & 1;
}

/**
 * report_lost() - How many events were lost?
 * @stats: of the capture
 *
 * Return: their number.
 */
u64 report_lost(const struct capture_stats *stats);

/**
 * report_max_waits() - How many of the worst waits are listed?
 * @opt: what to do
 *
 * Return: their number.
 */
unsigned int report_max_waits(const struct report_options *opt);

/**
 * report_why() - Why did a thread wait in a run queue?
 * @wait: the wait
 *
 * Return: text.
 */
const char *report_why(const struct report_wait *wait);

/**
 * report_write_summary() - Write ten lines that say what to look at, as text.
 * @r: the report
 * @facts: of the last pass
 * @to: where to
 *
 * Context: The processes are complete.
 * Return: 0, -ENOMEM.
 */
int report_write_summary(const struct report *r, const struct facts *facts,
			 struct tracer_answer *to) __must_check;

/**
 * report_parse_rows() - Parse the number of rows of a table.
 * @option: name of the option
 * @arg: its argument
 * @state: of argp
 *
 * Return: the number; exits if it is wrong.
 */
unsigned int report_parse_rows(const char *option, const char *arg,
			       const struct argp_state *state);

/**
 * report_write_missing() - Write how many events are missing, and what that has hit.
 * @r: the report
 * @facts: of the last pass
 * @to: where to
 */
void report_write_missing(const struct report *r, const struct facts *facts,
			  struct tracer_answer *to);

/**
 * report_write_scope() - Write which processes and events were left out, and what a page is.
 * @cap: the capture
 * @to: where to
 */
void report_write_scope(const struct capture *cap, struct tracer_answer *to);

/**
 * report_write_processes() - Write what each process did.
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
 * report_write_files() - Write what was done to files, and how useful the page cache was.
 * @r: the report
 * @facts: of the last pass
 * @to: where to
 *
 * Return: 0, -ENOMEM.
 */
int report_write_files(const struct report *r, const struct facts *facts,
		       struct tracer_answer *to) __must_check;

/**
 * report_attach() - Attach a report to a world.
 * @r: zero but for its options; call report_free() in any case
 * @env: what its output works with; with inventory
 *
 * Context: Before tasks_create().
 * Return: 0, -ENOMEM.
 */
int report_attach(struct report *r, const struct output_env *env) __must_check;

/**
 * report_attach_tasks() - Attach a report to tasks.
 * @r: the report, after report_attach()
 * @tasks: of at least REPORT_KINDS
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int report_attach_tasks(struct report *r, struct hookable *tasks) __must_check;

/**
 * report_write() - Write a report after the last pass.
 * @r: the report
 * @facts: of that pass
 * @f: where to
 *
 * Context: Once.
 * Return: 0, a negative errno (reported).
 */
int report_write(struct report *r, const struct facts *facts, FILE *f) __must_check;

/**
 * report_free() - Free a report.
 * @r: as report_attach() left it, or zeroed
 *
 * Context: Any.
 */
void report_free(struct report *r);

#endif /* OVNIK_OUTPUT_REPORT_REPORT_H */
