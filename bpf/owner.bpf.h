/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OWNER_BPF_H
#define OVNIK_OWNER_BPF_H

/* The owner of a private capture, from whom other users' memory is hidden: as kmod/owner.c. */

#include "compat.bpf.h"
#include "file.bpf.h"
#include "hidden.h"
#include "task.bpf.h"

#define PROC_SUPER_MAGIC	0x9fa0		/* include/uapi/linux/magic.h */

/* Has it no more rights than the owner by something else than IDs? Root has all. */
static __always_inline bool ovnik_has_no_more(const struct cred *cred)
{
	u64 caps = ~0ULL;

	/* Two words before 6.3, one of 64 bits since. */
	bpf_core_read(&caps, sizeof(caps), &cred->cap_permitted);
	return !BPF_CORE_READ(cred, user_ns, level) && (!ovnik_config.owner || !caps);
}

/* May the owner see the memory of a task? */
static __always_inline bool ovnik_owner_has(const struct task_struct *task)
{
	const struct cred *cred = BPF_CORE_READ(task, real_cred);
	u32 owner = ovnik_config.owner;

	/* Kernel threads are root's, and work on the memory of anybody. */
	if (BPF_CORE_READ(task, flags) & PF_KTHREAD || !BPF_CORE_READ(task, mm))
		return false;
	return BPF_CORE_READ(cred, uid.val) == owner && BPF_CORE_READ(cred, euid.val) == owner &&
	       BPF_CORE_READ(cred, suid.val) == owner &&
	       BPF_CORE_READ(cred, gid.val) == BPF_CORE_READ(cred, egid.val) &&
	       BPF_CORE_READ(cred, gid.val) == BPF_CORE_READ(cred, sgid.val) &&
	       ovnik_has_no_more(cred) && ovnik_is_dumpable(task);
}

/* Of the current task: a separate function, verified once. */
__noinline int owner_runs(void)
{
	return ovnik_owner_has(bpf_get_current_task_btf());
}

/* The offset in a file, hidden if it may be an address. */
static __always_inline u64 ovnik_shown_offset(const struct inode *inode, u64 offset)
{
	if (ovnik_config.private &&
	    (BPF_CORE_READ(inode, i_sb, s_magic) == PROC_SUPER_MAGIC ||
	     (BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFCHR))
		return OVNIK_OFFSET_UNKNOWN;
	return offset;
}

/* Begin a record of the current task; NULL if it shows the layout of another user's process. */
#define ovnik_if_shown(name, begin)						\
	((struct ovnik_##name *)(OVNIK_LAYOUT_##name && ovnik_config.private &&	\
				 !owner_runs() ? NULL : (begin)))

/* In a record of the current task, hide the fields that the owner may not see. */
static __always_inline void ovnik_hide_in(void *rec, u32 addresses, u32 frames)
{
	if (!(addresses | frames) || !ovnik_config.private)
		return;
	ovnik_hide(rec, frames, OVNIK_NO_FRAME);
	if (addresses && !owner_runs())
		ovnik_hide(rec, addresses, OVNIK_NO_ADDRESS);
}

#endif /* OVNIK_OWNER_BPF_H */
