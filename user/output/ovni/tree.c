// SPDX-License-Identifier: GPL-2.0-only
/* Directories of ovni traces: created, and emptied where that is safe. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/drawn.h"
#include "output/ovni/tree.h"
#include "trace/offsets.h"
#include "util/below.h"
#include "util/empty.h"
#include "util/msg.h"

#define OPEN_DIR	(O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int tree_open_new(const char *path)
{
	int fd;

	if (mkdir(path, 0777))
		return report_error(path, "cannot make this directory", errno);
	fd = open(path, OPEN_DIR);
	return fd < 0 ? report_error(path, "cannot use this directory", errno) : fd;
}

/* What ovni and its emulators put into a trace's directory. */
static bool of_a_trace(const char *name)
{
	if (!strcmp(name, ".") || !strcmp(name, "..") || !strncmp(name, "loom.", 5))
		return true;
	return !strcmp(name, "cfg") || !strcmp(name, OVNI_OFFSETS_FILE) ||
	       ovni_is_drawn(name);
}

static int look_through(int fd, const char *path)
{
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	dir = below_read(fd);
	if (!dir)
		return report_error(path, "cannot use this directory", errno);
	if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS))
		ret = report_error(path, "cannot write into this directory", errno);
	while (!ret && (entry = readdir(dir))) {
		if (of_a_trace(entry->d_name))
			continue;
		msg_error("%s: not replaced: \"%s\" in it is not part of an ovni trace", path,
			  entry->d_name);
		ret = -ENOTEMPTY;
	}
	closedir(dir);
	return ret;
}

int tree_check(int at, const char *name, const char *path)
{
	int fd = below_sub(at, name), ret;

	if (fd < 0)
		return errno == ENOENT ? 0 : report_error(path, "cannot use this directory", errno);
	ret = look_through(fd, path);
	close(fd);
	return ret;
}

static int cannot_empty(const char *path, int err)
{
	if (err != -EOVERFLOW)
		return report_error(path, "cannot empty this directory", -err);
	msg_error("%s: not replaced: directories in it are more than %d deep, which no trace has",
		  path, EMPTY_DEPTH_MAX);
	return err;
}

int tree_check_all(int at, const char *name, const char *path)
{
	int fd, ret;

	ret = tree_check(at, name, path);
	if (ret)
		return ret;
	fd = below_sub(at, name);
	if (fd < 0)
		return errno == ENOENT ? 0 : report_error(path, "cannot use this directory", errno);
	ret = can_empty_dir(fd);
	return ret ? cannot_empty(path, ret) : 0;
}

int tree_remove(int at, const char *name, const char *path)
{
	int fd, ret;

	ret = tree_check(at, name, path);
	if (ret)
		return ret;
	fd = below_sub(at, name);
	if (fd < 0)
		return errno == ENOENT ? 0 : report_error(path, "cannot use this directory", errno);
	ret = empty_dir(fd);
	if (ret)
		return cannot_empty(path, ret);
	if (unlinkat(at, name, AT_REMOVEDIR) && errno != ENOENT)
		return report_error(path, "cannot remove this directory", errno);
	return 0;
}
