/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_PROCESSES_H
#define OVNIK_MERGE_PROCESSES_H

#include "util/idmap.h"
#include "world/inventory.h"

/*
 * Which process a task belongs to, and which of those that had its number. A record that names
 * the process may come long after the task's first one: all are read before.
 */

/**
 * struct processes - The processes of a capture.
 * @inventory: of a first pass
 * @times: number, plus 1, to how many had it, in bits
 */
struct processes {
	struct inventory inventory;
	struct idmap times;
};

/**
 * processes_read() - Read the whole capture.
 * @p: all zero; call processes_free() in any case
 * @cap: the capture
 *
 * Context: Before a pass that is used begins.
 * Return: 0, a negative errno (reported).
 */
int processes_read(struct processes *p, struct capture *cap) __must_check;

/**
 * processes_attach() - Count those that get a number again.
 * @p: after processes_read()
 * @w: the world of the pass that is used
 *
 * Context: Before other hooks that ask are attached.
 * Return: 0, -ENOMEM.
 */
int processes_attach(struct processes *p, struct world *w) __must_check;

/**
 * processes_pid() - The process of a task.
 * @p: after processes_read()
 * @task: of the pass that is used
 *
 * Return: its number; the task's own if the capture never says.
 */
u32 processes_pid(const struct processes *p, const struct world_task *task);

/**
 * processes_times() - Which of those that had a number?
 * @p: after processes_attach()
 * @pid: the number; from now on it has been used
 *
 * Return: from 1 on; 0 without memory.
 */
u64 processes_times(struct processes *p, u32 pid);

/**
 * processes_threads() - How many threads does a process have?
 * @p: after processes_read()
 * @pid: its number
 * @tid: number of one of them
 *
 * Return: all that ever had the number; 0 if there is none.
 */
u32 processes_threads(const struct processes *p, u32 pid, u32 tid);

/**
 * processes_free() - Free all.
 * @p: as processes_read() left it, or zeroed
 */
void processes_free(struct processes *p);

#endif /* OVNIK_MERGE_PROCESSES_H */
