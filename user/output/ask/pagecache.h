/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_ASK_PAGECACHE_H
#define OVNIK_OUTPUT_ASK_PAGECACHE_H

#include "output/ask/top.h"

/*
 * Pages of files in the page cache: which came, went, and had to come again; who did that, on
 * which CPU; which reads hit. Files, processes and hits are those of the report, threads those of
 * "top --by thread". Memory: as they, 100 bytes for each 64 pages that were removed, and for each
 * file, thread and CPU; of both, no more than some 100 MB, and what is left out is said.
 */

/**
 * struct page_count - Pages of world_page_size(). Saturates.
 * @again: of @added: those that had been removed before
 * @added: that the cache got
 * @removed: that it gave up
 */
struct page_count {
	u64 again;
	u64 added;
	u64 removed;
};

/**
 * struct page_row - A row: of a file, of a process, or of a file, thread and CPU.
 * @pages: its pages
 * @io: hits and misses of a file or process
 * @number: of a process; of the others, in the order of appearance
 * @recorder: it is the process that recorded: it is behind all others
 * @name: of the process or thread
 * @pid: of the process; 0: not known
 * @tid: of the thread; 0: none, or not known
 * @cpu: on which CPU
 * @id: the file
 * @file: what is known of it; NULL: not given, or nothing
 */
struct page_row {
	struct page_count pages;
	struct report_io io;
	u64 number;
	bool recorder;
	char name[32];
	u64 pid;
	u64 tid;
	u64 cpu;
	struct trace_file id;
	const struct report_file *file;
};

/**
 * struct pagecache - The question.
 * @top: threads, processes and files
 * @threads: id of a live thread's task, by its number
 * @gone: struct page_file of pagecache.c: which pages were removed
 * @uses: struct page_use of pagecache.c: who did what on which CPU
 * @cost: of @gone, in leaves of pagecache.c
 * @unwatched: pages removed that were too many to know them again
 * @partial: what others removed is not in the capture, so what came again is not known
 * @all: pages of all files
 */
struct pagecache {
	const struct world *world;
	struct top top;
	struct idmap threads;
	struct hash_table gone;
	struct hash_table uses;
	u32 cost;
	u64 unwatched;
	bool partial;
	struct page_count all;
};

/**
 * pagecache_attach_tasks() - Attach to tasks, and to the world after them.
 * @pc: zero but for its options and its report, which is attached to a world; call
 *	pagecache_free() in any case
 * @tasks: of at least REPORT_KINDS
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int pagecache_attach_tasks(struct pagecache *pc, struct hookable *tasks) __must_check;

/*
 * Make the rows after the pass, those with most pages added again first, then removed, then
 * added; the recorder last.
 * @partial must be set before.
 * Return an array to be freed; NULL without memory.
 */
struct page_row *pagecache_files(const struct pagecache *pc, size_t *nr);
struct page_row *pagecache_processes(const struct pagecache *pc, size_t *nr);
struct page_row *pagecache_uses(const struct pagecache *pc, size_t *nr);

/**
 * pagecache_free() - Free what it has.
 * @pc: as pagecache_attach_tasks() left it, or zeroed
 */
void pagecache_free(struct pagecache *pc);

#endif /* OVNIK_OUTPUT_ASK_PAGECACHE_H */
