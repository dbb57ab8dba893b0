// SPDX-License-Identifier: GPL-2.0-only
/* Per-process data of the models of runtimes with tasks. */
#include <errno.h>
#include <stdlib.h>

#include "emu/core.h"
#include "emu/task.h"

static struct task_proc *task_proc_new(void)
{
	struct task_proc *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return NULL;
	STAILQ_INIT(&tasks->declared);
	if (!hash_init(&tasks->types) && !hash_init(&tasks->tasks) && !hash_init(&tasks->bodies))
		return tasks;
	task_proc_free(tasks);
	return NULL;
}

struct task_proc *task_proc_get(struct emu *emu, struct emu_proc *proc, enum model_id model)
{
	if (!proc->priv[model]) {
		proc->priv[model] = task_proc_new();
		if (!proc->priv[model])
			emu_fail(emu, -ENOMEM, "out of memory");
	}
	return proc->priv[model];
}

static void free_type(struct hash_node *node)
{
	free(container_of(node, struct task_type, node));
}

static void free_task(struct hash_node *node)
{
	free(container_of(node, struct task, node));
}

static void free_body(struct hash_node *node)
{
	free(container_of(node, struct parallel_body, node));
}

void task_proc_free(void *priv)
{
	struct task_proc *tasks = priv;

	hash_destroy(&tasks->types, free_type);
	hash_destroy(&tasks->tasks, free_task);
	hash_destroy(&tasks->bodies, free_body);
	free(tasks);
}
