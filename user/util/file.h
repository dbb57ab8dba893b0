/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_FILE_H
#define OVNIK_UTIL_FILE_H

#include "util/types.h"

#define OUTPUT_BUFFER	(256 << 10)
#define OUTPUT_LINE_MAX	(32 << 10)	/* that one output_room() promises */

/**
 * struct output - A text file written from beginning to end.
 * @fd: file descriptor; -1 if it is not open
 * @path: for messages
 * @buf: OUTPUT_BUFFER bytes
 * @len: bytes in @buf
 * @error: negative errno of the first write that failed
 */
struct output {
	int fd;
	char *path;
	char *buf;
	size_t len;
	int error;
};

/**
 * output_open() - Create a file, in place of one that is there.
 * @o: is set; call output_close() in any case
 * @path: the file; a symbolic link is replaced, not followed
 *
 * Context: Any.
 * Return: 0, a negative errno (told).
 */
int output_open(struct output *o, const char *path) __must_check;

/**
 * output_flush() - Write out what is buffered.
 * @o: the file
 *
 * The first error is told, and kept in @o->error; what comes later is dropped.
 *
 * Context: Any.
 */
void output_flush(struct output *o);

/**
 * output_write() - Write out what is buffered, and then what is not.
 * @o: the file
 * @from: what comes next
 * @len: its bytes
 *
 * As output_flush().
 *
 * Context: Any.
 */
void output_write(struct output *o, const void *from, size_t len);

/**
 * output_close() - Close a file.
 * @o: as output_open() left it, or zeroed
 *
 * Context: Any.
 * Return: 0, @o->error, or what close() gave (told).
 */
int output_close(struct output *o);

/**
 * output_room() - Where the next text goes.
 * @o: the file
 *
 * Context: Any.
 * Return: room for OUTPUT_LINE_MAX bytes; see output_done().
 */
static inline char *output_room(struct output *o)
{
	if (unlikely(o->len > OUTPUT_BUFFER - OUTPUT_LINE_MAX))
		output_flush(o);
	return o->buf + o->len;
}

/**
 * output_done() - The text is there.
 * @o: the file
 * @end: behind its last byte
 *
 * Context: Any.
 */
static inline void output_done(struct output *o, const char *end)
{
	o->len = end - o->buf;
}

#endif /* OVNIK_UTIL_FILE_H */
