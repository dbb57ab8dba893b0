/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_ASK_TOP_H
#define OVNIK_OUTPUT_ASK_TOP_H

#include "output/output.h"
#include "output/report/report.h"

/*
 * Who used most: processes, programs, threads, files, CPUs, reasons of waiting. Processes, programs
 * and files are those of the report; the others are attached to tasks, too. Memory: as the report,
 * and for threads if the question is about them.
 */

/* Of which the answer has a row each: enum, name. */
#define TOP_BYS(B)		\
	B(PROCESS, process)	\
	B(COMM, comm)		\
	B(THREAD, thread)	\
	B(FILE, file)		\
	B(CPU, cpu)		\
	B(REASON, reason)

#define TOP_BY_ENUM(id, name) TOP_BY_##id,

/* A number for each row of TOP_BYS. */
enum top_by {
	TOP_BYS(TOP_BY_ENUM)
	TOP_NR_BYS
};

/* Reasons after those of enum tasks_wait. */
enum top_reason {
	TOP_RUNNING = TASKS_NR_WAITS,
	TOP_UNKNOWN,
	TOP_NR_REASONS
};

/**
 * struct top_row - A row.
 * @who: who it is, and what it did; first, so that report_sort() can sort rows
 * @id: of a thread: its number; of a CPU: likewise
 * @name: of a thread, the last one; of a reason
 * @times: of a reason: how long; of a CPU: how long threads had waited that then got it
 * @process: of a thread: its process; of a reason: that of the longest time
 * @file: of a file: which; NULL: of several
 * @added: of a file: pages that the page cache got
 * @removed: likewise, gave up
 */
struct top_row {
	struct report_process who;
	u64 id;
	char name[32];
	struct report_times times;
	const struct report_process *process;
	const struct report_file *file;
	u64 added;
	u64 removed;
};

/**
 * struct top - The question.
 * @report: it knows processes and files, and is the base
 * @by: enum top_by
 * @sort: name of the column to sort by; NULL: the first one of numbers
 * @table: the table, before it is written
 * @columns: of @table
 * @rows: struct top_row of threads, by id of their task
 * @cpus: rows of CPUs; NULL: the question is not about them
 * @waited: end of the last wait for a CPU that has ended
 * @waited_ns: how long it was
 * @waited_thread: id of the thread's task; 0: none
 */
struct top {
	struct report report;
	u32 by;
	const char *sort;
	struct report_table table;
	struct sums_columns columns;
	struct idmap rows;
	struct top_row *cpus;
	u64 waited;
	u64 waited_ns;
	u64 waited_thread;
};

/**
 * top_attach_tasks() - Attach to tasks.
 * @top: zero but for its options and its report, which is attached to a world; call top_free() in
 *	 any case
 * @tasks: of at least REPORT_KINDS
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int top_attach_tasks(struct top *top, struct hookable *tasks) __must_check;

/**
 * top_attach_files() - Attach for files also, whatever the question is about.
 * @top: the question, its report attached
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int top_attach_files(struct top *top) __must_check;

/**
 * top_reason_rows() - Make a row for each reason of waiting, and for what else a thread may do.
 * @top: the question, after report_settle()
 * @nr: is set
 * @all: @times is set: the sum of all
 *
 * Return: an array to be freed; NULL without memory.
 */
struct top_row *top_reason_rows(struct top *top, size_t *nr, struct top_row *all);

/**
 * top_rows() - Make the rows, in the order of appearance.
 * @top: the question, after the pass
 * @nr: is set
 * @all: is set: the sum of all
 *
 * Return: an array to be freed; NULL without memory.
 */
struct top_row *top_rows(struct top *top, size_t *nr, struct top_row *all);

/**
 * top_add_file() - Add a file to a row.
 * @row: the row
 * @file: a file, or the sum of several
 */
void top_add_file(struct top_row *row, const struct report_file *file);

/**
 * top_free() - Free what it has.
 * @top: as top_attach_tasks() left it, or zeroed
 */
void top_free(struct top *top);

#endif /* OVNIK_OUTPUT_ASK_TOP_H */
