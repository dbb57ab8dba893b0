// SPDX-License-Identifier: GPL-2.0-only
/* What is in a picture: see choice.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/svg/choice.h"
#include "util/compare.h"

/**
 * struct ranked - Something that may have a row.
 * @much: how much it is used
 * @nr: its number, from 0
 */
struct ranked {
	u64 much;
	u32 nr;
};

static int by_use(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->much != y->much ? compare_u64(y->much, x->much) : compare_u64(x->nr, y->nr);
}

static int by_number(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return compare_u64(x->nr, y->nr);
}

static u32 process_of(const struct timeline_thread *th)
{
	return th->process ? th->process->nr : 0;
}

static int by_process(const void *a, const void *b)
{
	const struct choice_row *x = a, *y = b;

	return compare_u64(process_of(x->th), process_of(y->th)) ?:
	       compare_u64(x->th->nr, y->th->nr);
}

static int by_time(const void *a, const void *b)
{
	const struct choice_row *x = a, *y = b;

	return compare_u64(y->run, x->run) ?: compare_u64(x->th->nr, y->th->nr);
}

static const char *program_of(const struct timeline_thread *th)
{
	return th->process ? th->process->name : "";
}

static int by_program(const void *a, const void *b)
{
	const struct choice_row *x = a, *y = b;

	return strcmp(program_of(x->th), program_of(y->th)) ?: by_process(a, b);
}

/* Return: how many are used, at most @rows; those are first. */
static u32 rank(struct ranked *all, u32 nr, u32 rows)
{
	u32 i;

	qsort(all, nr, sizeof(*all), by_use);
	for (i = 0; i < nr && i < rows && all[i].much; i++)
		;
	return i;
}

/* All CPUs if there is room, but those that are left out: that one idles is of interest. */
static int choose_cpus(struct choice *c, const struct timeline *tl, u32 rows)
{
	u32 nr = tl->world->nr_cpus, i;
	struct ranked *all = calloc(nr + 1, sizeof(*all));

	c->cpus = calloc(rows, sizeof(*c->cpus));
	if (!all || !c->cpus) {
		free(all);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++)
		all[i] = (struct ranked){ tl->world->cpus[i].elsewhere ? 0 : tl->busy[i] + 1, i };
	c->nr_cpus = rank(all, nr, rows);
	qsort(all, c->nr_cpus, sizeof(*all), by_number);
	for (i = 0; i < c->nr_cpus; i++)
		c->cpus[i] = all[i].nr;
	free(all);
	return 0;
}

/* Rows of marks are below those of threads. */
static void find_marked(const struct timeline *tl, bool *marked)
{
	const struct timeline_mark *mark;

	STAILQ_FOREACH(mark, &tl->mark_rows, next) {
		if (mark->thread && mark->lane->len)
			marked[process_of(mark->thread)] = true;
	}
}

/* @list: threads of one program. Return: how many processes it has; 0: it is not folded. */
static u32 processes_of(const struct choice_row *list, u32 nr, const bool *marked)
{
	u32 processes = 0, i;

	for (i = 0; i < nr; i++) {
		if (!process_of(list[i].th) || marked[process_of(list[i].th)])
			return 0;
		processes += !i || process_of(list[i].th) != process_of(list[i - 1].th);
	}
	return processes > 1 ? processes : 0;
}

/* Threads of programs of several processes become one row. Return: how many rows there are. */
static u32 fold_programs(struct choice_row *list, u32 nr, const bool *marked)
{
	u32 to = 0, from, end, processes, i;

	qsort(list, nr, sizeof(*list), by_program);
	for (from = 0; from < nr; from = end) {
		for (end = from + 1; end < nr; end++) {
			if (strcmp(program_of(list[from].th), program_of(list[end].th)))
				break;
		}
		processes = processes_of(list + from, end - from, marked);
		for (i = from; i < end; i++) {
			if (i > from && processes)
				list[to - 1].run += list[i].run;
			else
				list[to++] = list[i];
		}
		list[to - 1].processes = processes;
	}
	return to;
}

static u32 list_threads(struct choice *c, const struct timeline *tl)
{
	const struct timeline_thread *th;
	u32 i = 0, ran = 0;

	STAILQ_FOREACH(th, &tl->threads, next) {
		c->threads[i++] = th;
		if (!timeline_shows(tl, th->process))
			continue;
		c->tasks[c->all_tasks].th = th;
		c->tasks[c->all_tasks++].run = th->sums[TIMELINE_SUM_run];
		ran += !!th->sums[TIMELINE_SUM_run];
	}
	return ran;
}

