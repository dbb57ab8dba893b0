/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_FILES_H
#define OVNIK_FILES_H

/*
 * Does an open file have a name that users know? Not what the kernel makes for itself:
 * pipes, sockets, memory segments, the lower file of an overlay.
 */
static __always_inline bool ovnik_file_named(const struct file *file)
{
	return !(file->f_path.mnt->mnt_flags & MNT_INTERNAL) &&
	       !(file->f_mode & (FMODE_PATH | FMODE_NOACCOUNT));
}

/* The identity of a file, in a record or in a struct ovnik_place. */
#define ovnik_set_inode(rec, inode) do {					\
	(rec)->dev = (inode)->i_sb->s_dev;					\
	(rec)->generation = (inode)->i_generation;				\
	(rec)->ino = (inode)->i_ino;						\
} while (0)

#endif /* OVNIK_FILES_H */
