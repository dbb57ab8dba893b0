/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OWNER_BPF_H
#define OVNIK_OWNER_BPF_H

/* The owner of a private capture, from whom other users' memory is hidden: as kmod/owner.c. */

#include "compat.bpf.h"
#include "hidden.h"
#include "task.bpf.h"

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
	       ovnik_is_dumpable(task);
}

/* Of the current task: a separate function, verified once. */
__noinline int owner_runs(void)
{
	return ovnik_owner_has(bpf_get_current_task_btf());
}

/* Begin a record of the current task; NULL if it shows the layout of another user's process. */
#define ovnik_if_shown(name, begin)						\
	((struct ovnik_##name *)(OVNIK_LAYOUT_##name && ovnik_config.private &&	\
				 !owner_runs() ? NULL : (begin)))

/* Hide what is not for the owner in a record of the current task. */
static __always_inline void ovnik_hide_in(void *rec, u32 addresses, u32 frames)
{
	if (!(addresses | frames) || !ovnik_config.private)
		return;
	ovnik_hide(rec, frames, OVNIK_NO_FRAME);
	if (addresses && !owner_runs())
		ovnik_hide(rec, addresses, OVNIK_NO_ADDRESS);
}

#endif /* OVNIK_OWNER_BPF_H */
