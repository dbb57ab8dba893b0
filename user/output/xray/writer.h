/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_WRITER_H
#define OVNIK_OUTPUT_XRAY_WRITER_H

#include "world/world.h"
#include "output/xray/thread.h"

/*
 * What the world reports, as FDR logs of XRay:
 *
 *	gets a CPU by a switch	run
 *	leaves it		off-CPU: why
 *	page fault, call	a function around these; run (continued)
 *	all other records	custom events, see record_text.h
 *
 * A record that is no function belongs to the thread that ran on its CPU; if none did,
 * with the thread that it is about, which then does not change its CPU. What has neither
 * is counted.
 *
 * Where records of a CPU are missing, it is unknown what the thread does that was there,
 * nor what those do that had no CPU: "unknown", until they are seen again. What they
 * were in is over if its end may be missing.
 */

#define XRAY_WRITER_BYTES	(64ULL << 20)	/* of memory for records, all threads together */

/**
 * struct xray_writer - Writer of FDR logs.
 * @split: a log a process
 * @version: of the logs, 1 or 5; 0: the newest
 * @world: what is written
 * @stacks: of the threads
 * @texts: how to write records, by event
 * @of_task: per task, by id: its thread; NULL: it has none (yet)
 * @room_tasks: length of @of_task
 * @threads: all there were
 * @nr_threads: how many
 * @room_threads: allocated
 * @ended: per number: when the last thread that had it ended, TSC; 0: none did
 * @begin: TSC of the capture's beginning
 * @unplaced: records that are in no log
 */
struct xray_writer {
	bool split;
	u16 version;
	struct world *world;
	struct xray_stacks stacks;
	struct record_text_event *texts;
	struct xray_life **of_task;
	u32 room_tasks;
	struct xray_life **threads;
	u32 nr_threads;
	u32 room_threads;
	u64 *ended;
	u64 begin;
	u64 unplaced;
};

/**
 * xray_attach_hooks() - Keep what the world reports for FDR logs.
 * @x: all but the threads is set
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int xray_attach_hooks(struct xray_writer *x) __must_check;

#endif /* OVNIK_OUTPUT_XRAY_WRITER_H */
