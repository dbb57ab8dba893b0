/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_INVENTORY_H
#define OVNIK_WORLD_INVENTORY_H

#include "util/idmap.h"
#include "world/world.h"

struct meta;

/*
 * The inventory: all tasks of the capture. It is made in a first pass over the
 * capture. The second pass meets the same tasks in the same order, so it knows
 * from the beginning which process each belongs to.
 */

/**
 * struct inventory_thread - A tid of a process, whichever tasks used it.
 * @pid: the process; the tid itself where the capture never names it
 * @tid: number of the thread
 * @order: id of the task that had it last
 * @process: index of the process in the inventory
 * @comm: last name, may be empty
 */
struct inventory_thread {
	u32 pid;
	u32 tid;
	u32 order;
	u32 process;
	char comm[OVNIK_COMM_LEN];
};

/**
 * struct inventory_process - A process.
 * @pid: its number
 * @first: index of its first thread
 * @nr: how many threads
 * @comm: name of the leader, or of its first thread that has one
 */
struct inventory_process {
	u32 pid;
	u32 first;
	u32 nr;
	char comm[OVNIK_COMM_LEN];
};

/**
 * struct inventory - All threads and processes of the capture.
 * @nr_tasks: tasks, by id
 * @pids: process of each task, by id
 * @nr_threads: threads
 * @threads: by pid, then tid
 * @nr_processes: processes
 * @processes: by pid
 * @orphans: tasks whose process the capture never names
 * @room_tasks: entries allocated at @pids
 * @room_threads: entries allocated at @threads
 * @named: @names and @parents are kept
 * @names: last name of each task, by id
 * @parents: of processes in the statedump: number of the parent, by that of the process
 * @known: see inventory_hurry()
 * @world: the world it is attached to
 */
struct inventory {
	u32 nr_tasks;
	u32 *pids;
	u32 nr_threads;
	struct inventory_thread *threads;
	u32 nr_processes;
	struct inventory_process *processes;
	u64 orphans;
	u32 room_tasks;
	u32 room_threads;
	bool named;
	char (*names)[OVNIK_COMM_LEN];
	struct idmap parents;
	struct known known;
	struct world *world;
};

/**
 * inventory_rule() - How the records of an event affect tasks' existence.
 * @event: its number in our table
 *
 * Return: the rule.
 */
const struct known_rule *inventory_rule(unsigned int event);

/**
 * inventory_attach() - Begin an inventory.
 * @c: is set; call inventory_free() in any case
 * @w: the world of the first pass
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int inventory_attach(struct inventory *c, struct world *w) __must_check;

/**
 * inventory_hurry() - Make the pass skip what the inventory does not need.
 * @c: after inventory_attach()
 * @cap: the capture, after capture_begin_pass() and before merge_open()
 *
 * If @c->known.clash is set after the pass, a number was reused so quickly that the
 * inventory may be wrong: repeat the pass without this. Without memory nothing is skipped.
 *
 * Context: Any.
 */
void inventory_hurry(struct inventory *c, struct capture *cap);

/**
 * inventory_finish() - Sort the inventory.
 * @c: after world_end(); the world may go then
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int inventory_finish(struct inventory *c) __must_check;

/**
 * inventory_find() - Find a thread.
 * @c: after inventory_finish()
 * @pid: its process
 * @tid: its number
 *
 * Context: Any.
 * Return: index in @c->threads, -1 if there is none.
 */
long inventory_find(const struct inventory *c, u32 pid, u32 tid);

/**
 * inventory_name() - The last name of a task, not of a number.
 * @c: after inventory_finish(), with @named
 * @id: of the task
 *
 * Context: Any.
 * Return: the name, which may be empty.
 */
const char *inventory_name(const struct inventory *c, u32 id);

/**
 * inventory_descends() - Did a process descend from another one when the statedump was made?
 * @c: after inventory_finish(), with @named
 * @pid: the process
 * @from: the other one
 *
 * Context: Any.
 * Return: true if it did; false if not, or if that is not recorded.
 */
bool inventory_descends(const struct inventory *c, u32 pid, u32 from);

/**
 * inventory_command() - Find the process that became the recorded command.
 * @c: after inventory_finish(), with @named
 * @meta: the capture's metadata
 *
 * Context: Any.
 * Return: its number; 0: no command was run, or it was not recorded.
 */
u32 inventory_command(const struct inventory *c, const struct meta *meta);

/**
 * inventory_free() - Free an inventory.
 * @c: as inventory_attach() left it, or zeroed
 *
 * Context: Any.
 */
void inventory_free(struct inventory *c);

#endif /* OVNIK_WORLD_INVENTORY_H */
