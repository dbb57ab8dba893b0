// SPDX-License-Identifier: GPL-2.0-only
/* Check that COMMAND exists before recording starts. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "util/msg.h"

#define DEFAULT_PATH	"/bin:/usr/bin"

static int check_file(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EACCES;
	return access(path, X_OK) ? -errno : 0;
}

/* Search PATH like execvp(); an empty entry is the current directory. */
static int check_path(const char *name)
{
	const char *dir = getenv("PATH");
	int ret = -ENOENT;

	if (!dir)
		dir = DEFAULT_PATH;
	for (;;) {
		int len = strcspn(dir, ":"), error;
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%.*s%s%s", len, dir, len ? "/" : "", name);
		error = check_file(path);
		if (!error)
			return 0;
		if (error == -EACCES)
			ret = error;
		if (!dir[len])
			return ret;
		dir += len + 1;
	}
}

/**
 * command_check() - Can a program be run?
 * @name: as for execvp()
 *
 * Return: 0; a negative errno, which has been reported.
 */
int command_check(const char *name)
{
	int ret = *name ? 0 : -ENOENT;

	if (!ret)
		ret = strchr(name, '/') ? check_file(name) : check_path(name);
	if (ret)
		msg_error("cannot run %s: %s", name, strerror(-ret));
	return ret;
}
