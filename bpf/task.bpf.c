// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of the life of a task: fork, exec, exit, change of name. They run in the task
 * itself or in its parent.
 */
#include "file.bpf.h"
#include "known.bpf.h"
#include "mm.bpf.h"
#include "task.bpf.h"

/*
 * Every new task passes here before it runs; what create_io_thread() makes, as workers of
 * io_uring, does not pass sched_process_fork.
 */
SEC("tp_btf/task_newtask") HOOK_TYPES("task_struct*")
int BPF_PROG(ovnik_task_newtask, struct task_struct *child)
{
	const struct task_struct *parent = bpf_get_current_task_btf();
	u32 tid = child->pid;
	u64 *word = &ovnik_shared.filter[tid / 64 % ARRAY_SIZE(ovnik_shared.filter)];
	u64 bit = 1ULL << (tid % 64);
	bool in;

	if (!ovnik_config.filter)
		return 0;
	in = ovnik_filter_has(parent->pid);
	if (child->tgid != parent->tgid)
		in = in && ovnik_config.children;
	if (in)
		__sync_fetch_and_or(word, bit);
	else
		__sync_fetch_and_and(word, ~bit);
	return 0;
}

static __always_inline void record_fork(const struct task_struct *parent,
					const struct task_struct *child)
{
	struct ovnik_task_fork *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, task_fork);
	if (!rec)
		return;
	rec->flags = ovnik_task_flags(child);
	rec->parent_tid = parent->pid;
	rec->child_tid = child->pid;
	rec->parent_tgid = parent->tgid;
	rec->child_tgid = child->tgid;
	rec->child_start = child->start_time;
	bpf_probe_read_kernel(rec->child_comm, sizeof(rec->child_comm), child->comm);
	ovnik_commit(&slot, task_fork);
}

/* The child exists and has its tid, but has not run. */
SEC("tp_btf/task_newtask") HOOK_TYPES("task_struct*")
int BPF_PROG(ovnik_task_fork, struct task_struct *child)
{
	const struct task_struct *parent = bpf_get_current_task_btf();

	if (!ovnik_on(OVNIK_BIT(task_fork) | OVNIK_BIT(task_mm)) ||
	    !ovnik_wanted_tid(parent->pid))
		return 0;
	if (ovnik_event_on(OVNIK_EV_task_fork))
		record_fork(parent, child);
	if (child->mm && child->mm != parent->mm && ovnik_event_on(OVNIK_EV_task_mm))
		ovnik_record_task_mm(child, child->mm, OVNIK_MM_FORK);
	return 0;
}

SEC("tp_btf/sched_process_exec") HOOK_TYPES("task_struct*, 4, linux_binprm*")
int BPF_PROG(ovnik_task_exec, struct task_struct *task, pid_t old_tid, struct linux_binprm *bprm)
{
	const struct file *file = bprm->file;
	const struct inode *inode = file->f_inode;
	struct ovnik_task_exec *rec;
	struct ovnik_slot slot;

	if (!ovnik_on(OVNIK_BIT(task_exec)) || !ovnik_wanted_tid(task->pid))
		return 0;
	rec = ovnik_begin_path(&slot, task_exec, filename, file);
	if (!rec)
		return 0;
	rec->tid = task->pid;
	rec->old_tid = old_tid;
	rec->tgid = task->tgid;
	ovnik_set_inode(rec, inode);
	rec->mm = ovnik_mm_id(task->mm);
	ovnik_commit(&slot, task_exec);
	return 0;
}

/*
 * The next statedump of a flight recorder will not know a task that ends, and may replace that
 * of the start. It gives up its address space, if it has not done so.
 */
static __always_inline void record_exiting(const struct task_struct *task)
{
	struct ovnik_dump_task *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, dump_task);
	if (!rec)
		return;
	ovnik_set_dump_task(rec, task);
	rec->mm = 0;
	rec->pgd = 0;
	ovnik_commit(&slot, dump_task);
}

SEC("tp_btf/sched_process_exit") HOOK_TYPES("task_struct*")
int BPF_PROG(ovnik_task_exit, struct task_struct *task)
{
	struct ovnik_task_exit *rec;
	struct ovnik_slot slot;

	if (!ovnik_on(OVNIK_BIT(task_exit)) || !ovnik_wanted_tid(task->pid))
		return 0;
	if (ovnik_config.overwrite)
		record_exiting(task);
	rec = ovnik_begin(&slot, task_exit);
	if (!rec)
		return 0;
	rec->exit_code = task->exit_code;
	rec->tid = task->pid;
	rec->tgid = task->tgid;
	ovnik_commit(&slot, task_exit);
	return 0;
}

SEC("tp_btf/task_rename") HOOK_TYPES("task_struct*, *")
int BPF_PROG(ovnik_task_comm, struct task_struct *task, const char *comm)
{
	struct ovnik_task_comm *rec;
	struct ovnik_slot slot;

	if (!ovnik_on(OVNIK_BIT(task_comm)) || !ovnik_wanted_tid(task->pid))
		return 0;
	rec = ovnik_begin(&slot, task_comm);
	if (!rec)
		return 0;
	rec->tid = task->pid;
	rec->tgid = task->tgid;
	/* No older data of the ring may follow it. */
	__builtin_memset(rec->comm, 0, sizeof(rec->comm));
	bpf_probe_read_kernel_str(rec->comm, sizeof(rec->comm), comm);
	ovnik_commit(&slot, task_comm);
	return 0;
}
