// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings: a task is what one event mapped: mmap(), a fork's copy of a range, a range in
 * the statedump. A heap or stack that grows stays one task. It ends when its last byte is
 * unmapped or mapped to something else. Merging ranges in the kernel, or splitting one by
 * mprotect(), does not change the number of tasks.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/space.h"
#include "tasks/tasks_priv.h"
#include "tasks/thread_state.h"
#include "world/sight.h"

static struct mm_attrs attrs_of(const struct tasks_mapping *mapping, u64 start)
{
	return (struct mm_attrs){ .ino = (uintptr_t)mapping, .dev = 1, .offset = start };
}

/* Find an address space. */
static struct tasks_space *tasks_space_find(const struct tasks *t, u64 id)
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

/* Find an address space, or create it. */
static struct tasks_space *tasks_space_get(struct tasks *t, u64 id)
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

/* Free an address space. */
static void tasks_space_drop(struct hash_node *node)
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

/* A range is unmapped; mappings without a byte left end. */
static void tasks_space_unmap(struct tasks *t, struct tasks_space *space, u64 start, u64 end,
			      bool said, u64 ns)
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

/* Give a mapping a range that no mapping has. */
static void tasks_mapping_give(struct tasks *t, struct tasks_mapping *mapping, u64 start, u64 end)
{
	const struct mm_attrs what = attrs_of(mapping, start);
	int ret = mm_map(&mapping->space->map, start, end, &what);

	mapping->left += end - start;
	if (ret)
		tasks_fail(t, ret);
}

/* Is it known what is mapped in all of a range? */
static bool tasks_space_known(const struct tasks_space *space, u64 start, u64 end)
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

#define MAPPING_NAME(kind, text, sentence)	[kind] = text,

static const char *const mapping_names[] = { TASKS_MAPPINGS(MAPPING_NAME) };

static const char *name_of(const struct world_range *range)
{
	if (range->path && *range->path)
		return range->path;
	if (range->what.kind < ARRAY_SIZE(mapping_names) && mapping_names[range->what.kind])
		return mapping_names[range->what.kind];
	return TASKS_MAPPING_OTHER;
}

/* The task that has the address space, or if none does yet, the one that maps in it. */
static struct tasks_thread *thread_of(struct tasks *t, const struct world_item *it)
{
	return tasks_thread_of(t, it, it->owner ? it->owner : it->task);
}

static void begin_mapping(struct tasks *t, struct tasks_space *space, const char *name, u32 kind,
			  u16 flags, const struct world_item *it)
{
	const struct world_range *range = it->range;
	size_t size = strlen(name) + 1;
	struct tasks_mapping *mapping;
	struct tasks_thread *th;

	mapping = calloc(1, sizeof(*mapping) + size);
	if (!mapping) {
		tasks_fail(t, -ENOMEM);
		return;
	}
	memcpy(mapping->name, name, size);
	/* If this ends a process of the same number, what that had mapped goes, @name too. */
	space->nr_open++;
	th = thread_of(t, it);
	if (!th) {
		space->nr_open--;
		free(mapping);
		return;
	}
	mapping->space = space;
	mapping->kind = kind;
	LIST_INSERT_HEAD(&t->mapped, mapping, link);
	LIST_INSERT_HEAD(&th->process->mappings, mapping, of_process);
	LIST_INSERT_HEAD(&space->mappings, mapping, of_space);
	tasks_begin_of(t, th, &mapping->task, TASKS_MAPPING, it);
	mapping->task.what = mapping->name;
	mapping->task.flags = flags;
	mapping->task.bytes = range->end - range->start;
	if (kind == MM_KIND_FILE) {
		mapping->task.file.dev = range->what.dev;
		mapping->task.file.ino = range->what.ino;
		mapping->task.file.generation = range->what.generation;
	}
	tasks_start(t, &mapping->task);
	tasks_mapping_give(t, mapping, range->start, range->end);
}

/* A heap grows at its end, a stack at its beginning. */
static struct tasks_mapping *grown(const struct tasks_space *space, const struct world_range *range)
{
	u32 kind = range->what.kind;
	const struct mm_vma *vma = NULL;
	struct tasks_mapping *mapping;
	bool meets = false;

	if (kind == OVNIK_MAP_BRK && range->start) {
		vma = mm_find(&space->map, range->start - 1);
		meets = vma && vma->end == range->start;
	} else if (kind == OVNIK_MAP_STACK) {
		vma = mm_find(&space->map, range->end);
		meets = vma && vma->start == range->end;
	}
	if (!meets)
		return NULL;
	mapping = tasks_mapping_of(vma);
	return mapping->kind == kind && mapping->task.id ? mapping : NULL;
}

static void grow(struct tasks *t, struct tasks_mapping *mapping, u64 start, u64 end, u64 ns)
{
	mapping->task.bytes += end - start;
	tasks_mapping_give(t, mapping, start, end);
	if (tasks_tag_wanted(t, &mapping->task))
		tasks_tag(t, &mapping->task, ns, "grew by %llu bytes", end - start);
}

static void on_map(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks_space *space = tasks_space_get(data, it->mm->id);
	struct tasks_mapping *mapping;

	if (!space)
		return;
	tasks_space_unmap(data, space, it->range->start, it->range->end, false, it->ns);
	mapping = grown(space, it->range);
	if (mapping)
		grow(data, mapping, it->range->start, it->range->end, it->ns);
	else
		begin_mapping(data, space, name_of(it->range), it->range->what.kind, 0, it);
	tasks_space_settle(data, space);
}

