// SPDX-License-Identifier: GPL-2.0-only
/* What changed between captures, collected: see diff.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/ask/diff.h"

#define FIGURE(name, by, field, form, needs) \
	{ name, TOP_BY_##by, offsetof(struct top_row, field), FORM_##form, NEEDS_##needs, 0 }

/* Those that are no measures of a program or CPU. */
static const struct diff_figure own_figures[] = {
	FIGURE("reasons by time", REASON, times.ns, NS, SWITCHES),
	FIGURE("reasons by times", REASON, times.nr, U64, SWITCHES),
	FIGURE("files by time in calls", FILE, who.sum.io.time.ns, NS, CALLS),
	FIGURE("files by calls", FILE, who.sum.io.time.nr, U64, IO),
	FIGURE("files by bytes read and written", FILE, who.sum.bytes, BYTES, IO),
	FIGURE("files by pages added to the page cache", FILE, added, U64, PAGES),
	FIGURE("files by pages removed from the page cache", FILE, removed, U64, PAGES),
	FIGURE("CPUs by time busy", CPU, who.sum.cpu.ns, NS, SWITCHES),
	FIGURE("CPUs by time in a run queue", CPU, times.ns, NS, SWITCHES),
};

static void add_figure(struct diff *d, const struct diff_figure *figure)
{
	struct diff_figure *f = &d->figures[d->nr_figures++];

	*f = *figure;
	f->nr = d->nr_of[f->by]++;
}

static void add_measures(struct diff *d, u32 by, const char *what, u32 in)
{
	u32 i;

	for (i = 0; i < SUMS_NR_MEASURES; i++) {
		const struct measure *m = &sums_measures[i];
		struct diff_figure f = {
			.by = by, .at = offsetof(struct top_row, who.sum) + m->column.at,
			.form = m->column.form, .needs = m->column.needs,
		};

		if (!m->by || !(m->in & in))
			continue;
		snprintf(f.name, sizeof(f.name), "%s by %s", what, m->by);
		add_figure(d, &f);
	}
}

void diff_set_figures(struct diff *d)
{
	size_t i;

	add_measures(d, TOP_BY_COMM, "programs", ~0U);
	for (i = 0; i < ARRAY_SIZE(own_figures); i++)
		add_figure(d, &own_figures[i]);
	add_measures(d, TOP_BY_CPU, "CPUs", IN_DIFF_CPUS);
}

bool diff_asks(const struct diff *d, u32 by)
{
	if (d->by != TOP_NR_BYS)
		return d->by == by;
	return by == TOP_BY_COMM || by == TOP_BY_REASON || by == TOP_BY_FILE;
}

/* One pass for all: programs need what the report collects anyway. */
int diff_attach_tasks(struct diff *d, struct hookable *tasks)
{
	int ret;

	d->top.by = d->by == TOP_NR_BYS ? TOP_BY_COMM : d->by;
	ret = top_attach_tasks(&d->top, tasks);
	return !ret && d->by == TOP_NR_BYS ? top_attach_files(&d->top) : ret;
}

static int new_table(struct hash_table *things)
{
	return things->buckets ? 0 : hash_init(things);
}

static struct diff_thing *find(struct hash_table *things, u64 hash, const char *name)
{
	struct hash_node *node;

	for (node = hash_first(things, hash); node; node = hash_next(node)) {
		struct diff_thing *thing = container_of(node, struct diff_thing, node);

		if (!strcmp(thing->name, name))
			return thing;
	}
	return NULL;
}

static struct diff_thing *get(struct hash_table *things, const char *name)
{
	u64 hash = hash_text(things, name);
	struct diff_thing *thing = find(things, hash, name);

	if (thing)
		return thing;
	thing = calloc(1, sizeof(*thing));
	if (thing)
		thing->name = strdup(name);
	if (!thing || !thing->name) {
		free(thing);
		return NULL;
	}
	hash_add(things, &thing->node, hash);
	return thing;
}

/* Captures in which it did not appear have zeros. */
static int grow(struct diff_thing *thing, size_t nr)
{
	u64 *more;

	if (nr <= thing->nr)
		return 0;
	more = realloc(thing->values, nr * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + thing->nr, 0, (nr - thing->nr) * sizeof(*more));
	thing->values = more;
	thing->nr = nr;
	return 0;
}

