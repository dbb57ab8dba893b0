// SPDX-License-Identifier: GPL-2.0-only
/* Directories are emptied, also by two threads at once. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "util/empty.h"

#define OPEN_DIR	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Open a directory to be read; @fd is closed with it, or now. */
static DIR *take_over(int fd)
{
	DIR *dir = fdopendir(fd);
	int err = errno;

	if (dir)
		return dir;
	close(fd);
	errno = err;
	return NULL;
}

static int empty(int fd, unsigned int depth)
{
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	dir = take_over(fd);
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		int sub;

		if (is_dot(entry->d_name) || !unlinkat(fd, entry->d_name, 0) || errno == ENOENT)
			continue;
		if (errno != EISDIR && errno != EPERM) {
			ret = -errno;
			break;
		}
		sub = depth < EMPTY_DEPTH_MAX ? openat(fd, entry->d_name, OPEN_DIR) : -1;
		if (sub < 0 && errno == ENOENT)
			continue;
		if (sub < 0)
			ret = depth < EMPTY_DEPTH_MAX ? -errno : -EOVERFLOW;
		else
			ret = empty(sub, depth + 1);
		if (!ret && unlinkat(fd, entry->d_name, AT_REMOVEDIR) && errno != ENOENT)
			ret = -errno;
	}
	closedir(dir);
	return ret;
}

static int can_empty(int fd, unsigned int depth)
{
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	dir = take_over(fd);
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		int sub;

		if (is_dot(entry->d_name))
			continue;
		if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS)) {
			ret = -errno;
			break;
		}
		if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN)
			continue;
		sub = depth < EMPTY_DEPTH_MAX ? openat(fd, entry->d_name, OPEN_DIR) : -1;
		if (sub >= 0)
			ret = can_empty(sub, depth + 1);
		else if (depth == EMPTY_DEPTH_MAX)
			ret = -EOVERFLOW;
		else if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
			ret = -errno;
	}
	closedir(dir);
	return ret;
}

int empty_dir(int fd)
{
	return empty(fd, 0);
}

int can_empty_dir(int fd)
{
	return can_empty(fd, 0);
}
