// SPDX-License-Identifier: GPL-2.0-only
/*
 * The statedump: synthetic records of what existed before the capture. Tasks that come or
 * go meanwhile have their own events; a decoder combines both by tid and start time.
 * Mappings are read under mmap_lock, under which they change: the records are in the right
 * place among the changes.
 */
#include <linux/delay.h>
#include <linux/fdtable.h>
#include <linux/mm_types.h>
#include <linux/mmap_lock.h>
#include <linux/mount.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "config.h"
#include "files.h"
#include "filter.h"
#include "mm.h"
#include "path.h"
#include "ring.h"
#include "statedump.h"

static const unsigned int mm_events[] = {
	OVNIK_EV_mmap_file, OVNIK_EV_mmap_anon, OVNIK_EV_shm_attach, OVNIK_EV_munmap,
	OVNIK_EV_mprotect, OVNIK_EV_mremap, OVNIK_EV_vma_dup,
};

static const unsigned int file_events[] = {
	OVNIK_EV_file_open, OVNIK_EV_file_close,
};

/* The state is not needed if no event of this capture can change it. */
static bool any_on(const unsigned int *events, unsigned int nr)
{
	while (nr) {
		if (ovnik_event_on(events[--nr]))
			return true;
	}
	return false;
}

static u16 task_state(struct task_struct *task)
{
	unsigned int index = task_state_index(task);

	return index ? 1U << (index - 1) : 0;
}

static void dump_task(struct task_struct *task)
{
	struct ovnik_dump_task *rec;
	struct ovnik_slot slot;
	u64 mm, pgd;

	/* Keeps exec and exit from freeing the mm. */
	task_lock(task);
	mm = ovnik_mm_id(task->flags & PF_KTHREAD ? NULL : task->mm);
	pgd = ovnik_mm_pgd(task->flags & PF_KTHREAD ? NULL : task->mm);
	task_unlock(task);

	preempt_disable();
	rec = ovnik_begin(&slot, dump_task);
	if (rec) {
		rec->cpu = task_cpu(task);
		rec->tid = task->pid;
		rec->tgid = task->tgid;
		rec->parent_tgid = rcu_dereference(task->real_parent)->tgid;
		rec->state = task_state(task);
		rec->flags = task->flags & PF_KTHREAD ? OVNIK_TASK_KTHREAD : 0;
		rec->start = task->start_time;
		rec->mm = mm;
		rec->pgd = pgd;
		memcpy(rec->comm, task->comm, sizeof(rec->comm));
		ovnik_commit(&slot, dump_task);
	}
	preempt_enable();
}

static void dump_end(u32 tasks)
{
	struct ovnik_dump_end *rec;
	struct ovnik_slot slot;

	preempt_disable();
	rec = ovnik_begin(&slot, dump_end);
	if (rec) {
		rec->tasks = tasks;
		ovnik_commit(&slot, dump_end);
	}
	preempt_enable();
}

static void record_mm(pid_t tgid, struct mm_struct *mm)
{
	struct ovnik_dump_mm *rec;
	struct ovnik_slot slot;

	preempt_disable();
	rec = ovnik_begin(&slot, dump_mm);
	if (rec) {
		rec->tid = tgid;
		rec->vmas = mm->map_count;
		rec->mm = ovnik_mm_id(mm);
		rec->pgd = ovnik_mm_pgd(mm);
		ovnik_commit(&slot, dump_mm);
	}
	preempt_enable();
}

static void record_vma(pid_t tgid, struct vm_area_struct *vma)
{
	struct ovnik_path path = { "", 1 };
	struct ovnik_dump_vma *rec;
	struct ovnik_slot slot;

	if (vma->vm_file)
		path = ovnik_path_of(&vma->vm_file->f_path);
	rec = ovnik_begin_str(&slot, dump_vma, path, path.len);
	if (!rec)
		return;
	rec->tid = tgid;
	ovnik_set_vma(rec, vma, vma->vm_start);
	rec->start = vma->vm_start;
	rec->length = vma->vm_end - vma->vm_start;
	memcpy(rec->path, path.text, path.len);
	ovnik_commit_str(&slot, dump_vma);
}

/*
 * The holder of the lock may wait for a disk, a frozen file system, a server. Do not wait
 * long: what cannot be recorded is counted as dropped.
 */
static bool lock_mm(struct mm_struct *mm)
{
	int tries = 100;

	while (!mmap_read_trylock(mm)) {
		if (!tries-- || fatal_signal_pending(current))
			return false;
		usleep_range(5000, 10000);
	}
	return true;
}

