/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_TASKS_H
#define OVNIK_MERGE_TASKS_H

#include "processes.h"
#include "refs/read.h"
#include "util/file.h"
#include "util/idmap.h"
#include "world/world.h"

/* Laplace's merge by processes: processes/PID/TID.txt, kernel.txt. */

/**
 * struct tasks - The files of all tasks.
 * @w: the world
 * @dir: where they are
 * @by_id: task's id, plus 1, to its file, while it lives
 * @by_tid: number, plus 1, to the file of the task that had it last
 * @processes: those of the capture
 * @all: every file, linked
 * @kernel: what belongs to no task
 * @nobody: user references while no task is known to run
 * @error: negative errno of the first failure (reported)
 */
struct tasks {
	struct world *w;
	const char *dir;
	struct idmap by_id;
	struct idmap by_tid;
	struct processes *processes;
	struct task_file *all;
	struct file kernel;
	u64 nobody;
	int error;
};

/**
 * tasks_begin() - Make the files' directory.
 * @t: all zero; call tasks_end() in any case
 * @w: the world
 * @processes: those of the capture
 * @dir: where it belongs
 *
 * Context: Before world_begin().
 * Return: 0, a negative errno (reported).
 */
int tasks_begin(struct tasks *t, struct world *w, struct processes *processes,
		const char *dir) __must_check;

/**
 * tasks_lines() - Give records of the kernel to those that they are about.
 * @t: the files
 * @from: lines of Laplace's kernel trace
 * @end: behind the last one
 */
void tasks_lines(struct tasks *t, const char *from, const char *end);

/**
 * tasks_ref() - Give a reference to who makes it.
 * @t: the files
 * @ref: the reference
 * @page: its canonical page
 */
void tasks_ref(struct tasks *t, const struct refs_ref *ref, u64 page);

/**
 * tasks_end() - Write the files' rest, free all.
 * @t: as tasks_begin() left it, or zeroed
 *
 * Return: 0; the first error (reported).
 */
int tasks_end(struct tasks *t);

#endif /* OVNIK_MERGE_TASKS_H */
