// SPDX-License-Identifier: GPL-2.0-only
/*
 * All tasks in an SQLite database. It is written under a temporary name, without a journal and
 * without fsync: the file gets its name only when it is complete.
 */
#include <errno.h>
#include <ovnik_version.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/db.h"
#include "output/tracers/builtin/db_rows.h"
#include "output/tracers/builtin/newfile.h"
#include "util/idmap.h"
#include "util/utf8.h"

#define SECOND	1000000000ULL

#define SETTINGS								\
	"PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"	\
	"PRAGMA cache_size=-1024; PRAGMA temp_store=FILE;"

#define STATEMENT_ENUM(id, sql)	DO_##id,

enum db_statement {
	DB_STATEMENTS(STATEMENT_ENUM)
	NR_STATEMENTS
};

#define STATEMENT_SQL(id, sql)	sql,

static const char *const statements[NR_STATEMENTS] = { DB_STATEMENTS(STATEMENT_SQL) };

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
 * @parts: the parts of the machine that are written, by PART_CPU and so on
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

static int fail(struct database *d)
{
	tracer_report_error("%s: %s", d->file.path, d->db ? sqlite3_errmsg(d->db) : "no memory");
	return -EIO;
}

static int write_fail(const struct database *d, int error)
{
	tracer_report_error("%s: %s", d->file.path, strerror(-error));
	return error;
}

static int execute(struct database *d, const char *sql)
{
	return sqlite3_exec(d->db, sql, NULL, NULL, NULL) ? fail(d) : 0;
}

static s64 since_begin(const struct database *d, u64 time)
{
	return time > d->begin ? (s64)(time - d->begin) : 0;
}

/* Akita's unit is the picosecond. */
static double ps(const struct database *d, u64 time)
{
	return since_begin(d, time) * 1000.0;
}

/* The values of a row; text must be there until put_row(). */
static void put_number(struct sqlite3_stmt *s, int column, u64 value)
{
	sqlite3_bind_int64(s, column, (s64)value);
}

/* Of a row that the capture numbers: 0 is none. */
static s64 key(const struct database *d, u64 id)
{
	return id ? (s64)(id + d->node * DB_NODE) : 0;
}

static void put_time(const struct database *d, struct sqlite3_stmt *s, int column, u64 time)
{
	sqlite3_bind_double(s, column, ps(d, time));
}

/* Names can contain any bytes, but readers of the database need UTF-8. */
static void put_text(struct sqlite3_stmt *s, int column, const char *text)
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

static int put_row(struct database *d, struct sqlite3_stmt *s)
{
	int ret = sqlite3_step(s);

	return sqlite3_reset(s) || ret != SQLITE_DONE ? fail(d) : 0;
}

/* The tables with many rows: their names. */
#define LARGE_NAME(id, name, columns)	name,
#define LARGE_COLUMNS(id, name, columns)	columns,

static const char *const large_names[NR_LARGE] = { DB_LARGE(LARGE_NAME) };

static int end_row(struct database *d, struct db_rows *rows)
{
	int ret = db_rows_added(rows);

	return ret ? write_fail(d, ret) : 0;
}

static int put_pair(struct database *d, unsigned int what, const char *property,
		    const char *value)
{
	put_text(d->run[what], 1, property);
	put_text(d->run[what], 2, value);
	return put_row(d, d->run[what]);
}

static int put_pair_number(struct database *d, const char *property, u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", value);
	return put_pair(d, DO_META, property, text);
}

static int put_pair_time(struct database *d, const char *property, u64 time)
{
	char text[32];

	snprintf(text, sizeof(text), "%.0f", ps(d, time));
	return put_pair(d, DO_EXEC, property, text);
}

static int put_segment(struct database *d, const struct tracer_run *run)
{
	struct sqlite3_stmt *s = d->run[DO_SEGMENT];

	put_time(d, s, 1, run->from);
	put_time(d, s, 2, run->to);
	return put_row(d, s);
}

static int put_node(struct database *d, const struct tracer_run *run)
{
	struct sqlite3_stmt *s = d->run[DO_NODE];

	put_number(s, 1, d->node);
	put_text(s, 2, run->host);
	if (run->real)
		put_number(s, 3, run->real);
	else
		sqlite3_bind_null(s, 3);
	put_number(s, 4, run->begin);
	put_number(s, 5, run->end);
	put_text(s, 6, run->clock);
	put_text(s, 7, run->capture);
	return put_row(d, s);
}

