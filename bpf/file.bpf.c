// SPDX-License-Identifier: GPL-2.0-only
/* Probes of files: open, close, delete, truncate, rename. */
#include "compat.bpf.h"
#include "file.bpf.h"
#include "known.bpf.h"

#define RENAME_EXCHANGE		(1 << 1)	/* include/uapi/linux/fs.h */

/*
 * int do_dentry_open(file, …): the return value does not matter. An open may still fail
 * after the file exists, O_DIRECT where it is unsupported: its file is closed at once.
 */
SEC("fexit/do_dentry_open") HOOK_TYPES("file*")
int BPF_PROG(ovnik_file_open, struct file *file)
{
	const struct inode *inode = file->f_inode;
	struct ovnik_file_open *rec;
	struct ovnik_slot slot;

	if (!ovnik_on_current(OVNIK_BIT(file_open)))
		return 0;
	if (!(file->f_mode & FMODE_OPENED) || !ovnik_file_named(file))
		return 0;
	rec = ovnik_begin_path(&slot, file_open, path, file);
	if (!rec)
		return 0;
	rec->tid = current_tid();
	ovnik_set_inode(rec, inode);
	rec->flags = file->f_flags;
	ovnik_commit(&slot, file_open);
	return 0;
}

/* void __fput(file): also called for files whose open failed. */
SEC("fentry/__fput") HOOK_TYPES("file*")
int BPF_PROG(ovnik_file_close, struct file *file)
{
	const struct inode *inode = file->f_inode;
	struct ovnik_file_close *rec;
	struct ovnik_slot slot;

	if (!ovnik_on_current(OVNIK_BIT(file_close)))
		return 0;
	if (!(file->f_mode & FMODE_OPENED) || !ovnik_file_named(file))
		return 0;
	rec = ovnik_begin(&slot, file_close);
	if (!rec)
		return 0;
	rec->tid = current_tid();
	ovnik_set_inode(rec, inode);
	rec->flags = file->f_flags;
	ovnik_commit(&slot, file_close);
	return 0;
}

/* void evict(inode): most inodes are evicted to free memory and are read from disk again. */
SEC("fentry/evict") HOOK_TYPES("inode*")
int BPF_PROG(ovnik_file_delete, struct inode *inode)
{
	struct ovnik_file_delete *rec;
	struct ovnik_slot slot;

	if (!ovnik_on(OVNIK_BIT(file_delete)) || inode->i_nlink || !ovnik_wanted())
		return 0;
	rec = ovnik_begin(&slot, file_delete);
	if (!rec)
		return 0;
	ovnik_set_inode(rec, inode);
	rec->length = inode->i_size;
	ovnik_commit(&slot, file_delete);
	return 0;
}

/* int do_truncate(mount's users, dentry, length, time_attrs, file) */
SEC("fexit/do_truncate") HOOK_TYPES("*, dentry*, 8, 4, file* -> 4")
int BPF_PROG(ovnik_file_truncate, void *users, struct dentry *dentry, loff_t length,
	     unsigned int time_attrs, struct file *file, int ret)
{
	const struct inode *inode = dentry->d_inode;
	struct ovnik_file_truncate *rec;
	struct ovnik_slot slot;

	if (ret || !ovnik_on_current(OVNIK_BIT(file_truncate)))
		return 0;
	rec = ovnik_begin(&slot, file_truncate);
	if (!rec)
		return 0;
	rec->tid = current_tid();
	ovnik_set_inode(rec, inode);
	rec->length = length;
	ovnik_commit(&slot, file_truncate);
	return 0;
}

static __always_inline void record_rename(const struct dentry *dentry, u32 flags)
{
	const struct inode *inode = dentry->d_inode;
	struct ovnik_file_rename *rec;
	struct ovnik_path_buf *buf;
	struct ovnik_slot slot;
	struct ovnik_text path;

	buf = ovnik_path_in_fs(&path, dentry);
	if (!buf) {
		ovnik_lose(OVNIK_EV_file_rename, 1);
		return;
	}
	rec = ovnik_begin_text(&slot, file_rename, path, &path);
	if (rec) {
		rec->tid = current_tid();
		ovnik_set_inode(rec, inode);
		rec->flags = flags;
		ovnik_commit(&slot, file_rename);
	}
	ovnik_path_done(buf);
}

/*
 * int vfs_rename(rd): each dentry has its new name now. With two names of one inode,
 * rename() does nothing, and no dentry has another inode.
 */
SEC("fexit/vfs_rename") HOOK_TYPES("renamedata* -> 4")
int BPF_PROG(ovnik_file_rename, struct renamedata *rd, int ret)
{
	if (ret || !ovnik_on_current(OVNIK_BIT(file_rename)))
		return 0;
	if (rd->old_dentry->d_inode == rd->new_dentry->d_inode)
		return 0;
	record_rename(rd->old_dentry, rd->flags);
	if (rd->flags & RENAME_EXCHANGE)
		record_rename(rd->new_dentry, rd->flags);
	return 0;
}
