// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes, and the worst waits. As text: a table for each question, with the largest
 * first. As JSON: one table of all processes, with all that is known.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/report.h"
#include "sums/table.h"

/* qsort(): by name; of equals, the one that appeared first. */
static int by_name(const void *a, const void *b)
{
	const struct report_process *x = *(struct report_process *const *)a;
	const struct report_process *y = *(struct report_process *const *)b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->number < y->number ? -1 : x->number > y->number;
}

struct report_process *report_programs(struct report_process **processes, size_t *nr)
{
	struct report_process *sums = calloc(*nr + 1, sizeof(*sums)), *sum = sums;
	size_t i;

	if (!sums)
		return NULL;
	qsort(processes, *nr, sizeof(*processes), by_name);
	for (i = 0; i < *nr; i++) {
		const struct report_process *p = processes[i];

		if (i && strcmp(sum->name, p->name))
			sum++;
		if (!sum->sum.processes) {
			memcpy(sum->name, p->name, sizeof(sum->name));
			sum->number = p->number;
			sum->recorder = p->recorder;
		}
		/* A program may call itself as a kernel thread is called. */
		sum->program |= p->program;
		sums_add_sum(&sum->sum, &p->sum);
	}
	if (*nr)
		*nr = sum - sums + 1;
	return sums;
}

