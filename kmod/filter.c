// SPDX-License-Identifier: GPL-2.0-only
/* The filter by process, with or without its future children. */
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/threads.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "filter.h"

#define FILTER_MAX	64

DEFINE_STATIC_KEY_FALSE(ovnik_filter_key);
unsigned long *ovnik_filter_tids;

static pid_t filter_pids[FILTER_MAX];
static unsigned int filter_nr;
static bool filter_children = true;

/**
 * ovnik_filter_active() - Is a filter set?
 *
 * Context: ovnik_lock held.
 * Return: true if only some processes are recorded.
 */
bool ovnik_filter_active(void)
{
	return filter_nr > 0;
}

/**
 * ovnik_filter_set() - Record only these processes.
 * @list: process ids (tgid, of the initial pid namespace), separated by blanks or
 *	  commas; an empty list records all
 *
 * Context: Process, may sleep; ovnik_lock held, no capture runs.
 * Return: 0; -EINVAL if @list is invalid, too long, or names a missing process;
 * -ENOMEM. After an error nothing has changed.
 */
int ovnik_filter_set(const char *list)
{
	pid_t pids[FILTER_MAX];
	char *copy, *rest, *word;
	unsigned int nr = 0;
	int ret = 0;

	copy = kstrdup(list, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	rest = copy;
	while (!ret && (word = strsep(&rest, " ,\t\n"))) {
		if (!*word)
			continue;
		if (nr == FILTER_MAX || kstrtoint(word, 10, &pids[nr]) || pids[nr] <= 0) {
			ret = -EINVAL;
			break;
		}
		rcu_read_lock();
		if (!pid_task(find_pid_ns(pids[nr], &init_pid_ns), PIDTYPE_TGID))
			ret = -EINVAL;
		rcu_read_unlock();
		nr++;
	}
	kfree(copy);
	if (ret)
		return ret;

	if (nr && !ovnik_filter_tids) {
		ovnik_filter_tids = vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(long));
		if (!ovnik_filter_tids)
			return -ENOMEM;
	}
	memcpy(filter_pids, pids, nr * sizeof(*pids));
	filter_nr = nr;
	return 0;
}

/**
 * ovnik_filter_show() - Print the processes of the filter.
 * @buf: a page
 *
 * Context: Process; ovnik_lock held.
 * Return: bytes printed.
 */
ssize_t ovnik_filter_show(char *buf)
{
	ssize_t len = 0;
	unsigned int i;

	for (i = 0; i < filter_nr; i++)
		len += sysfs_emit_at(buf, len, "%s%d", i ? " " : "", filter_pids[i]);
	return len + sysfs_emit_at(buf, len, "\n");
}

/**
 * ovnik_filter_set_children() - Choose whether future child processes are recorded.
 * @on: yes or no; threads of a recorded process always are
 *
 * Context: ovnik_lock held, no capture runs.
 */
void ovnik_filter_set_children(bool on)
{
	filter_children = on;
}

/**
 * ovnik_filter_children() - Are future child processes recorded too?
 *
 * Context: Any.
 * Return: true if they are.
 */
bool ovnik_filter_children(void)
{
	return filter_children;
}

static void mark_process(pid_t pid)
{
	struct task_struct *leader, *thread;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(pid, &init_pid_ns), PIDTYPE_TGID);
	if (leader) {
		for_each_thread(leader, thread)
			set_bit(thread->pid, ovnik_filter_tids);
	}
	rcu_read_unlock();
}

/**
 * ovnik_filter_arm() - Make the hooks use the filter.
 *
 * The probe of new tasks must be attached first, so that no thread is missed.
 *
 * Context: Process, may sleep; ovnik_lock held.
 */
void ovnik_filter_arm(void)
{
	unsigned int i;

	if (!filter_nr)
		return;
	bitmap_zero(ovnik_filter_tids, PID_MAX_LIMIT);
	static_branch_enable(&ovnik_filter_key);
	for (i = 0; i < filter_nr; i++)
		mark_process(filter_pids[i]);
	/*
	 * A thread made by one that was not marked yet is in the list by the time the probe
	 * of its fork has ended.
	 */
	tracepoint_synchronize_unregister();
	for (i = 0; i < filter_nr; i++)
		mark_process(filter_pids[i]);
}

/**
 * ovnik_filter_disarm() - Make the hooks ignore the filter.
 *
 * Context: Process, may sleep; ovnik_lock held.
 */
void ovnik_filter_disarm(void)
{
	static_branch_disable(&ovnik_filter_key);
}

/**
 * ovnik_filter_fork() - Decide about a new task.
 * @parent: its creator
 * @child:  the new task, which has not run yet
 *
 * Context: Any; the filter is armed.
 */
void ovnik_filter_fork(struct task_struct *parent, struct task_struct *child)
{
	bool in = ovnik_filter_has(parent);

	if (child->tgid != parent->tgid)
		in = in && filter_children;
	assign_bit(child->pid, ovnik_filter_tids, in);
}

/**
 * ovnik_filter_exit() - Free the memory.
 *
 * Context: Process, at module unload.
 */
void ovnik_filter_exit(void)
{
	vfree(ovnik_filter_tids);
}