/* For the viewer's axis: as long as the longest. */
static int put_end(struct database *d, const struct tracer_run *run)
{
	char sql[160];

	snprintf(sql, sizeof(sql),
		 "UPDATE exec_info SET Value = '%.0f' WHERE Property = 'End Virtual Time' AND CAST(Value AS REAL) < %.0f",
		 ps(d, run->to), ps(d, run->to));
	return execute(d, sql);
}

/* As Akita writes it, with a Z: it is not the time where the viewer runs. */
static int put_date(struct database *d, const char *property, u64 real)
{
	time_t seconds = real / SECOND;
	char text[64];
	struct tm tm;
	size_t len;

	if (!gmtime_r(&seconds, &tm))
		return 0;
	len = strftime(text, sizeof(text), "%F %T", &tm);
	snprintf(text + len, sizeof(text) - len, ".%09lluZ", real % SECOND);
	return put_pair(d, DO_EXEC, property, text);
}

/* What only one of several captures has is left out, as in put_meta(). */
static int put_run(struct database *d, const struct tracer_run *run)
{
	int ret = 0;

	if (run->several)
		return 0;
	if (*run->command)
		ret = put_pair(d, DO_EXEC, "Command", run->command);
	if (!ret && run->real)
		ret = put_date(d, "Start Time", run->real + (run->from - run->begin)) ?:
		      put_date(d, "End Time", run->real + (run->to - run->begin));
	return ret;
}

static int put_exec(struct database *d, const struct tracer_run *run)
{
	return put_run(d, run) ?:
	       put_pair_time(d, "Start Virtual Time", run->from) ?:
	       put_pair_time(d, "End Virtual Time", run->to);
}

/* What is about one capture is in "ovnik$node" only, if there are several. */
static int put_meta(struct database *d, const struct tracer_run *run)
{
	int ret = put_pair(d, DO_META, "version", OVNIK_VERSION);

	if (ret || run->several)
		return ret;
	ret = put_pair(d, DO_META, "capture", run->capture);
	if (!ret)
		ret = put_pair(d, DO_META, "host", run->host);
	if (!ret)
		ret = put_pair(d, DO_META, "clock", run->clock);
	if (!ret)
		ret = put_pair_number(d, "begin_ns", run->begin);
	return ret ? ret : put_pair_number(d, "end_ns", run->end);
}

/* Places of several nodes differ; what is before the first dot is a component. */
static int set_prefix(struct database *d, const struct tracer_run *run)
{
	size_t len = strlen(run->host), i;

	free(d->prefix);
	d->prefix = calloc(3, len + 2);
	if (!d->prefix)
		return -ENOMEM;
	if (!run->several)
		return 0;
	len = utf8_clean(d->prefix, run->host);
	for (i = 0; i < len; i++) {
		if (d->prefix[i] == '/' || d->prefix[i] == '.')
			d->prefix[i] = '_';
	}
	d->prefix[len] = '/';
	return 0;
}

/* A part of the machine, by what its places begin with; @json: what else is known, or "". */
static int put_component(struct database *d, const char *name, const char *type, const char *json)
{
	struct sqlite3_stmt *s = d->run[DO_COMPONENT];

	put_text(s, 1, d->prefix);
	put_text(s, 2, name);
	put_text(s, 3, type);
	put_text(s, 4, json);
	return put_row(d, s);
}

/* The viewer draws a part whose port is called Top below the one that it is connected to. */
static int put_link(struct database *d, const char *above, const char *below)
{
	struct sqlite3_stmt *s = d->run[DO_LINK];

	put_text(s, 1, d->prefix);
	put_text(s, 2, above);
	put_text(s, 3, below);
	return put_row(d, s);
}

static int put_host(struct database *d, const struct tracer_run *run)
{
	struct sqlite3_stmt *s = d->run[DO_HOST];

	idmap_free(&d->parts);
	put_text(s, 1, d->prefix);
	put_text(s, 2, run->host);
	put_text(s, 3, run->clock);
	return put_row(d, s);
}

#define PART_CPU	(1ULL << 40)
#define PART_DEVICE	(2ULL << 40)
#define PART_QUEUE	(3ULL << 40)

