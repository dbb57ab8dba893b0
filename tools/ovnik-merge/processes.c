// SPDX-License-Identifier: GPL-2.0-only
/* Processes of a capture. */
#include <errno.h>

#include "processes.h"

int processes_read(struct processes *p, struct capture *cap)
{
	struct world w;
	int ret;

	capture_begin_pass(cap, false);
	ret = world_init(&w, cap);
	w.clock = NULL;
	if (!ret)
		ret = inventory_attach(&p->inventory, &w);
	if (!ret)
		ret = world_read(&w, cap);
	if (!ret)
		ret = inventory_finish(&p->inventory);
	world_destroy(&w);
	return ret;
}

/* A process begins by a fork, and its first thread has its number. */
static void on_new(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct processes *p = data;
	struct idmap_slot *slot;

	/* A statedump may have come before the fork. */
	if (!it->fresh || processes_pid(p, it->task) != it->task->tid)
		return;
	slot = idmap_put(&p->times, (u64)it->task->tid + 1);
	if (slot)
		slot->bits++;
}

int processes_attach(struct processes *p, struct world *w)
{
	return hook_attach(&w->hooks, WORLD_TASK_NEW, on_new, p);
}

u32 processes_pid(const struct processes *p, const struct world_task *task)
{
	return task->id < p->inventory.nr_tasks && p->inventory.pids[task->id] ?
		p->inventory.pids[task->id] : task->tid;
}

u64 processes_times(struct processes *p, u32 pid)
{
	struct idmap_slot *slot = idmap_put(&p->times, (u64)pid + 1);

	if (slot && !slot->bits)
		slot->bits = 1;
	return slot ? slot->bits : 0;
}

u32 processes_threads(const struct processes *p, u32 pid, u32 tid)
{
	long i = inventory_find(&p->inventory, pid, tid);

	return i < 0 ? 0 : p->inventory.processes[p->inventory.threads[i].process].nr;
}

void processes_free(struct processes *p)
{
	inventory_free(&p->inventory);
	idmap_free(&p->times);
}
