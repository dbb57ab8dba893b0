// SPDX-License-Identifier: GPL-2.0-only
/* An output that is one file is written beside its place and renamed: see outfile.h. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/ending.h"
#include "util/msg.h"
#include "util/outfile.h"
#include "util/rights.h"

/* What is removed; a signal handler needs it. */
static struct {
	int up;
	char name[NAME_MAX + 1];
} part;

static void on_end(int sig)
{
	unlinkat(part.up, part.name, 0);
	raise(sig);
}

static void remove_on_signals(void)
{
	struct sigaction action = { .sa_handler = on_end, .sa_flags = SA_RESETHAND };
	sigset_t ending;
	int sig;

	ending_signals(&ending);
	for (sig = 1; sig < NSIG; sig++) {
		if (sigismember(&ending, sig))
			sigaction(sig, &action, NULL);
	}
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return b && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Standard output is not replaced: the shell's >> appends to it. */
static int take_fd(struct outfile *o, const char *name, int fd)
{
	struct file *f = &o->file;

	f->fd = fd;
	f->path = strdup(name);
	f->full = FILE_BUFFER - FILE_LINE_MAX;
	f->buf = malloc(FILE_BUFFER);
	return f->path && f->buf ? 0 : msg_no_memory();
}

static int take_stdout(struct outfile *o, const char *name, const struct stat *in)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return report_error(name, "cannot be written to", errno);
	if (S_ISREG(st.st_mode) && same_file(&st, in)) {
		close(fd);
		return -EEXIST;
	}
	return take_fd(o, name, fd);
}

static bool is_stdout(const struct stat *st)
{
	struct stat own;

	return !fstat(STDOUT_FILENO, &own) && same_file(st, &own);
}

/* Of an earlier run, or anybody's: it is replaced. Nobody can open it before it has its rights. */
static int make_part(struct outfile *o)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd, ret;

	if (unlinkat(o->way.up, part.name, 0) && errno != ENOENT)
		return report_error(o->path, "cannot remove what is at " OUTFILE_PART, errno);
	fd = openat(o->way.up, part.name, flags, 0600);
	if (fd < 0)
		return report_error(o->path, "cannot write", errno);
	o->part = part.name;
	ret = rights_apply(fd, 0666);
	if (!ret)
		return take_fd(o, o->path, fd);
	close(fd);
	return report_error(o->path, "cannot set the permissions", -ret);
}

/* What it is renamed to, also a link, is replaced. */
static int open_part(struct outfile *o, const struct stat *in)
{
	if (snprintf(part.name, sizeof(part.name), "%s" OUTFILE_PART, o->way.name) >=
	    (int)sizeof(part.name))
		return report_error(o->path, "cannot write", ENAMETOOLONG);
	if (in && S_ISREG(in->st_mode))
		rights_at_most(in, getegid());
	part.up = o->way.up;
	remove_on_signals();
	return make_part(o);
}

/* A link, a pipe or a device. */
static int open_there(struct outfile *o, const struct stat *in)
{
	struct stat st;
	int fd;

	fd = openat(o->way.up, o->way.name, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	/* A link that leads nowhere is replaced, too. */
	if (fd < 0 && errno == ENOENT)
		return open_part(o, in);
	if (fd < 0 || fstat(fd, &st))
		return report_error(o->path, "cannot open", errno);
	if (!S_ISREG(st.st_mode))
		return take_fd(o, o->path, fd);
	close(fd);
	if (same_file(&st, in))
		return -EEXIST;
	return is_stdout(&st) ? take_stdout(o, o->path, in) : open_part(o, in);
}

static bool ends_in_slash(const char *path)
{
	return *path && path[strlen(path) - 1] == '/';
}

int outfile_open(struct outfile *o, const char *path, const struct stat *in)
{
	struct stat st;
	int ret;

	*o = (struct outfile){ .file.fd = -1, .path = path, .way.up = -1 };
	if (!path)
		return take_stdout(o, "standard output", in);
	if (ends_in_slash(path))
		return report_error(path, "cannot open", EISDIR);
	ret = below_find(&o->way, path, false);
	if (ret)
		return ret;
	if (fstatat(o->way.up, o->way.name, &st, AT_SYMLINK_NOFOLLOW))
		return open_part(o, in);
	if (!S_ISREG(st.st_mode))
		return below_check(path, path, &st) ?: open_there(o, in);
	return same_file(&st, in) ? -EEXIST : open_part(o, in);
}

int outfile_close(struct outfile *o)
{
	bool opened = o->file.fd >= 0;
	int ret = file_close(&o->file);

	if (o->part) {
		if (opened && !ret && renameat(o->way.up, o->part, o->way.up, o->way.name))
			ret = report_error(o->path, "cannot write", errno);
		if (!opened || ret)
			unlinkat(o->way.up, o->part, 0);
	}
	below_lose(&o->way);
	return ret;
}