/* Return: 1 if it is new, 0, -ENOMEM. */
static int new_part(struct database *d, u64 part)
{
	u32 nr = d->parts.nr;

	if (!idmap_put(&d->parts, part))
		return -ENOMEM;
	return d->parts.nr > nr;
}

static int put_queue(struct database *d)
{
	int ret = new_part(d, PART_QUEUE);

	if (ret <= 0)
		return ret;
	return put_component(d, "runqueue", "run queue", "") ?: put_link(d, "node", "runqueue");
}

static int put_cpu(struct database *d, u32 cpu)
{
	char name[24], json[24];
	int ret = new_part(d, PART_CPU | cpu);

	if (ret <= 0)
		return ret;
	snprintf(name, sizeof(name), "cpu[%u]", cpu);
	snprintf(json, sizeof(json), "{\"number\":%u}", cpu);
	return put_queue(d) ?: put_component(d, name, "CPU", json) ?:
	       put_link(d, "runqueue", name);
}

static int put_device(struct database *d, u32 major, u32 minor)
{
	char name[40], json[48];
	int ret = new_part(d, PART_DEVICE | (u64)major << 20 | minor);

	if (ret <= 0)
		return ret;
	snprintf(name, sizeof(name), "pagecache[%u:%u]", major, minor);
	snprintf(json, sizeof(json), "{\"device\":\"%u:%u\"}", major, minor);
	return put_component(d, name, "page cache of a device", json) ?: put_link(d, "node", name);
}

/* The parts are those of which the capture tells something. */
static int put_part(struct database *d, const char *where)
{
	u32 major, minor;

	if (sscanf(where, "pagecache.%u:%u", &major, &minor) == 2)
		return put_device(d, major, minor);
	return sscanf(where, "cpu.%u", &major) == 1 ? put_cpu(d, major) : 0;
}

static int begin_node(struct database *d, const struct tracer_run *run)
{
	int ret;

	d->begin = run->begin;
	d->node = run->node;
	free(d->places);
	d->places = NULL;
	d->nr_places = 0;
	ret = set_prefix(d, run) ?: put_segment(d, run) ?: put_node(d, run) ?:
	      put_host(d, run);
	if (ret)
		return ret;
	return d->node ? put_end(d, run) : put_exec(d, run) ?: put_meta(d, run);
}

