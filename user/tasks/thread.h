/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TASKS_THREAD_H
#define OVNIK_TASKS_THREAD_H

#include <string.h>
#include <sys/queue.h>

#include <ovnik.h>

#include "tasks/tasks.h"
#include "util/hash.h"

/* Processes, their threads and files; private to the builder. */

/**
 * struct tasks_process - A live process.
 * @link: in the list of all processes, the youngest first
 * @threads: its threads
 * @files: its open files, see file.c
 * @mappings: its mappings, see mapping.c
 * @task: the task to report
 * @nr_threads: how many
 * @nr_exiting: how many of them have begun to end
 * @name: of its leader
 */
struct tasks_process {
	LIST_ENTRY(tasks_process) link;
	LIST_HEAD(, tasks_thread) threads;
	LIST_HEAD(, tasks_file) files;
	LIST_HEAD(, tasks_mapping) mappings;
	struct trace_task task;
	u32 nr_threads;
	u32 nr_exiting;
	char name[OVNIK_COMM_LEN];
};

/**
 * struct tasks_part - A system call or page fault of a thread.
 * @task: the task to report; its id is 0 if the thread is in none
 * @added: when it began to add pages to the page cache; 0: it did not
 * @asked: they were requested already
 * @slept: it slept for a disk
 * @certain: @adds_gaps of the builder at its beginning; 0: page_add may be missing then
 * @file: of the last page
 */
struct tasks_part {
	struct trace_task task;
	u64 added;
	bool asked;
	bool slept;
	u32 certain;
	struct trace_file file;
};

/**
 * struct tasks_thread - A live thread.
 * @sibling: in the process's list
 * @task: the task to report
 * @segment: its present run, wait or unknown; there is always one
 * @queue: while it waits for a CPU: in whose run queue it is; TRACE_NO_CPU: not known
 * @queue_since: since when
 * @queue_longest: how long it was in that of its segment's queue_cpu
 * @self: parent of what it does: its task, or the nearest one that is reported
 * @call: its system call
 * @fault: its page fault, in @call if there is one
 * @req: its request while it waits; its id is 0 if it has none
 * @req_cache: @req is for the page cache, for a page of @req_dev
 * @req_dev: see @req_cache
 * @half: enum ovnik_file_op of its last call, if that was a read that may be followed by
 *	  the write of the same call; else 0
 * @places: where its tasks are, by kind; NULL: not asked for yet
 * @process: its process
 * @exiting: it has begun to end
 * @name: its name when it appeared, or the first one that became known
 */
struct tasks_thread {
	LIST_ENTRY(tasks_thread) sibling;
	struct trace_task task;
	struct trace_task segment;
	u32 queue;
	u64 queue_since;
	u64 queue_longest;
	u64 self;
	struct tasks_part call;
	struct tasks_part fault;
	struct trace_task req;
	bool req_cache;
	u32 req_dev;
	u16 half;
	const struct tasks_place *places[TASKS_NR_KINDS];
	struct tasks_process *process;
	bool exiting;
	char name[OVNIK_COMM_LEN];
};

/**
 * struct tasks_file - An open file.
 * @link: in the list of those whose end will be recorded, or of the others
 * @of_process: in the list of its process, while that lives
 * @by_process: in the table of those by inode and process, likewise
 * @by_inode: in the table of those by inode
 * @process: the process that opened it; NULL: it has ended
 * @dumped: the statedump recorded that it is open
 * @uncertain: since when its end may be among missing events; 0: not
 * @task: the task to report
 * @path: its name
 */
struct tasks_file {
	LIST_ENTRY(tasks_file) link;
	LIST_ENTRY(tasks_file) of_process;
	struct hash_node by_process;
	struct hash_node by_inode;
	struct tasks_process *process;
	bool dumped;
	u64 uncertain;
	struct trace_task task;
	char path[];
};

static inline void tasks_set_name(char *name, const char *comm)
{
	memcpy(name, comm, OVNIK_COMM_LEN);
	name[OVNIK_COMM_LEN - 1] = '\0';
}

#endif /* OVNIK_TASKS_THREAD_H */
