/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TIMELINE_TIMELINE_H
#define OVNIK_OUTPUT_TIMELINE_TIMELINE_H

#include <ovnik.h>

#include "merge/marks.h"
#include "output/timeline/lane.h"
#include "sums/recorder.h"
#include "tasks/tasks.h"
#include "util/hash.h"
#include "util/idmap.h"
#include "world/world.h"

/*
 * What a picture shows: rows for CPUs, threads and files, with lanes in each. Keys of the
 * lanes:
 *
 *	states	enum timeline_state; of a run + 32 * (CPU + 1), of a wait + 32 * timeline_waker
 *	calls	enum ovnik_file_op, 12: another one or not known, + 16: it failed, + 32: see below;
 *		+ 64 * number of the file
 *	faults	1 + enum ovni_fault + 8 * enum ovnik_fault_result, 8 * 3: its end is not known,
 *		+ 32: see below; + 64 * (enum trace_memory, or TIMELINE_FILE + number of the file)
 *	cpu	number of the thread; LANE_GROUP + number of the program, from 0: of others of
 *		that program
 *	pages	enum timeline_use, of files and of block devices
 *	file	enum timeline_use; at the end of a call, and when pages come and go
 *	mark	number of the value, the innermost one
 *
 * Numbers begin with 1. 32 of calls and faults: it does not count (trace_counts()).
 */

/**
 * enum timeline_state - Where a thread is; waits are TIMELINE_WAIT + enum tasks_wait.
 * @TIMELINE_RUN: on a CPU
 * @TIMELINE_WAIT: off the CPU
 * @TIMELINE_UNKNOWN: not known
 */
enum timeline_state {
	TIMELINE_RUN		= 1,
	TIMELINE_WAIT		= 2,
	TIMELINE_UNKNOWN	= TIMELINE_WAIT + TASKS_NR_WAITS,
};

/**
 * enum timeline_waker - Who ended a wait.
 * @TIMELINE_WAKER_UNKNOWN: not known; or it has not ended, or was for a CPU
 * @TIMELINE_WAKER_INTERRUPT: no thread, or the one that waited: a timer, a device, another CPU
 * @TIMELINE_WAKER_THREAD: + number of the thread
 */
enum timeline_waker {
	TIMELINE_WAKER_UNKNOWN,
	TIMELINE_WAKER_INTERRUPT,
	TIMELINE_WAKER_THREAD = TIMELINE_WAKER_INTERRUPT,
};

/* Bytes of all lanes. The same for each run: no output may change with what else is asked for. */
#define TIMELINE_LANES_MAX	(8 << 20)

#define TIMELINE_FILE	TRACE_MEMORY_UNKNOWN	/* files follow, from number 1 */

/**
 * enum timeline_use - What happens to a file.
 * @TIMELINE_READ: a call read it
 * @TIMELINE_WRITE: a call wrote it
 * @TIMELINE_ADD: the page cache got pages of it
 * @TIMELINE_REMOVE: the page cache gave up pages of it
 */
enum timeline_use {
	TIMELINE_READ = 1,
	TIMELINE_WRITE,
	TIMELINE_ADD,
	TIMELINE_REMOVE,
};

/* Sums of a thread, as the report has them by process. */
#define TIMELINE_SUMS(S)	S(run) S(queue) S(sleep) S(disk) S(other) S(unknown)

#define TIMELINE_SUM_ENUM(name)	TIMELINE_SUM_##name,

/* A number for each sum. */
enum timeline_sum {
	TIMELINE_SUMS(TIMELINE_SUM_ENUM)
	TIMELINE_NR_SUMS
};

/**
 * timeline_sum_of_wait() - What a wait is summed up as.
 * @code: enum tasks_wait
 *
 * Return: the sum.
 */
enum timeline_sum timeline_sum_of_wait(u32 code);

#define TIMELINE_TINTS	8	/* of programs; the last one is that of all others */

/* As CSS writes them; the same in all pictures. */
extern const char *const timeline_tints[TIMELINE_TINTS];

/**
 * struct timeline_process - A process.
 * @next: the one that appeared after it
 * @nr: its number
 * @pid: its PID
 * @start: when it appeared, ns
 * @end: when it ended; 0: it did not
 * @name: its last name
 * @program: LANE_GROUP + number of the program of this name; 0: not yet known
 * @threads: how many have appeared
 * @recorder: it recorded
 * @tint: by timeline_finish(): index in timeline_tints
 * @covered: with a filter, by timeline_finish(): it covers the process
 */
struct timeline_process {
	STAILQ_ENTRY(timeline_process) next;
	u32 nr;
	u32 pid;
	u64 start;
	u64 end;
	char name[OVNIK_COMM_LEN];
	u64 program;
	u32 threads;
	bool recorder;
	u32 tint;
	bool covered;
};

