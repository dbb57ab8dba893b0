// SPDX-License-Identifier: GPL-2.0-only
/* Who used most, as an output: a command that prints a table on stdout. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/ask/top.h"
#include "util/msg.h"
#include "util/suggest.h"

#define COL(name, field, form, needs) \
	{ name, offsetof(struct top_row, field), FORM_##form, NEEDS_##needs }

static const struct report_column process_columns[] = {
	COL("process", who.name, TEXT, NOTHING),
	COL("pid", who.pid, NUMBER, NOTHING),
};

static const struct report_column comm_columns[] = {
	COL("program", who.name, TEXT, NOTHING),
};

static const struct report_column thread_columns[] = {
	COL("thread", name, TEXT, NOTHING),
	COL("tid", id, NUMBER, NOTHING),
	COL("pid", who.pid, NUMBER, NOTHING),
};

static const struct report_column cpu_columns[] = {
	COL("cpu", id, U64, NOTHING),
	COL("busy", who.sum.cpu.ns, NS, SWITCHES),
	COL("share busy", who.sum.cpu.ns, SHARE, SWITCHES),
	COL("runs", who.sum.cpu.nr, U64, SWITCHES),
	COL("run queue", times.ns, NS, SWITCHES),
	COL("longest run queue", times.longest, NS, SWITCHES),
};

static const struct report_column reason_columns[] = {
	COL("time", times.ns, NS, NOTHING),
	COL("share", times.ns, SHARE, NOTHING),
	COL("times", times.nr, U64, NOTHING),
	COL("average", times, AVERAGE, NOTHING),
	COL("longest", times.longest, NS, NOTHING),
	COL("reason", name, TEXT, NOTHING),
	COL("longest of", who.name, TEXT, NOTHING),
	COL("pid", who.pid, NUMBER, NOTHING),
};

static const struct report_column file_columns[] = {
	COL("in calls", who.sum.io.time.ns, NS, CALLS),
	COL("calls", who.sum.io.time.nr, U64, IO),
	COL("read", who.sum.io.read_bytes, BYTES, IO),
	COL("written", who.sum.io.written_bytes, BYTES, IO),
	COL("hits", who.sum.io.hits, U64, CACHE),
	COL("misses", who.sum.io.misses, U64, CACHE),
	COL("pages added", added, U64, PAGES),
	COL("pages removed", removed, U64, PAGES),
};

/**
 * struct view - How a question is answered.
 * @what: what the rows are
 * @columns: columns before those of measures
 * @nr: length of @columns
 * @in: enum sum_table: which measures
 * @first: the first column to sort by
 */
struct view {
	const char *what;
	const struct report_column *columns;
	size_t nr;
	u32 in;
	size_t first;
};

#define VIEW(what, columns, in, first) { what, columns, ARRAY_SIZE(columns), in, first }

static const struct view views[TOP_NR_BYS] = {
	[TOP_BY_PROCESS] = VIEW("processes", process_columns, IN_TOP, 2),
	[TOP_BY_COMM] = VIEW("programs", comm_columns, IN_SEVERAL | IN_TOP, 2),
	[TOP_BY_THREAD] = VIEW("threads", thread_columns, IN_TOP, 3),
	[TOP_BY_FILE] = VIEW("files", file_columns, 0, 0),
	[TOP_BY_CPU] = VIEW("CPUs", cpu_columns, IN_TOP_CPUS, 1),
	[TOP_BY_REASON] = VIEW("reasons", reason_columns, 0, 0),
};

static void set_columns(struct top *top, bool wide)
{
	const struct view *view = &views[top->by];

	report_measures(&top->table, &top->columns, view->columns, view->nr,
			view->in | (wide && view->in ? IN_WIDE : 0),
			offsetof(struct top_row, who.sum));
}

static const char *const by_names[TOP_NR_BYS] = {
#define BY_NAME(id, name) [TOP_BY_##id] = #name,
	TOP_BYS(BY_NAME)
};

/* Is that the name of a column, in whichever case? "_" and "-" are spaces. */
static bool is_name(const char *name, const char *wanted)
{
	for (; *name && *wanted; name++, wanted++) {
		if (tolower((unsigned char)*name) != tolower((unsigned char)*wanted) &&
		    !(*name == ' ' && (*wanted == '_' || *wanted == '-')))
			return false;
	}
	return *name == *wanted;
}

static bool is_number(const struct report_column *column)
{
	return column->form == FORM_U64 || column->form == FORM_NUMBER ||
	       column->form == FORM_NS || column->form == FORM_BYTES ||
	       column->form == FORM_SHARE;
}

static const struct report_column *column_named(const struct top *top, const char *name)
{
	size_t i;

	for (i = 0; i < top->table.nr; i++) {
		const struct report_column *c = &top->table.columns[i];

		if (is_number(c) && is_name(c->name, name))
			return c;
	}
	return NULL;
}

