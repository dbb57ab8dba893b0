/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_FILE_H
#define OVNIK_UTIL_FILE_H

#include <sys/types.h>

#include "util/types.h"

/**
 * write_all() - Write all of it.
 * @fd: file descriptor
 * @buf: what
 * @len: its bytes
 *
 * Context: Any.
 * Return: 0 or errno.
 */
int write_all(int fd, const void *buf, size_t len) __must_check;

/**
 * file_is_same() - Are two paths one file or directory?
 * @a: a path
 * @b: another one
 *
 * Context: Any.
 * Return: true if both are there, and the same.
 */
bool file_is_same(const char *a, const char *b);

/**
 * pread_all() - Read as much as there is.
 * @fd: file descriptor
 * @buf: is set
 * @len: bytes at most
 * @offset: of the first one
 *
 * Context: Any.
 * Return: how many, fewer than @len only at the end of the file; a negative errno.
 */
ssize_t pread_all(int fd, void *buf, size_t len, u64 offset) __must_check;

#define FILE_BUFFER	(256 << 10)
#define FILE_BUFFERS	(64 << 20)	/* of files that are written at the same time */
#define FILE_BUFFER_MIN	(4 << 10)
#define FILE_LINE_MAX	(32 << 10)	/* that one file_room() promises */

/**
 * struct file - A text file written from beginning to end.
 * @fd: file descriptor; -1 if it is not open
 * @path: for messages
 * @buf: what is not written yet
 * @full: bytes of @buf after which it is written; there is room for FILE_LINE_MAX more
 * @len: bytes in @buf
 * @error: negative errno of the first write that failed
 * @latch: gets @error, too, unless it has one already; NULL: not needed
 * @on_flush: is given what was added from @seen on, before it leaves @buf; NULL: not needed
 * @data: for @on_flush
 * @seen: offset in @buf
 */
struct file {
	int fd;
	char *path;
	char *buf;
	size_t full;
	size_t len;
	int error;
	int *latch;
	void (*on_flush)(void *data, const char *from, const char *end);
	void *data;
	size_t seen;
};

/**
 * file_open() - Create a file, in place of one that is there.
 * @o: is set; call file_close() in any case
 * @path: the file; a symbolic link is replaced, not followed
 * @latch: gets the first error, too; NULL: not needed
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int file_open(struct file *o, const char *path, int *latch) __must_check;

/**
 * file_open_one_of() - Create a file that is written at the same time as others.
 * @o: is set; call file_close() in any case
 * @path: the file; a symbolic link is replaced, not followed
 * @latch: gets the first error, too; NULL: not needed
 * @nr: how many they are: their buffers have FILE_BUFFERS bytes together, or FILE_BUFFER_MIN each
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int file_open_one_of(struct file *o, const char *path, int *latch, u32 nr) __must_check;

/**
 * file_flush() - Write out what is buffered.
 * @o: the file
 *
 * The first error is reported, and kept in @o->error; what comes later is dropped.
 *
 * Context: Any.
 */
void file_flush(struct file *o);

/**
 * file_write() - Write out what is buffered, and then what is not.
 * @o: the file
 * @from: what comes next
 * @len: its bytes
 *
 * As file_flush().
 *
 * Context: Any.
 */
void file_write(struct file *o, const void *from, size_t len);

/**
 * file_close() - Close a file.
 * @o: as file_open() left it, or zeroed
 *
 * Context: Any.
 * Return: 0, @o->error, or what close() gave (reported).
 */
int file_close(struct file *o);

/**
 * file_room() - Where the next text goes.
 * @o: the file
 *
 * Context: Any.
 * Return: room for FILE_LINE_MAX bytes; see file_done().
 */
static inline char *file_room(struct file *o)
{
	if (unlikely(o->len > o->full))
		file_flush(o);
	return o->buf + o->len;
}

/**
 * file_done() - The text is there.
 * @o: the file
 * @end: one past its last byte
 *
 * Context: Any.
 */
static inline void file_done(struct file *o, const char *end)
{
	o->len = end - o->buf;
}

/**
 * text_is_numbered() - Is a name a prefix, a number and a suffix?
 * @name: the name
 * @prefix: what it begins with
 * @suffix: what follows the digits
 *
 * Context: Any.
 * Return: true, false.
 */
bool text_is_numbered(const char *name, const char *prefix, const char *suffix);

#endif /* OVNIK_UTIL_FILE_H */
