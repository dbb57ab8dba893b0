// SPDX-License-Identifier: GPL-2.0-only
/* What changed between captures, as an output: a command that prints tables on stdout. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"
#include "output/ask/diff.h"
#include "util/msg.h"
#include "util/suggest.h"

#define CELL_MAX	64
#define PARTIAL		"a capture lacks a CPU: changes are not computed, and \"-\" marks what may be more than 0"

static const char *const side_names[DIFF_NR_SIDES] = { "A", "B" };
static const char *const sd_names[DIFF_NR_SIDES] = { "sd A", "sd B" };

static bool has_noise(const struct diff *d)
{
	return d->sides[DIFF_BEFORE] > 1 && d->sides[DIFF_AFTER] > 1;
}

/* JSON has the number itself, in ns, bytes, or pieces. */
static void put(const struct diff *d, const struct diff_figure *f, struct tracer_answer *to,
		const char *name, double value, const char *sign)
{
	char text[CELL_MAX], time[ANSWER_TIME];
	double size = fabs(value);

	if (d->json) {
		answer_real(to, name, value);
		return;
	}
	if (f->form == FORM_NS)
		snprintf(text, sizeof(text), "%s%s", sign, answer_time((u64)llround(size), time));
	else if (f->form == FORM_BYTES && size >= 1024)
		snprintf(text, sizeof(text), "%s%s", sign, answer_size((u64)llround(size), time));
	else
		snprintf(text, sizeof(text), "%s%.10g%s", sign, round(size * 10) / 10,
			 f->form == FORM_BYTES ? " B" : "");
	answer_number(to, name, text);
}

static bool is_partial(const struct diff *d)
{
	return d->partial[DIFF_BEFORE] || d->partial[DIFF_AFTER];
}

/* While nothing is known of a CPU, it is not known that there was nothing. */
static bool is_known(const struct diff *d, const struct diff_change *c, u32 side)
{
	return !d->partial[side] || c->mean[side] > 0;
}

/* What was not there before has no percentage. */
static void put_percent(const struct diff *d, const struct diff_change *c,
			struct tracer_answer *to)
{
	double percent = 100 * c->change / c->mean[DIFF_BEFORE];
	char text[CELL_MAX];

	if (!(c->mean[DIFF_BEFORE] > 0))
		return;
	if (d->json) {
		answer_real(to, "percent", percent);
		return;
	}
	snprintf(text, sizeof(text), "%+.1f", percent);
	answer_number(to, "percent", text);
}

static void put_row(const struct diff *d, const struct diff_figure *f,
		    const struct diff_change *c, const char *name, struct tracer_answer *to)
{
	u32 side;

	answer_row(to);
	for (side = 0; side < DIFF_NR_SIDES; side++) {
		if (!is_known(d, c, side))
			continue;
		put(d, f, to, side_names[side], c->mean[side], "");
		if (d->sides[side] > 1)
			put(d, f, to, sd_names[side], c->sd[side], "");
	}
	if (!is_partial(d)) {
		put(d, f, to, "change", c->change, c->change < 0 ? "-" : "+");
		put_percent(d, c, to);
	}
	if (has_noise(d) && !is_partial(d)) {
		put(d, f, to, "noise", c->noise, "");
		if (d->json)
			answer_u64(to, "beyond", c->beyond);
		else
			answer_text(to, "beyond", c->beyond ? "*" : "");
	}
	answer_text(to, "name", *name || d->json ? name : NULL);
}

static void begin_table(const struct diff *d, const struct diff_figure *f,
			struct tracer_answer *to)
{
	char names[128];

	snprintf(names, sizeof(names), "A%s,B%s,change,percent%s,name",
		 d->sides[DIFF_BEFORE] > 1 ? ",sd A" : "", d->sides[DIFF_AFTER] > 1 ? ",sd B" : "",
		 has_noise(d) ? ",noise,beyond" : "");
	report_begin(to, f->name, d->json ? "" : names);
}

/* Unchanged rows are only in JSON. The recorder comes after the --rows others. */
static bool has_row(const struct diff *d, const struct diff_change *c, size_t rank)
{
	if (d->json)
		return true;
	return fpclassify(c->change) != FP_ZERO && (rank < d->rows || c->thing->recorder);
}

