// SPDX-License-Identifier: GPL-2.0-only
/* How often each tag was given, and how many tasks have it. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/groups.h"
#include "util/idmap.h"

#define FEW	8

/**
 * struct tagged - An open task with tags.
 * @few: the first of them, each once
 * @nr: length of @few
 * @more: the others, by address
 */
struct tagged {
	struct group *few[FEW];
	u32 nr;
	struct idmap more;
};

/**
 * struct tags - Tags.
 * @tasks: tasks that ended
 * @with: of them, those with a tag
 * @groups: by tag
 * @open: struct tagged, by id
 */
struct tags {
	u64 tasks;
	u64 with;
	struct groups groups;
	struct idmap open;
};

/* Return: 1 if the tag is new for the task; 0; -ENOMEM. */
static int is_new(struct tagged *t, struct group *group)
{
	struct idmap_slot *slot;
	u64 seen;
	u32 i;

	for (i = 0; i < t->nr; i++) {
		if (t->few[i] == group)
			return 0;
	}
	if (t->nr < FEW) {
		t->few[t->nr++] = group;
		return 1;
	}
	slot = idmap_put(&t->more, (uintptr_t)group);
	if (!slot)
		return -ENOMEM;
	seen = slot->bits;
	slot->bits = 1;
	return !seen;
}

static int add_once(struct idmap_slot *slot, struct group *group)
{
	int ret;

	if (!slot->ptr)
		slot->ptr = calloc(1, sizeof(struct tagged));
	if (!slot->ptr)
		return -ENOMEM;
	ret = is_new(slot->ptr, group);
	if (ret > 0)
		group->tasks++;
	return ret < 0 ? ret : 0;
}

static void free_tagged(struct tagged *t)
{
	if (t)
		idmap_free(&t->more);
	free(t);
}

static int tags_tag(void *data, const struct trace_tag *tag)
{
	struct tags *t = data;
	struct group *group = groups_named(&t->groups, tag->what);
	struct idmap_slot *slot = idmap_put(&t->open, tag->task->id);

	if (!group || !slot)
		return -ENOMEM;
	group->count++;
	return add_once(slot, group);
}

static int tags_end(void *data, const struct trace_task *task)
{
	struct tags *t = data;
	struct idmap_slot *slot = idmap_get(&t->open, task->id);

	t->tasks++;
	if (!slot)
		return 0;
	t->with++;
	free_tagged(slot->ptr);
	idmap_del(&t->open, slot);
	return 0;
}

static int by_count(const void *a, const void *b)
{
	const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void answer_tag(const struct group *group, struct tracer_answer *to)
{
	answer_row(to);
	answer_text(to, "tag", group->name ? group->name : "all others");
	answer_u64(to, "tags", group->count);
	answer_u64(to, "tasks", group->tasks);
}

static int tags_answer(void *data, struct tracer_answer *to)
{
	struct tags *t = data;
	struct group **list;
	size_t i, nr;

	list = groups_sorted(&t->groups, by_count, &nr);
	if (nr && !list)
		return -ENOMEM;
	answer_u64(to, "tasks", t->tasks);
	answer_u64(to, "with a tag", t->with);
	answer_table(to, "tags", "tag,tags,tasks");
	for (i = 0; i < nr; i++)
		answer_tag(list[i], to);
	if (t->groups.others.count)
		answer_tag(&t->groups.others, to);
	answer_table_end(to);
	free(list);
	return 0;
}

static void tags_destroy(void *data)
{
	struct idmap_slot *slot = NULL;
	struct tags *t = data;

	while ((slot = idmap_next(&t->open, slot)))
		free_tagged(slot->ptr);
	idmap_free(&t->open);
	groups_free(&t->groups);
}

DEFINE_TRACER(tags) = {
	.abi = TRACER_ABI,
	.name = "tags",
	.sentence = "how often each tag was given, and how many tasks have it",
	.size = sizeof(struct tags),
	.tag = tags_tag,
	.end = tags_end,
	.answer = tags_answer,
	.destroy = tags_destroy,
};
