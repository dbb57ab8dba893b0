// SPDX-License-Identifier: GPL-2.0-only
/* Files that tracers write: see newfile.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/tracers/args.h"
#include "output/tracers/tracer.h"
#include "output/tracers/builtin/newfile.h"
#include "util/rights.h"

static int fail(const char *path, int error)
{
	tracer_report_error("%s: %s", path, strerror(error));
	return -error;
}

int newfile_parse(struct newfile *f, const char *args)
{
	const struct args_key keys[] = { { .name = "file", .text = &f->path } };
	int ret = args_parse(args, keys, ARRAY_SIZE(keys));

	return ret ? ret : newfile_check(f, "file");
}

int newfile_check(const struct newfile *f, const char *key)
{
	if (!f->path || !*f->path)
		tracer_report_error("needs a file: %s=PATH", key);
	else if (!strcmp(f->path, "-"))
		tracer_report_error("%s=-: answers go to stdout, so this needs a file of its own",
				    key);
	else
		return 0;
	return -EINVAL;
}

static const char *part_name(const struct newfile *f)
{
	return strrchr(f->part, '/') + 1;
}

static int fail_part(const struct newfile *f, int error)
{
	tracer_report_error("%s.part: %s", f->path, error == EBUSY ?
			    "is being written, by another tracer or another run" :
			    strerror(error));
	return -error;
}

/* Remove what a killed run left, if it is a regular file that no process is writing. */
static int remove_part(const struct newfile *f)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
	int fd = openat(f->way.up, part_name(f), flags), ret = 0;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : fail_part(f, errno);
	if (fstat(fd, &st))
		ret = fail_part(f, errno);
	else if (!S_ISREG(st.st_mode))
		ret = fail_part(f, EEXIST);
	else if (flock(fd, LOCK_EX | LOCK_NB))
		ret = fail_part(f, EBUSY);
	else if (unlinkat(f->way.up, part_name(f), 0))
		ret = fail_part(f, errno);
	close(fd);
	return ret;
}

static int create_part(struct newfile *f)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int ret;

	f->fd = openat(f->way.up, part_name(f), flags, 0600);
	if (f->fd < 0)
		return fail_part(f, errno);
	if (flock(f->fd, LOCK_EX | LOCK_NB))
		return fail_part(f, errno);
	ret = rights_apply(f->fd, 0666);
	return ret ? fail_part(f, -ret) : 0;
}

/* The directory by its descriptor; SQLite opens the file in it by name. */
static int name_part(struct newfile *f)
{
	char *up = below_path(f->way.up);
	int ret = 0;

	if (!up || asprintf(&f->part, "%s/%s.part", up, f->way.name) < 0) {
		f->part = NULL;
		ret = -ENOMEM;
	}
	free(up);
	return ret;
}

static int open_there(struct newfile *f)
{
	struct stat st;
	int ret;

	if (!fstatat(f->way.up, f->way.name, &st, AT_SYMLINK_NOFOLLOW))
		return fail(f->path, EEXIST);
	ret = name_part(f);
	if (!ret)
		ret = remove_part(f);
	if (!ret)
		ret = create_part(f);
	if (!ret || f->fd >= 0)
		return ret;
	/* A file of that name exists. */
	free(f->part);
	f->part = NULL;
	return ret;
}

int newfile_open(struct newfile *f)
{
	int ret = below_find(&f->way, f->path, false);

	f->fd = -1;
	if (ret)
		tracer_report_error("%s: not written", f->path);
	else
		ret = open_there(f);
	if (!f->part)
		below_lose(&f->way);
	return ret;
}

int newfile_keep(struct newfile *f)
{
	const char *name = part_name(f);
	int up = f->way.up, ret;

	ret = renameat2(up, name, up, f->way.name, RENAME_NOREPLACE);
	/* Some file systems do not support RENAME_NOREPLACE. */
	if (ret && errno == EINVAL && faccessat(up, f->way.name, F_OK, AT_SYMLINK_NOFOLLOW))
		ret = renameat(up, name, up, f->way.name);
	if (ret)
		return fail(f->path, errno);
	below_lose(&f->way);
	free(f->part);
	f->part = NULL;
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
	return 0;
}

void newfile_close(struct newfile *f)
{
	if (f->part) {
		if (f->fd >= 0)
			close(f->fd);
		unlinkat(f->way.up, part_name(f), 0);
		below_lose(&f->way);
	}
	free(f->part);
	free(f->path);
}
