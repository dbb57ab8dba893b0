/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WALK_H
#define OVNIK_WALK_H

#include <linux/dcache.h>
#include <linux/path.h>

/*
 * d_path() and dentry_path_raw() for probes. Both take rename_lock, mount_lock and the lock
 * of fs_struct if a writer is active, which sleeps on PREEMPT_RT: see walk.c.
 */
#ifdef CONFIG_PREEMPT_RT
char *ovnik_d_path(const struct path *path, char *buf, int size);
char *ovnik_dentry_path(const struct dentry *dentry, char *buf, int size);
#else
#define ovnik_d_path(path, buf, size)		d_path(path, buf, size)
#define ovnik_dentry_path(dentry, buf, size)	dentry_path_raw(dentry, buf, size)
#endif

#endif /* OVNIK_WALK_H */