static int add_values(struct diff *d, struct diff_thing *thing, const struct top_row *row, u32 by)
{
	size_t nr = d->nr_of[by], i;

	if (grow(thing, d->nr * nr))
		return -ENOMEM;
	for (i = 0; i < d->nr_figures; i++) {
		const struct diff_figure *f = &d->figures[i];

		if (f->by == by)
			report_add(&thing->values[(d->nr - 1) * nr + f->nr],
				   *(const u64 *)((const char *)row + f->at));
	}
	return 0;
}

/* Of the recorder, or a file that only it used: its buffers differ from capture to capture. */
static bool is_recorder(const struct top_row *row, u32 by)
{
	const struct report_file *file = row->file;

	return by == TOP_BY_FILE ? file && file->own && file->own == file->io.time.nr :
	       row->who.recorder;
}

/* Numbers of inodes differ between captures: without a path, a file is most likely another one. */
static char *name_of(const struct top_row *row, u32 by)
{
	const struct report_file *file = row->file;
	char *name;
	int ret;

	if (is_recorder(row, by))
		ret = asprintf(&name, REPORT_RECORDER);
	else if (by == TOP_BY_COMM)
		ret = asprintf(&name, "%s", row->who.name);
	else if (by == TOP_BY_CPU)
		ret = asprintf(&name, "%llu", row->id);
	else if (!file || file->path)
		ret = asprintf(&name, "%s", file ? file->path : row->name);
	else
		ret = asprintf(&name, "%llu:%llu inode %llu", file->major, file->minor,
			       file->id.ino);
	return ret < 0 ? NULL : name;
}

static int add_row(struct diff *d, const struct top_row *row, u32 by)
{
	char *name = name_of(row, by);
	struct diff_thing *thing = name ? get(&d->things[by], name) : NULL;

	free(name);
	if (!thing || add_values(d, thing, row, by))
		return -ENOMEM;
	thing->recorder |= is_recorder(row, by);
	return add_values(d, &d->sums[by], row, by);
}

/* Files that are not told apart. */
static int add_given_up(struct diff *d)
{
	struct top_row row = { .name = REPORT_GIVEN_UP };

	if (!d->top.report.files.nr_others)
		return 0;
	top_add_file(&row, &d->top.report.files.others);
	return add_row(d, &row, TOP_BY_FILE);
}

static int add_rows(struct diff *d, u32 by)
{
	struct top_row all, *rows;
	size_t nr = 0, i;
	int ret = 0;

	d->top.by = by;
	rows = top_rows(&d->top, &nr, &all);
	if (!rows || new_table(&d->things[by]))
		ret = -ENOMEM;
	for (i = 0; !ret && i < nr; i++)
		ret = add_row(d, &rows[i], by);
	if (!ret && by == TOP_BY_FILE)
		ret = add_given_up(d);
	free(rows);
	return ret;
}

