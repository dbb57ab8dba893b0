// SPDX-License-Identifier: GPL-2.0-only
/* The files in the output directory that are ours. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/decode.h"
#include "decode/place.h"
#include "decode/tree.h"
#include "emu/cfg.h"
#include "util/msg.h"

static const struct {
	enum decode_output kind;
	const char *name;
} files[] = {
	{ DECODE_LAPLACE, "laplace.txt" },
	{ DECODE_LAPLACE, "laplace.txt.lost" },
	{ DECODE_PRV, "thread.prv" },
	{ DECODE_PRV, "thread.pcf" },
	{ DECODE_PRV, "thread.row" },
	{ DECODE_PRV, "cpu.prv" },
	{ DECODE_PRV, "cpu.pcf" },
	{ DECODE_PRV, "cpu.row" },
};

static int complain(const char *path, const char *what, int error)
{
	msg_error("%s: %s: %s", path, what, strerror(error));
	return -error;
}

/* A file is replaced whatever it is, but a directory would not go. */
static int check_file(const char *path)
{
	struct stat st;

	if (!lstat(path, &st))
		return S_ISDIR(st.st_mode) ? complain(path, "cannot write", EISDIR) : 0;
	return errno == ENOENT ? 0 : complain(path, "cannot write", errno);
}

static int clear_file(const char *path)
{
	if (!unlink(path) || errno == ENOENT)
		return 0;
	return complain(path, "cannot remove", errno);
}

/* laplace.cpuN.txt */
static bool is_split(const char *name)
{
	if (strncmp(name, "laplace.cpu", 11) || !isdigit((unsigned char)name[11]))
		return false;
	for (name += 11; isdigit((unsigned char)*name); name++)
		;
	return !strcmp(name, ".txt");
}

/* How many there are only the directory knows. */
static int each_split(const char *out, int (*file)(const char *path))
{
	char path[PATH_MAX];
	struct dirent *entry;
	int ret = 0, error;
	DIR *dir;

	dir = opendir(out);
	if (!dir)
		return complain(out, "cannot use this directory", errno);
	while ((entry = readdir(dir))) {
		if (!is_split(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", out, entry->d_name);
		error = file(path);
		ret = ret ? ret : error;
	}
	closedir(dir);
	return ret;
}

/* Do one of three things to each output. */
static int each(const char *out, u32 kinds, int (*file)(const char *path),
		int (*views)(const char *path), int (*tree)(const char *path))
{
	char path[PATH_MAX];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		int error;

		if (!(kinds & files[i].kind))
			continue;
		snprintf(path, sizeof(path), "%s/%s", out, files[i].name);
		error = file(path);
		ret = ret ? ret : error;
	}
	if (kinds & DECODE_LAPLACE) {
		int error = each_split(out, file);

		ret = ret ? ret : error;
	}
	if (kinds & DECODE_PRV) {
		int error = views(out);

		ret = ret ? ret : error;
	}
	if (kinds & DECODE_OVNI) {
		int error;

		snprintf(path, sizeof(path), "%s/ovni", out);
		error = tree(path);
		ret = ret ? ret : error;
	}
	return ret;
}

int place_check(const char *out, u32 kinds)
{
	if (faccessat(AT_FDCWD, out, W_OK | X_OK, AT_EACCESS))
		return complain(out, "cannot write into this directory", errno);
	return each(out, kinds, check_file, cfg_check, tree_check);
}

int place_clear(const char *out, u32 kinds)
{
	return each(out, kinds, clear_file, cfg_clear, tree_remove);
}
