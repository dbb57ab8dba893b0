/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_TRACE_H
#define OVNIK_MERGE_TRACE_H

#include "capture/capture.h"
#include "trace/format.h"
#include "util/types.h"
#include "world/inventory.h"

/*
 * The trace of an application: its streams and their metadata. The looms of the captured
 * host become one, that of the capture; streams of other hosts do not change.
 */

/**
 * struct merge_stream - A stream of the application.
 * @obs: name of its stream.obs
 * @json: name of its stream.json
 * @loom: name of its loom
 * @pid: its process
 * @tid: its thread
 * @app_id: number of the application, 0: none
 * @rank: MPI rank, -1: none
 * @nranks: how many ranks there are
 * @ours: it ran on the captured host
 * @can_breakdown: its metadata say so for nosv
 * @thread: index in the inventory, -1: the capture does not have it
 * @killed: its metadata do not say that it was finished: as of a program that was killed
 * @cut: bytes of an event at its end that is not whole
 * @empty: it has no event
 * @first: clock of the first event
 */
struct merge_stream {
	char *obs;
	char *json;
	char *loom;
	s32 pid;
	s32 tid;
	s32 app_id;
	s32 rank;
	s32 nranks;
	bool ours;
	bool can_breakdown;
	long thread;
	bool killed;
	u64 cut;
	bool empty;
	u64 first;
};

/**
 * struct merge_process - A process of the application on the captured host.
 * @pid: its number
 * @app_id: number of the application
 * @rank: MPI rank, -1: none
 * @nranks: how many ranks there are
 * @json: a stream.json that names it, for messages
 */
struct merge_process {
	s32 pid;
	s32 app_id;
	s32 rank;
	s32 nranks;
	const char *json;
};

/**
 * struct merge_trace - A trace of an application.
 * @path: its directory
 * @log: ovnik made it from logs: its marks may name their own rows
 * @streams: by host, ours first, then loom, pid and tid
 * @nr: length of @streams
 * @nr_ours: how many of them are of the captured host
 * @processes: those of the captured host, by pid
 * @nr_processes: length of @processes
 * @marks: numbers of marks that are declared
 * @ranks: some process of the captured host has a rank
 * @can_breakdown: those of all threads say so for nosv
 * @next_rank: above all ranks
 * @next_app: above all numbers of applications
 * @first: smallest clock of a first event on the captured host
 * @clock: takes drift out of the clocks of that host; NULL: there is none
 * @unpicked: streams that merge_trace_pick() left out
 */
struct merge_trace {
	char *path;
	bool log;
	struct merge_stream *streams;
	u32 nr;
	u32 nr_ours;
	struct merge_process *processes;
	u32 nr_processes;
	bool marks[OVNI_MARK_TYPES];
	bool ranks;
	bool can_breakdown;
	s32 next_rank;
	s64 next_app;
	u64 first;
	const struct clock *clock;
	u32 unpicked;
};

/**
 * merge_trace_open() - Read the metadata of the streams, and check the streams.
 * @tr: is set; call merge_trace_close() in any case
 * @path: directory of the trace
 * @host: name of the captured host; only the part before its first dot counts. NULL: all hosts
 *	are others
 * @clock: takes drift out of the clocks of that host, and streams of others are not read, but
 *	left out; NULL: neither
 * @target: directory that will be replaced; no stream may be below it
 *
 * Return: 0 or a negative errno, which is reported.
 */
int __must_check merge_trace_open(struct merge_trace *tr, const char *path, const char *host,
				  const struct clock *clock, const char *target);

/**
 * merge_trace_has() - Was some of it written on a host?
 * @tr: trace
 * @host: name of the host; only the part before its first dot counts
 *
 * Return: true, false.
 */
bool merge_trace_has(const struct merge_trace *tr, const char *host);

/**
 * merge_trace_leave_out() - Leave out what was written on a host.
 * @tr: trace, opened for no host
 * @host: name of the host; only the part before its first dot counts
 */
void merge_trace_leave_out(struct merge_trace *tr, const char *host);

/**
 * merge_picks() - Is a process part of what is read of the capture?
 * @cap: the capture
 * @pid: its number
 *
 * Return: false if only others are.
 */
bool merge_picks(const struct capture *cap, u32 pid);

/**
 * merge_trace_pick() - If only some processes are read, leave out the streams of others, and of
 * other hosts.
 * @tr: trace
 * @cap: the capture
 *
 * Return: 0; -EINVAL if none is left, -ENOMEM (reported).
 */
int __must_check merge_trace_pick(struct merge_trace *tr, const struct capture *cap);

/**
 * merge_trace_process() - Find a process of the captured host.
 * @tr: trace
 * @pid: its number
 *
 * Return: the process or NULL.
 */
struct merge_process *merge_trace_process(const struct merge_trace *tr, u32 pid);

/**
 * merge_trace_close() - Free what was read.
 * @tr: as merge_trace_open() left it, or zeroed
 */
void merge_trace_close(struct merge_trace *tr);

#endif /* OVNIK_MERGE_TRACE_H */
