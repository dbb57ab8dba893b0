// SPDX-License-Identifier: GPL-2.0-only
/* Who recorded: see recorder.h. */
#include "sums/recorder.h"
#include "world/task.h"

void recorder_find(struct recorder *r, const struct capture *cap,
		   const struct inventory *inventory)
{
	u32 pid = cap->meta.recorder;
	/* Who names processes may ask for it. */
	long leader = pid && !cap->who ? inventory_find(inventory, pid, pid) : -1;

	if (leader < 0)
		return;
	r->pid = pid;
	r->id = inventory->threads[leader].order;
}

/* Its threads may be seen before its leader, which then is still to come. */
bool recorder_is(const struct recorder *r, const struct world *w, const struct trace_task *task)
{
	const struct world_task *leader;

	if (!r->pid || task->pid != r->pid)
		return false;
	leader = task_find(&w->tasks, r->pid);
	return leader ? leader->id == r->id : w->tasks.next_id <= r->id;
}