static int prepare(struct database *d)
{
	unsigned int i;

	for (i = 0; i < NR_STATEMENTS; i++) {
		if (sqlite3_prepare_v3(d->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &d->run[i], NULL))
			return fail(d);
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
	return ret ? write_fail(d, ret) : 0;
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

static int create(struct database *d)
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
		return fail(d);
	return check_file(d) ?:
	       execute(d, SETTINGS "BEGIN;" DB_TABLES DB_VIEWS) ?:
	       prepare(d) ?:
	       open_large(d);
}

static int database_parse(void *data, const char *args)
{
	struct database *d = data;

	return newfile_parse(&d->file, args);
}

/*
 * Akita's viewer takes what is before the first dot for a component. So the place
 * "proc.7.thread.8.run" becomes proc[7].thread[8].run.
 */
static int put_locale(struct database *d, s64 *cell, const char *where)
{
	char *name = malloc(strlen(d->prefix) + 2 * strlen(where) + 1), *to;
	size_t len;

	if (!name)
		return -ENOMEM;
	to = stpcpy(name, d->prefix);
	while (*where) {
		len = *where == '.' ? strspn(where + 1, "0123456789:") : 0;
		if (len) {
			to += sprintf(to, "[%.*s]", (int)len, where + 1);
			where += 1 + len;
		} else {
			*to++ = *where++;
		}
	}
	*to = '\0';
	*cell = db_rows_text(&d->large[ROWS_LOCATION], name);
	free(name);
	return 0;
}

/* Write each place once, when it first occurs. */
static int put_place(struct database *d, const struct trace_task *task)
{
	u64 nr = d->nr_places ? d->nr_places : 1024;
	struct db_rows *rows = &d->large[ROWS_LOCATION];
	u8 *places;
	s64 *row;

	while (nr <= task->where_id)
		nr *= 2;
	if (nr != d->nr_places) {
		places = realloc(d->places, nr / 8);
		if (!places)
			return -ENOMEM;
		memset(places + d->nr_places / 8, 0, (nr - d->nr_places) / 8);
		d->places = places;
		d->nr_places = nr;
	}
	if (d->places[task->where_id / 8] >> task->where_id % 8 & 1)
		return 0;
	d->places[task->where_id / 8] |= 1 << task->where_id % 8;
	row = db_rows_new(rows);
	row[0] = key(d, task->where_id);
	return put_locale(d, &row[1], task->where) ?: end_row(d, rows) ?: put_part(d, task->where);
}

/* What Akita does not have, behind what it has. */
static void put_ours(const struct database *d, s64 *row, const struct trace_task *task)
{
	s64 start = since_begin(d, task->start);

	row[7] = task->flags;
	row[8] = task->pid;
	row[9] = task->tid;
	row[10] = task->cpu;
	row[11] = key(d, task->tgid_task);
	row[12] = key(d, task->thread_task);
	row[13] = start;
	row[14] = since_begin(d, task->end) - start;
	row[15] = (s64)task->bytes;
	row[16] = task->result;
	row[17] = task->file.dev || task->file.ino ? task->file.dev : DB_ROWS_NULL;
	row[18] = task->file.ino ? (s64)task->file.ino : DB_ROWS_NULL;
	row[19] = task->file.ino ? task->file.generation : DB_ROWS_NULL;
}

/* @from, @to: what the viewer draws of it, ns. */
static int put_task(struct database *d, const struct trace_task *task, u64 from, u64 to)
{
	struct db_rows *rows = &d->large[ROWS_TRACE];
	s64 *row = db_rows_new(rows);

	row[0] = key(d, task->id);
	row[1] = key(d, task->parent);
	row[2] = db_rows_text(rows, tasks_kind_names[task->kind]);
	row[3] = db_rows_text(rows, task->what);
	row[4] = key(d, task->where_id);
	row[5] = since_begin(d, from);
	row[6] = since_begin(d, to);
	put_ours(d, row, task);
	return end_row(d, rows);
}

/* An answer that is not the page cache's. */
static bool is_wakeup(const struct trace_task *task)
{
	return task->kind == TASKS_REQ_IN && !task->file.dev && !task->file.ino;
}

/* What asked for it ended @to, by getting a CPU; 0: that is not known. */
static int put_wakeup(struct database *d, struct idmap_slot *slot, u64 to)
{
	struct trace_task *task = slot->ptr;
	int ret = put_task(d, task, to ? task->end : task->start, to ? to : task->end);

	free(task);
	idmap_del(&d->wakeups, slot);
	return ret;
}

/* Those whose requester is not reported. */
static int put_wakeups(struct database *d)
{
	struct idmap_slot *slot;
	int ret = 0;

	while (!ret && (slot = idmap_next(&d->wakeups, NULL)))
		ret = put_wakeup(d, slot, 0);
	return ret;
}

/*
 * The viewer draws no moments, and most wakeups are one. It gets what they are for: from the wakeup
 * until the thread has a CPU, which is when its request ends.
 */
static int keep_wakeup(struct database *d, const struct trace_task *task)
{
	struct idmap_slot *slot = idmap_get(&d->wakeups, task->parent);
	int ret = slot ? put_wakeup(d, slot, 0) : 0;
	struct trace_task *kept = ret ? NULL : malloc(sizeof(*kept));

	if (ret)
		return ret;
	if (!kept || idmap_set(&d->wakeups, task->parent, kept)) {
		free(kept);
		return -ENOMEM;
	}
	*kept = *task;
	/* Its own text need not stay. */
	kept->what = tasks_wait_texts[task->code];
	return 0;
}

static int put_ended(struct database *d, const struct trace_task *task)
{
	struct idmap_slot *slot;
	int ret;

	if (is_wakeup(task) && task->parent)
		return keep_wakeup(d, task);
	slot = task->kind == TASKS_REQ_OUT ? idmap_get(&d->wakeups, task->id) : NULL;
	ret = slot ? put_wakeup(d, slot, task->end) : 0;
	return ret ? ret : put_task(d, task, task->start, task->end);
}

static int database_end(void *data, const struct trace_task *task)
{
	struct database *d = data;
	int ret = put_place(d, task);

	if (!ret && task->kind == TASKS_RUN)
		ret = put_cpu(d, task->cpu);
	d->tasks++;
	d->open += !!(task->flags & TRACE_OPEN);
	d->uncertain += !!(task->flags & TRACE_UNCERTAIN);
	return ret ? ret : put_ended(d, task);
}

static int database_init(void *data, const struct tracer_run *run)
{
	struct database *d = data;
	int ret = d->db ? put_wakeups(d) : create(d);

	return ret ? ret : begin_node(d, run);
}

static int database_tag(void *data, const struct trace_tag *tag)
{
	struct database *d = data;
	struct db_rows *rows = &d->large[ROWS_TAG];
	s64 *row = db_rows_new(rows);

	row[0] = key(d, tag->id);
	row[1] = key(d, tag->task->id);
	row[2] = since_begin(d, tag->time);
	row[3] = db_rows_text(rows, tag->what);
	return end_row(d, rows);
}

static int database_milestone(void *data, const struct trace_milestone *milestone)
{
	struct database *d = data;
	struct db_rows *rows = &d->large[ROWS_MILESTONE];
	s64 *row = db_rows_new(rows);

	row[0] = key(d, milestone->id);
	row[1] = key(d, milestone->task->id);
	row[2] = since_begin(d, milestone->time);
	row[3] = db_rows_text(rows, milestone->kind);
	row[4] = db_rows_text(rows, milestone->what);
	return end_row(d, rows);
}

static int database_loss(void *data, const struct trace_loss *loss)
{
	struct database *d = data;
	struct sqlite3_stmt *s = d->run[DO_LOSS];

	d->losses++;
	put_number(s, 1, since_begin(d, loss->start));
	put_number(s, 2, since_begin(d, loss->end));
	if (loss->cpu == TRACE_NO_CPU)
		sqlite3_bind_null(s, 3);
	else
		put_number(s, 3, loss->cpu);
	put_text(s, 4, loss->event);
	put_number(s, 5, loss->lost);
	put_text(s, 6, loss->why);
	put_number(s, 7, d->node);
	return put_row(d, s);
}

static int close_database(struct database *d)
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
		return fail(d);
	sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
	ret = sqlite3_step(s) == SQLITE_ROW ? 0 : fail(d);
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
	return ret ? write_fail(d, ret) : 0;
}

