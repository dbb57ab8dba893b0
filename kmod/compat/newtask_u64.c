// SPDX-License-Identifier: GPL-2.0-only
#include <trace/events/task.h>

void probe(void *data, struct task_struct *task, u64 clone_flags);
void probe(void *data, struct task_struct *task, u64 clone_flags)
{
	check_trace_callback_type_task_newtask(probe);
}
