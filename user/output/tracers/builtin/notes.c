// SPDX-License-Identifier: GPL-2.0-only
/* Tags, milestones and losses as lines: see notes.h. Times are ns since the capture's begin. */
#include <errno.h>
#include <string.h>

#include "output/tracers/builtin/notes.h"
#include "output/tracers/builtin/text.h"

#define COLUMNS_MAX	8	/* with NULL behind the last */

#define NOTES_TABLE(id, key, ...) { key, { __VA_ARGS__ } },

static const struct {
	const char *key;
	const char *columns[COLUMNS_MAX];
} tables[NOTES_NR] = { NOTES_TABLES(NOTES_TABLE) };

/**
 * struct line - A line that is being written.
 * @f: where to
 * @json: as JSON
 * @column: name of the next value
 * @before: what comes before it
 */
struct line {
	FILE *f;
	bool json;
	const char *const *column;
	const char *before;
};

static void put_heads(FILE *f, unsigned int table)
{
	const char *const *column;

	for (column = tables[table].columns; *column; column++)
		fprintf(f, "%s,", *column);
	fputs("node,begin_real_ns\n", f);
}

static int fail(const struct newfile *file)
{
	int error = errno ? errno : EIO;

	tracer_report_error("%s: %s", file->path, strerror(error));
	return -error;
}

static int open_one(struct notes *n, unsigned int table)
{
	struct newfile *file = &n->file[table];
	int ret = newfile_open(file);

	if (ret)
		return ret;
	n->f[table] = fdopen(file->fd, "w");
	if (!n->f[table])
		return fail(file);
	file->fd = -1;
	if (!n->json)
		put_heads(n->f[table], table);
	return 0;
}

int notes_open(struct notes *n)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < NOTES_NR; i++) {
		if (n->file[i].path)
			ret = open_one(n, i);
	}
	return ret;
}

static struct line begin_line(struct notes *n, unsigned int table)
{
	n->rows[table]++;
	return (struct line){ n->f[table], n->json, tables[table].columns, n->json ? "{" : "" };
}

/* Begin the next value of a line. */
static FILE *next(struct line *l)
{
	fputs(l->before, l->f);
	l->before = ",";
	if (l->json)
		fprintf(l->f, "\"%s\":", *l->column++);
	return l->f;
}

static void put_number(struct line *l, u64 value)
{
	fprintf(next(l), "%llu", value);
}

/* NULL: it is not known. */
static void put_text(struct line *l, const char *text)
{
	FILE *f = next(l);

	if (text && l->json)
		text_json(f, text);
	else if (text)
		text_csv(f, text);
	else if (l->json)
		fputs("null", f);
}

static void put_time(struct line *l, const struct notes *n, u64 time)
{
	fprintf(next(l), "%lld", (s64)(time - n->begin));
}

static int end_line(struct notes *n, unsigned int table)
{
	fputs(n->last, n->f[table]);
	return ferror(n->f[table]) ? fail(&n->file[table]) : 0;
}

int notes_tag(struct notes *n, const struct trace_tag *tag)
{
	struct line l = begin_line(n, NOTES_TAGS);

	put_number(&l, tag->id);
	put_number(&l, tag->task->id);
	put_time(&l, n, tag->time);
	put_text(&l, tag->what);
	return end_line(n, NOTES_TAGS);
}

int notes_milestone(struct notes *n, const struct trace_milestone *milestone)
{
	struct line l = begin_line(n, NOTES_MILESTONES);

	put_number(&l, milestone->id);
	put_number(&l, milestone->task->id);
	put_time(&l, n, milestone->time);
	put_text(&l, milestone->kind);
	put_text(&l, milestone->what);
	return end_line(n, NOTES_MILESTONES);
}

int notes_loss(struct notes *n, const struct trace_loss *loss)
{
	struct line l = begin_line(n, NOTES_LOSSES);

	put_time(&l, n, loss->start);
	put_time(&l, n, loss->end);
	if (loss->cpu == TRACE_NO_CPU)
		fputs(n->json ? "null" : "", next(&l));
	else
		put_number(&l, loss->cpu);
	put_text(&l, loss->event);
	put_number(&l, loss->lost);
	put_text(&l, loss->why);
	return end_line(n, NOTES_LOSSES);
}

static int answer_one(struct notes *n, unsigned int table, struct tracer_answer *to)
{
	FILE *f = n->f[table];
	char name[32];

	n->f[table] = NULL;
	if (fclose(f))
		return fail(&n->file[table]);
	snprintf(name, sizeof(name), "file of %s", tables[table].key);
	answer_text(to, name, n->file[table].path);
	answer_u64(to, tables[table].key, n->rows[table]);
	return 0;
}

int notes_answer(struct notes *n, struct tracer_answer *to)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < NOTES_NR; i++) {
		if (n->f[i])
			ret = answer_one(n, i, to);
	}
	return ret;
}

int notes_keep(struct notes *n)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < NOTES_NR; i++) {
		if (n->file[i].part)
			ret = newfile_keep(&n->file[i]);
	}
	return ret;
}

void notes_close(struct notes *n)
{
	unsigned int i;

	for (i = 0; i < NOTES_NR; i++) {
		if (n->f[i])
			fclose(n->f[i]);
		newfile_close(&n->file[i]);
	}
}
