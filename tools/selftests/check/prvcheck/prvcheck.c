// SPDX-License-Identifier: GPL-2.0-only
/*
 * prvcheck - is a Paraver trace what it should be?
 *
 *	prvcheck [-x TYPE,TYPE...] TRACE.prv[.gz]|DIRECTORY...
 *
 * Reads a .prv with its .pcf and .row as a strict reader would who knows nothing of the
 * emulator: what the three say must be in the form of ours, in order of time, without
 * repetition, within what Paraver can read, and labelled. -x: these types need no
 * declaration (upstream forgets 1, 2 and 3 in cpu.pcf). Of a directory, thread.prv and
 * cpu.prv, which must agree at each instant on who runs and who waits.
 *
 * The first 20 errors are printed, a line each. Status: 0 nothing is wrong, 1 something
 * is, 2 usage, or a file cannot be read.
 */

#include <ctype.h>
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "prvcheck.h"

#define ROWS_MAX	65535		/* Paraver's object numbers have 16 bits */
#define EXACT_MAX	(1ULL << 53)	/* beyond, its numbers are not exact */

/* PRV types by which the two traces of a directory are compared. */
enum {
	TYPE_TID	= 2,
	TYPE_RUNNING	= 3,
	TYPE_STATE	= 4,
	TYPE_CPU	= 6,
	TYPE_WAIT	= 313,
	TYPE_WAITING	= 314,
};

#define STATE_RUNNING	1

/* The PRV file. */

static bool skip(const char **p, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*p, text, len))
		return false;
	*p += len;
	return true;
}

/* "(19/01/38 at 03:14)" */
static bool skip_date(const char **p)
{
	static const char form[] = "(dd/dd/dd at dd:dd)";
	const char *f;

	for (f = form; *f; f++, (*p)++) {
		if (*f == 'd' ? !isdigit((unsigned char)**p) : **p != *f)
			return false;
	}
	return true;
}

/* Of one length, whatever the time, so that it can be put in at the end. */
static bool get_duration(const char **p, u64 *duration)
{
	const char *start = *p;

	*duration = 0;
	while (isdigit((unsigned char)**p) && *p < start + 20)
		*duration = 10 * *duration + (*(*p)++ - '0');
	return *p == start + 20 && *duration < EXACT_MAX;
}

static bool read_header(struct trace *t)
{
	const char *p = next_line(&t->lines);
	u64 rows;

	if (p && skip(&p, "#Paraver ") && skip_date(&p) && skip(&p, ":") &&
	    get_duration(&p, &t->duration) && skip(&p, "_ns:0:1:1(") &&
	    get_number(&p, ROWS_MAX, &rows) && rows && skip(&p, ":1)") && !*p) {
		t->rows = rows;
		return true;
	}
	wrong(&t->lines, "bad header");
	return false;
}

static bool parse_record(struct trace *t, const char *p)
{
	u64 row, time, type;

	if (!skip(&p, "2:0:1:1:") || !get_number(&p, UINT32_MAX, &row) || !skip(&p, ":") ||
	    !get_number(&p, EXACT_MAX, &time) || !skip(&p, ":") ||
	    !get_number(&p, UINT32_MAX, &type) || !skip(&p, ":") ||
	    !get_number(&p, EXACT_MAX, &t->value) || *p) {
		wrong(&t->lines, "no record of the form 2:0:1:1:ROW:TIME:TYPE:VALUE");
		return false;
	}
	if (!row || row > t->rows) {
		wrong(&t->lines, "row %llu of %u", row, t->rows);
		return false;
	}
	if (time < t->time)
		wrong(&t->lines, "time %llu is before %llu", time, t->time);
	if (time > t->duration)
		wrong(&t->lines, "time %llu is after the end, %llu", time, t->duration);
	t->row = row;
	t->time = time;
	t->type = type;
	return true;
}

static void check_value(struct trace *t, const struct event_type *type)
{
	struct shown *shown = &t->shown[(t->row - 1) * t->nr_types + (type - t->types)];
	s64 value = t->value;

	if (shown->any && shown->time == t->time && shown->value == t->value)
		wrong(&t->lines, "the same line once more");
	*shown = (struct shown){ t->time, t->value, true };
	/* Types without labels are quantities. */
	if (value && type->nr &&
	    !bsearch(&value, type->values, type->nr, sizeof(value), by_number))
		wrong(&t->lines, "type %u: value %lld has no label", t->type, value);
}

