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
#include "emu/name.h"
#include "util/msg.h"
#include "output/xray/elf.h"

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

/* PREFIX, a number, SUFFIX */
static bool is_numbered(const char *name, const char *prefix, const char *suffix)
{
	size_t len = strlen(prefix);

	if (strncmp(name, prefix, len) || !isdigit((unsigned char)name[len]))
		return false;
	for (name += len; isdigit((unsigned char)*name); name++)
		;
	return !strcmp(name, suffix);
}

static bool is_laplace(const char *name)
{
	return !strcmp(name, "laplace.txt") || !strcmp(name, "laplace.txt.lost") ||
	       is_numbered(name, "laplace.cpu", ".txt");
}

static bool is_xray(const char *name)
{
	return !strcmp(name, "xray.fdr") || !strcmp(name, ELF_MAP_NAME) ||
	       is_numbered(name, "xray.pid", ".fdr");
}

static bool is_ours(const char *name, u32 kinds)
{
	return (kinds & DECODE_LAPLACE && is_laplace(name)) ||
	       (kinds & DECODE_PRV && emu_name_is_drawn(name)) ||
	       (kinds & DECODE_XRAY && is_xray(name));
}

/* How many there are only the directory knows. */
static int each_file(const char *out, u32 kinds, int (*file)(const char *path))
{
	char path[PATH_MAX];
	struct dirent *entry;
	int ret = 0, error;
	DIR *dir;

	dir = opendir(out);
	if (!dir)
		return complain(out, "cannot use this directory", errno);
	while ((entry = readdir(dir))) {
		if (!is_ours(entry->d_name, kinds))
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
	int ret, error;

	ret = each_file(out, kinds, file);
	if (kinds & DECODE_PRV) {
		error = views(out);
		ret = ret ? ret : error;
	}
	if (kinds & DECODE_OVNI) {
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
