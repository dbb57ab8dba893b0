/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZ_MEMFS_H
#define OVNIK_SELFTESTS_FUZZ_MEMFS_H

/*
 * Files in memory. The linker replaces the calls of libc's functions, see wraps: what is below
 * MEMFS_ROOT and what was opened there is here, everything else is the system's.
 */
#include <stddef.h>

#include "util/types.h"

#define MEMFS_ROOT	"/fuzz"
#define MEMFS_PATH_MAX	512

/* Remove everything but MEMFS_ROOT. What is still open is a bug: abort. */
void memfs_reset(void);

/* Make a file, and the directories that it is in. Return: false if that cannot be. */
bool memfs_put(const char *path, const void *data, size_t len);

/* Make a directory in one that is there. */
void memfs_put_dir(const char *path);

/* What is in a file; NULL: there is no such file. Valid until it is changed. */
const u8 *memfs_get(const char *path, size_t *len);

/* From now on writing fails when all files together have that many bytes. */
void memfs_limit(u64 bytes);

/* The path of each file or directory strictly below @dir. */
void memfs_each(const char *dir, void (*one)(const char *path, bool is_dir));

/* stderr and stdout of the product go here; libFuzzer and the sanitizers keep their own. */
void memfs_take_messages(void);

/* What was said on stderr since memfs_reset(). */
const char *memfs_messages(size_t *len);

#endif /* OVNIK_SELFTESTS_FUZZ_MEMFS_H */
