// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the scheduler. They run with interrupts off and the lock of a run queue or task
 * held.
 */
#include "ring.bpf.h"
#include "task.bpf.h"

SEC("tp_btf/sched_switch") HOOK_TYPES("1, task_struct*, task_struct*, 4")
int BPF_PROG(ovnik_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     u32 prev_state)
{
	struct ovnik_sched_switch *rec;
	struct ovnik_slot slot;

	if (!ovnik_on(OVNIK_BIT(sched_switch)) || !ovnik_wanted2(prev->pid, next->pid))
		return 0;
	rec = ovnik_begin(&slot, sched_switch);
	if (!rec)
		return 0;
	rec->prev_state = preempt ? OVNIK_STATE_PREEMPTED :
				    ovnik_task_state(prev_state, prev->exit_state);
	rec->prev_tid = prev->pid;
	rec->next_tid = next->pid;
	ovnik_commit(&slot, sched_switch);
	return 0;
}

SEC("tp_btf/sched_wakeup") HOOK_TYPES("task_struct*")
int BPF_PROG(ovnik_sched_wakeup, struct task_struct *task)
{
	struct ovnik_sched_wakeup *rec;
	struct ovnik_slot slot;

	if (!ovnik_on(OVNIK_BIT(sched_wakeup)) || !ovnik_wanted2(task->pid, current_tid()))
		return 0;
	rec = ovnik_begin(&slot, sched_wakeup);
	if (!rec)
		return 0;
	rec->cpu = ovnik_task_cpu(task);
	rec->tid = task->pid;
	rec->waker_tid = current_tid();
	ovnik_commit(&slot, sched_wakeup);
	return 0;
}

SEC("tp_btf/sched_wakeup_new") HOOK_TYPES("task_struct*")
int BPF_PROG(ovnik_sched_wakeup_new, struct task_struct *task)
{
	struct ovnik_sched_wakeup_new *rec;
	struct ovnik_slot slot;

	if (!ovnik_on(OVNIK_BIT(sched_wakeup_new)) || !ovnik_wanted2(task->pid, current_tid()))
		return 0;
	rec = ovnik_begin(&slot, sched_wakeup_new);
	if (!rec)
		return 0;
	rec->cpu = ovnik_task_cpu(task);
	rec->tid = task->pid;
	rec->waker_tid = current_tid();
	ovnik_commit(&slot, sched_wakeup_new);
	return 0;
}

SEC("tp_btf/sched_migrate_task") HOOK_TYPES("task_struct*, 4")
int BPF_PROG(ovnik_sched_migrate, struct task_struct *task, int dest_cpu)
{
	struct ovnik_sched_migrate *rec;
	struct ovnik_slot slot;

	if (!ovnik_on(OVNIK_BIT(sched_migrate)) || !ovnik_wanted_tid(task->pid))
		return 0;
	rec = ovnik_begin(&slot, sched_migrate);
	if (!rec)
		return 0;
	rec->orig_cpu = ovnik_task_cpu(task);
	rec->tid = task->pid;
	rec->dest_cpu = dest_cpu;
	ovnik_commit(&slot, sched_migrate);
	return 0;
}
