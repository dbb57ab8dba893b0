/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZ_MEMFS_PRIV_H
#define OVNIK_SELFTESTS_FUZZ_MEMFS_PRIV_H

/* What the files in memory and libc's functions on them share. */
#include <sys/stat.h>

#include "memfs.h"

#define MEMFS_FD	(1 << 20)	/* file descriptors from here on are ours */
#define MEMFS_FDS	1024

/* A file or directory. */
struct memfs_node {
	char path[MEMFS_PATH_MAX];
	bool dir;
	bool gone;		/* unlinked, but open */
	unsigned int opens;
	u64 ino;
	u8 *data;		/* its memory is used again for another file */
	size_t len;
	size_t room;
	unsigned int index;	/* in the list of all */
	struct memfs_node *next;
};

/* An open file; @node is NULL if it is free. */
struct memfs_file {
	struct memfs_node *node;
	u64 pos;
	int flags;
};

bool memfs_is(const char *path);
struct memfs_file *memfs_file(int fd);

/* The path that @path is at @dirfd; false: it is not ours. */
bool memfs_path(int dirfd, const char *path, char *full);

struct memfs_node *memfs_find(const char *path);

/* These return 0 or a negative errno. */
int memfs_make(const char *path, bool dir, struct memfs_node **node);
int memfs_remove(const char *path, bool dir);
int memfs_rename(const char *from, const char *to, bool replace);
int memfs_resize(struct memfs_node *node, u64 len);

/* Return: a file descriptor, a negative errno. */
int memfs_open(const char *path, int flags);
void memfs_close(int fd);

/*
 * The next child of @dir; NULL at the end. *@at is ~0 at first. From the last one down: what
 * is removed meanwhile is replaced by one that was before it.
 */
const struct memfs_node *memfs_child(const char *dir, unsigned int *at);

void memfs_stat(const struct memfs_node *node, struct stat *st);

#endif /* OVNIK_SELFTESTS_FUZZ_MEMFS_PRIV_H */
