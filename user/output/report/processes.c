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

void report_add_process(struct report_process *sum, const struct report_process *p)
{
	sum->processes++;
	sum->threads += p->threads;
	report_add_times(&sum->cpu, &p->cpu);
	report_add_times(&sum->queue, &p->queue);
	report_add_times(&sum->sleep, &p->sleep);
	report_add_times(&sum->disk, &p->disk);
	report_add_times(&sum->other, &p->other);
	report_add_times(&sum->unknown, &p->unknown);
	report_add_times(&sum->faults, &p->faults);
	sum->major += p->major;
	sum->failed += p->failed;
	sum->cow += p->cow;
	sum->migrations += p->migrations;
	report_add_io(&sum->io, &p->io);
}

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
		if (!sum->processes) {
			memcpy(sum->name, p->name, sizeof(sum->name));
			sum->number = p->number;
			sum->recorder = p->recorder;
		}
		/* A program may call itself as a kernel thread is called. */
		sum->program |= p->program;
		report_add_process(sum, p);
	}
	if (*nr)
		*nr = sum - sums + 1;
	return sums;
}

#define COL(name, field, form, needs) \
	{ name, offsetof(struct report_process, field), FORM_##form, NEEDS_##needs }

#define WHO	COL("process", name, TEXT, NOTHING), COL("pid", pid, NUMBER, NOTHING)

/* Fields of struct report_times. */
#define TIMES(name, number, longest_name, field, needs)	\
	COL(name, field.ns, NS, needs), COL(number, field.nr, U64, needs), \
	COL(longest_name, field.longest, NS, needs)

#define ALL_SUMS									\
	COL("threads", threads, U64, NOTHING),						\
	TIMES("on cpu", "runs", "longest run", cpu, SWITCHES),				\
	TIMES("run queue", "run queue waits", "longest run queue", queue, SWITCHES),	\
	TIMES("sleep", "sleeps", "longest sleep", sleep, SWITCHES),			\
	TIMES("disk", "disk sleeps", "longest disk", disk, SWITCHES),			\
	TIMES("other waits", "number of other waits", "longest other wait", other, SWITCHES),	\
	TIMES("not known", "times not known", "longest not known", unknown, NOTHING),	\
	TIMES("page fault", "page faults", "longest page fault", faults, FAULTS),	\
	COL("major", major, U64, FAULT_ENDS),						\
	COL("failed", failed, U64, FAULT_ENDS),						\
	COL("cow breaks", cow, U64, COW),						\
	COL("io", io.time.ns, NS, CALLS),						\
	COL("io calls", io.time.nr, U64, IO),						\
	COL("longest io", io.time.longest, NS, CALLS),					\
	COL("reads", io.reads, U64, IO),						\
	COL("read bytes", io.read_bytes, BYTES, IO),					\
	COL("writes", io.writes, U64, IO),						\
	COL("written bytes", io.written_bytes, BYTES, IO),				\
	COL("errors", io.errors, U64, IO),						\
	COL("cache hits", io.hits, U64, CACHE),						\
	COL("cache misses", io.misses, U64, CACHE)

const struct report_column report_process_columns[] = {
	WHO,
	COL("number", number, NUMBER, NOTHING),
	COL("start", start, NS, NOTHING),
	COL("end", end, NS, NOTHING),
	ALL_SUMS
};

const struct report_column report_program_columns[] = {
	COL("program", name, TEXT, NOTHING),
	COL("processes", processes, U64, NOTHING),
	ALL_SUMS
};

const size_t report_nr_process_columns = ARRAY_SIZE(report_process_columns);
const size_t report_nr_program_columns = ARRAY_SIZE(report_program_columns);

static const struct report_column program_columns[] = {
	COL("program", name, TEXT, NOTHING),
	COL("processes", processes, U64, NOTHING),
	COL("on cpu", cpu.ns, NS, SWITCHES),
	COL("of CPUs", cpu.ns, SHARE, SWITCHES),
	COL("run queue", queue.ns, NS, SWITCHES),
	COL("in faults", faults.ns, NS, FAULTS),
	COL("in calls", io.time.ns, NS, CALLS),
};

static const struct report_column cpu_columns[] = {
	WHO,
	COL("threads", threads, U64, NOTHING),
	COL("on cpu", cpu.ns, NS, SWITCHES),
	COL("of CPUs", cpu.ns, SHARE, SWITCHES),
	COL("runs", cpu.nr, U64, SWITCHES),
	COL("average", cpu, AVERAGE, SWITCHES),
	COL("longest", cpu.longest, NS, SWITCHES),
	COL("not known", unknown.ns, NS, NOTHING),
};

#define WAIT_COLUMNS(name, field)						\
	{									\
		WHO,								\
		COL(name, field.ns, NS, SWITCHES),				\
		COL("waits", field.nr, U64, SWITCHES),				\
		COL("average", field, AVERAGE, SWITCHES),			\
		COL("longest", field.longest, NS, SWITCHES),			\
	}

static const struct report_column queue_columns[] = WAIT_COLUMNS("run queue", queue);
static const struct report_column disk_columns[] = WAIT_COLUMNS("disk", disk);
static const struct report_column sleep_columns[] = WAIT_COLUMNS("sleep", sleep);

static const struct report_column fault_columns[] = {
	WHO,
	COL("in faults", faults.ns, NS, FAULTS),
	COL("faults", faults.nr, U64, FAULTS),
	COL("average", faults, AVERAGE, FAULTS),
	COL("longest", faults.longest, NS, FAULTS),
	COL("major", major, U64, FAULT_ENDS),
	COL("failed", failed, U64, FAULT_ENDS),
	COL("COW breaks", cow, U64, COW),
};

static const struct report_column io_columns[] = {
	WHO,
	COL("in calls", io.time.ns, NS, CALLS),
	COL("calls", io.time.nr, U64, IO),
	COL("longest", io.time.longest, NS, CALLS),
	COL("read", io.read_bytes, BYTES, IO),
	COL("written", io.written_bytes, BYTES, IO),
	COL("errors", io.errors, U64, IO),
	COL("hits", io, HITS, CACHE),
};

/**
 * struct view - A table for a question.
 * @part: what asks for it
 * @name: its heading
 * @columns: its columns
 * @nr: length of @columns
 * @by: offset of the u64 it is sorted by
 * @needs: enum report_needs
 */
struct view {
	enum report_part part;
	const char *name;
	const struct report_column *columns;
	size_t nr;
	size_t by;
	unsigned int needs;
};

#define VIEW(part, name, columns, by, needs)					\
	{ REPORT_PART_##part, name, columns, ARRAY_SIZE(columns),		\
	  offsetof(struct report_process, by), NEEDS_##needs }

static const struct view program_view =
	VIEW(programs, "programs by time on a CPU", program_columns, cpu.ns, SWITCHES);

static const struct view views[] = {
	VIEW(cpu, "processes by time on a CPU", cpu_columns, cpu.ns, SWITCHES),
	VIEW(queue, "processes by time in run queues, waiting for a CPU", queue_columns,
	     queue.ns, SWITCHES),
	VIEW(disk, "processes by disk sleep", disk_columns, disk.ns, SWITCHES),
	VIEW(sleep, "processes by sleep", sleep_columns, sleep.ns, SWITCHES),
	VIEW(faults, "processes by time in page faults", fault_columns, faults.ns, FAULTS),
	VIEW(calls, "processes by time in system calls on files", io_columns, io.time.ns, IO),
};

void report_settle(struct report *r)
{
	struct idmap_slot *slot = NULL;

	r->nr_covered = r->filtered ? 0 : r->processes.nr;
	if (!r->filtered)
		return;
	r->sum.threads = 0;
	r->sum.unknown = (struct report_times){ 0 };
	while ((slot = idmap_next(&r->processes, slot))) {
		const struct report_process *p = slot->ptr;

		if (!p->covered)
			continue;
		r->nr_covered++;
		r->sum.threads += p->threads;
		report_add_times(&r->sum.unknown, &p->unknown);
	}
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

static void write_rows(const struct report *r, const struct report_table *t,
		       const struct list *list, size_t by)
{
	size_t i;

	report_sort(list->of, list->nr, by);
	for (i = 0; i < list->nr; i++) {
		if (!report_has_row(&r->opt, list->of[i], i, by))
			continue;
		answer_row(t->to);
		report_cells(t, list->of[i]);
	}
}

static void write_view(const struct report *r, const struct view *view,
		       const struct list *list, const struct report_table *like)
{
	struct report_table t = *like;
	const char *missing = report_lacks(t.facts, view->needs);

	if (!report_shows(r, view->part))
		return;
	if (missing) {
		report_not_there(t.to, view->name, missing);
		return;
	}
	t.columns = view->columns;
	t.nr = view->nr;
	report_table_begin(&t, view->name);
	write_rows(r, &t, list, view->by);
	answer_row(t.to);
	report_cells(&t, list->sum);
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

static void write_all(const struct report *r, const struct list *list,
		      const struct report_table *like)
{
	struct report_table t = *like;

	t.columns = report_process_columns;
	t.nr = ARRAY_SIZE(report_process_columns);
	report_begin(t.to, "processes", "");
	write_rows(r, &t, list, offsetof(struct report_process, cpu.ns));
	report_end(t.to);
	report_begin(t.to, "all processes", "");
	answer_row(t.to);
	report_cells(&t, list->sum);
	report_end(t.to);
}

static void write_all_programs(const struct report *r, const struct list *list,
			       const struct report_table *like)
{
	struct report_table t = *like;

	t.columns = report_program_columns;
	t.nr = ARRAY_SIZE(report_program_columns);
	report_begin(t.to, "programs", "");
	write_rows(r, &t, list, offsetof(struct report_process, cpu.ns));
	report_end(t.to);
}

/* Reorders @processes. */
static int write_programs(const struct report *r, struct report_process **processes,
			  const struct report_table *like)
{
	struct list list = { .nr = r->nr_covered };
	struct report_process *sums, sum = r->sum;
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
	sum.processes = r->nr_covered;
	list.sum = &sum;
	if (r->opt.json)
		write_all_programs(r, &list, like);
	else
		write_view(r, &program_view, &list, like);
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
		.of = report_processes(r), .nr = r->nr_covered, .sum = &r->sum,
	};
	int ret;

	if (!list.of)
		return -ENOMEM;
	snprintf(r->sum.name, sizeof(r->sum.name), "all %u", r->nr_covered);
	r->sum.end = r->end - r->begin;
	ret = write_programs(r, list.of, &like);
	(r->opt.json ? write_all : write_views)(r, &list, &like);
	write_waits(r, facts, to);
	free(list.of);
	return ret;
}
