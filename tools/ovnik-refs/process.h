/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_PROCESS_H
#define OVNIK_REFS_PROCESS_H

#include "util/types.h"

/**
 * struct refs_stay - A task was on the CPU.
 * @begin: first TSC
 * @end: the next one's first
 * @task: its id in the world
 */
struct refs_stay {
	u64 begin;
	u64 end;
	u32 task;
};

/**
 * struct refs_process - When a process ran.
 * @stays: in the order of time
 * @nr: length of @stays
 * @room: allocated for so many
 * @at: the first that ends behind the time that was asked for last
 * @doubtful: the capture is damaged or lacks events: the process may have run at other times, too
 */
struct refs_process {
	struct refs_stay *stays;
	u32 nr;
	u32 room;
	u32 at;
	bool doubtful;
};

/**
 * refs_process_read() - Learn from a capture when a process ran.
 * @p: zeroed; call refs_process_free() in any case
 * @capture: its directory
 * @pid: of the process; of all that had it
 *
 * Return: 0; a negative errno (reported): -ESRCH if it never ran.
 */
int refs_process_read(struct refs_process *p, const char *capture, u32 pid) __must_check;

/**
 * refs_process_ran() - Was a task of the process on the CPU?
 * @p: after refs_process_read()
 * @time: TSC; it should not go back often
 *
 * As for ovnik-merge, who is switched to runs from the time of the switch on.
 *
 * Return: true if so.
 */
bool refs_process_ran(struct refs_process *p, u64 time);

/**
 * refs_process_free() - Free all.
 * @p: as refs_process_read() left it, or zeroed
 */
void refs_process_free(struct refs_process *p);

#endif /* OVNIK_REFS_PROCESS_H */
