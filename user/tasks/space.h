/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TASKS_SPACE_H
#define OVNIK_TASKS_SPACE_H

#include <stdint.h>
#include <sys/queue.h>

#include "tasks/tasks.h"
#include "util/hash.h"
#include "world/mm_tree.h"

/*
 * Which mapping has which bytes of an address space, kept as world/mm_tree.h keeps what is
 * mapped: a mapping is the file of a range, and an address is its own offset, so that
 * ranges of one mapping meet and those of others do not. For the files of the builder
 * only.
 */

/**
 * struct tasks_space - An address space in which something is mapped.
 * @node: in the table, by @map.id
 * @map: which task has which bytes
 * @mappings: all that have some, also those that have ended with their process
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
 * @link: in the list of those whose end would be seen, or of the others; if it goes on
 * @of_process: in the list of its process, if it goes on
 * @of_space: in the list of its address space
 * @task: what is told; its id is 0 if it has ended
 * @space: its address space
 * @kind: enum mm_kind
 * @left: so many bytes are mapped still
 * @uncertain: since when its end may be among events that are missing; 0: it is not
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
 * tasks_space_get() - Find an address space, or make it.
 * @t: the builder
 * @id: its number
 *
 * Context: From a hook of the world; call tasks_space_settle() when something is mapped.
 * Return: the address space; NULL without memory, which is told.
 */
struct tasks_space *tasks_space_get(struct tasks *t, u64 id);

/**
 * tasks_space_drop() - Free an address space.
 * @node: of the address space, which is not in the table any more
 *
 * Context: Any; nothing is told.
 */
void tasks_space_drop(struct hash_node *node);

/**
 * tasks_space_free() - Take an address space out of the table and free it.
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
 * tasks_space_unmap() - A range is mapped no more; mappings without a byte end.
 * @t: the builder
 * @space: the address space
 * @start: first byte
 * @end: after the last byte
 * @said: by a record; otherwise it turns out now
 * @ns: when
 *
 * Context: From a hook of the world.
 */
void tasks_space_unmap(struct tasks *t, struct tasks_space *space, u64 start, u64 end, bool said,
		       u64 ns);

/**
 * tasks_mapping_end() - A mapping ends. It keeps its bytes, for nobody else has them yet.
 * @t: the builder
 * @mapping: the mapping; nothing happens if it has ended
 * @ns: when
 * @flags: enum trace_flags
 *
 * Context: From a hook of the world.
 */
void tasks_mapping_end(struct tasks *t, struct tasks_mapping *mapping, u64 ns, u16 flags);

/**
 * tasks_mapping_give() - A mapping has a range that nothing has.
 * @t: the builder
 * @mapping: the mapping
 * @start: first byte
 * @end: after the last byte
 *
 * Context: From a hook of the world.
 */
void tasks_mapping_give(struct tasks *t, struct tasks_mapping *mapping, u64 start, u64 end);

#endif /* OVNIK_TASKS_SPACE_H */
