// SPDX-License-Identifier: GPL-2.0-only
/* Which mapping covers which bytes: see space.h. */
#include <errno.h>
#include <stdlib.h>

#include "tasks/space.h"
#include "tasks/tasks_priv.h"

static struct mm_attrs attrs_of(const struct tasks_mapping *mapping, u64 start)
{
	return (struct mm_attrs){ .ino = (uintptr_t)mapping, .dev = 1, .offset = start };
}

struct tasks_space *tasks_space_find(const struct tasks *t, u64 id)
{
	struct hash_node *node;

	node = hash_first(&t->spaces, hash_of(&t->spaces, id, 0));
	for (; node; node = hash_next(node)) {
		struct tasks_space *space = container_of(node, struct tasks_space, node);

		if (space->map.id == id)
			return space;
	}
	return NULL;
}

struct tasks_space *tasks_space_get(struct tasks *t, u64 id)
{
	struct tasks_space *space = tasks_space_find(t, id);

	if (space)
		return space;
	space = calloc(1, sizeof(*space));
	if (!space) {
		tasks_fail(t, -ENOMEM);
		return NULL;
	}
	space->map.id = id;
	hash_add(&t->spaces, &space->node, hash_of(&t->spaces, id, 0));
	return space;
}

void tasks_space_drop(struct hash_node *node)
{
	struct tasks_space *space = container_of(node, struct tasks_space, node);
	struct tasks_mapping *mapping;

	while ((mapping = LIST_FIRST(&space->mappings))) {
		LIST_REMOVE(mapping, of_space);
		free(mapping);
	}
	mm_clear(&space->map);
	free(space);
}

void tasks_space_free(struct tasks *t, struct tasks_space *space)
{
	hash_del(&t->spaces, &space->node);
	tasks_space_drop(&space->node);
}

void tasks_mapping_end(struct tasks *t, struct tasks_mapping *mapping, u64 ns, u16 flags)
{
	if (!mapping->task.id)
		return;
	LIST_REMOVE(mapping, link);
	LIST_REMOVE(mapping, of_process);
	mapping->space->nr_open--;
	tasks_end(t, &mapping->task, ns, flags);
}

/* Some of its bytes are not mapped any more; the caller forgets them. */
static void take_from(struct tasks *t, struct tasks_mapping *mapping, u64 bytes, bool said,
		      u64 ns)
{
	const struct trace_task *task = &mapping->task;

	mapping->left -= bytes;
	if (mapping->left) {
		if (tasks_tag_wanted(t, task))
			tasks_tag(t, task, ns, "unmapped %llu bytes", bytes);
		return;
	}
	if (mapping->uncertain && !said)
		tasks_mapping_end(t, mapping, mapping->uncertain, TRACE_UNCERTAIN);
	else
		tasks_mapping_end(t, mapping, ns, 0);
	LIST_REMOVE(mapping, of_space);
	free(mapping);
}

void tasks_space_unmap(struct tasks *t, struct tasks_space *space, u64 start, u64 end, bool said,
		       u64 ns)
{
	const struct mm_vma *vma;
	u64 at = start;
	int ret;

	while ((vma = mm_find(&space->map, at)) && vma->start < end) {
		u64 from = vma->start > start ? vma->start : start;
		u64 to = vma->end < end ? vma->end : end;

		at = vma->end;
		take_from(t, tasks_mapping_of(vma), to - from, said, ns);
	}
	ret = mm_unmap(&space->map, start, end);
	if (ret)
		tasks_fail(t, ret);
}

void tasks_mapping_give(struct tasks *t, struct tasks_mapping *mapping, u64 start, u64 end)
{
	const struct mm_attrs what = attrs_of(mapping, start);
	int ret = mm_map(&mapping->space->map, start, end, &what);

	mapping->left += end - start;
	if (ret)
		tasks_fail(t, ret);
}

bool tasks_space_known(const struct tasks_space *space, u64 start, u64 end)
{
	const struct mm_vma *vma;

	while (start < end) {
		vma = mm_find(&space->map, start);
		if (!vma || vma->start > start)
			return false;
		start = vma->end;
	}
	return true;
}
