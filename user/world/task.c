// SPDX-License-Identifier: GPL-2.0-only
/* The live tasks, by number. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "world/task.h"

int task_table_init(struct task_table *t)
{
	memset(t, 0, sizeof(*t));
	/* Its unused pages are never touched. */
	t->tasks = calloc(TASK_TID_MAX + 1, sizeof(*t->tasks));
	return t->tasks ? 0 : -ENOMEM;
}

void task_table_destroy(struct task_table *t)
{
	u32 tid;

	for (tid = 0; t->tasks && tid < t->end; tid++)
		free(t->tasks[tid]);
	free(t->tasks);
	t->tasks = NULL;
}

void task_insert(struct task_table *t, struct world_task *task)
{
	t->tasks[task->tid] = task;
	if (t->end <= task->tid)
		t->end = task->tid + 1;
	if (t->known)
		known_add(t->known, task->tid);
}

struct world_task *task_new(struct task_table *t, u32 tid)
{
	struct world_task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->tid = tid;
	task->id = t->next_id++;
	task->cpu = -1;
	task_insert(t, task);
	return task;
}

void task_remove(struct task_table *t, const struct world_task *task, u64 tsc)
{
	t->tasks[task->tid] = NULL;
	if (t->known)
		known_del(t->known, task->tid, tsc);
}

struct world_task *task_next(const struct task_table *t, const struct world_task *task)
{
	u32 tid;

	for (tid = task ? task->tid + 1 : 0; tid < t->end; tid++) {
		if (t->tasks[tid])
			return t->tasks[tid];
	}
	return NULL;
}
