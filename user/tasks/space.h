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
 * tasks_mapping_end() - A mapping ends. It keeps its bytes: no other mapping has them yet.
 * @t: the builder
 * @mapping: the mapping; nothing happens if it has ended
 * @ns: when
 * @flags: enum trace_flags
 *
 * Context: From a hook of the world.
 */
void tasks_mapping_end(struct tasks *t, struct tasks_mapping *mapping, u64 ns, u16 flags);

#endif /* OVNIK_TASKS_SPACE_H */
