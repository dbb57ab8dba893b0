/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FILENAMES_H
#define GUEST_FILENAMES_H

/*
 * The part of fileload about names: opening, closing, deleting, renaming,
 * truncating.
 */

/**
 * make_names() - Make all that is to be there before the capture.
 */
void make_names(void);

/**
 * run_names() - Run the actors that open, close, delete, rename and truncate.
 */
void run_names(void);

/**
 * hold() - Open files in every way, say "ready" and wait; for the statedump.
 * @dir: where
 */
void hold(const char *dir);

#endif /* GUEST_FILENAMES_H */
