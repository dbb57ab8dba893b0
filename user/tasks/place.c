// SPDX-License-Identifier: GPL-2.0-only
/* Where tasks are: places have a name and a number, and are kept as long as the builder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/tasks_priv.h"

#define NAME_MAX_LEN	80

/*
 * A row: the names of places, mostly per kind of task. A process or a CPU has only one
 * number.
 */
static const char *const formats[TASKS_NR_FORMS] = {
	[TASKS_PROCESS] = "proc.%u",
	[TASKS_THREAD] = "proc.%u.thread.%u",
	[TASKS_RUN] = "proc.%u.thread.%u.run",
	[TASKS_WAIT] = "proc.%u.thread.%u.wait",
	[TASKS_UNKNOWN] = "proc.%u.thread.%u.unknown",
	[TASKS_CALL] = "proc.%u.thread.%u.call",
	[TASKS_FAULT] = "proc.%u.thread.%u.fault",
	[TASKS_FILE] = "proc.%u.file",
	[TASKS_MAPPING] = "proc.%u.mapping",
	[TASKS_PAGE] = "pagecache.%u:%u",
	[TASKS_REQ_OUT] = "proc.%u.thread.%u.req_out",
	[TASKS_REQ_IN] = "proc.%u.thread.%u.req_in",
	[TASKS_FORM_CACHE] = "pagecache.%u:%u.req_in",
	[TASKS_FORM_CPU] = "cpu.%u.req_in",
};

static u64 hash_place(const struct tasks *t, u32 form, u32 a, u32 b)
{
	return hash_of(&t->places, (u64)form << 32 | a, b);
}

static const struct tasks_place *find(const struct tasks *t, u32 form, u32 a, u32 b, u64 hash)
{
	struct hash_node *node;

	for (node = hash_first(&t->places, hash); node; node = hash_next(node)) {
		struct tasks_place *place = container_of(node, struct tasks_place, node);

		if (place->form == form && place->a == a && place->b == b)
			return place;
	}
	return NULL;
}

static const struct tasks_place *make(struct tasks *t, u32 form, u32 a, u32 b, u64 hash)
{
	struct tasks_place *place;
	char name[NAME_MAX_LEN];

	snprintf(name, sizeof(name), formats[form], a, b);
	place = malloc(sizeof(*place) + strlen(name) + 1);
	if (!place) {
		tasks_fail(t, -ENOMEM);
		return NULL;
	}
	place->a = a;
	place->b = b;
	place->form = form;
	place->id = t->places.nr + 1;
	memcpy(place->name, name, strlen(name) + 1);
	hash_add(&t->places, &place->node, hash);
	return place;
}

const struct tasks_place *tasks_place(struct tasks *t, struct trace_task *task, u32 form, u32 a,
				      u32 b)
{
	static const struct tasks_place nowhere = { .name = "" };
	const struct tasks_place *place;
	u64 hash;

	if (t->kinds & TASKS_NOWHERE) {
		task->where = nowhere.name;
		task->where_id = 0;
		return &nowhere;
	}
	hash = hash_place(t, form, a, b);
	place = find(t, form, a, b, hash);
	if (!place)
		place = make(t, form, a, b, hash);
	task->where = place ? place->name : "?";
	task->where_id = place ? place->id : 0;
	return place;
}
