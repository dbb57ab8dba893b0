/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_PATH_H
#define OVNIK_PATH_H

#include <linux/path.h>
#include <linux/types.h>

#include "ring.h"

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
struct ovnik_slot ovnik_begin_with_path(u32 type, u32 at, const struct path *path);
int ovnik_path_init(void);
void ovnik_path_exit(void);

/* As ovnik_begin_str(), with the path of a file in @str. */
#define ovnik_begin_path(slot, name, str, path) ({				\
	*(slot) = (struct ovnik_slot){};					\
	if (ovnik_may_show(name))						\
		*(slot) = ovnik_begin_with_path(OVNIK_EV_##name,		\
						offsetof(struct ovnik_##name, str), path); \
	(struct ovnik_##name *)(slot)->rec;					\
})

#endif /* OVNIK_PATH_H */
