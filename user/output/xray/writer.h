/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_WRITER_H
#define OVNIK_OUTPUT_XRAY_WRITER_H

#include "world/world.h"
#include "output/xray/thread.h"

/*
 * Writes what the world reports as FDR logs of XRay:
 *
 *	gets a CPU by a switch	run
 *	leaves it		off-CPU: why
 *	page fault, call	a function around these; run (continued)
 *	all other records	custom events, see record_text.h
 *
 * A custom event belongs to the thread that ran on its CPU; if none did, to the thread that it
 * names, whose CPU does not change then. Events with neither are counted.
 *
 * Where records are missing, a thread that the world loses is "unknown" until its next record, and
 * what is in doubt ends: see WORLD_LOST and WORLD_DOUBT.
 */

#define XRAY_WRITER_BYTES	(64ULL << 20)	/* for the records of all threads */

/**
 * struct xray_writer - Writer of FDR logs.
 * @split: one log per process
 * @version: of the logs, 1 or 5; 0: the newest
 * @world: what is written
 * @stacks: of the threads
 * @texts: how to write records, by event
 * @of_task: thread of a task, by the task's id; NULL: none yet
 * @room_tasks: length of @of_task
 * @threads: all threads so far
 * @nr_threads: how many
 * @room_threads: allocated
 * @ended: by thread number: TSC when the last thread of that number ended; 0: none did
 * @begin: TSC of the capture's beginning
 * @unplaced: records that no log contains
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
