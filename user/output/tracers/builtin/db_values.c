// SPDX-License-Identifier: GPL-2.0-only
/* Values of a row of the database, and what goes wrong with one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/builtin/db_priv.h"
#include "util/utf8.h"

int db_fail(struct database *d)
{
	tracer_report_error("%s: %s", d->file.path, d->db ? sqlite3_errmsg(d->db) : "no memory");
	return -EIO;
}

int db_write_fail(const struct database *d, int error)
{
	tracer_report_error("%s: %s", d->file.path, strerror(-error));
	return error;
}

int db_execute(struct database *d, const char *sql)
{
	return sqlite3_exec(d->db, sql, NULL, NULL, NULL) ? db_fail(d) : 0;
}

/* Akita's unit is the picosecond. */
double db_ps(const struct database *d, u64 time)
{
	return db_since_begin(d, time) * 1000.0;
}

/* The values of a row; text must be there until db_put_row(). */
void db_put_number(struct sqlite3_stmt *s, int column, u64 value)
{
	sqlite3_bind_int64(s, column, (s64)value);
}

void db_put_time(const struct database *d, struct sqlite3_stmt *s, int column, u64 time)
{
	sqlite3_bind_double(s, column, db_ps(d, time));
}

/* Names can contain any bytes, but readers of the database need UTF-8. */
void db_put_text(struct sqlite3_stmt *s, int column, const char *text)
{
	const char *bad = text;
	char *clean;

	while (bad && utf8_len(bad))
		bad += utf8_len(bad);
	clean = bad && *bad ? malloc(3 * strlen(text) + 1) : NULL;
	if (clean)
		sqlite3_bind_text(s, column, clean, utf8_clean(clean, text), free);
	else
		sqlite3_bind_text(s, column, text, -1, SQLITE_STATIC);
}

int db_put_row(struct database *d, struct sqlite3_stmt *s)
{
	int ret = sqlite3_step(s);

	return sqlite3_reset(s) || ret != SQLITE_DONE ? db_fail(d) : 0;
}
