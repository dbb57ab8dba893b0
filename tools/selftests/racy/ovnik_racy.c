// SPDX-License-Identifier: GPL-2.0-only
/*
 * A data race, for a kernel that must report it: two tasks on two CPUs add to one number. With
 * marked=1 they say so, and there is none.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#define TIMES	100000

static bool marked;
module_param(marked, bool, 0444);

static unsigned long sum;
static DECLARE_COMPLETION(added);

static void add_often(void)
{
	unsigned int i;

	for (i = 0; i < TIMES; i++) {
		if (marked)
			WRITE_ONCE(sum, READ_ONCE(sum) + 1);
		else
			sum++;
		/* Otherwise the compiler adds once. */
		barrier();
		cond_resched();
	}
}

static int add(void *unused)
{
	add_often();
	complete(&added);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static int __init racy_init(void)
{
	struct task_struct *tasks[2];
	unsigned int cpu, nr;
	int ret = 0;

	for (nr = 0; nr < 2; nr++) {
		tasks[nr] = kthread_create(add, NULL, "racy/%u", nr);
		if (IS_ERR(tasks[nr])) {
			ret = PTR_ERR(tasks[nr]);
			break;
		}
		kthread_bind(tasks[nr], nr);
		wake_up_process(tasks[nr]);
	}
	/* A task that is stopped before it has run adds nothing. */
	for (cpu = 0; cpu < nr; cpu++)
		wait_for_completion(&added);
	for (cpu = 0; cpu < nr; cpu++)
		kthread_stop(tasks[cpu]);
	return ret;
}

static void __exit racy_exit(void)
{
}

module_init(racy_init);
module_exit(racy_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A data race, or none");
