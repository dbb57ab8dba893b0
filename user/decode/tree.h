/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_TREE_H
#define OVNIK_DECODE_TREE_H

#include "util/types.h"

/**
 * tree_make_dir() - Make a directory unless it is there.
 * @path: the directory
 *
 * Context: Any.
 * Return: 0, a negative errno (told).
 */
int tree_make_dir(const char *path) __must_check;

/**
 * tree_replace() - Make an empty directory for an ovni trace.
 * @path: the directory; is emptied if nothing is in it but what an ovni trace
 *	  and the emulators that read it consist of, else refused
 *
 * No symbolic link is followed, neither to what is removed nor for @path itself.
 *
 * Context: Any.
 * Return: 0, a negative errno (told).
 */
int tree_replace(const char *path) __must_check;

/**
 * tree_open_new() - Make a directory that is not there, and open it.
 * @path: the directory
 *
 * Context: Any.
 * Return: file descriptor, a negative errno (told).
 */
int tree_open_new(const char *path) __must_check;

#endif /* OVNIK_DECODE_TREE_H */