/**
 * struct timeline_program - A name that processes had when they were summed up in a mix.
 * @next: the next one
 * @node: in the table of programs
 * @nr: its number, from 0
 * @name: the name
 */
struct timeline_program {
	STAILQ_ENTRY(timeline_program) next;
	struct hash_node node;
	u32 nr;
	char name[OVNIK_COMM_LEN];
};

/**
 * struct timeline_thread - A thread.
 * @next: the one that appeared after it
 * @nr: its number
 * @tid: its TID
 * @process: its process
 * @start: when it appeared, ns
 * @end: when it ended; 0: it did not
 * @name: its last name
 * @sums: by enum timeline_sum, ns
 * @states: runs, waits, and where neither is known
 * @calls: calls on files; NULL: none
 * @faults: page faults; NULL: none
 */
struct timeline_thread {
	STAILQ_ENTRY(timeline_thread) next;
	u32 nr;
	u32 tid;
	struct timeline_process *process;
	u64 start;
	u64 end;
	char name[OVNIK_COMM_LEN];
	u64 sums[TIMELINE_NR_SUMS];
	struct lane *states;
	struct lane *calls;
	struct lane *faults;
};

/**
 * struct timeline_mark - A mark of a thread, of a merged application.
 * @next: the one that appeared after it
 * @thread: whose; NULL: it is not known
 * @pid: its process
 * @tid: its number
 * @type: the mark
 * @lane: its values
 * @ns: how long it had any
 */
struct timeline_mark {
	STAILQ_ENTRY(timeline_mark) next;
	struct timeline_thread *thread;
	u32 pid;
	u32 tid;
	const struct marks_type *type;
	struct lane *lane;
	u64 ns;
};

/**
 * struct timeline_file - A file.
 * @next: the one that was used first after it
 * @node: in the table of files
 * @nr: its number; 0: nothing happened to it, and it has no row
 * @id: which
 * @path: its name; NULL: not known
 * @uses: what happened to it
 * @bytes: how many bytes that was about
 */
struct timeline_file {
	STAILQ_ENTRY(timeline_file) next;
	struct hash_node node;
	u32 nr;
	struct trace_file id;
	char *path;
	struct lane *uses;
	u64 bytes;
};

/**
 * struct timeline_loss - Where events are missing.
 * @next: the next one
 * @cpu: on this CPU; TRACE_NO_CPU: of the statedump
 * @start: from, ns
 * @end: to
 * @lost: how many; 0: not known
 */
struct timeline_loss {
	STAILQ_ENTRY(timeline_loss) next;
	u32 cpu;
	u64 start;
	u64 end;
	u64 lost;
};

/**
 * struct timeline - All rows. All zero but @lanes.limit is empty.
 * @threads: in the order in which they appeared
 * @processes: likewise
 * @files: in the order in which they were used
 * @programs: by number
 * @losses: where events are missing
 * @mark_rows: in the order in which they appeared
 * @world: what it is made of
 * @begin: of the capture, ns
 * @end: likewise
 * @lanes: all lanes
 * @by_id: struct timeline_thread and _process by the number of their task
 * @last: the thread that was looked up last
 * @last_id: number of its task
 * @table: struct timeline_file
 * @others: files for which there was no room
 * @cpus: what runs, by index of the CPU
 * @busy: how long a thread ran, ns; likewise
 * @last_losses: the last mark of each CPU, by its index, and of the statedump
 * @pages: of the page cache
 * @nr_threads: numbers given
 * @nr_processes: likewise
 * @nr_files: likewise
 * @nr_losses: how many there are
 * @marks: of a merged application
 * @by_tid: struct timeline_thread by TID, the last that had it
 * @by_number: struct timeline_thread by PID and TID, if there are marks
 * @values: of all marks, by number, from 1
 * @nr_values: length of @values
 * @by_nr: struct timeline_thread by number
 * @by_name: struct timeline_program
 * @nr_programs: numbers given
 * @recorder: who recorded; zeroed: it is as any other process
 * @tinted: by timeline_finish(): names of the programs that have a tint of their own, those that
 *	    ran most; NULL: none
 * @part: by timeline_finish(): which part of the capture it is, in words; "": all of it
 */
struct timeline {
	STAILQ_HEAD(, timeline_thread) threads;
	STAILQ_HEAD(, timeline_process) processes;
	STAILQ_HEAD(, timeline_file) files;
	STAILQ_HEAD(, timeline_program) programs;
	STAILQ_HEAD(, timeline_loss) losses;
	STAILQ_HEAD(, timeline_mark) mark_rows;
	struct world *world;
	u64 begin;
	u64 end;
	struct lanes lanes;
	struct idmap by_id;
	struct timeline_thread *last;
	u64 last_id;
	struct hash_table table;
	struct timeline_file *others;
	struct lane **cpus;
	u64 *busy;
	struct timeline_loss **last_losses;
	struct lane *pages;
	u32 nr_threads;
	u32 nr_processes;
	u32 nr_files;
	u32 nr_losses;
	struct marks marks;
	struct idmap by_tid;
	struct idmap by_number;
	const struct marks_label **values;
	u32 nr_values;
	struct idmap by_nr;
	struct hash_table by_name;
	u32 nr_programs;
	struct recorder recorder;
	const char *tinted[TIMELINE_TINTS - 1];
	char *part;
};

