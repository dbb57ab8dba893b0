// SPDX-License-Identifier: GPL-2.0-only
#include <linux/sched.h>
#include <linux/sched/exec_state.h>

bool probe(struct task_struct *task);
bool probe(struct task_struct *task)
{
	return rcu_dereference(task->exec_state)->dumpable == TASK_DUMPABLE_OWNER;
}
