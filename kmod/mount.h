/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MOUNT_H
#define OVNIK_MOUNT_H

#include <linux/mount.h>

#include "compat.h"

/*
 * struct mount is private to fs/; its member mnt is what others get. Its offsets are known if
 * the kernel's BTF was there when the module was built.
 */
#ifdef OVNIK_AT_MOUNT_MNT
#define OVNIK_MOUNTS_KNOWN	true
#define ovnik_mount_of(mnt)	((const void *)(mnt) - OVNIK_AT_MOUNT_MNT)
#define ovnik_mount_member(mnt, type, name)	\
	READ_ONCE(ovnik_member(type, ovnik_mount_of(mnt), OVNIK_AT_MOUNT_##name))

/*
 * From the root of a mount to the place where it is mounted. Return: false if it is not.
 * Context: RCU.
 */
static inline bool ovnik_leave_mount(const struct vfsmount **mnt, const struct dentry **dentry)
{
	const void *parent = ovnik_mount_member(*mnt, void *, MNT_PARENT);

	if (parent == ovnik_mount_of(*mnt))
		return false;
	*dentry = ovnik_mount_member(*mnt, struct dentry *, MNT_MOUNTPOINT);
	*mnt = parent + OVNIK_AT_MOUNT_MNT;
	return true;
}
#else
#define OVNIK_MOUNTS_KNOWN	false

static inline bool ovnik_leave_mount(const struct vfsmount **mnt, const struct dentry **dentry)
{
	return false;
}
#endif

#endif /* OVNIK_MOUNT_H */
