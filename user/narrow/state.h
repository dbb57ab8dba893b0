/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_NARROW_STATE_H
#define OVNIK_NARROW_STATE_H

#include "tasks/tasks.h"
#include "world/world.h"

/**
 * struct state_item - A record of a state.
 * @at: byte of @bytes where it begins
 * @cpu: index of the CPU in the capture's files
 * @kind: enum item_kind
 * @event: of a record
 */
struct state_item {
	u64 at;
	u32 cpu;
	u8 kind;
	u8 event;
};

/**
 * struct state - What exists at a moment, as the records of a statedump.
 * @w: the world that is watched
 * @tasks: open files in it
 * @files: the same, by number of task
 * @paths: names of mapped files, by inode
 * @parents: per process: its parent, 0 if not known
 * @items: the records
 * @nr: length of @items
 * @room: allocated
 * @bytes: what is in them
 * @len: length of @bytes
 * @bytes_room: allocated
 */
struct state {
	struct world *w;
	struct tasks *tasks;
	struct hash_table files;
	struct hash_table paths;
	const u32 *parents;
	struct state_item *items;
	u32 nr;
	u32 room;
	u8 *bytes;
	u64 len;
	u64 bytes_room;
};

/**
 * state_watch() - Watch a world for what it does not keep.
 * @s: is set; call state_destroy() in any case
 * @w: the world, with a clock
 * @parents: per process: its parent
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int state_watch(struct state *s, struct world *w, const u32 *parents) __must_check;

/**
 * state_take() - Describe what exists now.
 * @s: the state
 *
 * Return: 0, -ENOMEM.
 */
int state_take(struct state *s) __must_check;

/**
 * state_forget() - Do not watch the world any more.
 * @s: the state; its records stay
 *
 * Context: Not from a hook.
 */
void state_forget(struct state *s);

/**
 * state_destroy() - Free a state.
 * @s: as state_watch() left it, or zeroed; the world may be gone after state_forget()
 */
void state_destroy(struct state *s);

#endif /* OVNIK_NARROW_STATE_H */