static int write_figure(const struct diff *d, const struct diff_figure *f,
			struct tracer_answer *to)
{
	struct diff_change all = diff_change(d, f, &d->sums[f->by]);
	struct diff_change *list;
	char name[CELL_MAX];
	size_t nr, i;

	list = diff_changes(d, f, &nr);
	if (!list)
		return -ENOMEM;
	begin_table(d, f, to);
	for (i = 0; i < nr; i++) {
		if (has_row(d, &list[i], i))
			put_row(d, f, &list[i], list[i].thing->name, to);
	}
	snprintf(name, sizeof(name), "all %zu", nr);
	if (!d->json)
		put_row(d, f, &all, name, to);
	report_end(to);
	free(list);
	return 0;
}

/* Is there anything to compare? */
static bool is_recorded(const struct diff *d, size_t figure)
{
	u32 i;

	for (i = 0; i < d->nr; i++) {
		if (!d->captures[i].missing[figure])
			return true;
	}
	return false;
}

static int write_figures(const struct diff *d, struct tracer_answer *to)
{
	size_t i;
	int ret = 0;

	for (i = 0; !ret && i < d->nr_figures; i++) {
		if (diff_asks(d, d->figures[i].by) && is_recorded(d, i))
			ret = write_figure(d, &d->figures[i], to);
	}
	return ret;
}

/* Was that said of an earlier figure? Names of events are those of one table. */
static bool is_said(const struct diff *d, const struct diff_capture *one, size_t figure)
{
	size_t i;

	for (i = 0; i < figure; i++) {
		if (diff_asks(d, d->figures[i].by) && one->missing[i] &&
		    !strcmp(one->missing[i], one->missing[figure]))
			return true;
	}
	return false;
}

/*
 * A capture does not say which events were switched on: its zeros may be true, as of pages that had
 * been read before, or they are not known.
 */
static void write_without(const struct diff *d, struct tracer_answer *to)
{
	size_t nr = d->nr * d->nr_figures, i;
	bool begun = false;

	for (i = 0; i < nr; i++) {
		const struct diff_capture *one = &d->captures[i / d->nr_figures];
		size_t figure = i % d->nr_figures;

		if (!one->missing[figure] || !diff_asks(d, d->figures[figure].by) ||
		    is_said(d, one, figure))
			continue;
		if (!begun)
			report_begin(to, "without any record", d->json ? "" : "of,capture");
		begun = true;
		answer_row(to);
		answer_text(to, "of", one->missing[figure]);
		answer_text(to, "capture", one->dir);
	}
	if (begun)
		report_end(to);
}

/* Then a page of one is not a page of another. */
static bool is_of_other_pages(const struct diff *d)
{
	u32 i;

	for (i = 1; i < d->nr; i++) {
		if (d->captures[i].page_size != d->captures[0].page_size)
			return true;
	}
	return false;
}

static void write_captures(const struct diff *d, struct tracer_answer *to)
{
	bool sizes = is_of_other_pages(d);
	char names[128];
	u32 i;

	snprintf(names, sizeof(names), "side,length,gaps,damaged places%s%s,capture",
		 sizes ? ",page size" : "", is_partial(d) ? ",not in the capture" : "");
	report_begin(to, "captures", d->json ? "" : names);
	for (i = 0; i < d->nr; i++) {
		const struct diff_capture *one = &d->captures[i];

		answer_row(to);
		answer_text(to, "side", side_names[one->side]);
		answer_ns(to, "length", one->length);
		answer_u64(to, "gaps", one->gaps);
		answer_u64(to, "damaged places", one->damages);
		if (sizes)
			answer_bytes(to, "page size", one->page_size);
		if (*one->unknown)
			answer_text(to, "not in the capture", one->unknown);
		answer_text(to, "capture", one->dir);
	}
	report_end(to);
}

/* Their times are not to be compared with others. */
static void write_vague(const struct diff *d, struct tracer_answer *to)
{
	bool begun = false;
	u32 i;

	for (i = 0; i < d->nr; i++) {
		const struct diff_capture *one = &d->captures[i];

		if (!*one->vague)
			continue;
		if (!begun)
			report_begin(to, "not exact", d->json ? "" : "times,capture");
		begun = true;
		answer_row(to);
		answer_text(to, "times", one->vague);
		answer_text(to, "capture", one->dir);
	}
	if (begun)
		report_end(to);
}

