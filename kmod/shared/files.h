/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_FILES_H
#define OVNIK_FILES_H

/*
 * Does an open file have a name somebody could know? Not what the kernel made for
 * itself: pipes, sockets, segments of memory, the lower file of an overlay.
 */
static __always_inline bool ovnik_file_named(const struct file *file)
{
	return !(file->f_path.mnt->mnt_flags & MNT_INTERNAL) &&
	       !(file->f_mode & (FMODE_PATH | FMODE_NOACCOUNT));
}

/* Which file it is, in a record or what will be one. */
#define ovnik_set_inode(rec, inode) do {					\
	(rec)->dev = (inode)->i_sb->s_dev;					\
	(rec)->generation = (inode)->i_generation;				\
	(rec)->ino = (inode)->i_ino;						\
} while (0)

#endif /* OVNIK_FILES_H */
