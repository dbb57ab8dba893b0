/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_DB_ROWS_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_DB_ROWS_H

#include <limits.h>

#include "output/tracers/builtin/db_pages.h"
#include "util/types.h"

/*
 * The rows of a table with very many. They come in the order in which tasks end, and are sorted by
 * their key in runs, which are merged when all are known: then the table's pages are made without
 * SQLite, which takes eight times as long.
 */

#define DB_ROWS_NULL	LLONG_MIN

/**
 * struct db_run - Rows in the order of their keys.
 * @at: where the rest of them begins in the file
 * @end: where they end there
 * @buf: the next of them
 * @pos: of these, the first one that is not taken
 * @len: bytes of @buf
 */
struct db_run {
	off_t at;
	off_t end;
	u8 *buf;
	size_t pos;
	size_t len;
};

/**
 * struct db_rows - The rows of a table.
 * @columns: a letter for each column: 'k' the key, the first one, 'i' a number, 'n' a number or
 *	     DB_ROWS_NULL, 'r' a time in ns, stored in ps as REAL, 't' a text
 * @nr_columns: their number
 * @fd: the file of runs
 * @file_len: its length
 * @runs: they
 * @nr_runs: how many
 * @cells: rows that are in no run yet, one behind another
 * @order: these, in the order of their keys
 * @nr: how many
 * @texts: texts of the cells, one behind another
 * @texts_len: how long they are
 * @texts_room: how long they may be
 * @no_memory: a text is missing
 */
struct db_rows {
	const char *columns;
	unsigned int nr_columns;
	int fd;
	off_t file_len;
	struct db_run *runs;
	size_t nr_runs;
	s64 *cells;
	const s64 **order;
	unsigned int nr;
	char *texts;
	size_t texts_len;
	size_t texts_room;
	bool no_memory;
};

/**
 * db_rows_open() - Make ready for rows.
 * @rows: is set; call db_rows_close() in any case
 * @columns: see struct db_rows
 * @beside: a path: the runs are in a file beside it, without a name
 *
 * Return: 0, a negative errno.
 */
int db_rows_open(struct db_rows *rows, const char *columns, const char *beside) __must_check;

/**
 * db_rows_new() - A new row, whose cells are to be filled.
 * @rows: the rows, not full
 *
 * Return: the cells.
 */
s64 *db_rows_new(struct db_rows *rows);

/**
 * db_rows_text() - Cell of a text.
 * @rows: where the row is
 * @text: the text; what is no UTF-8 is replaced
 *
 * Return: the cell.
 */
s64 db_rows_text(struct db_rows *rows, const char *text);

/**
 * db_rows_added() - A row is complete.
 * @rows: the rows
 *
 * Return: 0, a negative errno.
 */
int db_rows_added(struct db_rows *rows) __must_check;

/**
 * db_rows_put() - Make the table's pages.
 * @rows: the rows; there will be no more
 * @t: the tree of the table
 *
 * Return: 0, a negative errno.
 */
int db_rows_put(struct db_rows *rows, struct db_tree *t) __must_check;

/**
 * db_rows_close() - Free all.
 * @rows: as db_rows_open() left it, or zeroed
 */
void db_rows_close(struct db_rows *rows);

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_DB_ROWS_H */
