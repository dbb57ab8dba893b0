/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_STAT_H
#define OVNIK_MERGE_STAT_H

#include "canon/canon.h"
#include "canon/curve.h"
#include "processes.h"
#include "refs/read.h"

#define STAT_WINDOWS	200	/* of the time, for the working set */

/* References to a mapping: a file, or a kind of memory. */
struct stat_use {
	u64 refs[REFS_NR_KINDS];
	u64 pages;
};

/**
 * struct stat_who - The references of a process, of the kernel, or of all.
 * @pid: of the process; 0: not one
 * @times: which of those that had the number
 * @name: of it
 * @curve: its pages' reuse distances
 * @misses: once it has ended, in place of @curve: of memories of stat_size() pages
 * @refs: references by kind
 * @pages: different pages
 * @uses: by mapping, plus 1: &struct stat_use
 * @next: the next one, in the order in which they began
 */
struct stat_who {
	u32 pid;
	u64 times;
	char name[OVNIK_COMM_LEN];
	struct curve curve;
	u64 *misses;
	u64 refs[REFS_NR_KINDS];
	u64 pages;
	struct idmap uses;
	struct stat_who *next;
};

/* A part of the time. */
struct stat_window {
	u64 refs;
	u64 pages;
	u64 user;	/* pages that user code refers to */
	u64 cache;	/* pages of files */
};

/**
 * struct stat - What references are to.
 * @canon: their pages
 * @begin: of the time
 * @width: of a window, ticks
 * @windows: STAT_WINDOWS of them
 * @seen: page to the window in which it was referenced last, plus 1
 * @seen_user: the same by user code
 * @room: of @seen and of @seen_user
 * @all: the whole machine
 * @uncached: without the pages of files
 * @kernel: what kernel code makes
 * @known: processes of the capture
 * @processes: by number, plus 1, while they live
 * @first: the first process
 * @last: where the next one is linked
 * @who: whose the last reference was
 * @task: of the last reference
 * @no_memory: there was none
 */
struct stat {
	const struct canon *canon;
	u64 begin;
	u64 width;
	struct stat_window windows[STAT_WINDOWS];
	u32 *seen;
	u32 *seen_user;
	u64 room;
	struct stat_who all;
	struct stat_who uncached;
	struct stat_who kernel;
	struct processes *known;
	struct idmap processes;
	struct stat_who *first;
	struct stat_who **last;
	struct stat_who *who;
	const struct world_task *task;
	bool no_memory;
};

/* Sizes of memories: 1, 2, 3, 4, 6, 8, 12, ... pages. */
static inline u64 stat_size(u32 nr)
{
	return nr < 2 ? 1ULL + nr : nr % 2 ? 1ULL << (nr + 1) / 2 : 3ULL << (nr / 2 - 1);
}

#define STAT_SIZES	40	/* to 4 GiB */

/**
 * stat_begin() - Count the references of a capture's time.
 * @s: all zero; call stat_end() in any case
 * @canon: their pages
 * @known: processes of the capture
 * @w: the world
 * @begin: TSC
 * @end: TSC
 *
 * Return: 0, -ENOMEM.
 */
int stat_begin(struct stat *s, const struct canon *canon, struct processes *known,
	       struct world *w, u64 begin, u64 end) __must_check;

/**
 * stat_ref() - Count a reference.
 * @s: counts
 * @ref: the reference
 * @page: its canonical page
 * @task: who runs; NULL: not known
 */
void stat_ref(struct stat *s, const struct refs_ref *ref, u64 page,
	      const struct world_task *task);

/**
 * stat_write() - Write what was counted: stat.txt, references.csv, working-set.csv,
 *		  miss-ratio.csv, miss-ratio.svg.
 * @s: counts
 * @dir: where
 *
 * Return: 0, a negative errno (reported).
 */
int stat_write(struct stat *s, const char *dir) __must_check;

/**
 * stat_misses() - Misses of a process.
 * @who: it
 * @nr: of the memory's size: see stat_size()
 *
 * Return: how many.
 */
u64 stat_misses(const struct stat_who *who, u32 nr);

/**
 * stat_picture() - Write the miss ratio curves as a picture: miss-ratio.svg.
 * @s: counts
 * @dir: where
 *
 * Return: 0, a negative errno (reported).
 */
int stat_picture(const struct stat *s, const char *dir) __must_check;

/**
 * stat_end() - Free all.
 * @s: as stat_begin() left it, or zeroed
 */
void stat_end(struct stat *s);

#endif /* OVNIK_MERGE_STAT_H */