/* Without a wish, the first one that the capture has. */
static const struct report_column *sort_column(const struct top *top, const struct facts *facts)
{
	size_t i, first = views[top->by].first;

	if (top->sort)
		return column_named(top, top->sort);
	for (i = first; i < top->table.nr; i++) {
		const struct report_column *c = &top->table.columns[i];

		if (is_number(c) && !report_lacks(facts, c->needs))
			return c;
	}
	return &top->table.columns[first];
}

static void check_sort(const struct top *top, const struct argp_state *state)
{
	struct suggestion near = { .word = top->sort };
	char names[256] = "", text[64];
	size_t i, len = 0;

	if (!top->sort || column_named(top, top->sort))
		return;
	for (i = 0; i < top->table.nr; i++) {
		const struct report_column *c = &top->table.columns[i];

		if (!is_number(c) || len >= sizeof(names))
			continue;
		suggest_offer(&near, c->name);
		len += snprintf(names + len, sizeof(names) - len, "%s%s", len ? ", " : "",
				c->name);
	}
	argp_error(state, "--sort: \"%s\" is not one of: %s%s", top->sort, names,
		   suggest_text(&near, text, sizeof(text)));
}

static void write_row(const struct top *top, const struct report_table *t,
		      const struct top_row *row)
{
	answer_row(t->to);
	report_cells(t, row);
	if (top->by != TOP_BY_FILE)
		return;
	if (top->report.opt.json && row->file) {
		report_write_which(row->file, t->to);
		answer_u64(t->to, "opens", row->file->opens);
	} else if (row->file) {
		report_write_path(row->file, t->to);
	} else if (!top->report.opt.json) {
		answer_text(t->to, "file", row->name);
	}
}

/* Of files that are not told apart; JSON has a table of its own. */
static void write_given_up(const struct top *top, const struct report_table *t)
{
	const struct report_files *files = &top->report.files;
	struct top_row row = { .name = REPORT_GIVEN_UP };

	if (top->by != TOP_BY_FILE || top->report.opt.json || !files->nr_others)
		return;
	top_add_file(&row, &files->others);
	write_row(top, t, &row);
}

static void begin_table(const struct top *top, const struct report_table *t, const char *by)
{
	char name[80];

	if (top->report.opt.json) {
		report_begin(t->to, views[top->by].what, "");
		return;
	}
	snprintf(name, sizeof(name), "%s, sorted by \"%s\"", views[top->by].what, by);
	report_table_begin(t, name, "", top->by == TOP_BY_FILE ? "file" : "");
}

/* A sum has no number: leave the cell empty, because "-" means not known. */
static void leave_empty(const struct report_table *t, const struct top_row *row)
{
	size_t i;

	for (i = 0; i < t->nr; i++) {
		const struct report_column *c = &t->columns[i];
		const char *at = (const char *)row + c->at;

		if (c->form == FORM_NUMBER || (c->form == FORM_TEXT && !*at))
			answer_text(t->to, c->name, "");
	}
}

/* The last row. */
static void write_all(const struct top *top, const struct report_table *t, size_t nr,
		      struct top_row *all)
{
	if (top->by == TOP_BY_THREAD)
		nr = all->who.sum.threads;
	snprintf(all->name, sizeof(all->name), "all %zu", nr);
	*all->who.name = '\0';
	if (top->by != TOP_BY_REASON)
		memcpy(all->who.name, all->name, sizeof(all->who.name));
	if (top->report.opt.json) {
		report_end(t->to);
		report_begin(t->to, "all", "");
	}
	write_row(top, t, all);
	if (!top->report.opt.json)
		leave_empty(t, all);
}

static void write_table(struct top *top, const struct report_table *t, struct top_row **list,
			size_t nr, struct top_row *all)
{
	const struct report_options *opt = &top->report.opt;
	const struct report_column *by = sort_column(top, t->facts);
	size_t i;

	begin_table(top, t, by->name);
	report_sort((struct report_process **)list, nr, by->at);
	for (i = 0; i < nr; i++) {
		if (report_has_row(opt, &list[i]->who, i, by->at))
			write_row(top, t, list[i]);
	}
	write_given_up(top, t);
	if (top->by != TOP_BY_CPU)
		write_all(top, t, nr, all);
	report_end(t->to);
}

static u64 whole_of(const struct top *top, const struct top_row *all)
{
	if (top->by == TOP_BY_CPU)
		return top->report.end - top->report.begin;
	return top->by == TOP_BY_REASON ? all->times.ns : report_time_of_cpus(&top->report);
}

