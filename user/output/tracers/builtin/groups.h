/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_GROUPS_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_GROUPS_H

#include "output/tracers/builtin/sum.h"
#include "util/hash.h"

/*
 * Tasks grouped by something they have in common. There are at most GROUPS_MAX groups; all further
 * tasks are in one group, whose name is NULL.
 */

#define GROUPS_MAX	(1 << 18)

/**
 * struct group - Tasks that have something in common.
 * @node: in the table
 * @name: what they have in common; a copy
 * @number: the same as a number
 * @count: tasks, or tags
 * @tasks: tasks with such a tag
 * @total: ns of all tasks
 * @max: ns of the longest
 */
struct group {
	struct hash_node node;
	char *name;
	u64 number;
	u64 count;
	u64 tasks;
	__uint128_t total;
	u64 max;
};

/**
 * struct groups - All groups. All zero is none.
 * @table: all by name, or all by number
 * @others: tasks beyond GROUPS_MAX groups
 */
struct groups {
	struct hash_table table;
	struct group others;
};

/**
 * groups_named() - Find the group of a name, or make it.
 * @g: the groups
 * @name: the name
 *
 * Context: Any.
 * Return: the group, which stays where it is; NULL without memory.
 */
struct group *groups_named(struct groups *g, const char *name) __must_check;

/**
 * groups_numbered() - Find the group of a number, or make it.
 * @g: the groups; all by numbers
 * @number: the number
 * @name: what to call it if it is new
 *
 * Context: Any.
 * Return: the group, which stays where it is; NULL without memory.
 */
struct group *groups_numbered(struct groups *g, u64 number, const char *name) __must_check;

/**
 * groups_sorted() - All groups, the largest first.
 * @g: the groups
 * @before: is the first one larger? as for qsort()
 * @nr: is set: how many there are; @g->others is not among them
 *
 * Context: Any.
 * Return: an array to be freed; NULL without memory, or if there are none.
 */
struct group **groups_sorted(const struct groups *g, int (*before)(const void *, const void *),
			     size_t *nr);

/**
 * groups_free() - Free all groups.
 * @g: the groups
 *
 * Context: Any.
 */
void groups_free(struct groups *g);

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_GROUPS_H */
