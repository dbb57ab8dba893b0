/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TASKS_TASKS_H
#define OVNIK_TASKS_TASKS_H

#include "hook/hook.h"
#include "util/types.h"

/*
 * What happened, as tasks in Akita's sense: actions that take time, each with a parent.
 * (A task of the kernel is called a thread here.) They are derived from the world and
 * reported by invoking hooks. Tracers that compute numbers from them are attached from
 * outside: see tracer.h.
 *
 * The interface is Akita's annotating API (StartTask, EndTask, AddTaskTag,
 * AddMilestone) with what a recorder needs besides: explicit times, because it reports
 * the past; losses; tasks whose beginning or end was not recorded.
 */

/*
 * Kinds: enum, name, and what a task of the kind is. Listed here: the contents of "what",
 * and where the task is. One place has one kind.
 *
 *	process		its leader's name when it appeared, or that of its first thread that
 *			has one; at its end the last one; proc.PID
 *	thread		its name when it appeared, or the first one that became known;
 *			proc.PID.thread.TID
 *	run		"run"; proc.PID.thread.TID.run
 *	wait		the reason: see TASKS_WAITS; proc.PID.thread.TID.wait
 *	unknown		"events missing", "not seen", "outside the filter";
 *			proc.PID.thread.TID.unknown
 *	call		the system call; proc.PID.thread.TID.call
 *	fault		the kind of access; proc.PID.thread.TID.fault
 *	file		the path; proc.PID.file
 *	mapping		the path, or what kind of memory; proc.PID.mapping
 *	page		"inode:offset", of blocks "device:offset"; pagecache.MAJOR:MINOR
 *	req_out		what is requested; proc.PID.thread.TID.req_out
 *	req_in		the same; where it is done: proc.PID.thread.TID.req_in,
 *			pagecache.MAJOR:MINOR.req_in, or cpu.N.req_in
 *
 * The runs, waits and unknowns of a thread do not overlap, and cover its life.
 */
#define TASKS_KINDS(K)								\
	K(PROCESS, process, "a process: from its first thread on to the end of its last one") \
	K(THREAD, thread, "a thread: from its fork to its end")			\
	K(RUN, run, "a thread is on a CPU")					\
	K(WAIT, wait, "a thread is off the CPU, for one reason")		\
	K(UNKNOWN, unknown, "it is unknown where a thread is")			\
	K(CALL, call, "a system call on a file")				\
	K(FAULT, fault, "a page fault")						\
	K(FILE, file, "an open file, from its open to the end of its last user")	\
	K(MAPPING, mapping, "a range of an address space is mapped")		\
	K(PAGE, page, "pages of a file are in the page cache")			\
	K(REQ_OUT, req_out, "a thread requests something, and waits")		\
	K(REQ_IN, req_in, "a request is being served")

#define TASKS_KIND_ENUM(id, name, sentence) TASKS_##id,

/* A number for each row of TASKS_KINDS. */
enum tasks_kind {
	TASKS_KINDS(TASKS_KIND_ENUM)
	TASKS_NR_KINDS
};

/* The text of a mapping without a path: kind, text, what it is. */
#define TASKS_MAPPINGS(M)							\
	M(OVNIK_MAP_STACK, "stack", "a stack that the kernel made")		\
	M(OVNIK_MAP_BRK, "heap", "memory that brk() got")			\
	M(OVNIK_MAP_SPECIAL, "special", "memory that the kernel provides: vdso, vvar")	\
	M(MM_KIND_SHM, "shm", "shared memory without a name")			\
	M(MM_KIND_FILE, "file", "a file with an unknown path")			\
	M(OVNIK_MAP_MMAP, TASKS_MAPPING_OTHER, "other memory without a file")

#define TASKS_MAPPING_OTHER	"anonymous"

#define TASKS_MEMORY_ENUM(kind, text, sentence)	TRACE_MEMORY_##kind,

/**
 * enum trace_memory - What a page fault hit: a number for each row of TASKS_MAPPINGS, then these.
 * @TRACE_MEMORY_UNMAPPED: nothing is mapped there
 * @TRACE_MEMORY_UNKNOWN: not known
 * @TRACE_NR_MEMORY: how many there are
 */
