/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_DB_ROWS_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_DB_ROWS_H

#include <limits.h>
#include <sqlite3.h>

#include "util/types.h"

/*
 * Rows for a table of a database, many at a time: SQLite takes them from a virtual table by one
 * statement. That costs half of what a statement for each row does. They are sorted by the first
 * column, the key, so that most pages are filled in order.
 */

#define DB_ROWS_COLUMNS	20
#define DB_ROWS_NULL	LLONG_MIN

/**
 * struct db_rows - The rows that wait.
 * @db: the database
 * @columns: a letter for each column: 'i' a number, 'n' a number or DB_ROWS_NULL, 'r' a time in
 *	     ns, stored in ps as REAL, 't' a text
 * @nr_columns: their number
 * @insert: puts them into the table
 * @cells: the rows, one behind another
 * @order: the rows, sorted
 * @nr: how many
 * @texts: texts of the cells, one behind another
 * @texts_len: how long they are
 * @texts_room: how long they may be
 * @no_memory: a text is missing
 */
struct db_rows {
	struct sqlite3 *db;
	const char *columns;
	unsigned int nr_columns;
	struct sqlite3_stmt *insert;
	s64 *cells;
	const s64 **order;
	unsigned int nr;
	char *texts;
	size_t texts_len;
	size_t texts_room;
	bool no_memory;
};

/**
 * db_rows_open() - Make ready for the rows of a table.
 * @rows: is set, at an address that stays; call db_rows_close() in any case
 * @db: the database
 * @table: name of the table, which exists
 * @columns: see struct db_rows
 *
 * Return: 0, -ENOMEM, or -EIO: sqlite3_errmsg() tells why.
 */
int db_rows_open(struct db_rows *rows, struct sqlite3 *db, const char *table, const char *columns)
	__must_check;

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
 * db_rows_full() - Must the rows be put into the table?
 * @rows: the rows
 *
 * Return: true: there is no room for another one.
 */
bool db_rows_full(const struct db_rows *rows);

/**
 * db_rows_put() - Put the rows into the table.
 * @rows: the rows; there are none behind
 *
 * Return: 0, -ENOMEM, or -EIO: sqlite3_errmsg() tells why.
 */
int db_rows_put(struct db_rows *rows) __must_check;

/**
 * db_rows_close() - Free all; rows that wait are lost.
 * @rows: as db_rows_open() left it, or zeroed
 */
void db_rows_close(struct db_rows *rows);

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_DB_ROWS_H */
