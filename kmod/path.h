/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_PATH_H
#define OVNIK_PATH_H

#include <linux/path.h>
#include <linux/types.h>

/**
 * struct ovnik_path - The text of a path.
 * @text: NUL-terminated, in a buffer of this CPU
 * @len:  bytes, the NUL included
 */
struct ovnik_path {
	const char	*text;
	u32		len;
};

struct ovnik_path ovnik_path_of(const struct path *path);
struct ovnik_path ovnik_path_in_fs(struct dentry *dentry);
int ovnik_path_init(void);
void ovnik_path_exit(void);

#endif /* OVNIK_PATH_H */
