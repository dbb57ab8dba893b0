/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_EMPTY_H
#define OVNIK_UTIL_EMPTY_H

#define EMPTY_DEPTH_MAX	16

/* What empty_dir() removes from a directory, can_empty_dir() asks for: no more, no less. */

/**
 * empty_dir() - Remove all that is in a directory.
 * @fd: the directory; is closed
 *
 * Two threads may do so at the same time: what is gone already is none's fault.
 *
 * Context: May sleep.
 * Return: 0, a negative errno; -EOVERFLOW: it is more than EMPTY_DEPTH_MAX directories deep.
 */
int empty_dir(int fd);

/**
 * can_empty_dir() - Could empty_dir() do it?
 * @fd: the directory; is closed
 *
 * Context: May sleep.
 * Return: 0, or as it would.
 */
int can_empty_dir(int fd);

#endif /* OVNIK_UTIL_EMPTY_H */
