/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_STAGE_H
#define OVNIK_UTIL_STAGE_H

#include "util/types.h"

#define STAGE_NAME	".ovnik.part"

/**
 * struct stage - A directory beside the outputs in which they are written.
 * @dir: where they belong
 * @path: where they are written: STAGE_NAME in @dir; NULL if there is none
 * @made: @dir was made for them: it is removed if they are not written
 * @lock: file descriptor of @path, locked
 *
 * What is in @dir is whole: it gets there by rename, at the end. SIGINT, SIGTERM and SIGHUP, unless
 * they are ignored, remove @path before they end the program. SIGKILL leaves it; the next run
 * removes it.
 */
struct stage {
	const char *dir;
	char *path;
	bool made;
	int lock;
};

/**
 * stage_begin() - Make the directory in which outputs are written.
 * @s: is set; stage_end() undoes it, also after a failure
 * @dir: where they belong; made unless it is there
 *
 * Context: One at a time. Starts a thread that waits for signals, and holds no lock until one
 * comes: the caller may fork.
 * Return: 0; a negative errno (reported): -EBUSY if another run writes there.
 */
int stage_begin(struct stage *s, const char *dir) __must_check;

/**
 * stage_commit() - Move all that was written to where it belongs.
 * @s: begun; all files are closed
 *
 * A file replaces a file of its name, what is in a directory goes into the one of its name. What
 * begins with a dot is not moved.
 *
 * Context: As stage_begin().
 * Return: 0; a negative errno (reported): some may have been moved.
 */
int stage_commit(struct stage *s) __must_check;

/**
 * stage_end() - Remove what was not moved.
 * @s: as stage_begin() left it, or zeroed
 *
 * Context: As stage_begin().
 */
void stage_end(struct stage *s);

#endif /* OVNIK_UTIL_STAGE_H */