#define COL(name, field, form, needs) \
	{ name, offsetof(struct report_process, field), FORM_##form, NEEDS_##needs }

static const struct report_column who[] = {
	COL("process", name, TEXT, NOTHING),
	COL("pid", pid, NUMBER, NOTHING),
	/* Up to here as text. */
	COL("number", number, NUMBER, NOTHING),
	COL("start", start, NS, NOTHING),
	COL("end", end, NS, NOTHING),
};

static const struct report_column program[] = {
	COL("program", name, TEXT, NOTHING),
};

/**
 * struct view - A table for a question.
 * @part: what asks for it
 * @name: its heading
 * @own: its columns before those of measures
 * @nr: length of @own
 * @in: enum sum_table: which measures
 * @by: offset of the u64 it is sorted by
 * @needs: enum report_needs
 */
struct view {
	enum report_part part;
	const char *name;
	const struct report_column *own;
	size_t nr;
	u32 in;
	size_t by;
	unsigned int needs;
};

#define VIEW(part, name, own, nr, in, by, needs)				\
	{ REPORT_PART_##part, name, own, nr, in,				\
	  offsetof(struct report_process, sum.by), NEEDS_##needs }

static const struct view program_view =
	VIEW(programs, "programs by time on a CPU", program, 1, IN_SEVERAL | IN_PROGRAMS, cpu.ns,
	     SWITCHES);

static const struct view views[] = {
	VIEW(cpu, "processes by time on a CPU", who, 2, IN_CPU, cpu.ns, SWITCHES),
	VIEW(queue, "processes by time in run queues, waiting for a CPU", who, 2, IN_QUEUE,
	     queue.ns, SWITCHES),
	VIEW(disk, "processes by disk sleep", who, 2, IN_DISK, disk.ns, SWITCHES),
	VIEW(sleep, "processes by sleep", who, 2, IN_SLEEP, sleep.ns, SWITCHES),
	VIEW(faults, "processes by time in page faults", who, 2, IN_FAULTS, faults.ns, FAULTS),
	VIEW(calls, "processes by time in system calls on files", who, 2, IN_CALLS, io.time.ns,
	     IO),
};

/* As JSON. */
static const struct view all_view =
	VIEW(cpu, "processes", who, ARRAY_SIZE(who), IN_ALL, cpu.ns, NOTHING);
static const struct view all_programs_view =
	VIEW(programs, "programs", program, 1, IN_SEVERAL | IN_ALL, cpu.ns, NOTHING);

/* What was recorded of a process that is left out counts, but not that more is not known of it. */
static void add_left_out(struct sum *all, struct sum sum)
{
	sum.processes = 0;
	sum.threads = 0;
	sum.unknown = (struct report_times){ 0 };
	sums_add_sum(all, &sum);
}

void report_settle(struct report *r)
{
	struct idmap_slot *slot = NULL;

	r->nr_covered = 0;
	memset(&r->all.sum, 0, sizeof(r->all.sum));
	while ((slot = idmap_next(&r->processes, slot))) {
		const struct report_process *p = slot->ptr;

		if (!report_covers(r, p)) {
			add_left_out(&r->all.sum, p->sum);
			continue;
		}
		r->nr_covered++;
		sums_add_sum(&r->all.sum, &p->sum);
	}
	if (!r->filtered)
		r->all.sum.threads += r->loose;
}

struct report_process **report_processes(const struct report *r)
{
	struct report_process **list = calloc(r->nr_covered + 1, sizeof(*list));
	struct idmap_slot *slot = NULL;
	size_t nr = 0;

	while (list && (slot = idmap_next(&r->processes, slot))) {
		struct report_process *p = slot->ptr;

		if (report_covers(r, p))
			list[nr++] = p;
	}
	return list;
}

static u64 value_at(const struct report_process *p, size_t at)
{
	return *(const u64 *)((const char *)p + at);
}

/* qsort_r(): the largest first; of equals, the one that appeared first; the recorder last. */
static int compare(const void *a, const void *b, void *at)
{
	const struct report_process *x = *(struct report_process *const *)a;
	const struct report_process *y = *(struct report_process *const *)b;
	u64 n = value_at(x, *(size_t *)at), m = value_at(y, *(size_t *)at);

	if (x->recorder != y->recorder)
		return x->recorder ? 1 : -1;
	if (n != m)
		return n > m ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

bool report_has_row(const struct report_options *opt, const struct report_process *p, size_t rank,
		    size_t at)
{
	if (!opt->json && !value_at(p, at))
		return false;
	return opt->all || rank < opt->rows || p->recorder;
}

void report_sort(struct report_process **list, size_t nr, size_t at)
{
	qsort_r(list, nr, sizeof(*list), compare, &at);
}

u64 report_time_of_cpus(const struct report *r)
{
	u32 nr = report_known_count(&r->known, true);
	u64 all = 0;

	while (nr--)
		report_add(&all, r->end - r->begin);
	return all;
}

/**
 * struct list - The rows of a table.
 * @of: processes, or sums of processes
 * @nr: length of @of
 * @sum: sum of all; the last row
 */
struct list {
	struct report_process **of;
	size_t nr;
	const struct report_process *sum;
};

static void write_row(const struct report_table *t, const struct report_process *p)
{
	answer_row(t->to);
	report_cells(t, p);
}

static void write_rows(const struct report *r, const struct report_table *t,
		       const struct view *view, const struct list *list)
{
	size_t i;

	report_sort(list->of, list->nr, view->by);
	for (i = 0; i < list->nr; i++) {
		if (report_has_row(&r->opt, list->of[i], i, view->by))
			write_row(t, list->of[i]);
	}
}

static void write_view(const struct report *r, const struct view *view,
		       const struct list *list, const struct report_table *like)
{
	struct report_table t = *like;
	const char *missing = report_lacks(t.facts, view->needs);
	struct sums_columns columns;

	if (!report_shows(r, view->part))
		return;
	if (missing) {
		report_not_there(t.to, view->name, missing);
		return;
	}
	report_measures(&t, &columns, view->own, view->nr, view->in,
			offsetof(struct report_process, sum));
	if (r->opt.json)
		report_begin(t.to, view->name, "");
	else
		report_table_begin(&t, view->name, "", "");
	write_rows(r, &t, view, list);
	if (view == &all_view) {
		report_end(t.to);
		report_begin(t.to, "all processes", "");
	}
	if (view != &all_programs_view)
		write_row(&t, list->sum);
	report_end(t.to);
}

static void write_views(const struct report *r, const struct list *list,
			const struct report_table *like)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(views); i++)
		write_view(r, &views[i], list, like);
	if (report_shows(r, REPORT_PART_queue) &&
	    !report_lacks(like->facts, NEEDS_SWITCHES) && report_lacks(like->facts, NEEDS_WAKEUPS))
		answer_text(like->to, "wakeups",
			    "not in the capture: a sleep lasts until the thread runs");
}

/* Reorders @processes. */
static int write_programs(const struct report *r, struct report_process **processes,
			  const struct report_table *like)
{
	struct list list = { .nr = r->nr_covered };
	struct report_process *sums, sum = r->all;
	size_t i;

	sums = report_programs(processes, &list.nr);
	list.of = calloc(list.nr + 1, sizeof(*list.of));
	if (!sums || !list.of) {
		free(list.of);
		free(sums);
		return -ENOMEM;
	}
	for (i = 0; i < list.nr; i++)
		list.of[i] = &sums[i];
	snprintf(sum.name, sizeof(sum.name), "all %zu", list.nr);
	list.sum = &sum;
	write_view(r, r->opt.json ? &all_programs_view : &program_view, &list, like);
	free(list.of);
	free(sums);
	return 0;
}

void report_wait_most(const struct report_wait *wait, char text[REPORT_MOST])
{
	const struct report_process *most = wait->most;
	int len;

	len = snprintf(text, REPORT_MOST, "%s %llu: %llu %%", report_name(most->name), most->pid,
		       (u64)((__uint128_t)wait->most_ns * 100 / wait->ns));
	if (wait->processes > 1)
		snprintf(text + len, REPORT_MOST - len, ", and %llu more", wait->processes - 1);
}

static void write_meanwhile(const struct report_wait *wait, struct tracer_answer *to)
{
	char text[REPORT_MOST];

	if (!wait->known) {
		answer_text(to, "ran there meanwhile", "not known");
		return;
	}
	if (!wait->most) {
		answer_text(to, "ran there meanwhile", "nobody");
		return;
	}
	report_wait_most(wait, text);
	answer_text(to, "ran there meanwhile", text);
}

static void write_meanwhile_json(const struct report_wait *wait, struct tracer_answer *to)
{
	if (!wait->known)
		return;
	answer_ns(to, "others ran", wait->ran);
	answer_u64(to, "others", wait->processes);
	if (!wait->most)
		return;
	answer_text(to, "most process", wait->most->name);
	answer_u64(to, "most pid", wait->most->pid);
	answer_u64(to, "most number", wait->most->number);
	answer_ns(to, "most ran", wait->most_ns);
}

/* All of them are in a run queue. */
const char *report_why(const struct report_wait *wait)
{
	const char *why = tasks_wait_texts[wait->why];

	return strchr(why, ':') ? strchr(why, ':') + 2 : why;
}

static void write_wait(const struct report *r, const struct report_wait *wait,
		       struct tracer_answer *to)
{
	answer_row(to);
	answer_ns(to, "wait", wait->ns);
	answer_ns(to, "at", wait->start);
	if (*wait->process->name)
		answer_text(to, "process", wait->process->name);
	answer_u64(to, "pid", wait->process->pid);
	if (r->opt.json)
		answer_u64(to, "number", wait->process->number);
	answer_u64(to, "tid", wait->tid);
	answer_text(to, "why", report_why(wait));
	if (wait->on >= 0)
		answer_u64(to, "cpu", wait->on);
	if (r->opt.json)
		write_meanwhile_json(wait, to);
	else if (!r->filtered)
		write_meanwhile(wait, to);
}

static void write_waits(const struct report *r, const struct facts *facts,
			struct tracer_answer *to)
{
	unsigned int i;

	if (report_lacks(facts, NEEDS_SWITCHES) || !report_shows(r, REPORT_PART_waits))
		return;
	if (r->opt.json)
		report_begin(to, "worst waits", "");
	else
		report_begin(to, "worst waits in run queues", r->filtered ?
			     "wait,at,process,pid,tid,why,cpu" :
			     "wait,at,process,pid,tid,why,cpu,ran there meanwhile");
	for (i = 0; i < r->nr_waits; i++)
		write_wait(r, &r->waits[i], to);
	report_end(to);
	/* Others' runs are left out before they come here. */
	if (r->filtered && r->nr_waits && !r->opt.json)
		answer_text(to, "ran there meanwhile", "not known: other processes are left out");
}

int report_write_processes(struct report *r, const struct facts *facts,
			   struct tracer_answer *to)
{
	const struct report_table like = {
		.to = to, .facts = facts, .whole = report_time_of_cpus(r),
		.partial = report_known_count(&r->known, false),
	};
	struct list list = {
		.of = report_processes(r), .nr = r->nr_covered, .sum = &r->all,
	};
	int ret;

	if (!list.of)
		return -ENOMEM;
	snprintf(r->all.name, sizeof(r->all.name), "all %u", r->nr_covered);
	r->all.end = r->end - r->begin;
	ret = write_programs(r, list.of, &like);
	if (r->opt.json)
		write_view(r, &all_view, &list, &like);
	else
		write_views(r, &list, &like);
	write_waits(r, facts, to);
	free(list.of);
	return ret;
}
