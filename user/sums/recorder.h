/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SUMS_RECORDER_H
#define OVNIK_SUMS_RECORDER_H

#include "capture/capture.h"
#include "tasks/tasks.h"
#include "world/inventory.h"

/**
 * struct recorder - The process that recorded: none of those whom the user looks for.
 * @pid: its PID; 0: not known, or it is as any other process
 * @id: id of its leader's task: its PID may have been another process's before
 */
struct recorder {
	u32 pid;
	u32 id;
};

/**
 * recorder_find() - Which process is it?
 * @r: is set
 * @cap: the capture
 * @inventory: of its tasks
 *
 * Context: Before world_begin().
 */
void recorder_find(struct recorder *r, const struct capture *cap,
		   const struct inventory *inventory);

/**
 * recorder_is() - Is a thread one of the recorder's?
 * @r: as recorder_find() left it, or zeroed
 * @w: the world
 * @task: the thread
 *
 * Context: When the thread begins.
 * Return: true if so.
 */
bool recorder_is(const struct recorder *r, const struct world *w, const struct trace_task *task);

#endif /* OVNIK_SUMS_RECORDER_H */