static int answer(const struct diff *d, struct tracer_answer *to)
{
	int ret;

	answer_open(to, "diff", d->captures[0].dir);
	answer_text(to, "noise", has_noise(d) ?
		    "95 % confidence interval of the change (Welch); * is larger" :
		    "not known: that needs two captures or more of each side");
	if (is_partial(d))
		answer_text(to, "not known", PARTIAL);
	write_captures(d, to);
	write_vague(d, to);
	write_without(d, to);
	ret = write_figures(d, to);
	return ret ? ret : answer_close(to);
}

static int write_answer(const struct diff *d)
{
	struct tracer_answer *to = answer_create(d->json);
	int ret = to ? answer(d, to) : -ENOMEM;

	if (!ret)
		ret = answer_write(to, stdout);
	if (ret)
		msg_error("the answer cannot be written: %s", strerror(-ret));
	answer_destroy(to);
	return ret;
}

static int compare(void *data, bool failed)
{
	struct diff *d = data;
	int ret = failed ? 0 : write_answer(d);

	diff_free(d);
	return ret;
}

static int attach(void *data, const struct output_env *env)
{
	struct diff *d = data;

	return report_attach(&d->top.report, env);
}

static int attach_tasks(void *data, const struct output_env *env)
{
	return diff_attach_tasks(data, tasks_hooks(env->tasks));
}

static int finish(void *data, const struct output_env *env)
{
	int ret = diff_add(data, env->facts, env->side);

	if (ret)
		msg_error("no memory");
	return ret;
}

#define OPT_JSON	256
#define OPT_BY		257
#define OPT_ROWS	258

static const struct argp_option options[] = {
	{ "by", OPT_BY, "WHAT", 0,
	  "Compare only: comm, reason, file or cpu; by default the first three", 0 },
	{ "rows", OPT_ROWS, "N", 0, "Rows of each table; 10 by default", 0 },
	{ "json", OPT_JSON, NULL, 0, "As JSON, with all rows", 0 },
	{ 0 }
};

static u32 parse_by(const char *arg, const struct argp_state *state)
{
	static const char *const names[TOP_NR_BYS] = {
		[TOP_BY_COMM] = "comm", [TOP_BY_REASON] = "reason",
		[TOP_BY_FILE] = "file", [TOP_BY_CPU] = "cpu",
	};
	char near[64];
	u32 i;

	for (i = 0; i < TOP_NR_BYS; i++) {
		if (names[i] && !strcmp(arg, names[i]))
			return i;
	}
	if (!strcmp(arg, "process") || !strcmp(arg, "thread"))
		argp_error(state, "--by: a %s has another number in each capture: --by comm", arg);
	argp_error(state, "--by: \"%s\" is not comm, reason, file or cpu%s", arg,
		   suggest_from(arg, names, TOP_NR_BYS, near, sizeof(near)));
	return 0;
}

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct diff *d = use->data;

	switch (key) {
	case ARGP_KEY_INIT:
		diff_set_figures(d);
		d->by = TOP_NR_BYS;
		d->rows = 10;
		return 0;
	case OPT_JSON:
		d->json = true;
		return 0;
	case OPT_BY:
		d->by = parse_by(arg, state);
		return 0;
	case OPT_ROWS:
		d->rows = report_parse_rows("rows", arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* After each capture: what was kept of it stays. */
static void close_output(void *data)
{
	struct diff *d = data;

	top_free(&d->top);
	memset(&d->top, 0, sizeof(d->top));
}

DEFINE_OUTPUT(diff) = {
	.name = "diff",
	.sentence = "what changed between captures of the same work: programs, reasons of "
		    "waiting, files; on stdout",
	.flags = OUTPUT_INVENTORY | OUTPUT_COMMAND | OUTPUT_SIDES,
	.size = sizeof(struct diff),
	.options = options,
	.parse = parse,
	.kinds = REPORT_KINDS,
	.attach = attach,
	.attach_tasks = attach_tasks,
	.finish = finish,
	.compare = compare,
	.close = close_output,
};
