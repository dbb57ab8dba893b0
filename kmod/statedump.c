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
#include "dump.h"
#include "files.h"
#include "filter.h"
#include "mm.h"
#include "path.h"
#include "ring.h"
#include "statedump.h"

static u16 task_state(struct task_struct *task)
{
	unsigned int index = task_state_index(task);

	return index ? 1U << (index - 1) : 0;
}

static bool is_kthread(struct task_struct *task)
{
	/* The task itself changes others at any time; this one is set before it runs, for good. */
	return data_race(task->flags) & PF_KTHREAD;
}

static pid_t parent_of(struct task_struct *task)
{
	pid_t tgid;

	rcu_read_lock();
	tgid = rcu_dereference(task->real_parent)->tgid;
	rcu_read_unlock();
	return tgid;
}

/* All but its address space. */
static void fill_task(struct ovnik_dump_task *rec, struct task_struct *task)
{
	rec->cpu = task_cpu(task);
	rec->tid = task->pid;
	rec->tgid = task->tgid;
	rec->parent_tgid = parent_of(task);
	rec->state = task_state(task);
	rec->flags = is_kthread(task) ? OVNIK_TASK_KTHREAD : 0;
	rec->start = task->start_time;
	memcpy(rec->comm, task->comm, sizeof(rec->comm));
}

/*
 * The task's lock keeps exec and exit from taking the address space away, and is held until
 * the record has its stamp: a record of the old one behind that of exec would be believed.
 */
static void dump_task(struct task_struct *task)
{
	struct mm_struct *mm;
	struct ovnik_dump_task *rec;
	struct ovnik_slot slot;

	ovnik_dump_room();
	task_lock(task);
	preempt_disable();
	rec = ovnik_dump_begin(&slot, dump_task);
	if (rec) {
		mm = is_kthread(task) ? NULL : task->mm;
		fill_task(rec, task);
		rec->mm = ovnik_mm_id(mm);
		rec->pgd = ovnik_mm_pgd(mm);
		ovnik_commit(&slot, dump_task);
	}
	preempt_enable();
	task_unlock(task);
}

/**
 * ovnik_dump_exiting() - Record a task that ends among the events.
 * @task: the current task, whose exit is recorded next
 *
 * For overwrite mode: the next statedump will not know it, and may replace that of the start.
 * It gives up its address space, if it has not done so.
 *
 * Context: Preemption off.
 */
void ovnik_dump_exiting(struct task_struct *task)
{
	struct ovnik_dump_task *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin(&slot, dump_task);
	if (!rec)
		return;
	fill_task(rec, task);
	rec->mm = 0;
	rec->pgd = 0;
	ovnik_commit(&slot, dump_task);
}

static void dump_end(u32 tasks)
{
	struct ovnik_dump_end *rec;
	struct ovnik_slot slot;

	ovnik_dump_room();
	preempt_disable();
	rec = ovnik_dump_begin(&slot, dump_end);
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
	rec = ovnik_dump_begin(&slot, dump_mm);
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
	rec = ovnik_dump_begin_str(&slot, dump_vma, path, path.len);
	if (!rec)
		return;
	rec->tid = tgid;
	ovnik_set_vma(rec, vma, vma->vm_start);
	rec->start = vma->vm_start;
	rec->length = vma->vm_end - vma->vm_start;
	memcpy(rec->path, path.text, path.len);
	ovnik_dump_commit_str(&slot, dump_vma);
}

/* False if the mmap_lock is not free. */
static bool dump_vmas(struct task_struct *task, struct mm_struct *mm)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;

	if (!mmap_read_trylock(mm))
		return false;
	/* Under the lock: an exec that maps its image has the rights of it already. */
	if (!ovnik_owner_may_see(task, mm))
		goto unlock;
	ovnik_dump_room();
	record_mm(task->tgid, mm);
	for_each_vma(vmi, vma) {
		ovnik_dump_room();
		preempt_disable();
		record_vma(task->tgid, vma);
		preempt_enable();
		cond_resched();
	}
unlock:
	mmap_read_unlock(mm);
	return true;
}

static void lose_vmas(struct mm_struct *mm)
{
	ovnik_dump_lose(OVNIK_EV_dump_mm, 1);
	/* It is locked by someone who may change the number just now. */
	ovnik_dump_lose(OVNIK_EV_dump_vma, data_race(mm->map_count));
}

/* A thread of a process that still has an address space; the first may have none. */
static struct task_struct *thread_with_mm(struct task_struct *leader)
{
	struct task_struct *thread, *found = NULL;

