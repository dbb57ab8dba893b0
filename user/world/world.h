/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_WORLD_H
#define OVNIK_WORLD_WORLD_H

#include <ovnik.h>

#include "capture/capture.h"
#include "hook/hook.h"
#include "util/types.h"
#include "world/mm_tree.h"
#include "world/task.h"

/*
 * The world: the machine's state as the records of a capture describe it. It is fed
 * item by item in the order of time, and invokes hooks when something happens.
 * It does not depend on the attached hooks.
 *
 * Captures begin at any time, have gaps and may be damaged. A task that a record
 * names is created if it was not known. Where a record and the world disagree,
 * the record is right, and the disagreement is counted.
 */

/*
 * The positions, with the fields of &struct world_item set there besides tsc, ns,
 * cpu and rec. Tasks are pointers into the world: valid during the call.
 *
 *	task_new	task; other: its parent
 *	task_dump	task; fresh: it was not known before; moved: its address space
 *			was not known
 *	task_found	task
 *	task_number	task; tid: its number before; other: the task that had its
 *			number until then and has @tid now, or NULL
 *	task_exec	task
 *	task_exit	task
 *	task_dead	task, which is freed after the call
 *	sched_switch	task: previous; other: next; state: of the previous
 *	sched_stray	task, which is on no CPU; state
 *	sched_out	task; state, or WORLD_STATE_LOST or _UNKNOWN; final: it never
 *			comes back
 *	sched_in	task
 *	wakeup		task; tid: of the task that wakes it, 0: an interrupt; other: that
 *			task, or NULL if it is not known, or has ended before another CPU
 *			recorded this
 *	migrate		task; to: the CPU it goes to
 *	elsewhere_in	task
 *	elsewhere_out	task; state, or WORLD_STATE_LOST or _UNKNOWN; final, as in sched_out
 *	switching	none
 *	mm_assign	task; mm; fresh: no task had it before
 *	mm_exit		mm as it was, which is freed after the call, or NULL if it is
 *			not known
 *	comm		task
 *	cpu_online	none
 *	cpu_offline	none
 *	gap_begin	gap
 *	gap_end		gap
 *	lost		task; state: WORLD_STATE_LOST or _UNKNOWN; sched_out or elsewhere_in
 *			follows, unless it was waiting
 *	doubt		task
 *	capture_begin	none
 *	capture_end	none
 *
 * Memory. task did it. owner is a task that has the address space: task itself if it
 * does, or NULL if no task is known to. The fields of mm, such as its mapped bytes,
 * have their values after the event.
 *
 *	mm_map		task; owner; mm; range
 *	mm_unmap	task; owner; mm; range without what
 *	mm_protect	task; owner; mm; range with only flags
 *	mm_remap	task; owner; mm; range: the new place; rec: struct ovnik_mremap
 *	mm_dontneed	task; owner; mm; rec: struct ovnik_madvise_dontneed
 *	mm_dup		task; owner; mm; source: what it is a copy of; range
 *	mm_dump		task; owner; mm; moved: task was not known to have it
 *	vma_dump	task; owner; mm; range
 *	cow_break	task; owner; mm; rec: struct ovnik_cow_break
 *	fault_begin	task; rec: struct ovnik_page_fault
 *	fault_end	task; rec: struct ovnik_page_fault_end
 *
 * The page cache and files. Where the record names no task, task is the one that ran
 * on the CPU, or NULL if that is not known; rec has the rest.
 *
 *	page_add	task; rec: struct ovnik_page_add
 *	page_remove	task; rec: struct ovnik_page_remove
 *	buffer_add	task; rec: struct ovnik_buffer_add
 *	buffer_remove	task; rec: struct ovnik_buffer_remove
 *	file_open	task; rec: struct ovnik_file_open
 *	file_close	task; rec: struct ovnik_file_close
 *	file_dump	task; rec: struct ovnik_dump_file
 *	io_begin	task; rec: struct ovnik_file_begin
 *	io_read		task; rec: struct ovnik_file_read
 *	io_write	task; rec: struct ovnik_file_write
 *	file_delete	task; rec: struct ovnik_file_delete
 *	file_truncate	task; rec: struct ovnik_file_truncate
 *	file_rename	task; rec: struct ovnik_file_rename
 */
