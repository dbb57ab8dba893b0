// SPDX-License-Identifier: GPL-2.0-only
/* Rows for a table of a database, many at a time: see db_rows.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/builtin/db_rows.h"
#include "util/utf8.h"

#define ROWS_MAX	2048
#define TEXTS_MAX	(256 << 10)	/* where no other row is begun */
#define TEXT_BITS	24		/* of a cell: the length of its text */

/**
 * struct rows_table - The virtual table.
 * @base: SQLite's
 * @rows: what is in it
 */
struct rows_table {
	struct sqlite3_vtab base;
	const struct db_rows *rows;
};

/**
 * struct rows_cursor - Where a statement is in it.
 * @base: SQLite's
 * @rows: the rows
 * @at: number of the row
 */
struct rows_cursor {
	struct sqlite3_vtab_cursor base;
	const struct db_rows *rows;
	unsigned int at;
};

static int table_connect(struct sqlite3 *db, void *aux, int argc, const char *const *argv,
			 struct sqlite3_vtab **table, char **error)
{
	const struct db_rows *rows = aux;
	struct rows_table *made;
	char sql[8 * DB_ROWS_COLUMNS], *to = sql;
	unsigned int i;

	(void)argc;
	(void)argv;
	(void)error;
	to += sprintf(to, "CREATE TABLE x (");
	for (i = 0; i < rows->nr_columns; i++)
		to += sprintf(to, "%sc%u", i ? "," : "", i);
	sprintf(to, ")");
	if (sqlite3_declare_vtab(db, sql))
		return SQLITE_ERROR;
	made = sqlite3_malloc(sizeof(*made));
	if (!made)
		return SQLITE_NOMEM;
	made->rows = rows;
	*table = &made->base;
	return SQLITE_OK;
}

