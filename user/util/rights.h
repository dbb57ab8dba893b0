/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_RIGHTS_H
#define OVNIK_UTIL_RIGHTS_H

#include <sys/stat.h>

#include "util/types.h"

/*
 * Outputs must not show anybody what their input hides. So before anything is made, the mask of the
 * process (umask) takes all rights that the input does not give. The kernel ignores the mask in a
 * directory that has a default access control list: rights_inherit_none() removes that list.
 */

/**
 * rights_at_most() - From now on, new files get no more rights than this one gives.
 * @st: of a file or directory that is read
 * @group: the group of what will be made; if @st has another, that group gets only what everybody
 *	   gets
 *
 * After several calls, new files get the rights that all of them have left.
 *
 * Context: Before any other thread makes files.
 */
void rights_at_most(const struct stat *st, gid_t group);

/**
 * rights_of() - Call rights_at_most() for a directory and the files in it, or for one file.
 * @path: the directory or the file; need not be there
 * @group: as for rights_at_most()
 *
 * Context: As rights_at_most().
 */
void rights_of(const char *path, gid_t group);

/**
 * rights_apply() - Give a new file or directory the rights that the mask leaves.
 * @fd: its file descriptor
 * @mode: 0666 or 0777
 *
 * If its group is not the one that rights_at_most() was told, as in a directory with set-group-ID,
 * that group gets only what everybody gets.
 *
 * Context: Any.
 * Return: 0, a negative errno.
 */
int rights_apply(int fd, mode_t mode) __must_check;

/**
 * rights_inherit_none() - Remove the access control list that a directory gives to new files.
 * @fd: its file descriptor
 *
 * Context: Any.
 */
void rights_inherit_none(int fd);

#endif /* OVNIK_UTIL_RIGHTS_H */
