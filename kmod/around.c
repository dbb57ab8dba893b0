// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attach around_fault.S, and know when nobody is inside it any more.
 *
 * A task may sleep in the body of the function while its page is read, and returns through
 * our code afterwards, attached or not. So each task counts itself on the way in and out,
 * and the module has a reference to itself until the sum is zero: how long a page fault
 * takes may be up to the user, who answers it by userfaultfd. Then only the few instructions
 * around the counting are left to wait for.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "around.h"
#include "compat.h"

#define LOOK_AGAIN	(HZ / 10)

/* A page fault that waits for nobody has ended by then. */
#define ENDS_SOON	20	/* ms */

/* Entered on one CPU, left on another: only the sum has a meaning. */
DEFINE_PER_CPU(long, ovnik_around_inside);

/* Live patches of the same function are welcome: ovnik_around_fault() calls theirs. */
static int share_with_patch(struct ftrace_ops *ops, OVNIK_FTRACE_OPS_IP enum ftrace_ops_cmd cmd)
{
	return 0;
}

static struct ftrace_ops around_ops = { .ops_func = share_with_patch };

/* Guards the two below. */
static DEFINE_MUTEX(lock);
static bool attached;
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

/*
 * Nobody enters after the hook was removed, which waits for those who were entering: the sum
 * only falls. Called with the lock held.
 */
static void put_reference(void)
{
	if (attached || !referenced)
		return;
	if (inside()) {
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
	put_reference();
	mutex_unlock(&lock);
}

static int attach(void)
{
	int ret;

	/* Registering clears the filter. */
	ret = ftrace_set_filter_ip(&around_ops, (unsigned long)handle_mm_fault, 0, 1);
	if (!ret)
		ret = ovnik_ftrace_direct(&around_ops, (unsigned long)ovnik_around_fault);
	attached = !ret;
	return ret;
}

/**
 * ovnik_around_attach() - Have page faults call ovnik_fault_leave().
 *
 * The module cannot be unloaded from now on until ovnik_around_detach() was called and the
 * last page fault has left.
 *
 * Context: Process, may sleep; ovnik_lock held.
 * Return: 0; -EBUSY if a BPF program is around that function already, or if the module is being
 * unloaded; another error of ftrace.
 */
int ovnik_around_attach(void)
{
	int ret = 0;

	mutex_lock(&lock);
	if (!referenced && !try_module_get(THIS_MODULE))
		ret = -EBUSY;
	referenced = !ret;
	if (!ret)
		ret = attach();
	put_reference();
	mutex_unlock(&lock);
	return ret;
}

/**
 * ovnik_around_detach() - Page faults that begin from now on are not seen.
 *
 * Context: Process, may sleep; ovnik_lock held.
 */
void ovnik_around_detach(void)
{
	int tries = ENDS_SOON;

	mutex_lock(&lock);
	if (attached)
		ovnik_ftrace_direct_end(&around_ops, (unsigned long)ovnik_around_fault);
	attached = false;
	while (inside() && tries--)
		usleep_range(500, 1000);
	put_reference();
	mutex_unlock(&lock);
}

/**
 * ovnik_around_exit() - Wait until no task will return through our code.
 *
 * Context: Process, may sleep; at module unload, or if it was not loaded: only then there may
 * be page faults to wait for.
 */
void ovnik_around_exit(void)
{
	while (inside())
		msleep(100);
	cancel_delayed_work_sync(&look);
	/* Tasks that have counted themselves out have left. */
	synchronize_rcu_tasks();
	ftrace_free_filter(&around_ops);
}
