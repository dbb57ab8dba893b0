/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FILELOAD_NAMES_H
#define GUEST_FILELOAD_NAMES_H

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

/**
 * hold_by_thread() - The same in a process whose first thread has ended.
 * @dir: where
 */
void hold_by_thread(char *dir);

#define NR_ODD_NAMES	16

extern const char * const odd_names[NR_ODD_NAMES];

/**
 * act_opens() - Open what can be opened, and what cannot.
 */
void act_opens(void);

/**
 * act_jail() - Open files from a directory that is the root.
 */
void act_jail(void);

/**
 * act_nobody() - Open files without the right to.
 */
void act_nobody(void);

/**
 * act_no_direct() - Open with O_DIRECT where there is none: it fails when the file is open already.
 */
void act_no_direct(void);

/**
 * open_truncated() - Truncate a file by opening it.
 */
void open_truncated(void);

/**
 * act_closes() - Close files: the last copy, a mapped one, one in a socket, in other processes.
 */
void act_closes(void);

/**
 * act_deletes() - Delete files that are open, mapped, linked, unnamed or held by another process.
 */
void act_deletes(void);

/**
 * act_renames() - Rename files, over others, too.
 */
void act_renames(void);

/* An open file that a child has from its parent. */
extern int handed_down;

/**
 * give_turn() - Let the process go on that is in wait_turn().
 */
void give_turn(void);

/**
 * wait_turn() - Wait for give_turn() in another process.
 */
void wait_turn(void);

#endif /* GUEST_FILELOAD_NAMES_H */
