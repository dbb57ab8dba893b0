/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_DB_PRIV_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_DB_PRIV_H

#include <sqlite3.h>

#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/db.h"
#include "output/tracers/builtin/db_rows.h"
#include "output/tracers/builtin/newfile.h"
#include "util/idmap.h"

/*
 * What the files of the database share: its file (db_file.c), values of a row (db_values.c), what
 * is said about a run (db_run.c) and about the machine (db_machine.c), and tasks (database.c).
 *
 * Functions that return int return 0 or a negative errno, reported by tracer_report_error()
 * unless it is -ENOMEM.
 */

#define STATEMENT_ENUM(id, sql)	DO_##id,

enum db_statement {
	DB_STATEMENTS(STATEMENT_ENUM)
	NR_STATEMENTS
};

#define LARGE_ENUM(id, ...)	ROWS_##id,

enum db_large {
	DB_LARGE(LARGE_ENUM)
	NR_LARGE
};

/**
 * struct database - The database.
 * @file: its file, which has a temporary name until it is complete
 * @db: the same
 * @run: prepared statements, by enum db_statement
 * @large: rows that wait, by enum db_large
 * @begin: of the capture
 * @node: number of its node
 * @prefix: what its places begin with
 * @tasks: so far
 * @losses: so far
 * @open: of the tasks, those that had not ended when the capture did
 * @uncertain: of them, those whose end is uncertain
 * @places: a bit for each number of a place that is written
 * @nr_places: bits there are
 * @wakeups: struct trace_task whose requester has no CPU yet, by its id
 * @parts: the parts of the machine that are written, see db_machine.c
 */
struct database {
	struct newfile file;
	struct sqlite3 *db;
	struct sqlite3_stmt *run[NR_STATEMENTS];
	struct db_rows large[NR_LARGE];
	u64 begin;
	u64 node;
	char *prefix;
	u64 tasks;
	u64 losses;
	u64 open;
	u64 uncertain;
	u8 *places;
	u64 nr_places;
	struct idmap wakeups;
	struct idmap parts;
};

static inline s64 db_since_begin(const struct database *d, u64 time)
{
	return time > d->begin ? (s64)(time - d->begin) : 0;
}

/* Of a row that the capture numbers: 0 is none. */
static inline s64 db_key(const struct database *d, u64 id)
{
	return id ? (s64)(id + d->node * DB_NODE) : 0;
}

/* Report what SQLite says. Return: -EIO. */
int db_fail(struct database *d);
/* Report a negative errno. Return: it. */
int db_write_fail(const struct database *d, int error);
int db_execute(struct database *d, const char *sql);

/* Akita's unit is the picosecond. */
double db_ps(const struct database *d, u64 time);

/* The values of a row; text must be there until db_put_row(). */
void db_put_number(struct sqlite3_stmt *s, int column, u64 value);
void db_put_time(const struct database *d, struct sqlite3_stmt *s, int column, u64 time);
void db_put_text(struct sqlite3_stmt *s, int column, const char *text);
int db_put_row(struct database *d, struct sqlite3_stmt *s);

/* A capture begins: the first one, or that of another node. */
int db_begin_node(struct database *d, const struct tracer_run *run);

/* Places of several nodes differ by a prefix. */
int db_set_prefix(struct database *d, const struct tracer_run *run);
int db_put_host(struct database *d, const struct tracer_run *run);
/* Parts of the machine, once: a CPU, and the one that a place is of. */
int db_put_cpu(struct database *d, u32 cpu);
int db_put_part(struct database *d, const char *where);

/* The file: with a temporary name and the tables; complete; closed. */
int db_create(struct database *d);
int db_complete(struct database *d);
int db_close(struct database *d);

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_DB_PRIV_H */
