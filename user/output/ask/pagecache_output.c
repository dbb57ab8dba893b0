// SPDX-License-Identifier: GPL-2.0-only
/* Pages of files in the page cache, as an output: a command that prints tables on stdout. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/ask/pagecache.h"
#include "util/msg.h"

#define COL(name, field, form, needs) \
	{ name, offsetof(struct page_row, field), FORM_##form, NEEDS_##needs }

/* "again" is the first one: it is left out if removals by other processes are not there. */
#define PAGES							\
	COL("again", pages.again, U64, PAGES),			\
	COL("added", pages.added, U64, PAGES),			\
	COL("removed", pages.removed, U64, PAGES)

#define READS							\
	COL("hits", io.hits, U64, CACHE),			\
	COL("misses", io.misses, U64, CACHE),			\
	COL("hit ratio", io, HITS, CACHE)

static const struct report_column file_columns[] = { PAGES, READS };

static const struct report_column process_columns[] = {
	PAGES, READS,
	COL("process", name, TEXT, NOTHING),
	COL("pid", pid, NUMBER, NOTHING),
};

static const struct report_column use_columns[] = {
	PAGES,
	COL("thread", name, TEXT, NOTHING),
	COL("tid", tid, NUMBER, NOTHING),
	COL("pid", pid, NUMBER, NOTHING),
	COL("cpu", cpu, U64, NOTHING),
};

/**
 * struct view - A table.
 * @name: its heading
 * @key: its name in JSON
 * @columns: columns
 * @nr: length of @columns
 * @files: a row is of a file
 * @rows: makes the rows
 */
struct view {
	const char *name;
	const char *key;
	const struct report_column *columns;
	size_t nr;
	bool files;
	struct page_row *(*rows)(const struct pagecache *pc, size_t *nr);
};

static const struct view views[] = {
	{ "files", "files", file_columns, ARRAY_SIZE(file_columns), true,
	  pagecache_files },
	{ "processes", "processes", process_columns,
	  ARRAY_SIZE(process_columns), false, pagecache_processes },
	{ "who did it", "who", use_columns, ARRAY_SIZE(use_columns), true,
	  pagecache_uses },
};

/* What other processes or CPUs removed is not there. */
static bool is_partial(const struct facts *facts)
{
	const struct capture *cap = facts->cap;
	unsigned int i;

	for (i = 0; i < cap->nr_cpus; i++) {
		if (cap->files[i].elsewhere)
			return true;
	}
	return cap->meta.nr_pids;
}

static void write_file(const struct pagecache *pc, const struct report_table *t,
		       const struct page_row *row)
{
	const struct report_file unknown = {
		.id = row->id, .major = OVNIK_DEV_MAJOR(row->id.dev),
		.minor = OVNIK_DEV_MINOR(row->id.dev),
	};
	const struct report_file *file = row->file ? row->file : &unknown;

	if (!pc->top.report.opt.json) {
		if (row->id.ino || row->id.dev)
			report_write_path(file, t->to);
		else
			answer_text(t->to, "file", "(other files)");
		return;
	}
	report_write_which(file, t->to);
}

static bool is_empty(const struct page_row *row)
{
	return !row->pages.added && !row->pages.removed && !row->io.hits && !row->io.misses;
}

static void begin_table(const struct pagecache *pc, const struct view *view,
			const struct report_table *t)
{
	char title[64];

	if (pc->top.report.opt.json) {
		report_begin(t->to, view->key, "");
		return;
	}
	snprintf(title, sizeof(title), "%s, by pages %s", view->name,
		 pc->partial ? "removed" : "added again");
	report_table_begin(t, title, "", view->files ? "file" : "");
}

/* Of files that are not told apart; JSON has a table of its own. */
static void write_given_up(const struct pagecache *pc, const struct report_table *t)
{
	const struct report_files *files = &pc->top.report.files;
	const struct report_file *others = &files->others;
	const struct page_row row = {
		.pages = { others->again, others->added, others->removed }, .io = others->io,
	};

	if (pc->top.report.opt.json || !files->nr_others)
		return;
	answer_row(t->to);
	report_cells(t, &row);
	answer_text(t->to, "file", REPORT_GIVEN_UP);
}

