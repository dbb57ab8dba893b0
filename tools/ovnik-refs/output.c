// SPDX-License-Identifier: GPL-2.0-only
/* The output: a file is written beside its place and renamed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "util/msg.h"

/* Where the file is written; a signal handler needs it. */
static char part[PATH_MAX];

static void on_end(int sig)
{
	unlink(part);
	raise(sig);
}

/* The signals that would end the program: not those that are ignored, as by nohup. */
static void remove_on_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_end, .sa_flags = SA_RESETHAND }, old;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Unlike file_open(), write to a link, pipe or device that is there. */
static int open_there(struct refs_output *o, const char *name, const struct stat *in)
{
	struct file *f = &o->file;
	struct stat st;

	f->fd = o->path ? open(o->path, O_WRONLY | O_CLOEXEC) : STDOUT_FILENO;
	if (f->fd < 0)
		return report_error(name, "cannot open", errno);
	f->path = strdup(name);
	f->buf = malloc(FILE_BUFFER);
	if (!f->path || !f->buf)
		return msg_no_memory();
	if (fstat(f->fd, &st))
		return report_error(name, "cannot stat", errno);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (same_file(&st, in))
		return -EEXIST;
	/* By a link. Standard output stays as it is: the shell's >> appends. */
	return o->path && ftruncate(f->fd, 0) ? report_error(name, "cannot empty", errno) : 0;
}

static int open_part(struct refs_output *o)
{
	if (snprintf(part, sizeof(part), "%s" REFS_PART, o->path) >= (int)sizeof(part))
		return report_error(o->path, "cannot open", ENAMETOOLONG);
	o->renames = true;
	remove_on_signals();
	return file_open(&o->file, part, NULL);
}

int refs_output_open(struct refs_output *o, const char *path, const struct stat *in)
{
	struct stat st;
	bool there;

	o->path = path;
	there = path && !lstat(path, &st);
	if (!path || (there && !S_ISREG(st.st_mode)))
		return open_there(o, path ? path : "standard output", in);
	if (there && same_file(&st, in))
		return -EEXIST;
	return open_part(o);
}

int refs_output_close(struct refs_output *o)
{
	bool opened = o->file.fd >= 0;
	int ret = file_close(&o->file);

	if (!o->renames || !opened)
		return ret;
	if (!ret && rename(part, o->path))
		ret = report_error(o->path, "cannot write", errno);
	if (ret)
		unlink(part);
	return ret;
}
