/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TASKS_SPACE_H
#define OVNIK_TASKS_SPACE_H

#include <stdint.h>
#include <sys/queue.h>

#include "tasks/tasks.h"
#include "util/hash.h"
#include "world/mm_tree.h"

/*
 * Which mapping covers which bytes of an address space, kept in a tree of world/mm_tree.h:
 * a mapping is the file of a range, and an address is its own offset, so neighbouring
 * ranges of one mapping are merged and those of different mappings are not. Private to
 * the builder.
 */

/**
 * struct tasks_space - An address space in which something is mapped.
 * @node: in the table, by @map.id
 * @map: which mapping covers which bytes
 * @mappings: all that cover some, also those that ended with their process
 * @nr_open: how many have not ended
 */
struct tasks_space {
	struct hash_node node;
	struct world_mm map;
	LIST_HEAD(, tasks_mapping) mappings;
	u64 nr_open;
};

/**
 * struct tasks_mapping - What was mapped at once.
 * @link: in the list of those whose end will be recorded, or of the others; if it goes on
 * @of_process: in the list of its process, if it goes on
 * @of_space: in the list of its address space
 * @task: the task to report; its id is 0 if it has ended
 * @space: its address space
 * @kind: enum mm_kind
 * @left: how many bytes are still mapped
 * @uncertain: since when its end may be among missing events; 0: not
 * @name: what is mapped
 */
struct tasks_mapping {
	LIST_ENTRY(tasks_mapping) link;
	LIST_ENTRY(tasks_mapping) of_process;
	LIST_ENTRY(tasks_mapping) of_space;
	struct trace_task task;
	struct tasks_space *space;
	u32 kind;
	u64 left;
	u64 uncertain;
	char name[];
};

static inline struct tasks_mapping *tasks_mapping_of(const struct mm_vma *vma)
{
	return (struct tasks_mapping *)(uintptr_t)vma->what.ino;
}

/**
 * tasks_space_find() - Find an address space.
 * @t: the builder
 * @id: its number
 *
 * Context: Any.
 * Return: the address space; NULL if nothing is known to be mapped in it.
 */
struct tasks_space *tasks_space_find(const struct tasks *t, u64 id);

/**
 * tasks_space_get() - Find an address space, or create it.
 * @t: the builder
 * @id: its number
 *
 * Context: From a hook of the world; call tasks_space_settle() when something is mapped.
 * Return: the address space; NULL without memory, which is reported.
 */
struct tasks_space *tasks_space_get(struct tasks *t, u64 id);

/**
 * tasks_space_drop() - Free an address space.
 * @node: of the address space, which is not in the table any more
 *
 * Context: Any; nothing is reported.
 */
void tasks_space_drop(struct hash_node *node);

/**
 * tasks_space_free() - Remove an address space from the table and free it.
 * @t: the builder
 * @space: the address space; all that was mapped in it has ended
 *
 * Context: From a hook of the world.
 */
void tasks_space_free(struct tasks *t, struct tasks_space *space);

static inline void tasks_space_settle(struct tasks *t, struct tasks_space *space)
{
	if (!space->nr_open)
		tasks_space_free(t, space);
}

/**
 * tasks_space_known() - Is it known what is mapped in all of a range?
 * @space: the address space
 * @start: first byte
 * @end: after the last byte
 *
 * Context: Any.
 * Return: true if something is known to be mapped everywhere in it.
 */
bool tasks_space_known(const struct tasks_space *space, u64 start, u64 end);

/**
 * tasks_space_unmap() - A range is unmapped; mappings without a byte left end.
 * @t: the builder
 * @space: the address space
 * @start: first byte
 * @end: after the last byte
 * @said: by a record; otherwise it becomes known now
 * @ns: when
 *
 * Context: From a hook of the world.
 */
void tasks_space_unmap(struct tasks *t, struct tasks_space *space, u64 start, u64 end, bool said,
		       u64 ns);

/**
 * tasks_mapping_end() - A mapping ends. It keeps its bytes: no other mapping has them yet.
 * @t: the builder
 * @mapping: the mapping; nothing happens if it has ended
 * @ns: when
 * @flags: enum trace_flags
 *
 * Context: From a hook of the world.
 */
void tasks_mapping_end(struct tasks *t, struct tasks_mapping *mapping, u64 ns, u16 flags);

/**
 * tasks_mapping_give() - Give a mapping a range that no mapping has.
 * @t: the builder
 * @mapping: the mapping
 * @start: first byte
 * @end: after the last byte
 *
 * Context: From a hook of the world.
 */
void tasks_mapping_give(struct tasks *t, struct tasks_mapping *mapping, u64 start, u64 end);

#endif /* OVNIK_TASKS_SPACE_H */
