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
	t->ended = calloc(TASK_TID_MAX / 64 + 1, sizeof(*t->ended));
	return t->tasks && t->ended ? 0 : -ENOMEM;
}

void task_table_destroy(struct task_table *t)
{
	struct world_task *task, *next;

	for (task = t->tasks ? task_next(t, NULL) : NULL; task; task = next) {
		next = task_next(t, task);
		free(task);
	}
	free(t->tasks);
	free(t->ended);
	t->tasks = NULL;
	t->ended = NULL;
}

void task_insert(struct task_table *t, struct world_task *task)
{
	t->tasks[task->tid] = task;
	t->used[task->tid / TASK_WORD] |= 1ULL << task->tid / TASK_BLOCK % 64;
	t->ended[task->tid / 64] &= ~(1ULL << task->tid % 64);
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

/* The first number from @tid on whose block a task has had; beyond TASK_TID_MAX: there is none. */
static u32 next_used(const struct task_table *t, u32 tid)
{
	u64 bits = t->used[tid / TASK_WORD] >> tid / TASK_BLOCK % 64;
	u32 word = tid / TASK_WORD;

	if (bits & 1)
		return tid;
	if (bits)
		return (tid / TASK_BLOCK + __builtin_ctzll(bits)) * TASK_BLOCK;
	while (++word < ARRAY_SIZE(t->used)) {
		if (t->used[word])
			return word * TASK_WORD + __builtin_ctzll(t->used[word]) * TASK_BLOCK;
	}
	return TASK_TID_MAX + 1;
}

/* Numbers go up to millions, with few in use: blocks without any are not touched. */
struct world_task *task_next(const struct task_table *t, const struct world_task *task)
{
	u32 tid = task ? task->tid + 1 : 0;

	for (; tid <= TASK_TID_MAX; tid++) {
		if (!(tid % TASK_BLOCK))
			tid = next_used(t, tid);
		if (tid <= TASK_TID_MAX && t->tasks[tid])
			return t->tasks[tid];
	}
	return NULL;
}
