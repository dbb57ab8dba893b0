/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_OUTPUT_H
#define OVNIK_REFS_OUTPUT_H

#include "util/file.h"

struct stat;

#define REFS_PART	".part"		/* a file's name ends so until it is whole */

/**
 * struct refs_output - The output.
 * @file: what is written
 * @path: where it belongs; NULL: standard output
 * @renames: @file is beside @path until it is closed
 */
struct refs_output {
	struct file file;
	const char *path;
	bool renames;
};

/**
 * refs_output_open() - Open the output.
 * @o: zeroed, with a file that is not open; call refs_output_close() in any case
 * @path: the output; NULL for standard output
 * @in: of the input
 *
 * A file is written beside its place; a link, a pipe or a device that is there is written to.
 * SIGINT, SIGTERM and SIGHUP, unless they are ignored, remove the file beside.
 *
 * Context: One output at a time.
 * Return: 0; a negative errno (reported), but -EEXIST: the output is the input.
 */
int refs_output_open(struct refs_output *o, const char *path, const struct stat *in) __must_check;

/**
 * refs_output_close() - Close the output, and rename it if all of it was written.
 * @o: as refs_output_open() left it
 *
 * Context: As refs_output_open().
 * Return: 0; a negative errno, which has been reported.
 */
int refs_output_close(struct refs_output *o) __must_check;

#endif /* OVNIK_REFS_OUTPUT_H */
