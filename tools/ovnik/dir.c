// SPDX-License-Identifier: GPL-2.0-only
/* The directory of a capture, and DIR.old, where an older one goes. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording.h"
#include "dir.h"
#include "util/below.h"
#include "util/file.h"
#include "util/msg.h"

#define OLD	".old"

static bool of_a_capture(const char *name)
{
	return !strcmp(name, "meta.json") || !strcmp(name, META_NEW) ||
	       !strcmp(name, DUMP_FILE) || text_is_numbered(name, "cpu", ".ovk");
}

/* Move a file to another directory, or remove it if there is none. */
static int put_away(int from, const char *name, int to)
{
	int ret = to < 0 ? unlinkat(from, name, 0) : renameat(from, name, to, name);

	return ret ? -errno : 0;
}

static int put_all_away(const char *dir, int from, int to)
{
	struct dirent *entry;
	DIR *stream = fdopendir(dup(from));
	int ret = 0;

	if (!stream) {
		msg_error("%s: %s", dir, strerror(errno));
		return -errno;
	}
	rewinddir(stream);
	while (!ret && (entry = readdir(stream))) {
		if (!of_a_capture(entry->d_name))
			continue;
		ret = put_away(from, entry->d_name, to);
		if (ret == -EXDEV)
			msg_error("%s: the capture in it cannot be kept as %s" OLD ", which is on another file system: move it, or choose another directory (-o)",
				  dir, dir);
		else if (ret)
			msg_error("%s/%s: %s", dir, entry->d_name, strerror(-ret));
	}
	closedir(stream);
	return ret;
}

static bool has_capture(int fd)
{
	struct dirent *entry;
	DIR *stream = fdopendir(dup(fd));
	bool has = false;

	while (stream && !has && (entry = readdir(stream)))
		has = of_a_capture(entry->d_name);
	if (stream)
		closedir(stream);
	return has;
}

/* As it can be seen in ls: "." has no name to which .old could be added. */
static int old_name(int dir_fd, char old[PATH_MAX])
{
	char *own = below_path(dir_fd);
	ssize_t len;

	if (!own)
		return -ENOMEM;
	len = readlink(own, old, PATH_MAX);
	free(own);
	if (len < 0)
		return -ENOENT;
	if (len + sizeof(OLD) > PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(old + len, OLD, sizeof(OLD));
	return 0;
}

/* Make it, unless it is there; the way is forgotten. */
static int make_at(struct below_way *way, const char *path)
{
	struct below made;
	int ret = 0;

	if (mkdirat(way->up, way->name, 0700) && errno != EEXIST)
		ret = report_error(path, "cannot make this directory", errno);
	if (!ret)
		ret = below_open(&made, way, path);
	below_lose(way);
	return ret ? ret : made.fd;
}

/* Beside the directory, wherever that is by now. */
static int open_old(int dir_fd, const char *old)
{
	struct below_way way;
	int ret;

	snprintf(way.name, sizeof(way.name), "%s", strrchr(old, '/') + 1);
	way.up = openat(dir_fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (way.up < 0)
		return report_error(old, "cannot make this directory", errno);
	ret = below_check_dir(old, way.up);
	if (!ret)
		return make_at(&way, old);
	below_lose(&way);
	return ret;
}

/* The two must not be mixed, and the older one may be all that there is of something. */
static int keep_older(const char *dir, int dir_fd)
{
	char old[PATH_MAX];
	int fd, ret;

	ret = old_name(dir_fd, old);
	if (ret) {
		msg_error("%s" OLD ": %s", dir, strerror(-ret));
		return ret;
	}
	fd = open_old(dir_fd, old);
	if (fd < 0)
		return fd;
	ret = put_all_away(old, fd, -1);
	if (!ret)
		ret = put_all_away(dir, dir_fd, fd);
	close(fd);
	if (!ret)
		msg_info("%s: the older capture is now %s", dir, old);
	return ret;
}

/* Root does not use any: see below_find(). */
static int make_dir(const char *dir)
{
	struct below_way way;
	int ret = below_find(&way, dir, true);

	if (!ret)
		return make_at(&way, dir);
	below_lose(&way);
	return ret;
}

/**
 * dir_open() - Open the directory of a new capture; it is created if there is none.
 * @dir: its path; a capture in it goes to DIR.old, and one that was there is removed
 *
 * Return: a file descriptor; a negative errno, which has been reported.
 */
int dir_open(const char *dir)
{
	int fd = make_dir(dir), ret = 0;

	if (fd < 0)
		return fd;
	if (has_capture(fd))
		ret = keep_older(dir, fd);
	if (!ret)
		return fd;
	close(fd);
	return ret;
}
