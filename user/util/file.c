// SPDX-License-Identifier: GPL-2.0-only
/* A text file written from beginning to end. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/file.h"
#include "util/msg.h"

static void fail(struct file *o, int error)
{
	if (o->error)
		return;
	msg_error("%s: cannot write: %s", o->path, strerror(error));
	o->error = -error;
	if (o->latch && !*o->latch)
		*o->latch = o->error;
}

int file_open(struct file *o, const char *path, int *latch)
{
	memset(o, 0, sizeof(*o));
	o->fd = -1;
	o->latch = latch;
	o->path = strdup(path);
	o->buf = malloc(FILE_BUFFER);
	if (!o->path || !o->buf) {
		msg_error("%s: no memory", path);
		return -ENOMEM;
	}
	if (unlink(path) && errno != ENOENT) {
		fail(o, errno);
		return o->error;
	}
	o->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (o->fd < 0)
		fail(o, errno);
	return o->error;
}

static void write_all(struct file *o, const char *from, size_t len)
{
	size_t done = 0;

	while (!o->error && done < len) {
		ssize_t put = write(o->fd, from + done, len - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			fail(o, errno);
		else
			done += put;
	}
}

void file_flush(struct file *o)
{
	write_all(o, o->buf, o->len);
	o->len = 0;
}

void file_write(struct file *o, const void *from, size_t len)
{
	file_flush(o);
	write_all(o, from, len);
}

int file_close(struct file *o)
{
	if (!o->path)
		return 0;
	if (o->fd >= 0) {
		file_flush(o);
		if (close(o->fd))
			fail(o, errno);
		o->fd = -1;
	}
	free(o->buf);
	free(o->path);
	o->buf = NULL;
	o->path = NULL;
	return o->error;
}