/* SQLite writes its part first. The trees of the tables with many rows go behind that. */
static int complete(struct database *d)
{
	u32 roots[NR_LARGE];
	unsigned int i;
	int ret = execute(d, "COMMIT");

	for (i = 0; i < NR_LARGE && !ret; i++)
		ret = find_root(d, large_names[i], &roots[i]);
	return ret ?: close_database(d) ?: put_large(d, roots);
}

static int database_answer(void *data, struct tracer_answer *to)
{
	struct database *d = data;
	int ret;

	ret = put_wakeups(d) ?: complete(d);
	if (ret)
		return ret;
	answer_text(to, "file", d->file.path);
	answer_u64(to, "tasks", d->tasks);
	answer_u64(to, "open", d->open);
	answer_u64(to, "in doubt", d->uncertain);
	answer_u64(to, "losses", d->losses);
	return 0;
}

static int database_keep(void *data)
{
	struct database *d = data;

	return newfile_keep(&d->file);
}

static void database_destroy(void *data)
{
	struct database *d = data;
	struct idmap_slot *slot = NULL;
	unsigned int i;

	close_database(d);
	for (i = 0; i < NR_LARGE; i++)
		db_rows_close(&d->large[i]);
	while ((slot = idmap_next(&d->wakeups, slot)))
		free(slot->ptr);
	idmap_free(&d->wakeups);
	idmap_free(&d->parts);
	free(d->places);
	free(d->prefix);
	newfile_close(&d->file);
}

DEFINE_TRACER(database) = {
	.abi = TRACER_ABI,
	.name = "database",
	.sentence = "each task a row of an SQLite database, as Akita writes it: file=PATH",
	.flags = TRACER_WHOLE | TRACER_NODES,
	.size = sizeof(struct database),
	.parse = database_parse,
	.init = database_init,
	.end = database_end,
	.tag = database_tag,
	.milestone = database_milestone,
	.loss = database_loss,
	.answer = database_answer,
	.keep = database_keep,
	.destroy = database_destroy,
};
