// SPDX-License-Identifier: GPL-2.0-only
/* Open, read, write, copy, rename and delete files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "act.h"
#include "act_file.h"

/* Different ones, so that none is taken for another. */
#define LENGTH	3000

static char buffer[LENGTH];

/**
 * act_file_read() - Expect a read.
 * @span:   when
 * @what:   by what
 * @op:	    likewise
 * @of:	    the file
 * @offset: where it began, bytes
 * @bytes:  how many were read
 */
void act_file_read(const struct span *span, const char *what, enum ovnik_file_op op,
		   const struct act_file *of, u64 offset, s64 bytes)
{
	if (bytes < 0) {
		deed_untried(OVNIK_EV_file_read, "%s fails", what);
		return;
	}
	EXPECT(file_read, span, what, KEY(file_read, tid, gettid()), IS(file_read, op, op),
	       IS(file_read, ino, of->ino), IS(file_read, dev, of->dev),
	       IS(file_read, offset, offset), IS(file_read, result, (u32)bytes));
}

/**
 * act_file_written() - Expect a write.
 * @span:   when
 * @what:   by what
 * @op:	    likewise
 * @of:	    the file
 * @offset: where it began, bytes
 * @bytes:  how many were written
 */
void act_file_written(const struct span *span, const char *what, enum ovnik_file_op op,
		      const struct act_file *of, u64 offset, s64 bytes)
{
	if (bytes < 0) {
		deed_untried(OVNIK_EV_file_write, "%s fails", what);
		return;
	}
	EXPECT(file_write, span, what, KEY(file_write, tid, gettid()), IS(file_write, op, op),
	       IS(file_write, ino, of->ino), IS(file_write, dev, of->dev),
	       IS(file_write, offset, offset), IS(file_write, result, (u32)bytes));
}

static void expect_begin(const struct span *span, const char *what, enum ovnik_file_op op)
{
	EXPECT(file_begin, span, what, KEY(file_begin, tid, gettid()), IS(file_begin, op, op));
}

static void read_in_ways(const struct act_file *of)
{
	struct iovec vec = { .iov_base = buffer, .iov_len = 100 };
	struct span span;
	ssize_t n;

	lseek(of->fd, 11, SEEK_SET);
	DO(&span, n = read(of->fd, buffer, 100));
	expect_begin(&span, "read()", OVNIK_OP_READ);
	act_file_read(&span, "read()", OVNIK_OP_READ, of, 11, n);
	DO(&span, n = readv(of->fd, &vec, 1));
	expect_begin(&span, "readv()", OVNIK_OP_READV);
	act_file_read(&span, "readv()", OVNIK_OP_READV, of, 111, n);
	DO(&span, n = pread(of->fd, buffer, 101, 12));
	expect_begin(&span, "pread64()", OVNIK_OP_PREAD);
	act_file_read(&span, "pread64()", OVNIK_OP_PREAD, of, 12, n);
	DO(&span, n = preadv(of->fd, &vec, 1, 13));
	expect_begin(&span, "preadv()", OVNIK_OP_PREADV);
	act_file_read(&span, "preadv()", OVNIK_OP_PREADV, of, 13, n);
	DO(&span, n = pread(of->fd, buffer, 102, LENGTH));
	act_file_read(&span, "a read at the end", OVNIK_OP_PREAD, of, LENGTH, n);
}

static void write_in_ways(const struct act_file *of)
{
	struct iovec vec = { .iov_base = buffer, .iov_len = 100 };
	struct span span;
	ssize_t n;

	lseek(of->fd, 21, SEEK_SET);
	DO(&span, n = write(of->fd, buffer, 100));
	expect_begin(&span, "write()", OVNIK_OP_WRITE);
	act_file_written(&span, "write()", OVNIK_OP_WRITE, of, 21, n);
	DO(&span, n = writev(of->fd, &vec, 1));
	expect_begin(&span, "writev()", OVNIK_OP_WRITEV);
	act_file_written(&span, "writev()", OVNIK_OP_WRITEV, of, 121, n);
	DO(&span, n = pwrite(of->fd, buffer, 101, 22));
	expect_begin(&span, "pwrite64()", OVNIK_OP_PWRITE);
	act_file_written(&span, "pwrite64()", OVNIK_OP_PWRITE, of, 22, n);
	DO(&span, n = pwritev(of->fd, &vec, 1, 23));
	expect_begin(&span, "pwritev()", OVNIK_OP_PWRITEV);
	act_file_written(&span, "pwritev()", OVNIK_OP_PWRITEV, of, 23, n);
}

