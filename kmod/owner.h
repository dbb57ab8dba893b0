/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OWNER_H
#define OVNIK_OWNER_H

#include <linux/jump_label.h>
#include <linux/sched.h>

#include "hidden.h"
#include "ovnik.h"

/* The owner of a private capture. While none is, a hook has only patched-out jumps. */
DECLARE_STATIC_KEY_FALSE(ovnik_owner_key);

bool ovnik_owner_has(struct task_struct *task, struct mm_struct *mm);
bool ovnik_owner_runs(void);
u64 ovnik_owner_offset(const struct inode *inode, u64 offset);
void ovnik_owner_hide(void *rec, u32 type);
void ovnik_owner_set(uid_t uid);
ssize_t ovnik_owner_show(char *buf);
void ovnik_owner_arm(void);
void ovnik_owner_disarm(void);

/*
 * May this event of the current task be recorded? Not if it shows the layout of another user's
 * process. Context: any, preemption off.
 */
#define ovnik_may_show(name)							\
	(!OVNIK_LAYOUT_##name || !static_branch_unlikely(&ovnik_owner_key) ||	\
	 ovnik_owner_runs())

/* The offset in a file, in a record of whatever task. */
#define ovnik_shown_offset(inode, offset)					\
	(static_branch_unlikely(&ovnik_owner_key) ? ovnik_owner_offset(inode, offset) : (offset))

/*
 * The instruction in user mode, in a record of a fault. One of the kernel may come within exec,
 * whose new image has the owner's rights, but the registers are of the old one still, which had
 * others.
 */
#define ovnik_shown_ip(error, ip)						\
	(static_branch_unlikely(&ovnik_owner_key) && !((error) & OVNIK_FAULT_USER) ? \
	 OVNIK_NO_ADDRESS : (ip))

/* May the owner see what is mapped there? Without one, anybody may. */
#define ovnik_owner_may_see(task, mm) \
	(!static_branch_unlikely(&ovnik_owner_key) || ovnik_owner_has(task, mm))

/* Has a private capture something to hide in it? */
#define ovnik_must_hide(name)							\
	((OVNIK_OTHER_ADDRESSES(name) | OVNIK_FRAMES_##name) &&			\
	 static_branch_unlikely(&ovnik_owner_key))

#endif /* OVNIK_OWNER_H */
