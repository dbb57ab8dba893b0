/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_OUT_H
#define OVNIK_UTIL_OUT_H

#include <stdio.h>

#include "util/types.h"

/**
 * struct out - A small text file being written (.pcf, .row).
 * @path: its name, for messages
 * @f: the file
 */
struct out {
	char *path;
	FILE *f;
};

/**
 * out_path() - Put a directory and a file name together.
 * @dir: directory
 * @name: file name
 *
 * Return: text to free, or NULL without memory.
 */
char *out_path(const char *dir, const char *name);

/**
 * out_open() - Create a text file, in place of one that is there.
 * @out: file
 * @dir: directory
 * @name: file name
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check out_open(struct out *out, const char *dir, const char *name);

/**
 * out_label() - Write an untrusted text into a label or name.
 * @out: file
 * @text: text
 *
 * Line ends, tabs and what else utf8_shown() calls harmful become blanks, what is not UTF-8
 * question marks; an empty or blank text becomes "-", because Paraver takes the end of a line for
 * the end of the block or worse.
 */
void out_label(struct out *out, const char *text);

/**
 * out_flush() - Write what is left of a text.
 * @f: open; after a failure it may have a line end more
 *
 * Return: 0 or the negative errno of any write.
 */
int __must_check out_flush(FILE *f);

/**
 * out_end() - Write what is left of a text file, and close it.
 * @f: open
 *
 * Return: 0 or the negative errno of any write.
 */
int __must_check out_end(FILE *f);

/**
 * out_close() - Close the file.
 * @out: file
 *
 * Return: 0 or the negative errno of any write, reported on stderr.
 */
int __must_check out_close(struct out *out);

#endif /* OVNIK_UTIL_OUT_H */
