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

static int busy(const char *part)
{
	tracer_report_error("%s: is being written, by another tracer or another run", part);
	return -EBUSY;
}

/* Remove what a killed run left, if it is a regular file that no process is writing. */
static int remove_part(const char *part)
{
	int fd = open(part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), ret = 0;
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? 0 : fail(part, errno);
	if (fstat(fd, &st))
		ret = fail(part, errno);
	else if (!S_ISREG(st.st_mode))
		ret = fail(part, EEXIST);
	else if (flock(fd, LOCK_EX | LOCK_NB))
		ret = busy(part);
	else if (unlink(part))
		ret = fail(part, errno);
	close(fd);
	return ret;
}

static int create_part(struct newfile *f)
{
	f->fd = open(f->part, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (f->fd < 0)
		return fail(f->part, errno);
	return flock(f->fd, LOCK_EX | LOCK_NB) ? fail(f->part, errno) : 0;
}

int newfile_open(struct newfile *f)
{
	struct stat st;
	int ret;

	f->fd = -1;
	if (!lstat(f->path, &st))
		return fail(f->path, EEXIST);
	/* SQLite takes "file:x" for a URI, and ":memory:" for a database without a file. */
	if (asprintf(&f->part, "%s%s.part", *f->path == '/' ? "" : "./", f->path) < 0) {
		f->part = NULL;
		return -ENOMEM;
	}
	ret = remove_part(f->part);
	if (!ret)
		ret = create_part(f);
	if (!ret || f->fd >= 0)
		return ret;
	/* A file of that name exists. */
	free(f->part);
	f->part = NULL;
	return ret;
}

int newfile_keep(struct newfile *f)
{
	int ret = renameat2(AT_FDCWD, f->part, AT_FDCWD, f->path, RENAME_NOREPLACE);

	/* Some file systems do not support RENAME_NOREPLACE. */
	if (ret && errno == EINVAL && access(f->path, F_OK))
		ret = rename(f->part, f->path);
	if (ret)
		return fail(f->path, errno);
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
		unlink(f->part);
	}
	free(f->part);
	free(f->path);
}
