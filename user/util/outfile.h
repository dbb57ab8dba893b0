/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_OUTFILE_H
#define OVNIK_UTIL_OUTFILE_H

#include <sys/stat.h>

#include "util/below.h"
#include "util/file.h"

#define OUTFILE_PART	".part"		/* a file's name ends so until it is whole */

/**
 * struct outfile - An output that is one file.
 * @file: what is written
 * @path: where it belongs; NULL: standard output
 * @way: that leads there
 * @part: its name there until it is whole; NULL: it is written where it belongs
 */
struct outfile {
	struct file file;
	const char *path;
	struct below_way way;
	char *part;
};

/**
 * outfile_open() - Open the output.
 * @o: is set; call outfile_close() in any case
 * @path: the output, kept; NULL for standard output
 * @in: of the input; NULL: there is none
 *
 * A file is written beside its place, and gives no more rights than @in. A pipe or a device that is
 * there is written to, also by a link; a link to a file is replaced. SIGINT, SIGTERM and SIGHUP,
 * unless they are ignored, remove the file beside.
 *
 * Context: One output at a time.
 * Return: 0; a negative errno (reported), but -EEXIST: the output is the input.
 */
int outfile_open(struct outfile *o, const char *path, const struct stat *in) __must_check;

/**
 * outfile_close() - Close the output, and rename it if all of it was written.
 * @o: as outfile_open() left it
 *
 * Context: As outfile_open().
 * Return: 0; a negative errno, which has been reported.
 */
int outfile_close(struct outfile *o) __must_check;

#endif /* OVNIK_UTIL_OUTFILE_H */