enum trace_memory {
	TASKS_MAPPINGS(TASKS_MEMORY_ENUM)
	TRACE_MEMORY_UNMAPPED,
	TRACE_MEMORY_UNKNOWN,
	TRACE_NR_MEMORY
};

/* The text of a call that no system call of OVNI_FILE_CALL_TABLE began. */
#define TASKS_CALL_AIO		"aio"
#define TASKS_CALL_URING	"io_uring"

#define TASKS_FAULT_UNKNOWN	"Not known"	/* only its end was recorded */

/*
 * Why a thread waits: enum, text, Akita's kind of the milestone at its end. A wait for a
 * reason after those of the run queue ends in a wakeup; then the thread waits for a CPU.
 */
#define TASKS_WAITS(W)							\
	W(NEW, "run queue: new", "hardware_resource")			\
	W(WOKEN, "run queue: woken", "hardware_resource")		\
	W(PREEMPTED, "run queue: preempted", "hardware_resource")	\
	W(YIELDED, "run queue: slice/yield", "hardware_resource")	\
	W(RUNNABLE, "run queue: before the capture", "hardware_resource") \
	W(BORN, "being made", "dependency")				\
	W(SLEEP, "sleep", "dependency")					\
	W(DISK, "disk sleep", "hardware_resource")			\
	W(STOPPED, "stopped", "other")					\
	W(TRACED, "stopped by a tracer", "other")			\
	W(PARKED, "parked", "other")					\
	W(IDLE, "idle kernel thread", "queue")

#define TASKS_WAIT_ENUM(id, text, milestone) TASKS_WAIT_##id,

/* A number for each row of TASKS_WAITS. */
enum tasks_wait {
	TASKS_WAITS(TASKS_WAIT_ENUM)
	TASKS_NR_WAITS
};

#define TASKS_WAIT_QUEUE_LAST	TASKS_WAIT_RUNNABLE	/* up to here it waits for a CPU */

/**
 * enum trace_flags - What is unknown or special about a task.
 * @TRACE_EARLY: it began before the capture, or its beginning was not recorded: @start is
 *		 when it was first known
 * @TRACE_OPEN: it had not ended when the capture did: @end is the capture's end
 * @TRACE_UNCERTAIN: its end was not recorded: @end is when it was last known to go on, for
 *		 example where missing events begin that may be about it
 * @TRACE_EITHER: at its end: there are others like it that may have ended instead
 * @TRACE_RESUMED: an early call or fault; the thread's last one, of the same kind, has ended
 *		   uncertain: this is probably the end of that one, and not one more
 */
enum trace_flags {
	TRACE_EARLY	= 1 << 0,
	TRACE_OPEN	= 1 << 1,
	TRACE_UNCERTAIN	= 1 << 2,
	TRACE_EITHER	= 1 << 3,
	TRACE_RESUMED	= 1 << 4,
};

/**
 * enum trace_cache - Did a read find its data in the page cache?
 * @TRACE_CACHE_NONE: it is no read, or it is not known
 * @TRACE_CACHE_HIT: it did
 * @TRACE_CACHE_MISS: the thread has added pages of the file
 */
enum trace_cache {
	TRACE_CACHE_NONE,
	TRACE_CACHE_HIT,
	TRACE_CACHE_MISS,
};

/**
 * struct trace_file - Which file.
 * @dev: device, as the kernel numbers it
 * @generation: of the inode
 * @ino: inode
 */
struct trace_file {
	u32 dev;
	u32 generation;
	u64 ino;
};

/**
 * enum trace_waker_kind - Who ended a wait.
 * @TRACE_WAKER_NONE: no wakeup is recorded, or it goes on, or was for a CPU
 * @TRACE_WAKER_INTERRUPT: no thread, or the one that waited: a timer, a device, another CPU
 * @TRACE_WAKER_THREAD: a thread, which may wait again or have ended by then
 */
enum trace_waker_kind {
	TRACE_WAKER_NONE,
	TRACE_WAKER_INTERRUPT,
	TRACE_WAKER_THREAD,
};

