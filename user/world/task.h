/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_TASK_H
#define OVNIK_WORLD_TASK_H

#include <sys/queue.h>

#include <ovnik.h>

#include "util/types.h"
#include "world/known.h"
#include "world/mm_tree.h"

#define TASK_TID_MAX	KNOWN_TID_MAX
#define TASK_BLOCK	64	/* numbers that a bit stands for */
#define TASK_WORD	(64 * TASK_BLOCK)

/**
 * enum world_place - Where a task is.
 * @WORLD_PLACE_UNKNOWN: that is not known
 * @WORLD_PLACE_CPU: on a CPU that is not left out
 * @WORLD_PLACE_QUEUED: on none; it waits for one
 * @WORLD_PLACE_ASLEEP: on none; it waits for something else
 */
enum world_place {
	WORLD_PLACE_UNKNOWN,
	WORLD_PLACE_CPU,
	WORLD_PLACE_QUEUED,
	WORLD_PLACE_ASLEEP,
	WORLD_NR_PLACES
};

/**
 * struct world_task - A live task.
 * @listed: in the list of its place: while it waits, and where it is not known to be, if it acts
 * @tid: its number, 0 for an idle task
 * @tgid: its process; 0 if not known
 * @told: its process, as the records of this pass have told up to now; 0 if they have not
 * @was: its number before an exec that has not been recorded yet; 0: the same
 * @id: number in the order in which tasks appeared; never reused
 * @cpu: index of the CPU on which it is believed to run; -1: on none
 * @state: why it last left its CPU, enum ovnik_task_state
 * @place: enum world_place
 * @acts: it may be in a call or fault that has not been in doubt yet
 * @lost: where it is became unknown because records may be missing
 * @exiting: it has begun to end
 * @kthread: it is a kernel thread
 * @program: it is none, as a record says: a fork, an exec or the statedump
 * @member: the capture's filter covers it
 * @told_member: the same by the records up to now
 * @start: when the kernel says it was created, ns; 0 if not known
 * @mm: number of its address space; 0: none or not known
 * @mm_epoch: the world's plus one when a task_mm record set @mm; 0: none did
 * @pgd: page directory frame of it; 0: not known
 * @birth: when it appeared in the capture, TSC
 * @dumped: the world's @dumps plus one when the statedump recorded @state, before the first switch;
 *	    another number: something has happened since
 * @space: its address space; NULL: none or not known
 * @mm_next: another task that has it, or NULL
 * @mm_link: what points to this one in the list of those that have it
 * @comm: its name; empty if not known
 * @late_comm: the name it gave to its leader's number when no task had that; empty: none
 */
struct world_task {
	LIST_ENTRY(world_task) listed;
	u32 tid;
	u32 tgid;
	u32 told;
	u32 was;
	u32 id;
	s32 cpu;
	u16 state;
	u8 place;
	bool acts;
	bool lost;
	bool exiting;
	bool told_member;
	bool kthread;
	bool program;
	bool member;
	u64 start;
	u64 mm;
	u32 mm_epoch;
	u64 pgd;
	u64 birth;
	u32 dumped;
	struct world_mm *space;
	struct world_task *mm_next;
	struct world_task **mm_link;
	char comm[OVNIK_COMM_LEN];
	char late_comm[OVNIK_COMM_LEN];
};

/**
 * struct task_table - The live tasks, by tid.
 * @tasks: task of each number; NULL: none
 * @used: per TASK_BLOCK numbers a bit: a task has had one of them
 * @ended: per number a bit: the task that had it has ended, and none has it now
 * @next_id: id of the next task
 * @known: NULL, or what else records which numbers tasks have
 */
struct task_table {
	struct world_task **tasks;
	u64 used[TASK_TID_MAX / TASK_WORD + 1];
	u64 *ended;
	u32 next_id;
	struct known *known;
};

/**
 * task_table_init() - Make an empty table.
 * @t: is set
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int task_table_init(struct task_table *t) __must_check;

/**
 * task_table_destroy() - Free a table with all tasks in it.
 * @t: as task_table_init() left it, or zeroed
 *
 * Context: Any.
 */
void task_table_destroy(struct task_table *t);

/**
 * task_find() - Find the task that has a number now.
 * @t: the table
 * @tid: the number
 *
 * Context: Any.
 * Return: the task, or NULL.
 */
static inline struct world_task *task_find(const struct task_table *t, u32 tid)
{
	return likely(tid <= TASK_TID_MAX) ? t->tasks[tid] : NULL;
}

/**
 * task_ended() - Has the last task with a number ended?
 * @t: the table
 * @tid: the number
 *
 * Context: Any.
 * Return: true if it has, and no task has the number now.
 */
static inline bool task_ended(const struct task_table *t, u32 tid)
{
	return tid <= TASK_TID_MAX && t->ended[tid / 64] & 1ULL << tid % 64;
}

/**
 * task_note_end() - The task with a number has ended.
 * @t: the table, without a task with that number
 * @tid: the number, at most TASK_TID_MAX
 *
 * Context: Any.
 */
static inline void task_note_end(struct task_table *t, u32 tid)
{
	t->ended[tid / 64] |= 1ULL << tid % 64;
}

/**
 * task_new() - Create a task and add it to the table.
 * @t: the table, without a task with that number
 * @tid: its number, at most TASK_TID_MAX
 *
 * Context: Any.
 * Return: the task, with only @tid known; NULL without memory.
 */
struct world_task *task_new(struct task_table *t, u32 tid);

/**
 * task_insert() - Add a task to the table under its tid.
 * @t: the table, without a task with that number
 * @task: the task
 *
 * Context: Any.
 */
void task_insert(struct task_table *t, struct world_task *task);

/**
 * task_remove() - Remove a task from the table.
 * @t: the table
 * @task: a task in it; is not freed
 * @tsc: when
 *
 * Context: Any.
 */
void task_remove(struct task_table *t, const struct world_task *task, u64 tsc);

/**
 * task_next() - Iterate over the table in the order of the numbers.
 * @t: the table
 * @task: the previous one; NULL: begin
 *
 * Context: Any.
 * Return: the next one; NULL: there is none.
 */
struct world_task *task_next(const struct task_table *t, const struct world_task *task);

#endif /* OVNIK_WORLD_TASK_H */