#define WORLD_POSITIONS(P)						\
	P(TASK_NEW, task_new, "a task was made by fork or clone")	\
	P(TASK_DUMP, task_dump, "the statedump says that a task exists") \
	P(TASK_FOUND, task_found, "a record names a task whose beginning is not in the capture") \
	P(TASK_NUMBER, task_number, "a thread that execs has got the number of its leader") \
	P(TASK_EXEC, task_exec, "a task runs a new image")		\
	P(TASK_EXIT, task_exit, "a task has begun to end")		\
	P(TASK_DEAD, task_dead, "a task is gone: it never runs again")	\
	P(SCHED_SWITCH, sched_switch, "a switch was recorded; sched_out and sched_in follow") \
	P(SCHED_STRAY, sched_stray, "a switch takes a task off a CPU it was not known to be on") \
	P(SCHED_OUT, sched_out, "a task has left its CPU, or is not known to be there any more") \
	P(SCHED_IN, sched_in, "a task runs on a CPU from now on")	\
	P(WAKEUP, wakeup, "a task became runnable")			\
	P(MIGRATE, migrate, "a task was moved to another CPU's queue")	\
	P(ELSEWHERE_IN, elsewhere_in, "a task runs on a CPU that is left out") \
	P(ELSEWHERE_OUT, elsewhere_out, "a task has left a CPU that is left out") \
	P(SWITCHING, switching, "from here on switches are recorded") \
	P(MM_ASSIGN, mm_assign, "a task got an address space")		\
	P(MM_EXIT, mm_exit, "all mappings of an address space are gone") \
	P(COMM, comm, "a task has another name")			\
	P(CPU_ONLINE, cpu_online, "a CPU came on line")			\
	P(CPU_OFFLINE, cpu_offline, "a CPU is about to leave")		\
	P(GAP_BEGIN, gap_begin, "from here on records of a CPU are missing") \
	P(GAP_END, gap_end, "records of a CPU are there again")		\
	P(LOST, lost, "where a task is, is not known from here on")	\
	P(DOUBT, doubt, "a call or fault of a task may end from here on without a record") \
	P(CAPTURE_BEGIN, capture_begin, "the capture begins")		\
	P(CAPTURE_END, capture_end, "the capture has ended; all tasks are still there") \
	P(MM_MAP, mm_map, "something was mapped, in place of what was there") \
	P(MM_UNMAP, mm_unmap, "a range was unmapped")			\
	P(MM_PROTECT, mm_protect, "a range has other protections")	\
	P(MM_REMAP, mm_remap, "a mapping was moved, or grew")		\
	P(MM_DONTNEED, mm_dontneed, "the pages of a range were given back") \
	P(MM_DUP, mm_dup, "fork has copied a range")			\
	P(MM_DUMP, mm_dump, "the statedump says which address space a task has") \
	P(VMA_DUMP, vma_dump, "the statedump says what is mapped")	\
	P(COW_BREAK, cow_break, "a shared page was copied for who writes to it") \
	P(FAULT_BEGIN, fault_begin, "a page fault has begun")		\
	P(FAULT_END, fault_end, "a page fault has ended")		\
	P(PAGE_ADD, page_add, "the page cache got pages of a file")	\
	P(PAGE_REMOVE, page_remove, "the page cache gave up pages of a file") \
	P(BUFFER_ADD, buffer_add, "the buffer cache got pages of a block device") \
	P(BUFFER_REMOVE, buffer_remove, "the buffer cache gave up pages of a block device") \
	P(FILE_OPEN, file_open, "a file was opened")			\
	P(FILE_CLOSE, file_close, "an open file has gone")		\
	P(FILE_DUMP, file_dump, "the statedump says that a file is open") \
	P(IO_BEGIN, io_begin, "a system call on a file has begun")	\
	P(IO_READ, io_read, "a file was read")				\
	P(IO_WRITE, io_write, "a file was written")			\
	P(FILE_DELETE, file_delete, "an inode and its blocks are gone")	\
	P(FILE_TRUNCATE, file_truncate, "a file has another length")	\
	P(FILE_RENAME, file_rename, "a file has another name")		\
	P(DUMP_GAP, dump_gap, "records of the statedump are missing, of no CPU's time")

#define WORLD_POSITION_ENUM(id, name, sentence) WORLD_##id,

/* Where the world invokes hooks: an index for each row of WORLD_POSITIONS. */
enum world_position {
	WORLD_POSITIONS(WORLD_POSITION_ENUM)
	WORLD_NR_POSITIONS
};

extern const struct hook_position world_positions[WORLD_NR_POSITIONS];

/* The capture does not say why a task left its CPU: */
#define WORLD_STATE_LOST	0xfffe	/* from here on records of the CPU are missing */
#define WORLD_STATE_UNKNOWN	0xffff	/* a record shows that it had left before */