/* Go to the next record that can be understood; false at the end. */
static bool next_record(struct trace *t)
{
	const struct event_type *type;
	const char *line;

	while ((line = next_line(&t->lines))) {
		if (!parse_record(t, line))
			continue;
		type = find_type(t, t->type);
		if (type)
			check_value(t, type);
		else
			wrong(&t->lines, "type %u is not declared", t->type);
		return true;
	}
	return false;
}

/* TRACE.prv or TRACE.prv.gz: the file beside it with another ending. */
static void lines_beside(struct lines *l, const char *prv, const char *ending)
{
	const char *dot = strrchr(prv, '.');

	if (dot && !strcmp(dot, ".gz"))
		dot -= strlen(".prv");
	memset(l, 0, sizeof(*l));
	snprintf(l->path, sizeof(l->path), "%.*s.%s", (int)(dot ? dot - prv : 0), prv, ending);
	lines_open(l);
}

static struct trace *trace_open(const char *path, const char *undeclared)
{
	struct trace *t = calloc(1, sizeof(*t));
	struct lines other;

	if (!t)
		err(2, "no memory");
	snprintf(t->lines.path, sizeof(t->lines.path), "%s", path);
	lines_open(&t->lines);
	if (!read_header(t))
		return t;
	lines_beside(&other, path, "pcf");
	read_pcf(&other, t);
	lines_close(&other);
	if (undeclared)
		except_types(t, undeclared);
	lines_beside(&other, path, "row");
	read_row(&other, t);
	lines_close(&other);
	t->shown = calloc((size_t)t->rows * t->nr_types + 1, sizeof(*t->shown));
	if (!t->shown)
		err(2, "no memory");
	return t;
}

static void trace_close(struct trace *t)
{
	size_t i;

	for (i = 0; i < t->nr_types; i++)
		free(t->types[i].values);
	lines_close(&t->lines);
	free(t->shown);
	free(t);
}

static void check_trace(const char *path, const char *undeclared)
{
	struct trace *t = trace_open(path, undeclared);

	while (t->rows && next_record(t))
		;
	trace_close(t);
}

/* Both traces of a directory. */

/* What a thread's row shows. */
struct thread {
	u64 state;
	u64 cpu;
	u64 tid;
	bool waits;
};

/* What a CPU's row shows, and what the rows of threads say of it. */
struct cpu {
	u64 running;
	u64 tid;
	u64 waiting;
	u64 threads;
	u64 tids;
};

/**
 * struct pair - Two traces on their way through time.
 * @threads:  thread.prv
 * @cpus:     cpu.prv
 * @thread:   by row, from 1
 * @cpu:      by row, from 1
 * @touched:  CPUs that this instant has changed
 * @nr:	      how many, up to @cpus->rows
 * @is_in:    by row: it is in @touched
 * @waits:    threads that wait
 * @waiting:  sum over the CPUs
 */
struct pair {
	struct trace *threads;
	struct trace *cpus;
	struct thread *thread;
	struct cpu *cpu;
	u32 *touched;
	u32 nr;
	bool *is_in;
	u64 waits;
	u64 waiting;
};

static struct cpu *touch(struct pair *p, u64 row)
{
	if (!p->is_in[row]) {
		p->is_in[row] = true;
		p->touched[p->nr++] = row;
	}
	return &p->cpu[row];
}

/* A thread counts on the CPU whose row it names, while it is Running. */
static void account(struct pair *p, const struct thread *th, int sign)
{
	struct cpu *cpu;

	if (th->state != STATE_RUNNING || !th->cpu || th->cpu > p->cpus->rows)
		return;
	cpu = touch(p, th->cpu);
	cpu->threads += sign;
	cpu->tids += sign * th->tid;
}

static void thread_record(struct pair *p)
{
	const struct trace *t = p->threads;
	struct thread *th = &p->thread[t->row];

	account(p, th, -1);
	if (t->type == TYPE_STATE)
		th->state = t->value;
	else if (t->type == TYPE_CPU)
		th->cpu = t->value;
	else if (t->type == TYPE_TID)
		th->tid = t->value;
	account(p, th, 1);
	if (t->type == TYPE_CPU && t->value > p->cpus->rows)
		wrong(&t->lines, "CPU %llu of %u", t->value, p->cpus->rows);
	if (t->type != TYPE_WAIT)
		return;
	p->waits += (t->value != 0) - th->waits;
	th->waits = t->value != 0;
}

