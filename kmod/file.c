// SPDX-License-Identifier: GPL-2.0-only
/* Probes of files: open, close, delete, truncate, rename. */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/mount.h>

#include "compat.h"
#include "files.h"
#include "filter.h"
#include "path.h"
#include "probe.h"
#include "ring.h"

static void record_open(const struct file *file)
{
	struct inode *inode = file_inode(file);
	struct ovnik_file_open *rec;
	struct ovnik_slot slot;

	rec = ovnik_begin_path(&slot, file_open, path, &file->f_path);
	if (!rec)
		return;
	rec->tid = current->pid;
	ovnik_set_inode(rec, inode);
	rec->flags = file->f_flags;
	ovnik_commit_str(&slot, file_open);
}

static struct ovnik_range open_range = { .name = "do_dentry_open" };

/*
 * void file_ra_state_init(ra, mapping): do_dentry_open() calls it when the open has
 * succeeded. A return probe would cost several times as much. One open may still fail
 * afterwards, O_DIRECT where it is unsupported: its file is closed at once.
 */
static void notrace probe_open(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	struct file_ra_state *ra = (void *)ovnik_ftrace_arg(fregs, 0);
	struct file *file;

	if (!ovnik_in_range(&open_range, parent_ip) || !ovnik_wanted(current))
		return;
	file = container_of(ra, struct file, f_ra);
	if (!ovnik_file_named(file))
		return;
	preempt_disable_notrace();
	record_open(file);
	preempt_enable_notrace();
}

/* void __fput(file): also called for files whose open failed. */
static void notrace probe_close(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	const struct file *file = (void *)ovnik_ftrace_arg(fregs, 0);
	const struct inode *inode = file->f_inode;
	struct ovnik_file_close *rec;
	struct ovnik_slot slot;

	if (!(file->f_mode & FMODE_OPENED) || !ovnik_file_named(file) || !ovnik_wanted(current))
		return;
	preempt_disable_notrace();
	rec = ovnik_begin(&slot, file_close);
	if (rec) {
		rec->tid = current->pid;
		ovnik_set_inode(rec, inode);
		rec->flags = file->f_flags;
		ovnik_commit(&slot, file_close);
	}
	preempt_enable_notrace();
}

/* void evict(inode): most inodes are evicted to free memory and are read from disk again. */
static void notrace probe_evict(unsigned long parent_ip, struct ftrace_regs *fregs)
{
	const struct inode *inode = (void *)ovnik_ftrace_arg(fregs, 0);
	struct ovnik_file_delete *rec;
	struct ovnik_slot slot;

	if (inode->i_nlink || !ovnik_wanted(current))
		return;
	preempt_disable_notrace();
	rec = ovnik_begin(&slot, file_delete);
	if (rec) {
		ovnik_set_inode(rec, inode);
		rec->length = i_size_read(inode);
		ovnik_commit(&slot, file_delete);
	}
	preempt_enable_notrace();
}

struct truncate_args {
	struct inode	*inode;
	loff_t		length;
};

/* int do_truncate(mnt_userns, dentry, length, time_attrs, filp) */
static int enter_truncate(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct truncate_args *args = (void *)ri->data;

	if (!ovnik_wanted(current))
		return 1;
	args->inode = d_inode((void *)regs_get_kernel_argument(regs, 1));
	args->length = regs_get_kernel_argument(regs, 2);
	return 0;
}

static int leave_truncate(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct truncate_args *args = (void *)ri->data;
	struct ovnik_file_truncate *rec;
	struct ovnik_slot slot;

	if ((int)regs_return_value(regs))
		return 0;
	rec = ovnik_begin(&slot, file_truncate);
	if (!rec)
		return 0;
	rec->tid = current->pid;
	ovnik_set_inode(rec, args->inode);
	rec->length = args->length;
	ovnik_commit(&slot, file_truncate);
	return 0;
}

OVNIK_RET(truncate, struct truncate_args);

static void record_rename(struct dentry *dentry, u32 flags)
{
	struct inode *inode = d_inode(dentry);
	struct ovnik_file_rename *rec;
	struct ovnik_path path;
	struct ovnik_slot slot;

	path = ovnik_path_in_fs(dentry);
	rec = ovnik_begin_str(&slot, file_rename, path, path.len);
	if (!rec)
		return;
	rec->tid = current->pid;
	ovnik_set_inode(rec, inode);
	rec->flags = flags;
	memcpy(rec->path, path.text, path.len);
	ovnik_commit_str(&slot, file_rename);
}

struct rename_args {
	struct renamedata	*rd;
};

/* int vfs_rename(rd), which lies on the caller's stack */
static int enter_rename(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct rename_args *args = (void *)ri->data;

	args->rd = (void *)regs_get_kernel_argument(regs, 0);
	/* Two names of one inode: rename() does nothing. */
	return d_inode(args->rd->old_dentry) == d_inode(args->rd->new_dentry) ||
	       !ovnik_wanted(current);
}

static int leave_rename(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct renamedata *rd = ((struct rename_args *)ri->data)->rd;

	if ((int)regs_return_value(regs))
		return 0;
	/* Each dentry has its new name now. */
	record_rename(rd->old_dentry, rd->flags);
	if (rd->flags & RENAME_EXCHANGE)
		record_rename(rd->new_dentry, rd->flags);
	return 0;
}

OVNIK_RET(rename, struct rename_args);

OVNIK_PROBES(file) = {
	{ .hook = "file_ra_state_init", .entry = probe_open, .caller = &open_range,
	  .events = OVNIK_BIT(file_open) },
	{ .hook = "__fput", .entry = probe_close, .events = OVNIK_BIT(file_close) },
	{ .hook = "evict", .entry = probe_evict, .events = OVNIK_BIT(file_delete) },
	{ .hook = "do_truncate", .ret = &truncate_ret, .events = OVNIK_BIT(file_truncate) },
	{ .hook = "vfs_rename", .ret = &rename_ret, .events = OVNIK_BIT(file_rename) },
	{}
};
