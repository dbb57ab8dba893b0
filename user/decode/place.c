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
#include "util/stage.h"

/* What reads the capture next would find our files in it. */
int place_apart(const char *out, const char *capture)
{
	if (!file_is_same(out, capture))
		return 0;
	msg_error("%s: is the capture to read: name another directory for the outputs", out);
	return -EINVAL;
}

/* Any file can be replaced, but not a directory. */
static int check_file(const struct below *dir, const char *name)
{
	struct stat st;

	if (!fstatat(dir->fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return S_ISDIR(st.st_mode) ? below_report(dir, name, "cannot write", EISDIR) : 0;
	return errno == ENOENT ? 0 : below_report(dir, name, "cannot write", errno);
}

static int clear_file(const struct below *dir, const char *name)
{
	if (!unlinkat(dir->fd, name, 0) || errno == ENOENT)
		return 0;
	return below_report(dir, name, "cannot remove", errno);
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
static int each_file(const struct below *out, const struct outputs *outs,
		     int (*file)(const struct below *dir, const char *name))
{
	struct dirent *entry;
	int ret = 0, error;
	DIR *dir;

	dir = below_read(out->fd);
	if (!dir)
		return report_error(out->path, "cannot use this directory", errno);
	while ((entry = readdir(dir))) {
		if (!is_ours(entry->d_name, outs))
			continue;
		error = file(out, entry->d_name);
		ret = ret ? ret : error;
	}
	closedir(dir);
	return ret;
}

int place_check(const struct stage *stage, const struct outputs *outs)
{
	const struct below *out = &stage->dir;
	unsigned int i;
	int ret, error;

	if (faccessat(out->fd, ".", W_OK | X_OK, AT_EACCESS))
		return report_error(out->path, "cannot write into this directory", errno);
	ret = each_file(out, outs, check_file);
	for (i = 0; i < outs->nr; i++) {
		const struct output_use *use = &outs->uses[i];

		if (!use->wanted || !use->output->can_clear)
			continue;
		error = use->output->can_clear(stage);
		ret = ret ? ret : error;
	}
	return ret;
}

int place_clear(const struct stage *stage, const struct outputs *outs)
{
	unsigned int i;
	int ret, error;

	ret = each_file(&stage->dir, outs, clear_file);
	for (i = 0; i < outs->nr; i++) {
		const struct output_use *use = &outs->uses[i];

		if (!use->wanted || !use->output->clear)
			continue;
		error = use->output->clear(stage);
		ret = ret ? ret : error;
	}
	return ret;
}