#define TIMELINE_PROGRAMS 65536	/* names of mixes; later ones are others */
#define TIMELINE_FILES	4096	/* with a row; the others share one */
#define TIMELINE_LOSSES	10000	/* marks; those behind are one with the last of their CPU */

/* What tasks_create() is asked for. */
#define TIMELINE_KINDS								\
	(1U << TASKS_PROCESS | 1U << TASKS_THREAD | 1U << TASKS_RUN | 1U << TASKS_WAIT | \
	 1U << TASKS_UNKNOWN | 1U << TASKS_CALL | 1U << TASKS_FAULT | 1U << TASKS_FILE | \
	 TASKS_MEMORY | TASKS_NOWHERE)

/**
 * timeline_init() - Make an empty timeline, and attach it to the world.
 * @tl: zeroed; is set; call timeline_free() in any case
 * @w: the world
 * @limit: most bytes of all lanes
 *
 * Context: Before tasks_create(): its calls do not contain what is learned here.
 * Return: 0, -ENOMEM.
 */
int timeline_init(struct timeline *tl, struct world *w, size_t limit) __must_check;

/**
 * timeline_attach() - Attach a timeline to tasks.
 * @tl: the timeline
 * @tasks: of at least TIMELINE_KINDS
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int timeline_attach(struct timeline *tl, struct hookable *tasks) __must_check;

/**
 * timeline_attach_marks() - Add the marks of what is merged.
 * @tl: the timeline
 * @t: the translation; NULL: there is none
 * @loom: name of the captured host's loom
 *
 * Context: After timeline_init(), before world_begin().
 * Return: 0, a negative errno (reported, except -ENOMEM).
 */
int timeline_attach_marks(struct timeline *tl, struct ovni_translate *t, const char *loom)
	__must_check;

/* Those below are for timeline.c. */
int timeline_number_thread(struct timeline *tl, struct timeline_thread *th, u32 pid) __must_check;
int timeline_finish_marks(struct timeline *tl) __must_check;
int timeline_finish_part(struct timeline *tl, const struct capture *cap) __must_check;
int timeline_finish_tints(struct timeline *tl) __must_check;
void timeline_cover(const struct timeline *tl, struct timeline_process *p,
		    const struct trace_task *task);
void timeline_free_marks(struct timeline *tl);
void timeline_free_files(struct timeline *tl);
u64 timeline_program_of(void *data, u64 thread);
void timeline_free_programs(struct timeline *tl);

/**
 * timeline_finish() - The capture has ended: all that happened is in the texts of the lanes.
 * @tl: the timeline
 * @cap: the capture
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int timeline_finish(struct timeline *tl, const struct capture *cap) __must_check;

/**
 * timeline_shows() - Is a process to be shown?
 * @tl: the timeline
 * @p: the process; NULL: it is not known
 *
 * One that a filter does not cover is not: a capture names it if it meets those that are covered.
 * What it does is not recorded.
 *
 * Context: After timeline_finish().
 * Return: true if so.
 */
bool timeline_shows(const struct timeline *tl, const struct timeline_process *p);

/**
 * timeline_tint() - The tint of a program.
 * @tl: the timeline
 * @name: of the program
 *
 * Context: After timeline_finish().
 * Return: index in timeline_tints.
 */
u32 timeline_tint(const struct timeline *tl, const char *name);

/**
 * timeline_free() - Free a timeline.
 * @tl: as timeline_init() left it, or zeroed
 *
 * Context: Any.
 */
void timeline_free(struct timeline *tl);

/**
 * timeline_use() - Something happens to a file.
 * @tl: the timeline
 * @id: which
 * @ns: when
 * @use: enum timeline_use
 * @bytes: how many bytes
 *
 * Context: Any.
 * Return: the file's number; 0 without memory.
 */
u32 timeline_use(struct timeline *tl, const struct trace_file *id, u64 ns, u32 use, u64 bytes);

/**
 * timeline_file() - A file is needed.
 * @tl: the timeline
 * @id: which
 *
 * Context: Any.
 * Return: the file's number; 0 without memory.
 */
u32 timeline_file(struct timeline *tl, const struct trace_file *id);

/**
 * timeline_open() - A file has a name.
 * @tl: the timeline
 * @id: which
 * @path: its name; "": not known
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int timeline_open(struct timeline *tl, const struct trace_file *id, const char *path)
	__must_check;

#endif /* OVNIK_OUTPUT_TIMELINE_TIMELINE_H */