static int write_table(const struct pagecache *pc, const struct view *view,
		       const struct facts *facts, struct tracer_answer *to)
{
	const struct report_options *opt = &pc->top.report.opt;
	const struct report_table t = {
		.to = to, .facts = facts, .columns = view->columns + pc->partial,
		.nr = view->nr - pc->partial,
		.partial = report_known_count(&pc->top.report.known, false),
	};
	size_t i, nr, shown = 0;
	struct page_row *rows = view->rows(pc, &nr);

	if (!rows)
		return -ENOMEM;
	begin_table(pc, view, &t);
	for (i = 0; i < nr; i++) {
		if (is_empty(&rows[i]) ||
		    !(opt->all || shown < opt->rows || rows[i].recorder))
			continue;
		answer_row(to);
		report_cells(&t, &rows[i]);
		if (view->files)
			write_file(pc, &t, &rows[i]);
		shown++;
	}
	if (view->rows == pagecache_files)
		write_given_up(pc, &t);
	report_end(to);
	free(rows);
	return 0;
}

static void write_sum(const struct pagecache *pc, const char *name, u64 sum,
		      struct tracer_answer *to)
{
	if (report_known_sum(&pc->top.report.known, sum))
		answer_u64(to, name, sum);
	else if (!pc->top.report.opt.json)
		answer_text(to, name, "not known");
}

static void write_sums(const struct pagecache *pc, const struct facts *facts,
		       struct tracer_answer *to)
{
	const struct report_io *io = &pc->top.report.all.sum.io;

	write_sum(pc, "pages added", pc->all.added, to);
	write_sum(pc, "pages removed", pc->all.removed, to);
	if (!pc->partial)
		write_sum(pc, "pages added again", pc->all.again, to);
	if (pc->unwatched)
		answer_u64(to, "pages removed, too many to see them again", pc->unwatched);
	if (!report_lacks(facts, NEEDS_CACHE) && io->hits + io->misses &&
	    !report_known_count(&pc->top.report.known, false))
		answer_share(to, "hit ratio", io->hits, io->hits + io->misses);
}

static int answer(struct pagecache *pc, const struct facts *facts, struct tracer_answer *to)
{
	const struct report *r = &pc->top.report;
	const char *missing = report_lacks(facts, NEEDS_PAGES);
	int ret = 0;
	size_t i;

	report_settle(&pc->top.report);
	answer_open(to, "pagecache", facts->cap->dir);
	answer_ns(to, "length", r->end - r->begin);
	report_write_scope(facts->cap, to);
	report_known_write(&r->known, r->opt.json, to);
	report_write_missing(r, facts, to);
	if (r->opt.json)
		report_write_lacking(facts, to);
	if (missing && !r->opt.json)
		report_not_there(to, "pages of files", missing);
	else
		write_sums(pc, facts, to);
	for (i = 0; !ret && i < ARRAY_SIZE(views) && (!missing || r->opt.json); i++)
		ret = write_table(pc, &views[i], facts, to);
	report_write_given_up(&r->files, r->opt.json, facts, to);
	return ret ? ret : answer_close(to);
}

static int finish(void *data, const struct output_env *env)
{
	struct pagecache *pc = data;
	struct tracer_answer *to = answer_create(pc->top.report.opt.json);
	int ret;

	pc->partial = is_partial(env->facts);
	ret = to ? answer(pc, env->facts, to) : -ENOMEM;
	if (!ret)
		ret = answer_write(to, stdout);
	if (ret)
		msg_error("the answer cannot be written: %s", strerror(-ret));
	answer_destroy(to);
	return ret;
}

static int attach(void *data, const struct output_env *env)
{
	struct pagecache *pc = data;

	return report_attach(&pc->top.report, env);
}

static int attach_tasks(void *data, const struct output_env *env)
{
	return pagecache_attach_tasks(data, tasks_hooks(env->tasks));
}

#define OPT_JSON	256
#define OPT_ROWS	257

static const struct argp_option options[] = {
	{ "rows", OPT_ROWS, "N", 0, "Rows of a table; 10 by default", 0 },
	{ "json", OPT_JSON, NULL, 0, "As JSON, with all rows", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct pagecache *pc = use->data;

	switch (key) {
	case OPT_JSON:
		pc->top.report.opt.json = true;
		pc->top.report.opt.all = true;
		return 0;
	case OPT_ROWS:
		pc->top.report.opt.rows = report_parse_rows("rows", arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void close_output(void *data)
{
	pagecache_free(data);
}

DEFINE_OUTPUT(pagecache) = {
	.name = "pagecache",
	.sentence = "which pages of files the page cache got, gave up and got again, "
		    "who did that, and which reads hit; on stdout",
	.flags = OUTPUT_INVENTORY | OUTPUT_COMMAND,
	.size = sizeof(struct pagecache),
	.options = options,
	.parse = parse,
	.kinds = REPORT_KINDS,
	.attach = attach,
	.attach_tasks = attach_tasks,
	.finish = finish,
	.close = close_output,
};
