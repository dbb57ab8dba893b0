/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_FILTER_H
#define OVNIK_FILTER_H

#include <linux/bitops.h>
#include <linux/jump_label.h>
#include <linux/sched.h>

/*
 * The filter by process: one bit per tid, so that a hook needs one bit test, and only a
 * patched-out jump while no filter is set. Each fork writes the bit again, so the bit of a
 * dead task need not be cleared.
 */
DECLARE_STATIC_KEY_FALSE(ovnik_filter_key);
extern unsigned long *ovnik_filter_tids;

static __always_inline bool ovnik_filter_has(struct task_struct *task)
{
	return test_bit(task->pid, ovnik_filter_tids);
}

/*
 * Does an event of this task match the filter? Without one, the task is not evaluated.
 * Context: any, preemption off.
 */
#define ovnik_wanted(task)	\
	(!static_branch_unlikely(&ovnik_filter_key) || ovnik_filter_has(task))

/* Does an event whose task is not known? */
static __always_inline bool ovnik_wanted_of_nobody(void)
{
	return !static_branch_unlikely(&ovnik_filter_key);
}

static __always_inline bool ovnik_wanted_tids(u32 a, u32 b)
{
	if (static_branch_unlikely(&ovnik_filter_key))
		return test_bit(a, ovnik_filter_tids) || test_bit(b, ovnik_filter_tids);
	return true;
}

static __always_inline bool ovnik_wanted2(struct task_struct *a, struct task_struct *b)
{
	if (static_branch_unlikely(&ovnik_filter_key))
		return ovnik_filter_has(a) || ovnik_filter_has(b);
	return true;
}

bool ovnik_filter_active(void);
int ovnik_filter_set(const char *list);
ssize_t ovnik_filter_show(char *buf);
void ovnik_filter_set_children(bool on);
bool ovnik_filter_children(void);
void ovnik_filter_arm(void);
void ovnik_filter_disarm(void);
void ovnik_filter_fork(struct task_struct *parent, struct task_struct *child);
void ovnik_filter_exit(void);

#endif /* OVNIK_FILTER_H */
