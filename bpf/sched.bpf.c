// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the scheduler. They run with interrupts off and the lock of a run queue or task
 * held.
 */
#include "compat.bpf.h"
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

static __always_inline int record_wakeup(const struct task_struct *task, u32 tid, u32 waker)
{
	struct ovnik_sched_wakeup *rec;
	struct ovnik_slot slot;

	if (!ovnik_on(OVNIK_BIT(sched_wakeup)) || !ovnik_wanted2(tid, waker))
		return 0;
	rec = ovnik_begin(&slot, sched_wakeup);
	if (!rec)
		return 0;
	rec->cpu = ovnik_task_cpu(task);
	rec->tid = tid;
	rec->waker_tid = waker;
	ovnik_commit(&slot, sched_wakeup);
	return 0;
}

/*
 * Who wakes a task that is queued to another CPU, which makes it runnable later: as in
 * kmod/sched.c, with the tid in the upper half. What is queued is taken even if nothing is
 * recorded, so that no slot is stale; so the program that takes is attached first.
 */
#define QUEUED_SLOTS	8192

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, QUEUED_SLOTS);
	__type(key, u32);
	__type(value, u64);
} ovnik_queued SEC(".maps");

static __always_inline u64 *queued_slot(u32 tid)
{
	u32 slot = tid % QUEUED_SLOTS;

	return bpf_map_lookup_elem(&ovnik_queued, &slot);
}

/* An interrupt does not wake for the task that it interrupts. */
static __always_inline u32 waker_here(void)
{
	return ovnik_in_task() ? current_tid() : 0;
}

static __always_inline u32 waker_of(u32 tid)
{
	u64 *slot = queued_slot(tid), entry = slot ? READ_ONCE(*slot) : 0;

	if (!slot || entry >> 32 != tid)
		return waker_here();
	/* Another task may get the slot. */
	return cmpxchg(slot, entry, 0) == entry ? entry : 0;
}

SEC("tp_btf/sched_wakeup") HOOK_TYPES("task_struct*")
int BPF_PROG(ovnik_sched_wakeup, struct task_struct *task)
{
	u32 tid = task->pid;

	return record_wakeup(task, tid, waker_of(tid));
}

/* Also of calls of functions. */
SEC("fentry/__smp_call_single_queue") HOOK_TYPES("4, llist_node*")
int BPF_PROG(ovnik_queue, int cpu, struct llist_node *llist)
{
	struct __call_single_node *node = (void *)llist;
	struct task_struct *task;
	u32 flags, tid;
	u64 *slot;

	bpf_core_read(&flags, sizeof(flags), &node->u_flags);
	if ((flags & CSD_FLAG_TYPE_MASK) != CSD_TYPE_TTWU)
		return 0;
	task = (void *)llist - bpf_core_field_offset(struct task_struct, wake_entry);
	bpf_core_read(&tid, sizeof(tid), &task->pid);
	slot = queued_slot(tid);
	if (slot)
		WRITE_ONCE(*slot, (u64)tid << 32 | waker_here());
	return 0;
}

/*
 * Where the two above cannot be: whoever runs there counts as the waker, and meta.json says
 * so.
 */
SEC("tp_btf/sched_wakeup") HOOK_TYPES("task_struct*")
int BPF_PROG(ovnik_sched_wakeup_plain, struct task_struct *task)
{
	return ovnik_config.plain_wakers ? record_wakeup(task, task->pid, current_tid()) : 0;
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