#define WORLD_PHYSICAL_BITS	52	/* of the address of a frame */

/**
 * struct world_range - A range of an address space that a record is about.
 * @start: first byte; a page's beginning
 * @end: after the last byte; a page's beginning
 * @what: what is mapped there
 * @path: name of the file; NULL or empty if there is none
 */
struct world_range {
	u64 start;
	u64 end;
	struct mm_attrs what;
	const char *path;
};

/**
 * struct world_item - What the hooks of the world's positions are given.
 * @tsc: when, TSC
 * @ns: when, CLOCK_MONOTONIC
 * @cpu: number of the CPU on which it happened
 * @tid: see WORLD_POSITIONS
 * @to: see WORLD_POSITIONS
 * @state: see WORLD_POSITIONS
 * @final: see WORLD_POSITIONS
 * @fresh: see WORLD_POSITIONS
 * @moved: see WORLD_POSITIONS
 * @event: number of the record's event in our table; not set for a switch
 * @task: see WORLD_POSITIONS
 * @other: see WORLD_POSITIONS
 * @owner: see WORLD_POSITIONS
 * @mm: see WORLD_POSITIONS
 * @source: see WORLD_POSITIONS
 * @range: see WORLD_POSITIONS
 * @rec: its record, struct ovnik_<event>; NULL if there is none
 * @gap: see WORLD_POSITIONS
 */
struct world_item {
	u64 tsc;
	u64 ns;
	u32 cpu;
	u32 tid;
	u32 to;
	u16 state;
	bool final;
	bool fresh;
	bool moved;
	u8 event;
	struct world_task *task;
	struct world_task *other;
	struct world_task *owner;
	struct world_mm *mm;
	const struct world_mm *source;
	const struct world_range *range;
	const void *rec;
	const struct capture_gap *gap;
};

/**
 * struct world_hidden - Which records of a CPU may be missing now.
 * @runs: switches
 * @wakes: wakeups
 * @ends: ends of calls and page faults
 */
struct world_hidden {
	bool runs;
	bool wakes;
	bool ends;
};

/**
 * struct world_cpu - The state of a CPU.
 * @nr: its number
 * @index: in @cpus of the world
 * @running: the task that runs there; NULL if not known
 * @elsewhere: it is left out: only who runs there is known
 * @outsider: a task outside the filter runs there; @running is NULL
 * @sure: @running is right in this pass and the same in the next one
 * @hidden: which of its records may be missing
 * @idle: its idle task
 */
struct world_cpu {
	u32 nr;
	u32 index;
	bool elsewhere;
	bool outsider;
	bool sure;
	struct world_hidden hidden;
	struct world_task *running;
	struct world_task idle;
};

/**
 * struct world_stats - How often records and the world disagreed.
 * @switches: a switch takes a task off the CPU that was not believed there
 * @headers: a sub-buffer's header names another task than believed
 * @twice: a task comes to a CPU while it is believed on another
 * @replaced: a new task gets a task's number before its end was recorded
 * @impossible: a record names a task number that no kernel gives
 * @ranges: a record names an address space, range or page that cannot exist
 * @tasks: tasks seen, without idle tasks
 */
struct world_stats {
	u64 switches;
	u64 headers;
	u64 twice;
	u64 replaced;
	u64 impossible;
	u64 ranges;
	u64 tasks;
};

/**
 * struct world_rename - A thread takes the number of its leader: see renames.h.
 * @tsc: of the record that says so
 * @tid: the leader's number, or that of the thread before: what the list is sorted by
 * @other: the other one
 */
struct world_rename {
	u64 tsc;
	u32 tid;
	u32 other;
};