	rcu_read_lock();
	for_each_thread(leader, thread) {
		/* It may give it up just now: get_task_mm() asks again. */
		if (data_race(thread->mm) && !is_kthread(thread)) {
			found = thread;
			get_task_struct(found);
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

/* As many as have room for sure: ovnik_dump_room(). */
#define FILES_AT_ONCE	((int)(OVNIK_DUMP_SUBBUF / 2 / OVNIK_REC_MAX))

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
	rec = ovnik_dump_begin_str(&slot, dump_file, path, path.len);
	if (rec) {
		rec->tid = tgid;
		ovnik_set_inode(rec, inode);
		/* The flags may change just now: either value will do. */
		rec->flags = data_race(file->f_flags);
		/* So may the offset. */
		rec->offset = ovnik_shown_offset(inode, data_race(file->f_pos));
		rec->fd = fd;
		memcpy(rec->path, path.text, path.len);
		ovnik_dump_commit_str(&slot, dump_file);
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
		ovnik_dump_room();
		task_lock(task);
		fd = task->files ? iterate_fd(task->files, fd, dump_file, &walk) : 0;
		task_unlock(task);
		cond_resched();
	} while (fd);
}

enum vma_pass { VMAS_TRY, VMAS_GIVE_UP };

/* False if it must be tried again. */
static bool dump_mappings(struct task_struct *leader, enum vma_pass pass)
{
	struct task_struct *thread = thread_with_mm(leader);
	struct mm_struct *mm;
	bool done = true;

	if (!thread)
		return true;
	mm = get_task_mm(thread);
	if (mm) {
		if (pass == VMAS_TRY)
			done = dump_vmas(thread, mm);
		else
			lose_vmas(mm);
		/*
		 * Its task may be gone: the teardown may wait for others, and we hold a
		 * lock.
		 */
		mmput_async(mm);
	}
	put_task_struct(thread);
	return done;
}

/* The files of a thread that is not dead yet. */
static void dump_process_files(struct task_struct *leader)
{
	struct task_struct *thread = thread_with_mm(leader);

	if (!thread)
		return;
	dump_files(thread);
	put_task_struct(thread);
}

static unsigned int count_tasks(void)
{
	struct task_struct *leader, *task;
	unsigned int nr = 0;

	rcu_read_lock();
	for_each_process_thread(leader, task)
		nr++;
	rcu_read_unlock();
	return nr;
}

/* A reference to each task of a process. False if there is no room for all. */
static bool hold_threads(struct task_struct *leader, struct task_struct **list, unsigned int max,
			 unsigned int *nr)
{
	struct task_struct *task;

	for_each_thread(leader, task) {
		if (*nr == max)
			return false;
		list[(*nr)++] = get_task_struct(task);
	}
	return true;
}

/* False if there are more than @max: any of them may be missing, for threads are among others. */
static bool hold_all(struct task_struct **list, unsigned int max, unsigned int *nr)
{
	struct task_struct *leader;
	bool all = true;

	*nr = 0;
	rcu_read_lock();
	for_each_process(leader) {
		all = hold_threads(leader, list, max, nr);
		if (!all)
			break;
	}
	rcu_read_unlock();
	return all;
}

static void release_tasks(struct task_struct **list, unsigned int nr)
{
	while (nr)
		put_task_struct(list[--nr]);
	kvfree(list);
}

/* A reference to every task. */
static struct task_struct **hold_tasks(unsigned int *nr)
{
	struct task_struct **list;
	unsigned int max, spare = 16;

	for (;; spare *= 2) {
		max = count_tasks() + spare;
		list = kvmalloc_array(max, sizeof(*list), GFP_KERNEL);
		if (!list || hold_all(list, max, nr))
			return list;
		release_tasks(list, *nr);
	}
}

static u32 dump_tasks(struct task_struct **list, unsigned int nr)
{
	unsigned int i;
	u32 tasks = 0;

	for (i = 0; i < nr; i++) {
		cond_resched();
		/* The record of one that has exited would come after that of its exit. */
		if (!pid_alive(list[i]))
			continue;
		dump_task(list[i]);
		tasks++;
	}
	return tasks;
}

/* Keep the first thread of each process that is recorded. */
static unsigned int keep_leaders(struct task_struct **list, unsigned int nr)
{
	unsigned int i, kept = 0;

	for (i = 0; i < nr; i++) {
		if (thread_group_leader(list[i]) && ovnik_wanted(list[i]))
			list[kept++] = list[i];
		else
			put_task_struct(list[i]);
	}
	return kept;
}

/* Move those that must be tried again to the end. Returns how many are done. */
static unsigned int dump_some(struct task_struct **list, unsigned int nr, enum vma_pass pass)
{
	unsigned int i, done = 0;

	for (i = 0; i < nr; i++) {
		if (!dump_mappings(list[i], pass))
			continue;
		swap(list[i], list[done]);
		done++;
	}
	return done;
}

/*
 * The holder of an mmap_lock may wait for a disk, a frozen file system, a server. All
 * together may take a second: what cannot be recorded by then is counted as dropped.
 * One that does nothing but map leaves its lock free for moments: they must be met.
 */
static void dump_all_mappings(struct task_struct **list, unsigned int nr)
{
	unsigned int done = dump_some(list, nr, VMAS_TRY);
	int tries = 1000;

	while (done < nr && tries > 0 && !fatal_signal_pending(current)) {
		usleep_range(500, 1000);
		done += dump_some(list + done, nr - done, VMAS_TRY);
		/* To look at thousands takes longer than the nap. */
		tries -= 1 + (int)((nr - done) / 100);
	}
	dump_some(list + done, nr - done, VMAS_GIVE_UP);
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
	u32 tasks;

	list = hold_tasks(&nr);
	if (!list)
		return -ENOMEM;
	ovnik_dump_open();
	tasks = dump_tasks(list, nr);
	nr = keep_leaders(list, nr);
	/* The state is not needed if no event of this capture can change it. */
	if (ovnik_events_on(OVNIK_EVENTS_MAPPINGS))
		dump_all_mappings(list, nr);
	if (ovnik_events_on(OVNIK_EVENTS_FILES)) {
		for (i = 0; i < nr; i++)
			dump_process_files(list[i]);
	}
	release_tasks(list, nr);
	dump_end(tasks);
	ovnik_dump_close();
	return 0;
}
