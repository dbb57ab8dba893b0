/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_RIGHTS_H
#define OVNIK_UTIL_RIGHTS_H

#include <sys/stat.h>

#include "util/types.h"

/*
 * What is made gives no more rights than what it is made of: the mask of the process (umask) is
 * narrowed before anything is made. Access control lists that a directory hands down would be used
 * in place of the mask, so they are removed.
 */

/**
 * rights_at_most() - What is made from now on gives no more rights than this.
 * @st: of a file or directory that is read
 * @group: the group of what will be made; if @st has another, that group gets only what everybody
 *	   gets
 *
 * Several calls add up.
 *
 * Context: Before any other thread makes files.
 */
void rights_at_most(const struct stat *st, gid_t group);

/**
 * rights_of() - rights_at_most() of a directory and the files in it, or of one file.
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
 * rights_inherit_none() - What is made in a directory gets no access control list from it.
 * @fd: its file descriptor
 *
 * Context: Any.
 */
void rights_inherit_none(int fd);

#endif /* OVNIK_UTIL_RIGHTS_H */
