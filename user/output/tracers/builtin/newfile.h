/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_NEWFILE_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_NEWFILE_H

#include "util/below.h"

/*
 * A file that a tracer writes. Its name ends in ".part" until it is complete. A run that fails
 * removes it; what a killed run leaves is replaced by the next run.
 */

/**
 * struct newfile - A file that is being written.
 * @path: its name
 * @way: that leads there, while there is @part
 * @part: its temporary name, by a descriptor; NULL: it is not open, or complete
 * @fd: file descriptor; -1 if another has taken it over
 */
struct newfile {
	char *path;
	struct below_way way;
	char *part;
	int fd;
};

/**
 * newfile_parse() - Parse the argument file=PATH.
 * @f: zeroed; call newfile_close() in any case
 * @args: as struct tracer_class's parse gets it
 *
 * Context: Any.
 * Return: 0; -EINVAL (reported); -ENOMEM.
 */
int newfile_parse(struct newfile *f, const char *args) __must_check;

/**
 * newfile_check() - Is there a path that a file can have?
 * @f: the file
 * @key: the argument that names it
 *
 * Context: Any.
 * Return: 0; -EINVAL (reported).
 */
int newfile_check(const struct newfile *f, const char *key) __must_check;

/**
 * newfile_open() - Begin a file.
 * @f: after newfile_parse(); nothing may have its name
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int newfile_open(struct newfile *f) __must_check;

/**
 * newfile_keep() - The file is complete: give it its name.
 * @f: the file
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int newfile_keep(struct newfile *f) __must_check;

/**
 * newfile_close() - Close; removes a file that is not complete.
 * @f: as the others left it, or zeroed
 *
 * Context: Any.
 */
void newfile_close(struct newfile *f);

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_NEWFILE_H */
