// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of the database. It is written under a temporary name, without a journal and without
 * fsync: it gets its name only when it is complete.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/tracers/builtin/db_priv.h"

#define SETTINGS								\
	"PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"	\
	"PRAGMA cache_size=-1024; PRAGMA temp_store=FILE;"

#define STATEMENT_SQL(id, sql)	sql,

static const char *const statements[NR_STATEMENTS] = { DB_STATEMENTS(STATEMENT_SQL) };

/* The tables with many rows: their names. */
#define LARGE_NAME(id, name, columns)	name,
#define LARGE_COLUMNS(id, name, columns)	columns,

static const char *const large_names[NR_LARGE] = { DB_LARGE(LARGE_NAME) };

static int prepare(struct database *d)
{
	unsigned int i;

	for (i = 0; i < NR_STATEMENTS; i++) {
		if (sqlite3_prepare_v3(d->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &d->run[i], NULL))
			return db_fail(d);
	}
	return 0;
}

static int open_large(struct database *d)
{
	static const char *const columns[NR_LARGE] = { DB_LARGE(LARGE_COLUMNS) };
	unsigned int i;
	int ret = 0;

	for (i = 0; i < NR_LARGE && !ret; i++)
		ret = db_rows_open(&d->large[i], columns[i], d->file.part);
	return ret ? db_write_fail(d, ret) : 0;
}

/* Did SQLite open the file that was created for it, and not another one of that name? */
static int check_file(struct database *d)
{
	const char *name = sqlite3_db_filename(d->db, "main");
	struct stat ours, its;

	if (name && !fstat(d->file.fd, &ours) && !stat(name, &its) &&
	    ours.st_dev == its.st_dev && ours.st_ino == its.st_ino)
		return 0;
	tracer_report_error("%s.part: SQLite has opened another file", d->file.path);
	return -EIO;
}

int db_create(struct database *d)
{
	int ret = newfile_open(&d->file);

	if (ret)
		return ret;
	/*
	 * One thread uses it, and nobody asks for statistics of memory. If SQLite runs already, it
	 * goes on to lock and to count.
	 */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	if (sqlite3_open_v2(d->file.part, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    NULL))
		return db_fail(d);
	return check_file(d) ?:
	       db_execute(d, SETTINGS "BEGIN;" DB_TABLES DB_VIEWS) ?:
	       prepare(d) ?:
	       open_large(d);
}

int db_close(struct database *d)
{
	unsigned int i;
	int ret;

	for (i = 0; i < NR_STATEMENTS; i++)
		sqlite3_finalize(d->run[i]);
	ret = sqlite3_close(d->db);
	memset(d->run, 0, sizeof(d->run));
	d->db = NULL;
	return ret ? -EIO : 0;
}

/* The first page of a table. */
static int find_root(struct database *d, const char *name, u32 *root)
{
	struct sqlite3_stmt *s;
	int ret;

	if (sqlite3_prepare_v2(d->db, "SELECT rootpage FROM sqlite_master WHERE name = ?", -1, &s,
			       NULL))
		return db_fail(d);
	sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
	ret = sqlite3_step(s) == SQLITE_ROW ? 0 : db_fail(d);
	*root = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return ret;
}

static int put_large(struct database *d, const u32 *roots)
{
	struct db_tree *tree = malloc(sizeof(*tree));
	struct db_pages pages;
	unsigned int i;
	int ret, ended;

	ret = db_pages_begin(&pages, d->file.fd);
	if (!tree)
		ret = -ENOMEM;
	for (i = 0; i < NR_LARGE && !ret; i++) {
		db_tree_begin(tree, &pages, roots[i]);
		ret = db_rows_put(&d->large[i], tree);
		db_rows_close(&d->large[i]);
	}
	ended = db_pages_end(&pages, ret);
	free(tree);
	ret = ret ? ret : ended;
	return ret ? db_write_fail(d, ret) : 0;
}

/* SQLite writes its part first. The trees of the tables with many rows go behind that. */
int db_complete(struct database *d)
{
	u32 roots[NR_LARGE];
	unsigned int i;
	int ret = db_execute(d, "COMMIT");

	for (i = 0; i < NR_LARGE && !ret; i++)
		ret = find_root(d, large_names[i], &roots[i]);
	return ret ?: db_close(d) ?: put_large(d, roots);
}
