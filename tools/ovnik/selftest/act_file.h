/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTEST_ACT_FILE_H
#define OVNIK_SELFTEST_ACT_FILE_H

#include "act.h"

/**
 * struct act_file - A file that was made.
 * @fd: a descriptor, -1
 * @ino: its number
 * @dev: its device, as in records
 * @flags: those of open(), as F_GETFL gives them
 * @path: its path
 */
struct act_file {
	int fd;
	u64 ino;
	u32 dev;
	u32 flags;
	char path[PATH_MAX + 16];
};

void act_file_open(struct act_file *file, const struct act_place *place, const char *name);
void act_file_close(const struct act_file *file);
void act_file_read(const struct span *span, const char *what, enum ovnik_file_op op,
		   const struct act_file *of, u64 offset, s64 bytes);
void act_file_written(const struct span *span, const char *what, enum ovnik_file_op op,
		      const struct act_file *of, u64 offset, s64 bytes);

#endif /* OVNIK_SELFTEST_ACT_FILE_H */
