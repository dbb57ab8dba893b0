// SPDX-License-Identifier: GPL-2.0-only
/* Files in memory: see memfs.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memfs_priv.h"

#define BUCKETS		1024
#define MESSAGES_MAX	(64 << 10)

static struct memfs_node *buckets[BUCKETS];
static struct memfs_node **all;
static unsigned int nr, room;
static struct memfs_node *spare;
static struct memfs_file files[MEMFS_FDS];
static unsigned int opened;
static u64 next_ino, bytes, limit;
static char messages[MESSAGES_MAX];
static size_t said;

bool memfs_is(const char *path)
{
	size_t len = strlen(MEMFS_ROOT);

	return !strncmp(path, MEMFS_ROOT, len) && (!path[len] || path[len] == '/');
}

static unsigned int bucket_of(const char *path)
{
	u32 hash = 2166136261U;

	while (*path)
		hash = (hash ^ (u8)*path++) * 16777619U;
	return hash % BUCKETS;
}

struct memfs_node *memfs_find(const char *path)
{
	struct memfs_node *node = buckets[bucket_of(path)];

	while (node && strcmp(node->path, path))
		node = node->next;
	return node;
}

struct memfs_file *memfs_file(int fd)
{
	struct memfs_file *file = &files[fd - MEMFS_FD];

	return fd >= MEMFS_FD && fd < MEMFS_FD + MEMFS_FDS && file->node ? file : NULL;
}

/* The directory that a path begins with, by a descriptor in /proc, or @dirfd. NULL: not ours. */
static struct memfs_file *begins_with(int dirfd, const char **path)
{
	unsigned int fd;
	int len = 0;

	if (sscanf(*path, "/proc/self/fd/%u%n", &fd, &len) == 1) {
		*path += len;
		return memfs_file(fd);
	}
	return dirfd == AT_FDCWD || **path == '/' ? NULL : memfs_file(dirfd);
}

/* From "/", which is the system's, ours is entered by its name. */
static bool is_entered(int dirfd, const char *path)
{
	return dirfd != AT_FDCWD && !strcmp(path, MEMFS_ROOT + 1);
}

/* Without "." and empty names; ".." is not needed. */
bool memfs_path(int dirfd, const char *path, char *full)
{
	struct memfs_file *dir = begins_with(dirfd, &path);
	size_t len = 0;

	if (dir)
		len = sprintf(full, "%s", dir->node->path);
	else if (!memfs_is(path) && !is_entered(dirfd, path))
		return false;
	while (*path) {
		size_t part = strcspn(path, "/");

		if (part && strncmp(path, ".", part)) {
			if (len + part + 2 > MEMFS_PATH_MAX)
				part = 0;
			len += sprintf(full + len, "/%.*s", (int)part, path);
		}
		path += strcspn(path, "/");
		path += strspn(path, "/");
	}
	full[len] = '\0';
	return true;
}

static bool has_parent(const char *path)
{
	char parent[MEMFS_PATH_MAX];
	struct memfs_node *node;

	snprintf(parent, sizeof(parent), "%s", path);
	*strrchr(parent, '/') = '\0';
	if (!parent[0])
		return true;
	node = memfs_find(parent);
	return node && node->dir;
}

static struct memfs_node *take_spare(void)
{
	struct memfs_node *node = spare;

	if (node)
		spare = node->next;
	else
		node = calloc(1, sizeof(*node));
	return node;
}

static void insert(struct memfs_node *node, const char *path)
{
	unsigned int bucket = bucket_of(path);

	strcpy(node->path, path);
	node->next = buckets[bucket];
	buckets[bucket] = node;
	if (nr == room) {
		room = room ? 2 * room : 64;
		all = realloc(all, room * sizeof(struct memfs_node *));
	}
	node->index = nr;
	all[nr++] = node;
}

int memfs_make(const char *path, bool dir, struct memfs_node **to)
{
	struct memfs_node *node;

	if (memfs_find(path))
		return -EEXIST;
	if (!has_parent(path))
		return -ENOENT;
	if (strlen(strrchr(path, '/') + 1) > 255)
		return -ENAMETOOLONG;
	node = take_spare();
	node->dir = dir;
	node->gone = false;
	node->opens = 0;
	node->ino = ++next_ino;
	node->len = 0;
	insert(node, path);
	if (to)
		*to = node;
	return 0;
}

static void forget(struct memfs_node *node)
{
	bytes -= node->len;
	node->next = spare;
	spare = node;
}

static void detach(struct memfs_node *node)
{
	struct memfs_node **at = &buckets[bucket_of(node->path)];

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	all[node->index] = all[--nr];
	all[node->index]->index = node->index;
}

static bool has_children(const char *dir)
{
	unsigned int at = nr;

	return memfs_child(dir, &at);
}

int memfs_remove(const char *path, bool dir)
{
	struct memfs_node *node = memfs_find(path);

	if (!node)
		return -ENOENT;
	if (node->dir != dir)
		return dir ? -ENOTDIR : -EISDIR;
	if (dir && has_children(path))
		return -ENOTEMPTY;
	detach(node);
	node->gone = true;
	if (!node->opens)
		forget(node);
	return 0;
}

static void move(struct memfs_node *node, const char *to)
{
	detach(node);
	insert(node, to);
}

/* What is in a directory moves with it. */
static void move_below(const char *from, const char *to)
{
	char path[2 * MEMFS_PATH_MAX];
	size_t len = strlen(from);
	unsigned int i = nr;

	while (i--) {
		if (strncmp(all[i]->path, from, len) || all[i]->path[len] != '/')
			continue;
		snprintf(path, sizeof(path), "%s%s", to, all[i]->path + len);
		path[MEMFS_PATH_MAX - 1] = '\0';
		move(all[i], path);
		i = nr;
	}
}