static int table_disconnect(struct sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

static int table_plan(struct sqlite3_vtab *table, struct sqlite3_index_info *info)
{
	(void)table;
	info->estimatedCost = ROWS_MAX;
	return SQLITE_OK;
}

static int cursor_open(struct sqlite3_vtab *table, struct sqlite3_vtab_cursor **cursor)
{
	struct rows_cursor *made = sqlite3_malloc(sizeof(*made));

	if (!made)
		return SQLITE_NOMEM;
	made->rows = ((struct rows_table *)table)->rows;
	*cursor = &made->base;
	return SQLITE_OK;
}

static int cursor_close(struct sqlite3_vtab_cursor *cursor)
{
	sqlite3_free(cursor);
	return SQLITE_OK;
}

static int cursor_begin(struct sqlite3_vtab_cursor *cursor, int plan, const char *name, int argc,
			struct sqlite3_value **argv)
{
	(void)plan;
	(void)name;
	(void)argc;
	(void)argv;
	((struct rows_cursor *)cursor)->at = 0;
	return SQLITE_OK;
}

static int cursor_next(struct sqlite3_vtab_cursor *cursor)
{
	((struct rows_cursor *)cursor)->at++;
	return SQLITE_OK;
}

static int cursor_at_end(struct sqlite3_vtab_cursor *cursor)
{
	const struct rows_cursor *c = (const struct rows_cursor *)cursor;

	return c->at >= c->rows->nr;
}

static int cursor_number(struct sqlite3_vtab_cursor *cursor, sqlite3_int64 *number)
{
	*number = ((struct rows_cursor *)cursor)->at;
	return SQLITE_OK;
}

/* Akita's unit is the picosecond. */
static int cursor_cell(struct sqlite3_vtab_cursor *cursor, struct sqlite3_context *to, int column)
{
	const struct rows_cursor *c = (const struct rows_cursor *)cursor;
	s64 cell = c->rows->order[c->at][column];

	switch (c->rows->columns[column]) {
	case 'r':
		sqlite3_result_double(to, cell * 1000.0);
		break;
	case 't':
		sqlite3_result_text(to, c->rows->texts + (cell >> TEXT_BITS),
				    cell & ((1 << TEXT_BITS) - 1), SQLITE_STATIC);
		break;
	default:
		/* SQLite's cell is null if it is not set. */
		if (cell != DB_ROWS_NULL || c->rows->columns[column] == 'i')
			sqlite3_result_int64(to, cell);
	}
	return SQLITE_OK;
}

/* A table that is there without being made, and not in the file. */
static const struct sqlite3_module module = {
	.xConnect = table_connect,
	.xBestIndex = table_plan,
	.xDisconnect = table_disconnect,
	.xOpen = cursor_open,
	.xClose = cursor_close,
	.xFilter = cursor_begin,
	.xNext = cursor_next,
	.xEof = cursor_at_end,
	.xColumn = cursor_cell,
	.xRowid = cursor_number,
};

int db_rows_open(struct db_rows *rows, struct sqlite3 *db, const char *table, const char *columns)
{
	char name[64], sql[160];

	memset(rows, 0, sizeof(*rows));
	rows->db = db;
	rows->columns = columns;
	rows->nr_columns = strlen(columns);
	rows->cells = malloc(ROWS_MAX * rows->nr_columns * sizeof(*rows->cells));
	rows->order = malloc(ROWS_MAX * sizeof(*rows->order));
	if (!rows->cells || !rows->order)
		return -ENOMEM;
	snprintf(name, sizeof(name), "ovnik_%s_rows", table);
	snprintf(sql, sizeof(sql), "INSERT INTO %s SELECT * FROM %s", table, name);
	if (sqlite3_create_module(db, name, &module, rows) ||
	    sqlite3_prepare_v3(db, sql, -1, SQLITE_PREPARE_PERSISTENT, &rows->insert, NULL))
		return -EIO;
	return 0;
}

s64 *db_rows_new(struct db_rows *rows)
{
	s64 *cells = rows->cells + rows->nr * rows->nr_columns;

	rows->order[rows->nr++] = cells;
	return cells;
}

static int make_room(struct db_rows *rows, size_t len)
{
	size_t room = rows->texts_room ? rows->texts_room : 2 * TEXTS_MAX;
	char *texts;

	while (rows->texts_len + len > room)
		room *= 2;
	texts = realloc(rows->texts, room);
	if (!texts)
		return -ENOMEM;
	rows->texts = texts;
	rows->texts_room = room;
	return 0;
}

/* Copy a text that is ASCII up to its end. Return: its length, -1: it is not. */
static long copy_ascii(char *to, const char *text)
{
	long len;

	for (len = 0; text[len]; len++) {
		if (text[len] & 0x80)
			return -1;
		to[len] = text[len];
	}
	return len;
}

s64 db_rows_text(struct db_rows *rows, const char *text)
{
	size_t room = 3 * strlen(text) + 1;
	s64 at = rows->texts_len;
	char *to;
	long len;

	if (room >> TEXT_BITS || (rows->texts_len + room > rows->texts_room && make_room(rows, room))) {
		rows->no_memory = true;
		return 0;
	}
	to = rows->texts + at;
	len = copy_ascii(to, text);
	if (len < 0)
		len = utf8_clean(to, text);
	rows->texts_len += len;
	return at << TEXT_BITS | len;
}

bool db_rows_full(const struct db_rows *rows)
{
	return rows->nr == ROWS_MAX || rows->texts_len >= TEXTS_MAX;
}

static int compare(const void *a, const void *b)
{
	s64 left = **(const s64 *const *)a, right = **(const s64 *const *)b;

	return left < right ? -1 : left > right;
}

int db_rows_put(struct db_rows *rows)
{
	int ret;

	if (rows->no_memory)
		return -ENOMEM;
	if (!rows->nr)
		return 0;
	qsort(rows->order, rows->nr, sizeof(*rows->order), compare);
	ret = sqlite3_step(rows->insert);
	if (sqlite3_reset(rows->insert) || ret != SQLITE_DONE)
		return -EIO;
	rows->nr = 0;
	rows->texts_len = 0;
	return 0;
}

void db_rows_close(struct db_rows *rows)
{
	sqlite3_finalize(rows->insert);
	free(rows->cells);
	free(rows->order);
	free(rows->texts);
	memset(rows, 0, sizeof(*rows));
}