/**
 * struct trace_waker - Who ended a wait; of captures without struct meta.wakers, who ran there.
 * @thread: @thread_task of a thread; 0: the capture does not know that thread
 * @tid: its number
 * @kind: enum trace_waker_kind
 */
struct trace_waker {
	u64 thread;
	u32 tid;
	u8 kind;
};

/**
 * struct trace_task - A task.
 * @id: number, from 1; never reused
 * @parent: @id of its parent, the nearest one of a reported kind; 0: none
 * @start: CLOCK_MONOTONIC, ns
 * @end: likewise; 0 while it goes on
 * @where: dotted name of the place, see TASKS_KINDS; interned: equal places have equal
 *	   pointers, which stay valid as long as the capture is read
 * @where_id: number of that place, from 1
 * @what: see TASKS_KINDS; valid during the call; "" if not known (yet)
 * @kind: enum tasks_kind
 * @flags: enum trace_flags; all but TRACE_EARLY and TRACE_RESUMED only at the end
 * @code: by kind. wait, and its request: enum tasks_wait; call: enum
 *	  ovnik_file_op; fault: enum ovni_fault; else 0
 * @cpu: run: on which CPU; else the CPU on which it began
 * @pid: process of the thread that does it; 0: none
 * @tid: that thread; 0: none
 * @tgid_task: @id of that process's task, reported or not; 0: none
 * @thread_task: @id of that thread's task, likewise
 * @bytes: of a call: transferred, at its end; of a mapping: mapped, in all at its end; of
 *	   pages: their size
 * @result: of a call: what it returned, at its end; of a fault: enum ovnik_fault_result,
 *	    likewise
 * @write: of a call, at its end: it wrote, and did not read
 * @cache: of a call, at its end: enum trace_cache; of a wait: TRACE_CACHE_MISS: for pages of a
 *	   file that its call or fault has added to the page cache (calls and faults are asked
 *	   for, too)
 * @cows: of a fault, at its end: how many pages it copied because others have them, too
 * @migrations: of a thread, at its end: how often it was moved to another CPU
 * @queue_cpu: of a wait for a CPU, at its end: in whose run queue it was, for longest at a
 *	       stretch; TRACE_NO_CPU: not known
 * @waker: of a wait, at its end: who ended it
 * @memory: of a fault, at its end: enum trace_memory, what it hit
 * @address: of a fault: where it was; OVNIK_NO_ADDRESS: not known
 * @file: of a call, at its end; of a fault, likewise: the file that is mapped at @address; of a
 *	  file, mapping of a file, page, request for pages; ino 0: none, or of a page: the
 *	  device itself
 */
struct trace_task {
	u64 id;
	u64 parent;
	u64 start;
	u64 end;
	const char *where;
	u32 where_id;
	const char *what;
	u16 kind;
	u16 flags;
	u32 code;
	u32 cpu;
	u32 pid;
	u32 tid;
	u64 tgid_task;
	u64 thread_task;
	u64 bytes;
	s64 result;
	bool write;
	u8 cache;
	u8 memory;
	u32 cows;
	u32 migrations;
	u32 queue_cpu;
	struct trace_waker waker;
	u64 address;
	struct trace_file file;
};

/**
 * trace_counts() - Is a task one more of its kind? For who counts calls and faults.
 * @task: the task
 *
 * Return: false if it is the end of one that has been counted: see TRACE_RESUMED.
 */
static inline bool trace_counts(const struct trace_task *task)
{
	return !(task->flags & TRACE_RESUMED);
}

/* How long a task lasted, ns. */
static inline u64 lasts(const struct trace_task *task)
{
	return task->end > task->start ? task->end - task->start : 0;
}

/**
 * struct trace_tag - A word about a task.
 * @task: which
 * @id: number, from 1, of tags and milestones together
 * @time: when, ns
 * @what: the word
 */
struct trace_tag {
	const struct trace_task *task;
	u64 id;
	u64 time;
	const char *what;
};

