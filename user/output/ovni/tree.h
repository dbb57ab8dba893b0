/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_OVNI_TREE_H
#define OVNIK_OUTPUT_OVNI_TREE_H

#include "util/types.h"

/**
 * tree_check() - May the directory of an ovni trace be removed?
 * @at: file descriptor of the directory that it is in
 * @name: its name there; need not be there
 * @path: for messages
 *
 * It may if it contains only files of an ovni trace and of the emulators that read it.
 * A symbolic link is not a directory.
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int tree_check(int at, const char *name, const char *path) __must_check;

/**
 * tree_check_all() - As tree_check(), and may all directories in it be emptied?
 * @at: file descriptor of the directory that it is in
 * @name: its name there; need not be there
 * @path: for messages
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int tree_check_all(int at, const char *name, const char *path) __must_check;

/**
 * tree_remove() - Remove the directory of an ovni trace.
 * @at: file descriptor of the directory that it is in
 * @name: its name there; checked as by tree_check(); need not be there
 * @path: for messages
 *
 * No symbolic link is followed.
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int tree_remove(int at, const char *name, const char *path) __must_check;

/**
 * tree_open_new() - Create a directory that does not exist, and open it.
 * @path: the directory
 *
 * Context: Any.
 * Return: file descriptor, a negative errno (reported).
 */
int tree_open_new(const char *path) __must_check;

#endif /* OVNIK_OUTPUT_OVNI_TREE_H */
