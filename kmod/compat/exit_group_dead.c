// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm_types.h>
#include <trace/events/sched.h>

void probe(void *data, struct task_struct *task, bool group_dead);
void probe(void *data, struct task_struct *task, bool group_dead)
{
	check_trace_callback_type_sched_process_exit(probe);
}
