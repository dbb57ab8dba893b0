/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SUMS_MEMORY_H
#define OVNIK_SUMS_MEMORY_H

#include "tasks/tasks.h"
#include "util/idmap.h"
#include "world/world.h"

/* Page faults by what is mapped at their address: a file, or memory of some kind. */

#define REPORT_MEMORY_COUNT(kind, text, sentence)	+ 1

/**
 * enum report_memory - Kinds of memory: numbers of the rows of TASKS_MAPPINGS, then these.
 * @REPORT_UNMAPPED: nothing is mapped there
 * @REPORT_MEMORY_UNKNOWN: not known
 * @REPORT_NR_MEMORY: how many there are
 */
enum report_memory {
	REPORT_UNMAPPED = 0 TASKS_MAPPINGS(REPORT_MEMORY_COUNT),
	REPORT_MEMORY_UNKNOWN,
	REPORT_NR_MEMORY
};

extern const char *const report_memory_texts[REPORT_NR_MEMORY];

/**
 * struct report_fault - Where a page fault is.
 * @begun: its begin was recorded
 * @mapped: a mapping is known at its address
 * @address: address
 * @what: what is mapped
 */
struct report_fault {
	bool begun;
	bool mapped;
	u64 address;
	struct mm_attrs what;
};

/**
 * struct report_faults - Page faults that go on.
 * @world: what they are in
 * @tid: thread of the one that begins just now; 0: none does
 * @now: where that is
 * @threads: struct report_fault by number of the thread's task
 */
struct report_faults {
	const struct world *world;
	u32 tid;
	struct report_fault now;
	struct idmap threads;
};

/**
 * report_faults_attach() - Attach to a world.
 * @f: zeroed; is set; call report_faults_free() in any case
 * @w: the world
 *
 * Context: Before tasks_create(): the tasks' faults do not contain what is learned here.
 * Return: 0, -ENOMEM.
 */
int report_faults_attach(struct report_faults *f, struct world *w) __must_check;

/**
 * report_faults_start() - A page fault begins.
 * @f: page faults
 * @task: the fault
 *
 * Context: From TASKS_AT_START.
 * Return: 0, -ENOMEM.
 */
int report_faults_start(struct report_faults *f, const struct trace_task *task) __must_check;

/**
 * report_faults_end() - A page fault has ended: where was it?
 * @f: page faults
 * @task: the fault
 * @file: is set: the file that is mapped there; ino and dev 0: none
 *
 * Context: From TASKS_AT_END.
 * Return: enum report_memory, if it is no file.
 */
enum report_memory report_faults_end(const struct report_faults *f, const struct trace_task *task,
				     struct trace_file *file);

/**
 * report_faults_forget() - A thread has ended.
 * @f: page faults
 * @id: number of its task
 *
 * Context: Any.
 */
void report_faults_forget(struct report_faults *f, u64 id);

/**
 * report_faults_free() - Free what is known.
 * @f: page faults, or zeroed
 *
 * Context: Any.
 */
void report_faults_free(struct report_faults *f);

#endif /* OVNIK_SUMS_MEMORY_H */
