// SPDX-License-Identifier: GPL-2.0-only
/* A text file written from beginning to end. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/msg.h"

bool text_is_numbered(const char *name, const char *prefix, const char *suffix)
{
	size_t len = strlen(prefix);

	if (strncmp(name, prefix, len) || !isdigit((unsigned char)name[len]))
		return false;
	for (name += len; isdigit((unsigned char)*name); name++)
		;
	return !strcmp(name, suffix);
}

static void fail(struct file *o, int error)
{
	if (o->error)
		return;
	o->error = report_error(o->path, "cannot write", error);
	if (o->latch && !*o->latch)
		*o->latch = o->error;
}

static size_t share(u32 nr)
{
	size_t full = FILE_BUFFERS / nr;

	if (full < FILE_BUFFER_MIN)
		return FILE_BUFFER_MIN;
	return full < FILE_BUFFER - FILE_LINE_MAX ? full : FILE_BUFFER - FILE_LINE_MAX;
}

int file_open(struct file *o, const char *path, int *latch)
{
	return file_open_one_of(o, path, latch, 1);
}

int file_open_one_of(struct file *o, const char *path, int *latch, u32 nr)
{
	memset(o, 0, sizeof(*o));
	o->fd = -1;
	o->latch = latch;
	o->path = strdup(path);
	o->full = share(nr);
	o->buf = malloc(o->full + FILE_LINE_MAX);
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

int write_all(int fd, const void *buf, size_t len)
{
	size_t done = 0;

	while (done < len) {
		ssize_t put = write(fd, (const char *)buf + done, len - done);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return errno;
		done += put;
	}
	return 0;
}

bool file_is_same(const char *a, const char *b)
{
	struct stat one, other;

	return !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

ssize_t pread_all(int fd, void *buf, size_t len, u64 offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t got = pread(fd, (char *)buf + done, len - done, offset + done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			break;
		done += got;
	}
	return done;
}

static void put(struct file *o, const void *from, size_t len)
{
	int error = o->error ? 0 : write_all(o->fd, from, len);

	if (error)
		fail(o, error);
}

void file_flush(struct file *o)
{
	if (o->on_flush)
		o->on_flush(o->data, o->buf + o->seen, o->buf + o->len);
	o->seen = 0;
	put(o, o->buf, o->len);
	o->len = 0;
}

void file_write(struct file *o, const void *from, size_t len)
{
	file_flush(o);
	put(o, from, len);
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
