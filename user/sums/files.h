/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SUMS_FILES_H
#define OVNIK_SUMS_FILES_H

#include "sums/sums.h"
#include "util/hash.h"

/* What was done to each file, for as many as there is room for: see files.c. */

#define REPORT_FILES_MAX	65536

/**
 * struct report_file - A file that was opened, read or written.
 * @node: in the table of files
 * @id: which
 * @major: of its device
 * @minor: of its device
 * @opens: how often it was opened, or found open
 * @open: how often it is open now
 * @kept: of files.c
 * @io: system calls on it
 * @added: pages of it that the page cache got; only counted if a question needs it
 * @removed: likewise, gave up
 * @again: of @added: those that it had given up before
 * @own: calls on it of the recorder
 * @path: the last name by which it was opened; NULL: not known
 */
struct report_file {
	struct hash_node node;
	struct trace_file id;
	u64 major;
	u64 minor;
	u64 opens;
	u32 open;
	bool kept;
	struct report_io io;
	u64 added;
	u64 removed;
	u64 again;
	u64 own;
	char *path;
};

/**
 * struct report_files - Files. All zero except the table means none.
 * @table: struct report_file
 * @limit: the most files there is room for
 * @pages: pages are counted, too
 * @others: sums of dropped files; not which
 * @nr_others: how often one was dropped
 * @lack_ns: the most I/O time a file may have had before it was dropped
 * @lack_bytes: likewise, bytes
 * @lack_pages: likewise, pages added or removed
 */
struct report_files {
	struct hash_table table;
	u64 limit;
	bool pages;
	struct report_file others;
	u64 nr_others;
	u64 lack_ns;
	u64 lack_bytes;
	u64 lack_pages;
};

/* Which file @others is. */
#define REPORT_GIVEN_UP	"given up for lack of room"

/**
 * report_file_get() - Find a file, or add it.
 * @files: the files
 * @id: which
 *
 * Context: Any; other files may be given up.
 * Return: the file, NULL without memory.
 */
struct report_file *report_file_get(struct report_files *files, const struct trace_file *id)
	__must_check;

/**
 * report_file_find() - Find a file.
 * @files: the files
 * @id: which
 *
 * Return: the file, NULL if it is not known, or was given up.
 */
struct report_file *report_file_find(const struct report_files *files,
				     const struct trace_file *id);

/**
 * report_file_open() - A file is open.
 * @files: the files
 * @id: which
 * @path: its name; "": not known
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int report_file_open(struct report_files *files, const struct trace_file *id, const char *path)
	__must_check;

/**
 * report_file_name() - The name of a file is known, open or not.
 * @files: the files
 * @id: which
 * @path: its name; "": not known
 *
 * Context: Any; other files may be given up.
 * Return: 0, -ENOMEM.
 */
int report_file_name(struct report_files *files, const struct trace_file *id, const char *path)
	__must_check;

/**
 * report_file_close() - A file is closed.
 * @files: the files
 * @id: which
 *
 * Context: Once for each report_file_open().
 */
void report_file_close(struct report_files *files, const struct trace_file *id);

/**
 * report_files_sorted() - Sort all files that were used: by calls, or in the page cache.
 * @files: the files
 * @by_bytes: by bytes, not by time
 * @nr: is set: how many
 *
 * Context: Any.
 * Return: an array to be freed, the largest first; NULL if there are none, or without
 * memory.
 */
struct report_file **report_files_sorted(const struct report_files *files, bool by_bytes,
					 size_t *nr);

/**
 * report_files_free() - Free all files.
 * @files: the files
 *
 * Context: Any.
 */
void report_files_free(struct report_files *files);

struct facts;
struct tracer_answer;

/**
 * report_write_given_up() - Write what is known about files that were dropped, if any.
 * @files: the files
 * @json: with their sums
 * @facts: of the last pass
 * @to: where to
 */
void report_write_given_up(const struct report_files *files, bool json, const struct facts *facts,
			   struct tracer_answer *to);

/**
 * report_write_which() - Write which file it is, as JSON.
 * @file: the file
 * @to: where to
 */
void report_write_which(const struct report_file *file, struct tracer_answer *to);

/**
 * report_write_path() - Write the value "file", as text: the end of the path, or the inode.
 * @file: the file
 * @to: where to
 *
 * Context: Any.
 */
void report_write_path(const struct report_file *file, struct tracer_answer *to);

#endif /* OVNIK_SUMS_FILES_H */
