// SPDX-License-Identifier: GPL-2.0-only
/* All tasks in an SQLite database: their rows. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/builtin/db_priv.h"

static int end_row(struct database *d, struct db_rows *rows)
{
	int ret = db_rows_added(rows);

	return ret ? db_write_fail(d, ret) : 0;
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
	row[0] = db_key(d, task->where_id);
	return put_locale(d, &row[1], task->where) ?:
	       end_row(d, rows) ?:
	       db_put_part(d, task->where);
}

/* What Akita does not have, behind what it has. */
static void put_ours(const struct database *d, s64 *row, const struct trace_task *task)
{
	s64 start = db_since_begin(d, task->start);

	row[7] = task->flags;
	row[8] = task->pid;
	row[9] = task->tid;
	row[10] = task->cpu;
	row[11] = db_key(d, task->tgid_task);
	row[12] = db_key(d, task->thread_task);
	row[13] = start;
	row[14] = db_since_begin(d, task->end) - start;
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

	row[0] = db_key(d, task->id);
	row[1] = db_key(d, task->parent);
	row[2] = db_rows_text(rows, tasks_kind_names[task->kind]);
	row[3] = db_rows_text(rows, task->what);
	row[4] = db_key(d, task->where_id);
	row[5] = db_since_begin(d, from);
	row[6] = db_since_begin(d, to);
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
		ret = db_put_cpu(d, task->cpu);
	d->tasks++;
	d->open += !!(task->flags & TRACE_OPEN);
	d->uncertain += !!(task->flags & TRACE_UNCERTAIN);
	return ret ? ret : put_ended(d, task);
}

static int database_init(void *data, const struct tracer_run *run)
{
	struct database *d = data;
	int ret = d->db ? put_wakeups(d) : db_create(d);

	return ret ? ret : db_begin_node(d, run);
}

static int database_tag(void *data, const struct trace_tag *tag)
{
	struct database *d = data;
	struct db_rows *rows = &d->large[ROWS_TAG];
	s64 *row = db_rows_new(rows);

	row[0] = db_key(d, tag->id);
	row[1] = db_key(d, tag->task->id);
	row[2] = db_since_begin(d, tag->time);
	row[3] = db_rows_text(rows, tag->what);
	return end_row(d, rows);
}

static int database_milestone(void *data, const struct trace_milestone *milestone)
{
	struct database *d = data;
	struct db_rows *rows = &d->large[ROWS_MILESTONE];
	s64 *row = db_rows_new(rows);

	row[0] = db_key(d, milestone->id);
	row[1] = db_key(d, milestone->task->id);
	row[2] = db_since_begin(d, milestone->time);
	row[3] = db_rows_text(rows, milestone->kind);
	row[4] = db_rows_text(rows, milestone->what);
	return end_row(d, rows);
}

static int database_loss(void *data, const struct trace_loss *loss)
{
	struct database *d = data;
	struct sqlite3_stmt *s = d->run[DO_LOSS];

	d->losses++;
	db_put_number(s, 1, db_since_begin(d, loss->start));
	db_put_number(s, 2, db_since_begin(d, loss->end));
	if (loss->cpu == TRACE_NO_CPU)
		sqlite3_bind_null(s, 3);
	else
		db_put_number(s, 3, loss->cpu);
	db_put_text(s, 4, loss->event);
	db_put_number(s, 5, loss->lost);
	db_put_text(s, 6, loss->why);
	db_put_number(s, 7, d->node);
	return db_put_row(d, s);
}

static int database_answer(void *data, struct tracer_answer *to)
{
	struct database *d = data;
	int ret;

	ret = put_wakeups(d) ?: db_complete(d);
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

	db_close(d);
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
