// SPDX-License-Identifier: GPL-2.0-only
/* The files in the output directory that are ours. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/place.h"
#include "util/file.h"
#include "util/msg.h"

/* What reads the capture next would find our files in it. */
int place_apart(const char *out, const char *capture)
{
	if (!file_is_same(out, capture))
		return 0;
	msg_error("%s: is the capture to read: name another directory for the outputs", out);
	return -EINVAL;
}

/* Any file can be replaced, but not a directory. */
static int check_file(const char *path)
{
	struct stat st;

	if (!lstat(path, &st))
		return S_ISDIR(st.st_mode) ? report_error(path, "cannot write", EISDIR) : 0;
	return errno == ENOENT ? 0 : report_error(path, "cannot write", errno);
}

static int clear_file(const char *path)
{
	if (!unlink(path) || errno == ENOENT)
		return 0;
	return report_error(path, "cannot remove", errno);
}

static bool is_ours(const char *name, const struct outputs *outs)
{
	unsigned int i;

	for (i = 0; i < outs->nr; i++) {
		const struct output_use *use = &outs->uses[i];

		if (use->wanted && use->output->owns && use->output->owns(name))
			return true;
	}
	return false;
}

/* There can be any number of them, so read the directory. */
static int each_file(const char *out, const struct outputs *outs, int (*file)(const char *path))
{
	char path[PATH_MAX];
	struct dirent *entry;
	int ret = 0, error;
	DIR *dir;

	dir = opendir(out);
	/* A run that has failed removes the directory that it made. */
	if (!dir && errno == ENOENT)
		return 0;
	if (!dir)
		return report_error(out, "cannot use this directory", errno);
	while ((entry = readdir(dir))) {
		if (!is_ours(entry->d_name, outs))
			continue;
		snprintf(path, sizeof(path), "%s/%s", out, entry->d_name);
		error = file(path);
		ret = ret ? ret : error;
	}
	closedir(dir);
	return ret;
}

int place_check(const char *out, const struct outputs *outs)
{
	unsigned int i;
	int ret, error;

	if (faccessat(AT_FDCWD, out, W_OK | X_OK, AT_EACCESS))
		return report_error(out, "cannot write into this directory", errno);
	ret = each_file(out, outs, check_file);
	for (i = 0; i < outs->nr; i++) {
		const struct output_use *use = &outs->uses[i];

		if (!use->wanted || !use->output->can_clear)
			continue;
		error = use->output->can_clear(out);
		ret = ret ? ret : error;
	}
	return ret;
}

int place_clear(const char *out, const struct outputs *outs)
{
	unsigned int i;
	int ret, error;

	ret = each_file(out, outs, clear_file);
	for (i = 0; i < outs->nr; i++) {
		const struct output_use *use = &outs->uses[i];

		if (!use->wanted || !use->output->clear)
			continue;
		error = use->output->clear(out);
		ret = ret ? ret : error;
	}
	return ret;
}