/**
 * struct trace_milestone - Something that a task waited for has happened.
 * @task: which
 * @id: number, from 1, of tags and milestones together
 * @time: when, ns; the task waited for it since the last milestone or its own start
 * @kind: Akita's kind of reason: "hardware_resource" (a CPU, a disk), "queue", "dependency",
 *	  "work", "other"
 * @what: the reason
 */
struct trace_milestone {
	const struct trace_task *task;
	u64 id;
	u64 time;
	const char *kind;
	const char *what;
};

#define TRACE_NO_CPU	(~0U)	/* no CPU has this number */

/**
 * struct trace_loss - Events that are missing.
 * @start: when they began to be missing, ns
 * @end: when it had ended
 * @cpu: number of the CPU; TRACE_NO_CPU: of the statedump, which is of no CPU
 * @event: name of the event; NULL: it is not known what is missing
 * @lost: how many; 0 if that is not known
 * @why: "lost", "overwritten", "damaged"
 */
struct trace_loss {
	u64 start;
	u64 end;
	u32 cpu;
	const char *event;
	u64 lost;
	const char *why;
};

/*
 * Positions and their items. A task's start is its first item, and its end is the last.
 * A parent ends after its children, except processes, files and pages, which may outlive
 * their maker. Tasks that go on when the capture ends are ended then. Only the places
 * remember a task that has ended.
 *
 * A task's end is reported when it ends, except for the kinds in TASKS_ENDS_LATE: their end
 * may not be recorded, and becomes known only later.
 */
#define TASKS_ENDS_LATE								\
	(1U << TASKS_CALL | 1U << TASKS_FAULT | 1U << TASKS_FILE | 1U << TASKS_MAPPING | \
	 1U << TASKS_PAGE)

#define TASKS_POSITIONS(P)							\
	P(START, task_start, "a task has begun")		/* trace_task */	\
	P(END, task_end, "a task has ended")			/* trace_task */	\
	P(TAG, task_tag, "a task got a tag")			/* trace_tag */		\
	P(MILESTONE, task_milestone, "what a task waited for has happened") /* trace_milestone */ \
	P(LOSS, task_loss, "events are missing")		/* trace_loss */

#define TASKS_POSITION_ENUM(id, name, sentence) TASKS_AT_##id,

/* Where tasks are reported: an index for each row of TASKS_POSITIONS. */
enum tasks_position {
	TASKS_POSITIONS(TASKS_POSITION_ENUM)
	TASKS_NR_POSITIONS
};

extern const struct hook_position tasks_positions[TASKS_NR_POSITIONS];
extern const char *const tasks_kind_names[TASKS_NR_KINDS];
extern const char *const tasks_wait_texts[TASKS_NR_WAITS];
extern const char *const tasks_memory_texts[TRACE_NR_MEMORY];

struct world;
struct tasks;

#define TASKS_ALL	((1U << TASKS_NR_KINDS) - 1)	/* all kinds */

/* Beside kinds, for who does not ask where tasks are: names are not made. */
#define TASKS_NOWHERE	(1U << 31)

/* Beside kinds, for who asks what page faults hit: else @memory is not known, and @file none. */
#define TASKS_MEMORY	(1U << 30)

/**
 * tasks_create() - Derive tasks from a world.
 * @w: the world, with a clock
 * @kinds: a bit for each enum tasks_kind to report; TASKS_NOWHERE: all are at "", 0;
 *	   TASKS_MEMORY: page faults say what they hit
 *
 * Context: Before world_begin(); attach to tasks_hooks() what shall get them.
 * Return: the tasks, NULL without memory.
 */
struct tasks *tasks_create(struct world *w, u32 kinds);

/**
 * tasks_hooks() - Where to attach hooks.
 * @t: the tasks
 *
 * Return: the domain; its positions are enum tasks_position.
 */
struct hookable *tasks_hooks(struct tasks *t);

/**
 * tasks_destroy() - Free the tasks; nothing is reported.
 * @t: from tasks_create(), or NULL
 *
 * Context: Not from a hook.
 */
void tasks_destroy(struct tasks *t);

#endif /* OVNIK_TASKS_TASKS_H */
