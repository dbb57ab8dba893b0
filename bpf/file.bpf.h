/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_FILE_BPF_H
#define OVNIK_FILE_BPF_H

#include "probe.bpf.h"

/* include/linux/fs.h and mount.h; macros are not in BTF. */
#define FMODE_PATH		0x00004000
#define FMODE_OPENED		0x00080000
#define FMODE_NOACCOUNT		0x20000000
#define MNT_INTERNAL		0x4000

#include "files.h"

/* include/uapi/linux/stat.h */
#define S_IFMT			0170000
#define S_IFREG			0100000
#define S_IFCHR			0020000
#define S_IFBLK			0060000

static __always_inline bool ovnik_is_block(const struct inode *inode)
{
	return (inode->i_mode & S_IFMT) == S_IFBLK;
}

static __always_inline bool ovnik_is_regular(const struct inode *inode)
{
	return (inode->i_mode & S_IFMT) == S_IFREG;
}

#endif /* OVNIK_FILE_BPF_H */
