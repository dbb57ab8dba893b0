/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_STAGE_H
#define OVNIK_UTIL_STAGE_H

#include <sys/types.h>

#include "util/below.h"

#define STAGE_NAME	".ovnik.part"

/**
 * struct stage - A directory beside the outputs in which they are written.
 * @dir: where they belong
 * @way: that leads there
 * @path: where they are written, by a descriptor, which messages call @dir; NULL if there is none
 * @made: @dir was made for them: it is removed if they are not written
 * @lock: file descriptor of the stage, STAGE_NAME in @dir, locked
 * @group: that what is in it belongs to
 *
 * What is in @dir is whole: it gets there by rename, at the end. SIGINT, SIGTERM and SIGHUP, unless
 * they are ignored, remove the stage before they end the program. SIGKILL leaves it; the next run
 * removes it. Only its user has rights to the stage, so that who owns @dir cannot touch what is not
 * whole, nor lead a path elsewhere by something in it.
 */
struct stage {
	struct below dir;
	struct below_way way;
	char *path;
	bool made;
	int lock;
	gid_t group;
};

/**
 * stage_begin() - Make the directory in which outputs are written.
 * @s: is set; stage_end() undoes it, also after a failure
 * @dir: where they belong; made unless it is there; kept. Not any directory, see below_find()
 *
 * Context: One at a time. Starts a thread that waits for signals, and holds no lock until one
 * comes: the caller may fork.
 * Return: 0; a negative errno (reported): -EBUSY if another run writes there, -EPERM if it is not
 * safe to.
 */
int stage_begin(struct stage *s, const char *dir) __must_check;

/**
 * stage_made_of() - Outputs give no more rights than what they are made of.
 * @s: begun
 * @path: what is read, a directory or a file
 *
 * See rights_of(). Nor does @s->dir, if it was made for them.
 *
 * Context: As stage_begin(); before the first output.
 * Return: 0; a negative errno (reported).
 */
int stage_made_of(const struct stage *s, const char *path) __must_check;

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
