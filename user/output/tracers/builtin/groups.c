// SPDX-License-Identifier: GPL-2.0-only
/* Tasks by what they have in common: see groups.h. */
#include <stdlib.h>
#include <string.h>

#include "output/tracers/builtin/groups.h"

/* There is a table from the first group on. */
static int need_table(struct groups *g)
{
	return g->table.buckets ? 0 : hash_init(&g->table);
}

static struct group *find_name(const struct groups *g, u64 hash, const char *name)
{
	struct hash_node *node;

	for (node = hash_first(&g->table, hash); node; node = hash_next(node)) {
		struct group *group = container_of(node, struct group, node);

		if (!strcmp(group->name, name))
			return group;
	}
	return NULL;
}

static struct group *find_number(const struct groups *g, u64 hash, u64 number)
{
	struct hash_node *node;

	for (node = hash_first(&g->table, hash); node; node = hash_next(node)) {
		struct group *group = container_of(node, struct group, node);

		if (group->number == number)
			return group;
	}
	return NULL;
}

static struct group *make(struct groups *g, u64 hash, u64 number, const char *name)
{
	struct group *group;

	if (g->table.nr >= GROUPS_MAX)
		return &g->others;
	group = calloc(1, sizeof(*group));
	if (!group)
		return NULL;
	group->name = strdup(name);
	if (!group->name) {
		free(group);
		return NULL;
	}
	group->number = number;
	hash_add(&g->table, &group->node, hash);
	return group;
}

struct group *groups_named(struct groups *g, const char *name)
{
	struct group *group;
	u64 hash;

	if (need_table(g))
		return NULL;
	hash = hash_text(&g->table, name);
	group = find_name(g, hash, name);
	return group ? group : make(g, hash, 0, name);
}

struct group *groups_numbered(struct groups *g, u64 number, const char *name)
{
	struct group *group;
	u64 hash;

	if (need_table(g))
		return NULL;
	hash = hash_of(&g->table, number, 0);
	group = find_number(g, hash, number);
	return group ? group : make(g, hash, number, name);
}

struct group **groups_sorted(const struct groups *g, int (*before)(const void *, const void *),
			     size_t *nr)
{
	struct hash_node *node = NULL;
	struct group **list;
	size_t i = 0;

	*nr = g->table.nr;
	list = *nr ? calloc(*nr, sizeof(struct group *)) : NULL;
	if (!list)
		return NULL;
	while ((node = hash_walk(&g->table, node)))
		list[i++] = container_of(node, struct group, node);
	qsort(list, *nr, sizeof(struct group *), before);
	return list;
}

static void free_group(struct hash_node *node)
{
	struct group *group = container_of(node, struct group, node);

	free(group->name);
	free(group);
}

void groups_free(struct groups *g)
{
	hash_destroy(&g->table, free_group);
}