static void cpu_record(struct pair *p)
{
	const struct trace *t = p->cpus;
	struct cpu *cpu = touch(p, t->row);

	if (t->type == TYPE_RUNNING)
		cpu->running = t->value;
	else if (t->type == TYPE_TID)
		cpu->tid = t->value;
	if (t->type != TYPE_WAITING)
		return;
	p->waiting += t->value - cpu->waiting;
	cpu->waiting = t->value;
}

/* All records of this instant are in. */
static void check_instant(struct pair *p, u64 time)
{
	u64 tid;

	while (p->nr) {
		u32 row = p->touched[--p->nr];
		const struct cpu *cpu = &p->cpu[row];

		p->is_in[row] = false;
		if (cpu->running != cpu->threads)
			wrong(&p->cpus->lines,
			      "at %llu row %u: %llu threads run there, by their own rows %llu",
			      time, row, cpu->running, cpu->threads);
		tid = cpu->threads == 1 ? cpu->tids : 0;
		if (cpu->tid != tid)
			wrong(&p->cpus->lines, "at %llu row %u: TID %llu, by the threads' rows %llu",
			      time, row, cpu->tid, tid);
	}
	/* A thread that waits for a CPU that is not in the trace is on no CPU's row. */
	if (p->waiting > p->waits)
		wrong(&p->cpus->lines, "at %llu %llu threads wait, by their own rows %llu", time,
		      p->waiting, p->waits);
}

static void walk(struct pair *p)
{
	bool th = next_record(p->threads), cpu = next_record(p->cpus);

	while (th || cpu) {
		u64 time = th && (!cpu || p->threads->time < p->cpus->time) ? p->threads->time :
			   p->cpus->time;

		for (; th && p->threads->time <= time; th = next_record(p->threads))
			thread_record(p);
		for (; cpu && p->cpus->time <= time; cpu = next_record(p->cpus))
			cpu_record(p);
		check_instant(p, time);
	}
}

/* @dir/NAME.prv, or compressed. */
static struct trace *open_in(const char *dir, const char *name, const char *undeclared)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s.prv", dir, name);
	if (access(path, F_OK))
		snprintf(path, sizeof(path), "%s/%s.prv.gz", dir, name);
	return trace_open(path, undeclared);
}

static void check_directory(const char *dir, const char *undeclared)
{
	struct pair p = {
		.threads = open_in(dir, "thread", undeclared),
		.cpus = open_in(dir, "cpu", undeclared),
	};

	p.thread = calloc(p.threads->rows + 1, sizeof(*p.thread));
	p.cpu = calloc(p.cpus->rows + 1, sizeof(*p.cpu));
	p.touched = calloc(p.cpus->rows + 1, sizeof(*p.touched));
	p.is_in = calloc(p.cpus->rows + 1, sizeof(*p.is_in));
	if (!p.thread || !p.cpu || !p.touched || !p.is_in)
		err(2, "no memory");
	if (p.threads->duration != p.cpus->duration)
		wrong(&p.cpus->lines, "the end is %llu, that of thread.prv %llu",
		      p.cpus->duration, p.threads->duration);
	if (p.threads->rows && p.cpus->rows)
		walk(&p);
	free(p.thread);
	free(p.cpu);
	free(p.touched);
	free(p.is_in);
	trace_close(p.threads);
	trace_close(p.cpus);
}

static int usage(void)
{
	fputs("usage: prvcheck [-x TYPE,TYPE...] TRACE.prv[.gz]|DIRECTORY...\n"
	      "  -x  types that the PCF need not declare\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const char *undeclared = NULL;
	struct stat st;
	int opt;

	while ((opt = getopt(argc, argv, "x:")) != -1) {
		if (opt != 'x')
			return usage();
		undeclared = optarg;
	}
	if (optind == argc)
		return usage();
	for (; optind < argc; optind++) {
		if (stat(argv[optind], &st))
			err(2, "%s", argv[optind]);
		if (S_ISDIR(st.st_mode))
			check_directory(argv[optind], undeclared);
		else
			check_trace(argv[optind], undeclared);
	}
	if (complaints)
		printf("%lu complaints\n", complaints);
	return complaints ? 1 : 0;
}