static void copy_in_ways(const struct act_file *from, const struct act_file *to)
{
	off_t in = 31, out = 41;
	struct span span;
	int ends[2];
	ssize_t n;

	lseek(to->fd, 51, SEEK_SET);
	DO(&span, n = sendfile(to->fd, from->fd, &in, 100));
	act_file_read(&span, "sendfile()", OVNIK_OP_SENDFILE, from, 31, n);
	act_file_written(&span, "sendfile()", OVNIK_OP_SENDFILE, to, 51, n);
	in = 32;
	DO(&span, n = copy_file_range(from->fd, &in, to->fd, &out, 101, 0));
	if (n > 0) {
		act_file_read(&span, "copy_file_range()", OVNIK_OP_COPY, from, 32, n);
		act_file_written(&span, "copy_file_range()", OVNIK_OP_COPY, to, 41, n);
	} else {
		deed_untried(OVNIK_EV_file_read, "copy_file_range(): %s", strerror(errno));
	}
	if (pipe2(ends, O_CLOEXEC))
		return;
	in = 33;
	DO(&span, n = splice(from->fd, &in, ends[1], NULL, 102, 0));
	act_file_read(&span, "splice() from a file", OVNIK_OP_SPLICE, from, 33, n);
	out = 42;
	DO(&span, n = splice(ends[0], NULL, to->fd, &out, 102, SPLICE_F_NONBLOCK));
	act_file_written(&span, "splice() to a file", OVNIK_OP_SPLICE, to, 42, n);
	close(ends[0]);
	close(ends[1]);
}

/**
 * act_file_open() - Make a file of LENGTH bytes.
 * @file:  is set; @file->fd is -1 if it cannot be made
 * @place: where
 * @name:  its name
 */
void act_file_open(struct act_file *file, const struct act_place *place, const char *name)
{
	struct span span;
	struct stat st;

	snprintf(file->path, sizeof(file->path), "%s/%s", place->dir, name);
	DO(&span, file->fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
	if (file->fd < 0 || fstat(file->fd, &st))
		return;
	file->ino = st.st_ino;
	file->dev = act_dev(st.st_dev);
	file->flags = fcntl(file->fd, F_GETFL);
	deed_text(EXPECT(file_open, &span, "open()", KEY(file_open, tid, gettid()),
			 IS(file_open, ino, file->ino), IS(file_open, dev, file->dev),
			 IS(file_open, flags, file->flags), TEXT(file_open, path)), file->path);
	if (write(file->fd, buffer, LENGTH) != LENGTH)
		deed_untried(OVNIK_EV_file_write, "%s is full", place->dir);
}

/**
 * act_file_close() - Close it.
 * @file: as act_file_open() has set it
 */
void act_file_close(const struct act_file *file)
{
	struct span span;

	DO(&span, close(file->fd));
	EXPECT(file_close, &span, "close()", KEY(file_close, tid, gettid()),
	       IS(file_close, ino, file->ino), IS(file_close, dev, file->dev),
	       IS(file_close, flags, file->flags));
}

static void rename_and_delete(const struct act_file *file)
{
	char path[sizeof(file->path) + 8];
	struct span span;
	int ret;

	snprintf(path, sizeof(path), "%s.new", file->path);
	DO(&span, ret = rename(file->path, path));
	if (!ret)
		deed_text(EXPECT(file_rename, &span, "rename()",
				 KEY(file_rename, tid, gettid()), IS(file_rename, flags, 0),
				 IS(file_rename, ino, file->ino), IS(file_rename, dev, file->dev),
				 TEXT_END(file_rename, path)), strrchr(path, '/'));
	DO(&span, ret = unlink(path));
	if (!ret)
		EXPECT(file_delete, &span, "unlink()", KEY(file_delete, ino, file->ino),
		       IS(file_delete, dev, file->dev), IS(file_delete, length, 77));
}

static void truncate_it(const struct act_file *file)
{
	struct span span;
	int ret;

	DO(&span, ret = ftruncate(file->fd, 77));
	if (!ret)
		EXPECT(file_truncate, &span, "ftruncate()", KEY(file_truncate, tid, gettid()),
		       IS(file_truncate, ino, file->ino), IS(file_truncate, dev, file->dev),
		       IS(file_truncate, length, 77));
}

/**
 * act_files() - Do with files what programs do.
 * @place: where
 */
void act_files(const struct act_place *place)
{
	struct act_file from, to;

	act_file_open(&from, place, "from");
	act_file_open(&to, place, "to");
	if (from.fd < 0 || to.fd < 0) {
		deed_untried(OVNIK_EV_file_open, "%s: %s", place->dir, strerror(errno));
		return;
	}
	read_in_ways(&from);
	write_in_ways(&to);
	copy_in_ways(&from, &to);
	truncate_it(&to);
	act_file_close(&from);
	act_file_close(&to);
	rename_and_delete(&to);
	unlink(from.path);
}
