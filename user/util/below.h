/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_BELOW_H
#define OVNIK_UTIL_BELOW_H

#include <dirent.h>
#include <limits.h>

#include "util/types.h"

struct stat;

/*
 * To write below a directory that others may touch. A path is looked up once; from then on there
 * are descriptors, so that nobody can put another file, directory or link in the place of one that
 * was looked at. Links below are never followed.
 */

/**
 * struct below - A directory to write in.
 * @fd: it; -1: not open
 * @path: for messages
 */
struct below {
	int fd;
	const char *path;
};

/**
 * struct below_way - The way to a file or directory that need not be there.
 * @up: the directory that it is in, for lookups only; -1: none
 * @name: in @up; "." for a path that ends in a directory that has no name there, as "/"
 */
struct below_way {
	int up;
	char name[NAME_MAX + 1];
};

/**
 * below_trust_all() - Root writes into any directory.
 *
 * The user has asked for it: see below_find().
 *
 * Context: Before any other function.
 */
void below_trust_all(void);

/**
 * below_find() - Look up the directory that a file or directory is in.
 * @way: is set; call below_lose() in any case
 * @path: the file or directory
 * @link: if it is a link itself, go where it leads
 *
 * Links on the way are followed. Root refuses a way that somebody else could lead
 * elsewhere, for whom it might overwrite what he cannot: through a directory or a link that does
 * not belong to root or to the user who called sudo, or into which others may write. Not so where
 * only owners rename ("sticky", as /tmp), and after below_trust_all().
 *
 * Context: Any.
 * Return: 0, a negative errno (reported): -EPERM if the way is refused.
 */
int below_find(struct below_way *way, const char *path, bool link) __must_check;

/**
 * below_check() - May root use what is there?
 * @path: as the user named it, for messages
 * @what: for messages
 * @st: of a link, a pipe or a device on the way or at its end
 *
 * Context: Any.
 * Return: 0; -EPERM as below_find() has it (reported).
 */
int below_check(const char *path, const char *what, const struct stat *st) __must_check;

/**
 * below_check_dir() - May root use this directory?
 * @path: as the user named what is below it, for messages
 * @fd: its file descriptor
 *
 * Context: Any.
 * Return: 0; a negative errno (reported): -EPERM as below_find() has it.
 */
int below_check_dir(const char *path, int fd) __must_check;

/**
 * below_lose() - Forget a way.
 * @way: as below_find() left it
 *
 * Context: Any.
 */
void below_lose(struct below_way *way);

/**
 * below_open() - Open a directory to write in.
 * @dir: is set
 * @way: that leads there; refused as by below_find() if others own the directory itself
 * @path: for messages, kept
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int below_open(struct below *dir, const struct below_way *way, const char *path) __must_check;

/**
 * below_sub() - Open a directory in one that is open.
 * @at: file descriptor of that
 * @name: one name, or several with slashes in between: no link is followed
 *
 * Context: Any.
 * Return: file descriptor to read and to write in; -1 with errno: ENOTDIR also for a link.
 */
int below_sub(int at, const char *name) __must_check;

/**
 * below_read() - Read the names in a directory.
 * @at: file descriptor, which stays open
 *
 * Context: Any.
 * Return: for readdir(), to be closed; NULL with errno.
 */
DIR *below_read(int at) __must_check;

/**
 * below_path() - A path of a descriptor.
 * @fd: file descriptor of a directory
 *
 * What is opened by it is in that directory, whatever name that has meanwhile.
 *
 * Return: text to free; NULL without memory.
 */
char *below_path(int fd) __must_check;

/**
 * below_report() - Report on stderr why something cannot be done with what is in a directory.
 * @dir: the directory
 * @name: in it
 * @what: what cannot be done, such as "cannot remove"
 * @error: errno
 *
 * Context: Any.
 * Return: -@error.
 */
int below_report(const struct below *dir, const char *name, const char *what, int error);

#endif /* OVNIK_UTIL_BELOW_H */
