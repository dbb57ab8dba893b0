/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_WHO_H
#define OVNIK_MERGE_WHO_H

#include "util/idmap.h"
#include "world/world.h"

/*
 * What a capture knows about the processes that write logs: the process of a thread, which
 * logs before version 3 do not contain, and the binary of a process. Attached to the world
 * in the first pass; nothing else in that pass depends on it.
 */

/**
 * struct xray_exec - A process runs a binary from now on.
 * @tsc: when
 * @pid: the process
 * @ino: number of the binary's inode
 * @path: its file name
 */
struct xray_exec {
	u64 tsc;
	u32 pid;
	u64 ino;
	char *path;
};

/**
 * struct xray_fork - A process was created.
 * @tsc: when
 * @exec: when it first ran another program; ~0: it never did
 * @pid: its number
 * @parent: the process whose binary it runs
 */
struct xray_fork {
	u64 tsc;
	u64 exec;
	u32 pid;
	u32 parent;
};

/**
 * struct xray_past - A thread has ended, or has another number from now on.
 * @tsc: when
 * @tid: its number
 * @pid: its process
 */
struct xray_past {
	u64 tsc;
	u32 tid;
	u32 pid;
};

/**
 * struct xray_who - See the top of this file.
 * @world: the world it is attached to
 * @tids: threads whose process is to be found, in ascending order
 * @nr_tids: length of @tids
 * @execs: in the order of time
 * @nr_execs: how many
 * @forks: in the order of time
 * @nr_forks: how many
 * @forked: of each number of a process, the last of @forks
 * @lives: those of @tids, in the order of time
 * @nr_lives: how many
 */
struct xray_who {
	struct world *world;
	const u32 *tids;
	u32 nr_tids;
	struct xray_exec *execs;
	u32 nr_execs;
	struct xray_fork *forks;
	u32 nr_forks;
	struct idmap forked;
	struct xray_past *lives;
	u32 nr_lives;
};

/**
 * xray_who_attach() - Begin to record processes and binaries.
 * @who: zeroed, except @who->tids and @who->nr_tids; or attached before, which is
 *	 forgotten. Call xray_who_free() in any case
 * @w: the world of the first pass
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int xray_who_attach(struct xray_who *who, struct world *w) __must_check;

/**
 * xray_who_pid() - Find the process of a thread.
 * @who: after world_end()
 * @tid: the thread, one of @who->tids
 * @tsc: when it lived
 *
 * Return: the process, 0 if the capture does not have the thread.
 */
u32 xray_who_pid(const struct xray_who *who, u32 tid, u64 tsc);

/**
 * xray_who_exec() - Find the binary of a process.
 * @who: after world_end()
 * @pid: the process
 * @tsc: when it ran it
 *
 * Return: the binary, NULL if the capture does not say.
 */
const struct xray_exec *xray_who_exec(const struct xray_who *who, u32 pid, u64 tsc);

/**
 * xray_who_twin() - Find a child whose log looks like its parent's.
 * @who: after world_end()
 * @pid: the parent, as the log says
 * @tsc: when the log ends
 *
 * XRay goes on in the buffers of the parent, under its number, until the child runs another
 * program.
 *
 * Return: the first process that @pid has forked before @tsc, and that ran no other program until
 * then; 0 if there is none.
 */
u32 xray_who_twin(const struct xray_who *who, u32 pid, u64 tsc);

/**
 * xray_who_free() - Free what was recorded.
 * @who: as xray_who_attach() left it, or zeroed; @who->tids is not freed
 */
void xray_who_free(struct xray_who *who);

#endif /* OVNIK_MERGE_WHO_H */
