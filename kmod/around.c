// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of ours around functions of the kernel: a return probe at a tenth of its cost, for
 * those that are called most often. A direct call of ftrace leads to a stub, which calls ours,
 * which calls the body of the kernel's: a static call, because kernels with IBT refuse an
 * indirect call to what is not the start of a function.
 *
 * A task may sleep in the body, and returns through our code afterwards, attached or not. So
 * each task counts itself on the way in and out, and the module has a reference to itself until
 * the sum is zero: how long a page fault takes may be up to the user, who answers it by
 * userfaultfd. Then only the few instructions around the counting are left to wait for.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/stacktrace.h>
#include <linux/workqueue.h>

#include "around.h"
#include "compat.h"

#define LOOK_AGAIN	(HZ / 10)

/* What waits for nobody has ended by then, also if it was preempted on a busy machine. */
#define ENDS_SOON	100	/* ms */

/* From a write to a file in sysfs, at the end of this, to the system call are some 15 calls. */
#define DEPTH		32

/* Entered on one CPU, left on another: only the sum has a meaning. */
DEFINE_PER_CPU(long, ovnik_around_inside);

/* Live patches of the same function are welcome: ovnik_around_body() calls theirs. */
static int share_with_patch(struct ftrace_ops *ops, OVNIK_FTRACE_OPS_IP enum ftrace_ops_cmd cmd)
{
	return 0;
}

/* Those that were found. */
static struct ovnik_around *all;

/* Guards the two below. */
static DEFINE_MUTEX(lock);
static unsigned int nr_attached;
static bool referenced;

static void look_inside(struct work_struct *work);
static DECLARE_DELAYED_WORK(look, look_inside);

static long inside(void)
{
	unsigned int cpu;
	long sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(ovnik_around_inside, cpu));
	return sum;
}

/* Only a stub returns to where a body begins, or would. */
static bool is_body(unsigned long address)
{
	const struct ovnik_around *around;

	for (around = all; around; around = around->next) {
		if (around->body == address)
			return true;
	}
	return false;
}

/* Is the current task in a function of ours, as one that writes to "enable" may be? */
static bool is_inside(void)
{
	unsigned long at[DEPTH];
	unsigned int nr = stack_trace_save(at, DEPTH, 0);

	while (nr--) {
		if (is_body(at[nr]))
			return true;
	}
	return false;
}

/*
 * Nobody enters after the hooks were removed, which waits for those who were entering: the sum
 * only falls. The current task, if it is one of those, is @mine: it leaves soon, and
 * ovnik_around_exit() waits for it. Called with the lock held.
 */
static void put_reference(bool mine)
{
	if (nr_attached || !referenced)
		return;
	if (inside() > mine) {
		schedule_delayed_work(&look, LOOK_AGAIN);
		return;
	}
	referenced = false;
	module_put(THIS_MODULE);
}

/* Unloading waits for this to return. */
static void look_inside(struct work_struct *work)
{
	mutex_lock(&lock);
	put_reference(false);
	mutex_unlock(&lock);
}

/**
 * ovnik_around_find() - Remember which function this is around.
 * @around: a function of ours
 * @start:  where the kernel's can be hooked
 * @end:    behind it
 *
 * Context: Process, at module load.
 */
void ovnik_around_find(struct ovnik_around *around, unsigned long start, unsigned long end)
{
	around->body = start + MCOUNT_INSN_SIZE;
	around->end = end;
	around->ops.ops_func = share_with_patch;
	around->next = all;
	all = around;
	if (around->key)
		__static_call_update(around->key, around->call, (void *)around->body);
}

static int attach(struct ovnik_around *around)
{
	int ret;

	/* Registering clears the filter. */
	ret = ftrace_set_filter_ip(&around->ops, around->body - MCOUNT_INSN_SIZE, 0, 1);
	if (!ret)
		ret = ovnik_ftrace_direct(&around->ops, (unsigned long)around->stub);
	if (ret)
		return ret;
	around->attached = true;
	around->size = around->end - around->body;
	nr_attached++;
	return 0;
}

/**
 * ovnik_around_attach() - Have a function of ours run around the kernel's.
 * @around: it
 *
 * The module cannot be unloaded from now on until ovnik_around_detach() and
 * ovnik_around_release() were called and the last task has left.
 *
 * Context: Process, may sleep, as long as the slowest task that could run; one at a time.
 * Return: 0; -EBUSY if a BPF program is around that function already; -ENODEV if the module is
 * being unloaded; another error of ftrace.
 */
int ovnik_around_attach(struct ovnik_around *around)
{
	int ret = 0;

	mutex_lock(&lock);
	if (!referenced && !try_module_get(THIS_MODULE))
		ret = -ENODEV;
	else
		referenced = true;
	if (!ret)
		ret = attach(around);
	put_reference(false);
	mutex_unlock(&lock);
	return ret;
}

/**
 * ovnik_around_detach() - Calls that begin from now on are not seen.
 * @around: attached or not
 *
 * Context: Process, may sleep, as long as the slowest task that could run; one at a time.
 */
void ovnik_around_detach(struct ovnik_around *around)
{
	if (!around->attached)
		return;
	mutex_lock(&lock);
	ovnik_ftrace_direct_end(&around->ops, (unsigned long)around->stub);
	around->attached = false;
	around->size = 0;
	nr_attached--;
	mutex_unlock(&lock);
}

/**
 * ovnik_around_release() - Let the module be unloaded when the last task has left.
 *
 * Context: Process, may sleep; nothing is attached.
 */
void ovnik_around_release(void)
{
	mutex_lock(&lock);
	put_reference(false);
	mutex_unlock(&lock);
}

/**
 * ovnik_around_settle() - Wait for those tasks that leave soon.
 *
 * Whoever has stopped the capture can then unload the module at once, as a rule.
 *
 * Context: Process, may sleep; ovnik_lock held, nothing is attached.
 */
void ovnik_around_settle(void)
{
	bool mine = is_inside();
	int tries = ENDS_SOON;

	mutex_lock(&lock);
	while (inside() > mine && tries--)
		usleep_range(1000, 1500);
	put_reference(mine);
	mutex_unlock(&lock);
}

/**
 * ovnik_around_exit() - Wait until no task will return through our code.
 *
 * Context: Process, may sleep; at module unload, or if it was not loaded: only then there may
 * be tasks to wait for.
 */
void ovnik_around_exit(void)
{
	while (inside())
		msleep(100);
	cancel_delayed_work_sync(&look);
	/* Tasks that have counted themselves out have left. */
	synchronize_rcu_tasks();
}