/* If there are too many, as of a script that starts programs, those of a program have one row. */
static int choose_threads(struct choice *c, const struct timeline *tl, u32 rows)
{
	bool *marked = calloc(tl->nr_processes + 1, sizeof(*marked));
	bool fold;
	u32 i, nr;

	c->threads = calloc(tl->nr_threads + 1, sizeof(*c->threads));
	c->tasks = calloc(tl->nr_threads + 1, sizeof(*c->tasks));
	if (!marked || !c->threads || !c->tasks) {
		free(marked);
		return -ENOMEM;
	}
	find_marked(tl, marked);
	fold = list_threads(c, tl) > rows;
	nr = c->all_tasks;
	if (fold)
		c->all_tasks = fold_programs(c->tasks, nr, marked);
	c->folded = c->all_tasks < nr;
	free(marked);
	qsort(c->tasks, c->all_tasks, sizeof(*c->tasks), by_time);
	for (i = 0; i < c->all_tasks && i < rows && c->tasks[i].run; i++)
		;
	c->nr_tasks = i;
	qsort(c->tasks, c->nr_tasks, sizeof(*c->tasks), by_process);
	return 0;
}

static int choose_files(struct choice *c, const struct timeline *tl, u32 rows)
{
	struct ranked *all = calloc(tl->nr_files + 1, sizeof(*all));
	const struct timeline_file **by_nr = calloc(tl->nr_files + 1, sizeof(*by_nr));
	const struct timeline_file *file;
	u32 i = 0;

	c->files = calloc(rows, sizeof(*c->files));
	if (all && by_nr && c->files) {
		STAILQ_FOREACH(file, &tl->files, next) {
			all[i] = (struct ranked){ file->uses ? file->bytes : 0, i };
			by_nr[i++] = file;
		}
		c->nr_files = rank(all, tl->nr_files, rows);
		for (i = 0; i < c->nr_files; i++)
			c->files[i] = by_nr[all[i].nr];
	}
	i = all && by_nr && c->files;
	free(all);
	free(by_nr);
	return i ? 0 : -ENOMEM;
}

static bool has_row(const struct choice *c, const struct timeline_thread *th)
{
	u32 i;

	for (i = 0; i < c->nr_tasks; i++) {
		if (c->tasks[i].th == th && !c->tasks[i].processes)
			return true;
	}
	return false;
}

/* How long each value is shown, by number. */
static void sum_values(struct choice *c, const struct timeline *tl, struct ranked *all)
{
	const struct timeline_mark *mark;

	STAILQ_FOREACH(mark, &tl->mark_rows, next) {
		struct lane_item item = { 0 };
		size_t at = 0;
		u32 i;

		if (!mark->thread || !has_row(c, mark->thread))
			continue;
		while (lane_read(mark->lane, &at, &item)) {
			c->marked = true;
			for (i = 0; i < item.nr; i++)
				all[item.parts[i].key].much += item.parts[i].ns;
		}
	}
}

/* Those that are shown longest have a color each. */
static int choose_values(struct choice *c, const struct timeline *tl)
{
	struct ranked *all = calloc(tl->nr_values + 1, sizeof(*all));
	u32 i, nr;

	c->value_colors = malloc(tl->nr_values + 1);
	if (!all || !c->value_colors) {
		free(all);
		return -ENOMEM;
	}
	memset(c->value_colors, TIMELINE_TINTS - 1, tl->nr_values + 1);
	sum_values(c, tl, all);
	all[0].much = 0;
	for (i = 0; i <= tl->nr_values; i++)
		all[i].nr = i;
	nr = rank(all, tl->nr_values + 1, TIMELINE_TINTS - 1);
	for (i = 0; i < nr; i++) {
		c->value_colors[all[i].nr] = i;
		c->values[i] = tl->values[all[i].nr - 1]->text;
	}
	free(all);
	return 0;
}

static int choose_programs(struct choice *c, const struct timeline *tl)
{
	const struct timeline_program *program;

	c->program_tints = calloc(tl->nr_programs + 1, sizeof(*c->program_tints));
	if (!c->program_tints)
		return -ENOMEM;
	STAILQ_FOREACH(program, &tl->programs, next)
		c->program_tints[program->nr] = timeline_tint(tl, program->name);
	return 0;
}

int choice_make(struct choice *c, const struct timeline *tl, u32 rows)
{
	int ret;

	memset(c, 0, sizeof(*c));
	ret = choose_cpus(c, tl, rows);
	if (!ret)
		ret = choose_threads(c, tl, rows);
	if (!ret)
		ret = choose_files(c, tl, rows);
	if (!ret)
		ret = choose_values(c, tl);
	return ret ? ret : choose_programs(c, tl);
}

void choice_free(struct choice *c)
{
	free(c->threads);
	free(c->program_tints);
	free(c->value_colors);
	free(c->cpus);
	free(c->tasks);
	free(c->files);
}
