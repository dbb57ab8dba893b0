/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_RENAMES_H
#define OVNIK_WORLD_RENAMES_H

#include "world/world.h"

/*
 * A thread that execs, and is not the leader, takes the leader's number. The kernel says so late,
 * with the record of the exec: those between have the new number already. Where it is known who
 * runs on a CPU, that CPU's records show it. For the rest, a first pass collects the execs, so that
 * the world of the next one knows what is to come.
 */

/**
 * struct renames - The execs by which numbers change.
 * @all: they
 * @by_old: the same by the old number, after renames_sort()
 * @nr: how many
 * @room: entries allocated at @all
 */
struct renames {
	struct world_rename *all;
	struct world_rename *by_old;
	u32 nr;
	u32 room;
};

/**
 * renames_watch() - Collect the execs of a pass.
 * @r: zeroed; call renames_free() in any case
 * @w: the world of the pass
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int renames_watch(struct renames *r, struct world *w) __must_check;

/**
 * renames_sort() - Prepare what was collected.
 * @r: after the pass
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int renames_sort(struct renames *r) __must_check;

/**
 * renames_tell() - Tell a world what is to come.
 * @r: after renames_sort(); must outlive @w
 * @w: the world of a later pass
 *
 * Context: Before world_begin().
 */
void renames_tell(const struct renames *r, struct world *w);

/**
 * renames_free() - Free what was collected.
 * @r: as renames_watch() left it, or zeroed
 *
 * Context: Any.
 */
void renames_free(struct renames *r);

#endif /* OVNIK_WORLD_RENAMES_H */