static void on_unmap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks_space *space = tasks_space_find(data, it->mm->id);

	if (!space)
		return;
	tasks_space_unmap(data, space, it->range->start, it->range->end, true, it->ns);
	tasks_space_settle(data, space);
}

/* The mapping that covers all of a range. */
static struct tasks_mapping *mapping_at(const struct tasks_space *space, u64 start, u64 end)
{
	const struct mm_vma *vma = mm_find(&space->map, start);

	if (!vma || vma->start > start || vma->end < end || !tasks_mapping_of(vma)->task.id)
		return NULL;
	return tasks_mapping_of(vma);
}

/* A mapping that moves is first unmapped at its old place. */
static void on_remap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct world_range *range = it->range;
	const struct ovnik_mremap *rec = it->rec;
	struct tasks_space *space = tasks_space_get(data, it->mm->id);
	u64 old_end = rec->old_start + rec->old_length;
	struct tasks_mapping *mapping = NULL;

	if (!space)
		return;
	if (rec->old_start == range->start && old_end > range->start && old_end < range->end)
		mapping = mapping_at(space, range->start, old_end);
	if (mapping) {
		tasks_space_unmap(data, space, old_end, range->end, false, it->ns);
		grow(data, mapping, old_end, range->end, it->ns);
		return;
	}
	tasks_space_unmap(data, space, range->start, range->end, false, it->ns);
	begin_mapping(data, space, name_of(range), range->what.kind, 0, it);
	tasks_space_settle(data, space);
}

/* The record does not name the file, but the copied mapping does. */
static void on_dup(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct tasks_space *source = tasks_space_find(data, it->source->id);
	struct tasks_space *space = tasks_space_get(data, it->mm->id);
	const struct mm_vma *vma = NULL;
	const char *name = name_of(it->range);
	u32 kind = it->range->what.kind;

	if (!space)
		return;
	tasks_space_unmap(data, space, it->range->start, it->range->end, false, it->ns);
	if (source)
		vma = mm_find(&source->map, it->range->start);
	if (vma && vma->start <= it->range->start) {
		name = tasks_mapping_of(vma)->name;
		kind = tasks_mapping_of(vma)->kind;
	}
	begin_mapping(data, space, name, kind, 0, it);
	tasks_space_settle(data, space);
}

static void on_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks_space *space = tasks_space_get(data, it->mm->id);

	if (!space || tasks_space_known(space, it->range->start, it->range->end))
		return;
	tasks_space_unmap(data, space, it->range->start, it->range->end, false, it->ns);
	begin_mapping(data, space, name_of(it->range), it->range->what.kind, TRACE_EARLY, it);
	tasks_space_settle(data, space);
}

static void on_mm_exit(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_mm_exit *rec = it->rec;
	struct tasks_space *space = tasks_space_find(data, rec->mm);
	struct tasks_mapping *mapping;

	if (!space)
		return;
	LIST_FOREACH(mapping, &space->mappings, of_space)
		tasks_mapping_end(data, mapping, it->ns, 0);
	tasks_space_free(data, space);
}

/* From now on, the end of any mapping may be missing. */
static void on_gap_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_mapping *mapping;

	if (!sight_hides(it->gap, EV_BIT(munmap) | EV_BIT(mm_exit) | EV_BIT(mremap)))
		return;
	while ((mapping = LIST_FIRST(&t->mapped))) {
		LIST_REMOVE(mapping, link);
		LIST_INSERT_HEAD(&t->perhaps_mapped, mapping, link);
		mapping->uncertain = it->ns;
	}
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_mapping *mapping;

	while ((mapping = LIST_FIRST(&t->mapped)))
		tasks_mapping_end(t, mapping, it->ns, TRACE_OPEN);
	while ((mapping = LIST_FIRST(&t->perhaps_mapped)))
		tasks_mapping_end(t, mapping, mapping->uncertain, TRACE_UNCERTAIN);
}

int tasks_mapping_attach(struct tasks *t)
{
	static const struct tasks_hook hooks[] = {
		{ WORLD_MM_MAP, on_map, KIND_BIT(MAPPING) },
		{ WORLD_MM_UNMAP, on_unmap, KIND_BIT(MAPPING) },
		{ WORLD_MM_REMAP, on_remap, KIND_BIT(MAPPING) },
		{ WORLD_MM_DUP, on_dup, KIND_BIT(MAPPING) },
		{ WORLD_VMA_DUMP, on_dump, KIND_BIT(MAPPING) },
		{ WORLD_MM_EXIT, on_mm_exit, KIND_BIT(MAPPING) },
		{ WORLD_GAP_BEGIN, on_gap_begin, KIND_BIT(MAPPING) },
		{ WORLD_CAPTURE_END, on_end, KIND_BIT(MAPPING) },
	};
	int ret = hash_init(&t->spaces);

	LIST_INIT(&t->mapped);
	LIST_INIT(&t->perhaps_mapped);
	return ret ? ret : tasks_attach(t, hooks, ARRAY_SIZE(hooks));
}

void tasks_mapping_destroy(struct tasks *t)
{
	hash_destroy(&t->spaces, tasks_space_drop);
}