/**
 * struct world - See the top of this file.
 * @hooks: its positions are enum world_position
 * @clock: TSC to ns; NULL if ns is not needed
 * @page_shift: use world_page_size()
 * @tasks: the live tasks
 * @mms: the live address spaces, by number
 * @mm_exits: mm_exit records so far
 * @mm_exits_lost: some may be missing: do not wait for them to free address spaces
 * @mm_epoch: grows where task_mm records may be missing
 * @nr_cpus: CPUs
 * @cpus: in the order of the capture's files, that is by number
 * @switched: switches were recorded before the capture's beginning
 * @switching: a switch was recorded
 * @no_runs: CPUs whose switches may be missing now
 * @no_wakes: likewise, wakeups
 * @no_ends: likewise, ends of calls and page faults
 * @dumps: grows where wakeups may be missing
 * @places: lists of tasks by enum world_place, see there
 * @has: a bit for each event of which the capture has records, also outside of the part
 * @filtered: the capture has only some tasks' switches
 * @filter: their processes, ascending, with @filtered
 * @nr_filter: length of @filter
 * @filter_children: and their children
 * @pids: process of each task, by id, if an earlier pass found them; NULL: not known
 * @nr_pids: length of @pids
 * @renames: by the leader's number and then @tsc, if an earlier pass found them; NULL: not known
 * @renames_by_old: the same by the thread's number before
 * @nr_renames: length of both
 * @stats: disagreements
 * @item: passed to the hooks of a record
 * @passing: the same for a switch; fields that a switch does not set are 0
 * @tsc: time of the last item
 * @ns: time of the last item
 */
struct world {
	struct hookable hooks;
	struct clock *clock;
	u8 page_shift;
	struct task_table tasks;
	struct hash_table mms;
	u64 mm_exits;
	bool mm_exits_lost;
	u32 mm_epoch;
	unsigned int nr_cpus;
	struct world_cpu *cpus;
	bool switched;
	bool switching;
	u32 no_runs;
	u32 no_wakes;
	u32 no_ends;
	u32 dumps;
	LIST_HEAD(, world_task) places[WORLD_NR_PLACES];
	u64 has;
	bool filtered;
	const u32 *filter;
	unsigned int nr_filter;
	bool filter_children;
	const u32 *pids;
	u32 nr_pids;
	const struct world_rename *renames;
	const struct world_rename *renames_by_old;
	u32 nr_renames;
	struct world_stats stats;
	struct world_item item;
	struct world_item passing;
	u64 tsc;
	u64 ns;
};

/**
 * world_page_size() - How large is a page of the machine?
 * @w: the world
 *
 * Context: Any.
 * Return: bytes, a power of two.
 */
static inline u64 world_page_size(const struct world *w)
{
	return 1ULL << w->page_shift;
}

/**
 * world_page_of() - The number of the page in which an address or offset lies.
 * @w: the world
 * @address: of memory or in a file
 *
 * Context: Any.
 * Return: the address divided by world_page_size().
 */
static inline u64 world_page_of(const struct world *w, u64 address)
{
	return address >> w->page_shift;
}

/**
 * world_cpu_index() - Find a CPU by its number.
 * @w: the world
 * @nr: the number
 *
 * Fast for CPU numbers without holes, as on most machines.
 *
 * Context: Any.
 * Return: index in @w->cpus; @w->nr_cpus if there is no such CPU.
 */
static inline u32 world_cpu_index(const struct world *w, u32 nr)
{
	u32 i;

	if (likely(nr < w->nr_cpus && w->cpus[nr].nr == nr))
		return nr;
	for (i = 0; i < w->nr_cpus && w->cpus[i].nr != nr; i++)
		;
	return i;
}

/**
 * world_init() - Make an empty world.
 * @w: is set; call world_destroy() in any case
 * @cap: the capture it will be fed from; must outlive @w
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int world_init(struct world *w, struct capture *cap) __must_check;

/**
 * world_destroy() - Free a world and its hooks.
 * @w: as world_init() left it, or zeroed
 *
 * Context: Not from a hook.
 */
void world_destroy(struct world *w);

/**
 * world_begin() - The capture begins.
 * @w: the world, with hooks attached
 * @tsc: when
 *
 * Context: Any.
 */
void world_begin(struct world *w, u64 tsc);

/**
 * world_feed() - Feed the world the next item.
 * @w: the world
 * @item: from merge_next()
 *
 * The error of hook_fail() is in @w->hooks.error; check it now and then.
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int world_feed(struct world *w, const struct capture_item *item) __must_check;

/**
 * world_end() - The capture has ended.
 * @w: the world
 * @tsc: when; not before the last item
 *
 * Context: Any.
 * Return: 0; the error of hook_fail().
 */
int world_end(struct world *w, u64 tsc) __must_check;

/**
 * world_read() - Feed the world a whole capture.
 * @w: the world, with hooks attached
 * @cap: the capture, after capture_begin_pass()
 *
 * As world_begin(), world_feed() for each item, and world_end().
 *
 * Context: Any.
 * Return: 0; a negative errno (reported, but for -ENOMEM).
 */
int world_read(struct world *w, struct capture *cap) __must_check;

#endif /* OVNIK_WORLD_WORLD_H */