int memfs_rename(const char *from, const char *to, bool replace)
{
	struct memfs_node *node = memfs_find(from), *old = memfs_find(to);
	int ret = 0;

	if (!node || !has_parent(to))
		return -ENOENT;
	if (old && !replace)
		return -EEXIST;
	if (old == node)
		return 0;
	if (old)
		ret = memfs_remove(to, node->dir);
	if (ret)
		return ret;
	move(node, to);
	if (node->dir)
		move_below(from, to);
	return 0;
}

int memfs_resize(struct memfs_node *node, u64 len)
{
	if (len > node->len && bytes + len - node->len > limit)
		return -ENOSPC;
	if (len > node->room) {
		node->room = len > 4096 ? 2 * len : 4096;
		node->data = realloc(node->data, node->room);
		if (!node->data)
			abort();
	}
	if (len > node->len)
		memset(node->data + node->len, 0, len - node->len);
	bytes += len - node->len;
	node->len = len;
	return 0;
}

static int open_node(const char *path, int flags, struct memfs_node **node)
{
	*node = memfs_find(path);
	if (!*node)
		return flags & O_CREAT ? memfs_make(path, false, node) : -ENOENT;
	if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
		return -EEXIST;
	if ((*node)->dir && flags & O_ACCMODE)
		return -EISDIR;
	if (!(*node)->dir && flags & O_DIRECTORY)
		return -ENOTDIR;
	return flags & O_TRUNC ? memfs_resize(*node, 0) : 0;
}

int memfs_open(const char *path, int flags)
{
	struct memfs_node *node;
	unsigned int fd = 0;
	int ret;

	while (fd < MEMFS_FDS && files[fd].node)
		fd++;
	if (fd == MEMFS_FDS)
		return -EMFILE;
	ret = open_node(path, flags, &node);
	if (ret)
		return ret;
	node->opens++;
	opened++;
	files[fd] = (struct memfs_file){ .node = node, .flags = flags };
	return MEMFS_FD + fd;
}

void memfs_close(int fd)
{
	struct memfs_node *node = files[fd - MEMFS_FD].node;

	files[fd - MEMFS_FD].node = NULL;
	opened--;
	if (!--node->opens && node->gone)
		forget(node);
}

const struct memfs_node *memfs_child(const char *dir, unsigned int *at)
{
	size_t len = strlen(dir);

	if (*at > nr)
		*at = nr;
	while (*at) {
		const struct memfs_node *node = all[--*at];

		if (!strncmp(node->path, dir, len) && node->path[len] == '/' &&
		    !strchr(node->path + len + 1, '/'))
			return node;
	}
	return NULL;
}

void memfs_each(const char *dir, void (*one)(const char *path, bool is_dir))
{
	size_t len = strlen(dir);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!strncmp(all[i]->path, dir, len) && all[i]->path[len] == '/')
			one(all[i]->path, all[i]->dir);
	}
}

void memfs_stat(const struct memfs_node *node, struct stat *st)
{
	memset(st, 0, sizeof(*st));
	st->st_uid = geteuid();
	st->st_mode = node->dir ? S_IFDIR | 0755 : S_IFREG | 0644;
	st->st_dev = 99;
	st->st_ino = node->ino;
	st->st_nlink = !node->gone;
	st->st_size = node->len;
	st->st_blksize = 4096;
	st->st_blocks = (node->len + 511) / 512;
}

void memfs_reset(void)
{
	if (opened) {
		fprintf(stdout, "memfs: %u files were left open\n", opened);
		abort();
	}
	while (nr) {
		struct memfs_node *node = all[nr - 1];

		detach(node);
		forget(node);
	}
	limit = 64 << 20;
	next_ino = 0;
	said = 0;
	memfs_make(MEMFS_ROOT, true, NULL);
}

void memfs_limit(u64 most)
{
	limit = most;
}

bool memfs_put(const char *path, const void *data, size_t len)
{
	char full[MEMFS_PATH_MAX], *slash;
	struct memfs_node *node;

	if (strlen(path) >= sizeof(full) || !memfs_path(AT_FDCWD, path, full))
		return false;
	for (slash = full + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		memfs_make(full, true, NULL);
		*slash = '/';
	}
	if (memfs_make(full, false, &node) || memfs_resize(node, len))
		return false;
	if (len)
		memcpy(node->data, data, len);
	return true;
}

void memfs_put_dir(const char *path)
{
	memfs_make(path, true, NULL);
}

const u8 *memfs_get(const char *path, size_t *len)
{
	struct memfs_node *node = memfs_find(path);

	if (!node || node->dir)
		return NULL;
	*len = node->len;
	return node->data;
}

static ssize_t take_message(void *cookie, const char *buf, size_t len)
{
	size_t n = len < MESSAGES_MAX - 1 - said ? len : MESSAGES_MAX - 1 - said;

	(void)cookie;
	memcpy(messages + said, buf, n);
	said += n;
	messages[said] = '\0';
	return len;
}

static ssize_t drop(void *cookie, const char *buf, size_t len)
{
	(void)cookie;
	(void)buf;
	return len;
}

void memfs_take_messages(void)
{
	static char stdout_buf[1 << 16];
	const cookie_io_functions_t err = { .write = take_message }, out = { .write = drop };

	stderr = fopencookie(NULL, "w", err);
	stdout = fopencookie(NULL, "w", out);
	setvbuf(stderr, NULL, _IOLBF, 4096);
	setvbuf(stdout, stdout_buf, _IOFBF, sizeof(stdout_buf));
}

const char *memfs_messages(size_t *len)
{
	fflush(stderr);
	*len = said;
	messages[said] = '\0';
	return messages;
}
