// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching around_fault.S, and knowing when nobody is inside of it any more.
 *
 * A task may sleep in the function's body, for its page comes from a disk, and
 * returns through our code then, attached or not. So each counts itself on its way
 * in and out, and the module's memory stays until the sum is zero and all have left
 * the few instructions around the counting.
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

/* In on one CPU and out on another: only the sum means anything. */
DEFINE_PER_CPU(long, ovnik_around_inside);

static struct ftrace_ops around_ops;
static bool attached;

/**
 * ovnik_around_attach() - Have page faults call ovnik_fault_leave().
 *
 * Context: Process, may sleep; ovnik_lock held.
 * Return: 0; -EBUSY if somebody else (a BPF program, a live patch) is around that
 * function already; what else ftrace says.
 */
int ovnik_around_attach(void)
{
	int ret;

	/* Registering forgets that the filter was set. */
	ret = ftrace_set_filter_ip(&around_ops, (unsigned long)handle_mm_fault, 0, 1);
	if (!ret)
		ret = ovnik_ftrace_direct(&around_ops, (unsigned long)ovnik_around_fault);
	attached = !ret;
	return ret;
}

/**
 * ovnik_around_detach() - No page fault that begins from here on is seen.
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
 * ovnik_around_exit() - Wait until nobody will return through our code.
 *
 * As long as the longest page fault that has begun: reading a page from a disk; or
 * until whoever serves it as a FUSE or userfaultfd server answers.
 *
 * Context: Process, may sleep; at module unload.
 */
void ovnik_around_exit(void)
{
	unsigned int tenths = 0;

	/* Those who were on their way in have counted themselves. */
	synchronize_rcu_tasks();
	while (inside()) {
		if (tenths++ == 100)
			pr_info("waiting for %ld page faults to end\n", inside());
		msleep(100);
	}
	/* And those who have counted themselves out have left. */
	synchronize_rcu_tasks();
	ftrace_free_filter(&around_ops);
}
