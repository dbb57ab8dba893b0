// SPDX-License-Identifier: GPL-2.0-only
/* What the database says about a run: when, where, of which capture. */
#include <ovnik_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "output/tracers/builtin/db_priv.h"

#define SECOND	1000000000ULL

static int put_pair(struct database *d, unsigned int what, const char *property,
		    const char *value)
{
	db_put_text(d->run[what], 1, property);
	db_put_text(d->run[what], 2, value);
	return db_put_row(d, d->run[what]);
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

	snprintf(text, sizeof(text), "%.0f", db_ps(d, time));
	return put_pair(d, DO_EXEC, property, text);
}

static int put_segment(struct database *d, const struct tracer_run *run)
{
	struct sqlite3_stmt *s = d->run[DO_SEGMENT];

	db_put_time(d, s, 1, run->from);
	db_put_time(d, s, 2, run->to);
	return db_put_row(d, s);
}

static int put_node(struct database *d, const struct tracer_run *run)
{
	struct sqlite3_stmt *s = d->run[DO_NODE];

	db_put_number(s, 1, d->node);
	db_put_text(s, 2, run->host);
	if (run->real)
		db_put_number(s, 3, run->real);
	else
		sqlite3_bind_null(s, 3);
	db_put_number(s, 4, run->begin);
	db_put_number(s, 5, run->end);
	db_put_text(s, 6, run->clock);
	db_put_text(s, 7, run->capture);
	return db_put_row(d, s);
}

/* For the viewer's axis: as long as the longest. */
static int put_end(struct database *d, const struct tracer_run *run)
{
	char sql[160];

	snprintf(sql, sizeof(sql),
		 "UPDATE exec_info SET Value = '%.0f' WHERE Property = 'End Virtual Time' AND CAST(Value AS REAL) < %.0f",
		 db_ps(d, run->to), db_ps(d, run->to));
	return db_execute(d, sql);
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

int db_begin_node(struct database *d, const struct tracer_run *run)
{
	int ret;

	d->begin = run->begin;
	d->node = run->node;
	free(d->places);
	d->places = NULL;
	d->nr_places = 0;
	ret = db_set_prefix(d, run) ?: put_segment(d, run) ?: put_node(d, run) ?:
	      db_put_host(d, run);
	if (ret)
		return ret;
	return d->node ? put_end(d, run) : put_exec(d, run) ?: put_meta(d, run);
}