static void dump_vmas(pid_t tgid, struct mm_struct *mm)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;

	if (!lock_mm(mm)) {
		ovnik_lose(OVNIK_EV_dump_mm, 1);
		ovnik_lose(OVNIK_EV_dump_vma, READ_ONCE(mm->map_count));
		return;
	}
	record_mm(tgid, mm);
	for_each_vma(vmi, vma) {
		preempt_disable();
		record_vma(tgid, vma);
		preempt_enable();
		cond_resched();
	}
	mmap_read_unlock(mm);
}

/* A thread of a process that still has an address space; the first may have none. */
static struct task_struct *thread_with_mm(struct task_struct *leader)
{
	struct task_struct *thread, *found = NULL;

	rcu_read_lock();
	for_each_thread(leader, thread) {
		if (thread->mm && !(thread->flags & PF_KTHREAD)) {
			found = thread;
			get_task_struct(found);
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

#define FILES_AT_ONCE	256

/**
 * struct file_walk - A walk through the open files of a process.
 * @tgid: the process
 * @left: files until the locks are released
 */
struct file_walk {
	pid_t		tgid;
	unsigned int	left;
};

static void record_open_file(pid_t tgid, struct file *file, unsigned int fd)
{
	struct inode *inode = file_inode(file);
	struct ovnik_dump_file *rec;
	struct ovnik_path path;
	struct ovnik_slot slot;

	preempt_disable();
	path = ovnik_path_of(&file->f_path);
	rec = ovnik_begin_str(&slot, dump_file, path, path.len);
	if (rec) {
		rec->tid = tgid;
		ovnik_set_inode(rec, inode);
		rec->flags = file->f_flags;
		rec->offset = READ_ONCE(file->f_pos);
		rec->fd = fd;
		memcpy(rec->path, path.text, path.len);
		ovnik_commit_str(&slot, dump_file);
	}
	preempt_enable();
}

/* Ends the walk after some files, whatever their numbers, and returns where to continue. */
static int dump_file(const void *data, struct file *file, unsigned int fd)
{
	struct file_walk *walk = (void *)data;

	if (ovnik_file_named(file))
		record_open_file(walk->tgid, file, fd);
	return --walk->left ? 0 : fd + 1;
}

/* Threads share their files, except after unshare(). */
static void dump_files(struct task_struct *task)
{
	struct file_walk walk = { .tgid = task->tgid };
	int fd = 0;

	do {
		walk.left = FILES_AT_ONCE;
		task_lock(task);
		fd = task->files ? iterate_fd(task->files, fd, dump_file, &walk) : 0;
		task_unlock(task);
		cond_resched();
	} while (fd);
}

static void dump_process(struct task_struct *leader)
{
	struct task_struct *thread = thread_with_mm(leader);
	struct mm_struct *mm;

	if (!thread)
		return;
	mm = any_on(mm_events, ARRAY_SIZE(mm_events)) ? get_task_mm(thread) : NULL;
	if (mm) {
		dump_vmas(thread->tgid, mm);
		/*
		 * Its task may be gone: the teardown may wait for others, and we hold a
		 * lock.
		 */
		mmput_async(mm);
	}
	if (any_on(file_events, ARRAY_SIZE(file_events)))
		dump_files(thread);
	put_task_struct(thread);
}

/* A reference to every process; new ones have their own events. */
static struct task_struct **hold_processes(unsigned int *nr)
{
	struct task_struct **list, *leader;
	unsigned int max = 0;

	*nr = 0;
	rcu_read_lock();
	for_each_process(leader)
		max++;
	rcu_read_unlock();
	list = kvmalloc_array(max, sizeof(*list), GFP_KERNEL);
	if (!list)
		return NULL;
	rcu_read_lock();
	for_each_process(leader) {
		if (*nr == max)
			break;
		list[(*nr)++] = get_task_struct(leader);
	}
	rcu_read_unlock();
	return list;
}

static u32 dump_threads(struct task_struct *leader)
{
	struct task_struct *thread;
	u32 nr = 0;

	rcu_read_lock();
	for_each_thread(leader, thread) {
		dump_task(thread);
		nr++;
	}
	rcu_read_unlock();
	return nr;
}

/**
 * ovnik_statedump() - Record all tasks, mappings and open files.
 *
 * Context: Process, may sleep; ovnik_lock held, a capture runs.
 * Return: 0; -ENOMEM.
 */
int ovnik_statedump(void)
{
	struct task_struct **list;
	unsigned int i, nr;
	u32 tasks = 0;

	list = hold_processes(&nr);
	if (!list)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		tasks += dump_threads(list[i]);
		cond_resched();
	}
	for (i = 0; i < nr; i++) {
		if (ovnik_wanted(list[i]))
			dump_process(list[i]);
	}
	for (i = 0; i < nr; i++)
		put_task_struct(list[i]);
	kvfree(list);
	dump_end(tasks);
	return 0;
}