static int add_capture(struct diff *d, const struct facts *facts, u32 side)
{
	const struct capture *cap = facts->cap;
	struct diff_capture *more, *one;
	size_t i;

	more = realloc(d->captures, (d->nr + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	d->captures = more;
	one = &more[d->nr];
	*one = (struct diff_capture){
		.dir = strdup(cap->dir), .side = side, .gaps = cap->stats.gaps,
		.length = d->top.report.end - d->top.report.begin,
		.damages = capture_damages(cap), .page_size = meta_page_size(&cap->meta),
		.missing = calloc(d->nr_figures, sizeof(*one->missing)),
	};
	memcpy(one->vague, cap->vague, sizeof(one->vague));
	if (report_known_count(&d->top.report.known, false)) {
		report_known_text(&d->top.report.known, false, one->unknown);
		d->partial[side] = true;
	}
	d->nr++;
	d->sides[side]++;
	if (!one->dir || !one->missing)
		return -ENOMEM;
	for (i = 0; i < d->nr_figures; i++)
		one->missing[i] = report_lacks(facts, d->figures[i].needs);
	return 0;
}

int diff_add(struct diff *d, const struct facts *facts, u32 side)
{
	int ret = add_capture(d, facts, side);
	u32 by;

	for (by = 0; !ret && by < TOP_NR_BYS; by++) {
		if (diff_asks(d, by))
			ret = add_rows(d, by);
	}
	return ret;
}

static double value_of(const struct diff *d, const struct diff_thing *thing, u32 capture,
		       const struct diff_figure *f)
{
	size_t at = (size_t)capture * d->nr_of[f->by] + f->nr;

	return at < thing->nr ? (double)thing->values[at] : 0;
}

/* The mean, and the variance of one capture. */
static double sum_up(const struct diff *d, const struct diff_figure *f,
		     const struct diff_thing *thing, u32 side, double *mean)
{
	double sum = 0, squares = 0;
	u32 i;

	for (i = 0; i < d->nr; i++) {
		if (d->captures[i].side == side)
			sum += value_of(d, thing, i, f);
	}
	*mean = sum / d->sides[side];
	for (i = 0; i < d->nr; i++) {
		double off = value_of(d, thing, i, f) - *mean;

		if (d->captures[i].side == side)
			squares += off * off;
	}
	return d->sides[side] > 1 ? squares / (d->sides[side] - 1) : 0;
}

/* Student's t of a two-sided interval of 95 %, from 1 degree of freedom on. */
static double student(double freedom)
{
	static const double t[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	};

	/* The sum of rounded numbers may be a little less than a whole one. */
	freedom += 1.0 / 1000000000;
	if (freedom >= ARRAY_SIZE(t))
		return t[ARRAY_SIZE(t) - 1];
	return t[freedom < 1 ? 0 : (size_t)freedom - 1];
}

/* Welch: the sides need not vary equally. @a, @b: variances of the means. */
static double noise_of(double a, double b, u32 nr_a, u32 nr_b)
{
	double divisor = a * a / (nr_a - 1) + b * b / (nr_b - 1);

	return divisor > 0 ? student((a + b) * (a + b) / divisor) * sqrt(a + b) : 0;
}

struct diff_change diff_change(const struct diff *d, const struct diff_figure *figure,
			       const struct diff_thing *thing)
{
	struct diff_change c = { .thing = thing };
	u32 a = d->sides[DIFF_BEFORE], b = d->sides[DIFF_AFTER];
	double variance[DIFF_NR_SIDES];
	u32 side;

	for (side = 0; side < DIFF_NR_SIDES; side++) {
		variance[side] = sum_up(d, figure, thing, side, &c.mean[side]);
		c.sd[side] = sqrt(variance[side]);
	}
	c.change = c.mean[DIFF_AFTER] - c.mean[DIFF_BEFORE];
	if (a < 2 || b < 2)
		return c;
	c.noise = noise_of(variance[DIFF_BEFORE] / a, variance[DIFF_AFTER] / b, a, b);
	c.beyond = fabs(c.change) > c.noise;
	return c;
}

static int compare(const void *a, const void *b)
{
	const struct diff_change *x = a, *y = b;
	double more = fabs(y->change) - fabs(x->change);

	if (x->thing->recorder != y->thing->recorder)
		return x->thing->recorder ? 1 : -1;
	if (more > 0 || more < 0)
		return more > 0 ? 1 : -1;
	return strcmp(x->thing->name, y->thing->name);
}

struct diff_change *diff_changes(const struct diff *d, const struct diff_figure *figure,
				 size_t *nr)
{
	const struct hash_table *things = &d->things[figure->by];
	struct diff_change *list = calloc(things->nr + 1, sizeof(*list));
	struct hash_node *node = NULL;

	*nr = 0;
	while (list && (node = hash_walk(things, node)))
		list[(*nr)++] = diff_change(d, figure,
					    container_of(node, struct diff_thing, node));
	if (list)
		qsort(list, *nr, sizeof(*list), compare);
	return list;
}

static void free_thing(struct hash_node *node)
{
	struct diff_thing *thing = container_of(node, struct diff_thing, node);

	free(thing->name);
	free(thing->values);
	free(thing);
}

void diff_free(struct diff *d)
{
	u32 i;

	for (i = 0; i < d->nr; i++) {
		free(d->captures[i].dir);
		free(d->captures[i].missing);
	}
	free(d->captures);
	d->captures = NULL;
	d->nr = 0;
	for (i = 0; i < TOP_NR_BYS; i++) {
		hash_destroy(&d->things[i], free_thing);
		free(d->sums[i].values);
		d->sums[i].values = NULL;
	}
}
