/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_ALIGN_ALIGN_H
#define OVNIK_ALIGN_ALIGN_H

#include "util/types.h"

struct meta_wall;
struct ovni_offsets;

/**
 * struct align - The clock of a node.
 * @node: name of its loom; NULL: it is left out of everything
 * @walled: the capture tells the time of day
 * @wall: CLOCK_REALTIME less CLOCK_MONOTONIC when the recording began, ns
 * @step: by how much that had changed when it ended
 * @error: how far off @wall may be; with @synced also as the time of day
 * @synced: the time of day was kept right
 * @begin: CLOCK_MONOTONIC when the capture begins
 * @end: when it ends
 * @known: @offset is known
 * @offset: to be added to its times
 */
struct align {
	const char *node;
	bool walled;
	s64 wall;
	s64 step;
	u64 error;
	bool synced;
	u64 begin;
	u64 end;
	bool known;
	s64 offset;
};

/**
 * align_read() - Take what a capture tells of its clock.
 * @a: @walled to @synced are set
 * @walls: the time of day in it
 * @nr: how often
 *
 * Context: Any.
 */
void align_read(struct align *a, const struct meta_wall *walls, unsigned int nr);

/**
 * align_save() - Write what a capture tells of its clock into the directory of its loom.
 * @dir: the directory
 * @walls: the time of day
 * @nr: how often; 0: nothing is written
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int align_save(const char *dir, const struct meta_wall *walls, unsigned int nr) __must_check;

/**
 * align_load() - Read that.
 * @a: as of align_read()
 * @dir: directory of the loom
 *
 * Context: Any.
 * Return: 0, also if there is nothing; a negative errno (reported).
 */
int align_load(struct align *a, const char *dir) __must_check;

/**
 * align_by_table() - Find the offsets in a table.
 * @a: the nodes
 * @nr: how many
 * @table: the table
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int align_by_table(struct align *a, unsigned int nr, struct ovni_offsets *table) __must_check;

/**
 * align_by_walls() - Find offsets by the time of day, to the first node's clock.
 * @a: the nodes; those without it get no offset, nor one that is alone with it
 * @nr: how many
 *
 * Reports how exact that is.
 *
 * Context: Any.
 */
void align_by_walls(struct align *a, unsigned int nr);

/**
 * align_middle() - When the node begins before which as many begin as after it.
 * @a: the nodes, with offsets
 * @nr: how many
 *
 * A few whose clocks are wrong do not move it far.
 *
 * Context: Any.
 * Return: ns; 0 if all are left out.
 */
s64 align_middle(const struct align *a, unsigned int nr);

/**
 * align_apart() - Is a node's capture of another time than most?
 * @a: the nodes, with offsets
 * @nr: how many
 * @which: the node
 * @middle: as align_middle() returns it
 *
 * A trace holds what begins within an hour. Reports it if it is; warns if its time does not
 * overlap with that of any other node.
 *
 * Context: Any.
 * Return: true, false.
 */
bool align_apart(const struct align *a, unsigned int nr, unsigned int which, s64 middle);

/**
 * align_write() - Write the table of offsets into a trace, where emulators look for it.
 * @a: the nodes
 * @nr: how many
 * @trace: directory of the trace
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int align_write(const struct align *a, unsigned int nr, const char *trace) __must_check;

#endif /* OVNIK_ALIGN_ALIGN_H */
