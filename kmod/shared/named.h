/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_NAMED_H
#define OVNIK_NAMED_H

/*
 * Does an open file have a name somebody could know? Not what the kernel made for
 * itself: pipes, sockets, segments of memory, the lower file of an overlay.
 */
static __always_inline bool ovnik_file_named(const struct file *file)
{
	return !(file->f_path.mnt->mnt_flags & MNT_INTERNAL) &&
	       !(file->f_mode & (FMODE_PATH | FMODE_NOACCOUNT));
}

#endif /* OVNIK_NAMED_H */
