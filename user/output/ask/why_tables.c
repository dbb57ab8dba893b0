// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who had the CPU, and who ended waits. As text: by program, the first ones, and the sum of the
 * others. As JSON: by process, all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/ask/why.h"
#include "output/report/report.h"
#include "sums/table.h"
#include "util/compare.h"

const char *const why_places[WHY_NR_PLACES] = {
	[WHY_NOBODY] = "not known",
	[WHY_INTERRUPT] = "(an interrupt)",
	[WHY_CACHE] = "(pages were read)",
	[WHY_OPEN] = "(it goes on)",
};

/**
 * struct row - A row.
 * @process: who; of a program: one of its processes; NULL: see @place
 * @place: enum why_waker
 * @code: enum tasks_wait; TASKS_NR_WAITS: of several
 * @times: sums
 * @processes: how many of them
 */
struct row {
	const struct why_process *process;
	u8 place;
	u32 code;
	struct report_times times;
	u64 processes;
};

const char *why_who(const struct why_process *process, unsigned int place)
{
	if (!process)
		return why_places[place];
	return report_name(process->name);
}

void why_write_times(struct tracer_answer *to, const struct report_times *times)
{
	answer_ns(to, "time", times->ns);
	answer_u64(to, "times", times->nr);
	answer_ns(to, "longest", times->longest);
}

void why_write_others(struct tracer_answer *to, const char *column, size_t nr)
{
	char text[40];

	snprintf(text, sizeof(text), "%zu %s", nr, nr == 1 ? "other" : "others");
	answer_text(to, column, text);
}

static int compare_who(const struct row *x, const struct row *y)
{
	if (!x->process || !y->process)
		return !!y->process - !!x->process ?: x->place - y->place;
	return strcmp(x->process->name, y->process->name);
}

static int by_program(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return compare_u64(x->code, y->code) ?: compare_who(x, y);
}

static u32 pid_of(const struct row *row)
{
	return row->process ? row->process->pid : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return compare_u64(y->times.ns, x->times.ns) ?: by_program(x, y) ?:
	       compare_u64(pid_of(x), pid_of(y));
}

/* Make one row of those of a program. Return: how many rows are left. */
static size_t fold(struct row *rows, size_t nr)
{
	size_t i, kept = 0;

	qsort(rows, nr, sizeof(*rows), by_program);
	for (i = 1; i < nr; i++) {
		if (by_program(&rows[kept], &rows[i])) {
			rows[++kept] = rows[i];
			continue;
		}
		report_add_times(&rows[kept].times, &rows[i].times);
		rows[kept].processes += rows[i].processes;
	}
	return nr ? kept + 1 : 0;
}

static void write_row(const struct why *why, const struct row *row, const char *reason,
		      struct tracer_answer *to)
{
	answer_row(to);
	why_write_times(to, &row->times);
	if (reason)
		answer_text(to, "reason", reason);
	if (!why->json)
		answer_u64(to, "processes", row->processes);
	else if (row->process)
		answer_u64(to, "pid", row->process->pid);
}

static void write_rows(const struct why *why, struct row *rows, size_t nr,
		       struct tracer_answer *to)
{
	size_t i, all = why->json ? nr : fold(rows, nr);
	size_t shown = why->json || all <= why->rows ? all : why->rows;
	struct row others = { .code = TASKS_NR_WAITS };

	qsort(rows, all, sizeof(*rows), by_time);
	for (i = 0; i < shown; i++) {
		const struct row *row = &rows[i];

		write_row(why, row, row->code < TASKS_NR_WAITS ? tasks_wait_texts[row->code] : NULL,
			  to);
		answer_text(to, "who", why_who(row->process, row->place));
	}
	for (; i < all; i++) {
		report_add_times(&others.times, &rows[i].times);
		others.processes += rows[i].processes;
	}
	if (shown == all)
		return;
	write_row(why, &others, rows[shown].code < TASKS_NR_WAITS ? "various" : NULL, to);
	why_write_others(to, "who", all - shown);
}

static void write_nobody(const struct why *why, const struct report_times *times, const char *who,
			 struct tracer_answer *to)
{
	const struct row row = { .times = *times };

	if (!times->nr)
		return;
	write_row(why, &row, NULL, to);
	answer_text(to, "who", who);
}

int why_write_before(const struct why *why, struct tracer_answer *to)
{
	struct row *rows = calloc(why->processes.nr + 1, sizeof(*rows));
	struct idmap_slot *slot = NULL;
	size_t nr = 0;

	if (!rows)
		return -ENOMEM;
	while ((slot = idmap_next(&why->processes, slot))) {
		const struct why_process *p = slot->ptr;

		if (p->before.nr)
			rows[nr++] = (struct row){
				.process = p, .code = TASKS_NR_WAITS, .times = p->before,
				.processes = 1,
			};
	}
	report_begin(to, "waits for a CPU and who had it",
		     why->json ? "" : "time,times,longest,processes,who");
	write_rows(why, rows, nr, to);
	write_nobody(why, &why->nobody, "(nobody)", to);
	write_nobody(why, &why->beyond, "(not known: who ran is not recorded, or no longer kept)",
		     to);
	write_nobody(why, &why->no_cpu, "(it got no CPU, or that is not recorded)", to);
	report_end(to);
	free(rows);
	return 0;
}

int why_write_causes(const struct why *why, struct tracer_answer *to)
{
	struct row *rows = calloc(why->causes.nr + 1, sizeof(*rows));
	struct idmap_slot *slot = NULL;
	size_t nr = 0;

	if (!rows)
		return -ENOMEM;
	while ((slot = idmap_next(&why->causes, slot))) {
		const struct why_cause *cause = slot->ptr;

		rows[nr++] = (struct row){
			.process = cause->process, .place = cause->place, .code = cause->code,
			.times = cause->times, .processes = !!cause->process,
		};
	}
	report_begin(to, "other waits and who ended them",
		     why->json ? "" : "time,times,longest,reason,processes,who");
	write_rows(why, rows, nr, to);
	report_end(to);
	free(rows);
	return 0;
}
