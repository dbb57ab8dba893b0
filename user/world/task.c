// SPDX-License-Identifier: GPL-2.0-only
/* The table of tasks that live. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "world/task.h"

#define SLOTS_MIN	1024

int task_table_init(struct task_table *t)
{
	memset(t, 0, sizeof(*t));
	t->slots = calloc(SLOTS_MIN, sizeof(*t->slots));
	if (!t->slots)
		return -ENOMEM;
	t->mask = SLOTS_MIN - 1;
	return 0;
}

void task_table_destroy(struct task_table *t)
{
	u32 i;

	for (i = 0; t->slots && i <= t->mask; i++)
		free(t->slots[i].task);
	free(t->slots);
	t->slots = NULL;
}

void task_insert(struct task_table *t, struct world_task *task)
{
	u32 i = task_hash(task->tid) & t->mask;

	while (t->slots[i].task)
		i = (i + 1) & t->mask;
	t->slots[i].tid = task->tid;
	t->slots[i].task = task;
	t->nr++;
	if (t->known)
		known_add(t->known, task->tid);
}

static int grow(struct task_table *t)
{
	struct task_table larger = {
		.mask = 2 * t->mask + 1, .next_id = t->next_id, .known = t->known,
	};
	u32 i;

	larger.slots = calloc((size_t)larger.mask + 1, sizeof(*larger.slots));
	if (!larger.slots)
		return -ENOMEM;
	for (i = 0; i <= t->mask; i++) {
		if (t->slots[i].task)
			task_insert(&larger, t->slots[i].task);
	}
	free(t->slots);
	*t = larger;
	return 0;
}

struct world_task *task_new(struct task_table *t, u32 tid)
{
	struct world_task *task;

	/* Half full at most: chains stay short. */
	if (t->nr > t->mask / 2 && grow(t))
		return NULL;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->tid = tid;
	task->id = t->next_id++;
	task->cpu = -1;
	task_insert(t, task);
	return task;
}

/* No marks for removed slots: what follows in the chain moves up. */
void task_remove(struct task_table *t, struct world_task *task, u64 tsc)
{
	u32 hole = task_hash(task->tid) & t->mask, i;

	while (t->slots[hole].task != task)
		hole = (hole + 1) & t->mask;
	t->nr--;
	if (t->known)
		known_del(t->known, task->tid, tsc);
	for (i = (hole + 1) & t->mask; t->slots[i].task; i = (i + 1) & t->mask) {
		u32 home = task_hash(t->slots[i].tid) & t->mask;

		if (((i - home) & t->mask) < ((i - hole) & t->mask))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole].task = NULL;
}
