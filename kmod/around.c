// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attach around_fault.S, and know when nobody is inside it any more.
 *
 * A task may sleep in the body of the function while its page is read, and returns through
 * our code afterwards, attached or not. So each task counts itself on the way in and out.
 * The module stays until the sum is zero and all tasks have left the few instructions
 * around the counting.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>

#include "around.h"
#include "compat.h"

/* Entered on one CPU, left on another: only the sum has a meaning. */
DEFINE_PER_CPU(long, ovnik_around_inside);

static struct ftrace_ops around_ops;
static bool attached;

/**
 * ovnik_around_attach() - Have page faults call ovnik_fault_leave().
 *
 * Context: Process, may sleep; ovnik_lock held.
 * Return: 0; -EBUSY if a BPF program or a live patch is around that function already;
 * another error of ftrace.
 */
int ovnik_around_attach(void)
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
 * ovnik_around_detach() - Page faults that begin from now on are not seen.
 *
 * Context: Process, may sleep; ovnik_lock held.
 */
void ovnik_around_detach(void)
{
	if (attached)
		ovnik_ftrace_direct_end(&around_ops, (unsigned long)ovnik_around_fault);
	attached = false;
}

static long inside(void)
{
	unsigned int cpu;
	long sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(ovnik_around_inside, cpu));
	return sum;
}

/**
 * ovnik_around_exit() - Wait until no task will return through our code.
 *
 * This takes as long as the longest page fault that has begun: a read from a disk, or
 * the answer of a FUSE or userfaultfd server.
 *
 * Context: Process, may sleep; at module unload.
 */
void ovnik_around_exit(void)
{
	unsigned int tenths = 0;

	/* Tasks that were entering have counted themselves. */
	synchronize_rcu_tasks();
	while (inside()) {
		if (tenths++ == 100)
			pr_info("waiting for %ld page faults to end\n", inside());
		msleep(100);
	}
	/* Tasks that have counted themselves out have left. */
	synchronize_rcu_tasks();
	ftrace_free_filter(&around_ops);
}