static int write_rows(struct top *top, const struct facts *facts, struct tracer_answer *to)
{
	struct top_row all, *rows, **list;
	struct report_table t = top->table;
	size_t nr, i;

	t.to = to;
	t.facts = facts;
	rows = top_rows(top, &nr, &all);
	list = rows ? calloc(nr + 1, sizeof(*list)) : NULL;
	for (i = 0; list && i < nr; i++)
		list[i] = &rows[i];
	t.whole = whole_of(top, &all);
	t.partial = report_known_count(&top->report.known, false);
	if (list)
		write_table(top, &t, list, nr, &all);
	free(rows);
	free(list);
	return list ? 0 : -ENOMEM;
}

static int answer(struct top *top, const struct facts *facts, struct tracer_answer *to)
{
	const struct report *r = &top->report;
	const struct report_column *by = sort_column(top, facts);
	const char *missing = report_lacks(facts, by->needs);
	int ret = 0;

	answer_open(to, "top", facts->cap->dir);
	answer_ns(to, "length", r->end - r->begin);
	report_write_scope(facts->cap, to);
	answer_u64(to, "number of CPUs", r->nr_cpus);
	report_write_missing(r, facts, to);
	report_known_write(&r->known, r->opt.json, to);
	if (r->opt.json)
		report_write_lacking(facts, to);
	if (missing && !r->opt.json)
		report_not_there(to, by->name, missing);
	else
		ret = write_rows(top, facts, to);
	if (top->by == TOP_BY_FILE)
		report_write_given_up(&r->files, r->opt.json, facts, to);
	return ret ? ret : answer_close(to);
}

static int finish(void *data, const struct output_env *env)
{
	struct top *top = data;
	struct tracer_answer *to = answer_create(top->report.opt.json);
	int ret = to ? answer(top, env->facts, to) : -ENOMEM;

	if (!ret)
		ret = answer_write(to, stdout);
	if (ret)
		msg_error("the answer cannot be written: %s", strerror(-ret));
	answer_destroy(to);
	return ret;
}

static int attach(void *data, const struct output_env *env)
{
	struct top *top = data;

	return report_attach(&top->report, env);
}

static int attach_tasks(void *data, const struct output_env *env)
{
	return top_attach_tasks(data, tasks_hooks(env->tasks));
}

#define OPT_JSON	256
#define OPT_BY		257
#define OPT_SORT	258
#define OPT_ROWS	259
#define OPT_SELF	260
#define OPT_NO_SELF	261

static const struct argp_option options[] = {
	{ "by", OPT_BY, "WHAT", 0,
	  "A row for each: process (the default), comm, thread, file, cpu, reason", 0 },
	{ "sort", OPT_SORT, "COLUMN", 0, "Column to sort by; by default the first with a sum", 0 },
	{ "rows", OPT_ROWS, "N", 0, "Rows of the table; 10 by default", 0 },
	{ "json", OPT_JSON, NULL, 0, "As JSON, with all rows", 0 },
	{ "no-self", OPT_NO_SELF, NULL, 0, REPORT_NO_SELF, 0 },
	{ "self", OPT_SELF, NULL, 0, REPORT_SELF, 0 },
	{ 0 }
};

static u32 parse_by(const char *arg, const struct argp_state *state)
{
	char near[64];
	u32 i;

	for (i = 0; i < TOP_NR_BYS; i++) {
		if (!strcmp(arg, by_names[i]))
			return i;
	}
	argp_error(state, "--by: \"%s\" is not process, comm, thread, file, cpu or reason%s", arg,
		   suggest_from(arg, by_names, TOP_NR_BYS, near, sizeof(near)));
	return 0;
}

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct top *top = use->data;

	switch (key) {
	case OPT_JSON:
		top->report.opt.json = true;
		top->report.opt.all = true;
		return 0;
	case OPT_SELF:
	case OPT_NO_SELF:
		top->report.opt.self = key == OPT_SELF;
		return 0;
	case OPT_BY:
		top->by = parse_by(arg, state);
		return 0;
	case OPT_SORT:
		top->sort = arg;
		return 0;
	case OPT_ROWS:
		top->report.opt.rows = report_parse_rows("rows", arg, state);
		return 0;
	case ARGP_KEY_END:
		set_columns(top, top->report.opt.json);
		if (top->sort && !column_named(top, top->sort))
			set_columns(top, true);
		check_sort(top, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void close_output(void *data)
{
	top_free(data);
}

DEFINE_OUTPUT(top) = {
	.name = "top",
	.sentence = "who used most: processes, programs, threads, files, CPUs, or reasons of "
		    "waiting; on stdout",
	.flags = OUTPUT_INVENTORY | OUTPUT_COMMAND,
	.size = sizeof(struct top),
	.options = options,
	.parse = parse,
	.kinds = REPORT_KINDS,
	.attach = attach,
	.attach_tasks = attach_tasks,
	.finish = finish,
	.close = close_output,
};
