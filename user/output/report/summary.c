// SPDX-License-Identifier: GPL-2.0-only
/* The first lines of the report: what a capture is, and what to look at. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "output/report/report.h"
#include "util/shell.h"

#define LINE		85	/* with the names before it, 100 columns */
#define WHO		64	/* of an option that says which processes */
#define SHOWN		60	/* of a command, or of the end of a path */
#define MOST		3	/* programs that are named */
#define NOT_KNOWN	"not known"

/* A line that is made of parts; what does not fit is left out. */
struct line {
	char text[LINE];
	size_t len;
};

static void __printf_like(2, 3) add(struct line *line, const char *fmt, ...)
{
	size_t room = sizeof(line->text) - line->len;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line->text + line->len, room, fmt, ap);
	va_end(ap);
	line->len += (size_t)len < room ? (size_t)len : room - 1;
}

static void add_time(struct line *line, const char *before, u64 ns)
{
	char text[ANSWER_TIME];

	add(line, "%s%s", before, answer_time(ns, text));
}

static void add_name(struct line *line, const struct report_process *p)
{
	add(line, "%s %llu", report_name(p->name), p->pid);
}

static double share(u64 part, u64 whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/* Name the only process, or the one that ran longest; say less rather than cut a word. */
static void add_meanwhile(struct line *line, const struct report_wait *wait)
{
	static const char before[] = "; ran meanwhile: ";
	size_t room = sizeof(line->text) - line->len;
	char most[REPORT_MOST];

	report_wait_most(wait, most);
	if (wait->processes == 1)
		*strchrnul(most, ':') = '\0';
	else if (sizeof(before) + strlen(most) > room)
		snprintf(most, sizeof(most), "%llu processes", wait->processes);
	if (sizeof(before) + strlen(most) <= room)
		add(line, "%s%s", before, most);
}

static void write_host(const struct report *r, const struct capture *cap, struct tracer_answer *to)
{
	struct line line = { 0 };

	add(&line, "%s", cap->meta.host);
	if (*cap->meta.kernel)
		add(&line, ", Linux %s", cap->meta.kernel);
	add(&line, ", %u %s", r->nr_cpus, r->nr_cpus == 1 ? "CPU" : "CPUs");
	if (*cap->meta.backend)
		add(&line, ", recorded by %s",
		    strcmp(cap->meta.backend, "bpf") ? "the module" : "BPF");
	answer_text(to, "host", line.text);
}

static void write_when(const struct capture *cap, struct tracer_answer *to)
{
	time_t seconds = (cap->began + cap->since) / 1000000000;
	char text[LINE];
	struct tm tm;

	/* As --from takes it. */
	if (cap->began && localtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%F %T %Z", &tm))
		answer_text(to, "began", text);
	if (*cap->meta.command) {
		snprintf(text, sizeof(text), "%.*s%s", SHOWN, cap->meta.command,
			 strlen(cap->meta.command) > SHOWN ? "..." : "");
		answer_text(to, "command", text);
	}
}

static void write_length(const struct report *r, const struct capture *cap,
			 struct tracer_answer *to)
{
	u64 lost = report_lost(&cap->stats), gaps = cap->stats.gaps;
	u64 damages = capture_damages(cap);
	/* As a flight recorder does. */
	bool overwritten = cap->stats.causes == GAP_OVERWRITTEN;
	struct line line = { 0 };

	add_time(&line, "", r->end - r->begin);
	if (cap->since)
		add_time(&line, " from ", cap->since);
	add(&line, ", %llu events, ", capture_records(cap));
	if (lost || gaps)
		add(&line, "%llu %s, %llu GAP%s: see --tables losses,cpus", lost,
		    overwritten ? "overwritten" : "LOST", gaps, gaps == 1 ? "" : "S");
	else if (damages)
		add(&line, "none known to be lost, %llu DAMAGED place%s: see the messages", damages,
		    damages == 1 ? "" : "s");
	else if (cap->meta.missed)
		add(&line, "none lost, but BPF probes DID NOT RUN %llu times: see --tables losses",
		    cap->meta.missed);
	else
		add(&line, "none lost");
	answer_text(to, "length", line.text);
}

/* Nothing is known of a CPU. */
static bool is_partial(const struct report *r)
{
	return report_known_count(&r->known, false);
}

/* Sums are of some CPUs. */
static void add_known(struct line *line, const struct report *r)
{
	char cpus[REPORT_CPUS_TEXT];

	if (is_partial(r))
		add(line, " on %s", report_known_text(&r->known, true, cpus));
}

/* A sum is not known: of no CPU, or of waits, for which all CPUs are needed. */
static bool is_unknown(const struct report *r, u64 ns, bool all)
{
	return is_partial(r) && (all ? !ns : !report_known_count(&r->known, true));
}

/* Time in gaps, but of CPUs that are missing. */
static u64 blind_time(const struct report *r)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < r->nr_cpus; i++) {
		if (!r->cpus[i].elsewhere && !r->known.cpus[i].missing)
			ns += r->cpus[i].blind;
	}
	return ns;
}

static int write_cpus(const struct report *r, struct report_process **list,
		      const struct capture *cap, struct tracer_answer *to)
{
	size_t nr = r->nr_covered, i;
	u64 whole = report_time_of_cpus(r), blind = blind_time(r);
	struct report_process *sums = report_programs(list, &nr), **by;
	struct line line = { 0 };

	by = calloc(nr + 1, sizeof(*by));
	if (!sums || !by) {
		free(sums);
		free(by);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++)
		by[i] = &sums[i];
	report_sort(by, nr, offsetof(struct report_process, sum.cpu.ns));
	add(&line, "%.1f %% busy%s", share(r->all.sum.cpu.ns, whole), r->filtered ? " with these" : "");
	if (is_partial(r))
		add_known(&line, r);
	else if (cap->where)
		add(&line, " on %s", cap->where);
	if (blind)
		add(&line, ", %.1f %% not known", share(blind, whole));
	for (i = 0; i < nr && i < MOST && by[i]->sum.cpu.ns && !by[i]->recorder; i++)
		add(&line, "%s%s %.1f %%", i ? ", " : ": ", report_name(by[i]->name),
		    share(by[i]->sum.cpu.ns, whole));
	answer_text(to, "CPU time", whole ? line.text : NOT_KNOWN);
	free(by);
	free(sums);
	return 0;
}

static bool has_all_cpus(const struct report *r)
{
	u32 i;

	for (i = 0; i < r->nr_cpus; i++)
		if (r->cpus[i].elsewhere)
			return false;
	return true;
}

/* Who waits is on no CPU: with --cpu, too, the waits are those of all. */
static void add_where(struct line *line, const struct report *r)
{
	if (!has_all_cpus(r))
		add(line, " on all CPUs");
}

static void write_queue(const struct report *r, struct tracer_answer *to)
{
	const struct report_wait *wait = r->waits;
	struct line line = { 0 };

	add_time(&line, "", r->all.sum.queue.ns);
	add_where(&line, r);
	if (r->nr_waits) {
		add_time(&line, "; worst ", wait->ns);
		add(&line, ": ");
		add_name(&line, wait->process);
	}
	if (r->nr_waits && wait->known && wait->most)
		add_meanwhile(&line, wait);
	answer_text(to, "run queues", is_unknown(r, r->all.sum.queue.ns, true) ? NOT_KNOWN :
		    line.text);
}

static void add_sum(struct line *line, const struct report_times *sum, const char *what)
{
	add_time(line, "", sum->ns);
	add(line, " in %llu %s%s", sum->nr, what, sum->nr == 1 ? "" : "s");
}

/* What all did, and the process that did most of it. Waits are known if all CPUs are. */
static void write_most(const struct report *r, struct report_process **list, const char *name,
		       const char *what, size_t at, struct tracer_answer *to)
{
	bool waits = at == offsetof(struct report_process, sum.disk);
	char text[ANSWER_TIME];
	const struct report_times *sum = (const void *)((const char *)&r->all + at), *most;
	struct line line = { 0 };

	add_sum(&line, sum, what);
	if (waits)
		add_where(&line, r);
	else
		add_known(&line, r);
	report_sort(list, r->nr_covered, at);
	most = r->nr_covered ? (const void *)((const char *)list[0] + at) : sum;
	if (most != sum && most->ns && !list[0]->recorder) {
		/* A column of a table has one unit, too. */
		add(&line, "; most %s: ", answer_time_like(most->ns, sum->ns, text));
		add_name(&line, list[0]);
	}
	answer_text(to, name, is_unknown(r, sum->ns, waits) ? NOT_KNOWN : line.text);
}

/* The end of a path says most; a multibyte character is not cut. */
static const char *end_of(const char *path)
{
	size_t len = strlen(path);

	if (len <= SHOWN)
		return path;
	path += len - SHOWN;
	while ((*path & 0xc0) == 0x80)
		path++;
	return path;
}

static void write_hottest(const struct report_file *file, struct tracer_answer *to)
{
	struct line line = { 0 };

	add_sum(&line, &file->io.time, "call");
	if (file->own == file->io.time.nr)
		add(&line, " by the recorder itself");
	else if (file->own)
		add(&line, ", %llu by the recorder itself", file->own);
	if (file->path && *file->path)
		add(&line, ": %s%s", strlen(file->path) > SHOWN ? "..." : "", end_of(file->path));
	else
		add(&line, ": inode %llu", file->id.ino);
	answer_text(to, "hottest file", line.text);
}

/* Shares of reads, without those of the recorder. */
static void add_hits(struct line *line, const struct report_io *io)
{
	u64 reads = io->reads - io->own;

	if (io->hits + io->misses)
		add(line, ", %.1f %% of reads hit, %.1f %% missed, %.1f %% neither",
		    share(io->hits, reads), share(io->misses, reads),
		    share(reads - io->hits - io->misses, reads));
}

static int write_files(const struct report *r, struct tracer_answer *to)
{
	const struct report_io *io = &r->all.sum.io;
	struct report_file **list;
	struct line line = { 0 };
	size_t nr;

	list = report_files_sorted(&r->files, false, &nr);
	if (!list)
		return -ENOMEM;
	add_sum(&line, &io->time, "call");
	add_known(&line, r);
	if (!is_partial(r))
		add_hits(&line, io);
	answer_text(to, "file calls", is_unknown(r, io->time.ns, false) ? NOT_KNOWN : line.text);
	if (nr && list[0]->io.time.ns)
		write_hottest(list[0], to);
	free(list);
	return 0;
}

static u64 time_at(const struct report_process *p, size_t at)
{
	return *(const u64 *)((const char *)p + at);
}

/*
 * The recorder is nothing to look at, and kernel threads work for others. So may what no record
 * tells apart from them, as a thread that ended before the statedump came to it.
 */
static u64 rank_at(const struct report_process *p, size_t at)
{
	return p->recorder || !p->program ? 0 : time_at(p, at);
}

/* A name that a shell takes as it is: anybody can name a process. */
static bool is_word(const char *name)
{
	static const char marks[] = "_.+:@/-";
	const char *c = name;

	while (*c && (isalnum((u8)*c) || strchr(marks, *c)))
		c++;
	return c != name && !*c && *name != '-';
}

/* Exactly, in the largest unit that has no fraction. */
static void put_time(FILE *f, const char *option, u64 ns)
{
	static const struct {
		u64 ns;
		const char *name;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" }, { 1, "ns" } };
	u32 i = 0;

	while (ns % units[i].ns)
		i++;
	if (ns)
		fprintf(f, " %s %llu%s", option, ns / units[i].ns, units[i].name);
}

static bool is_pid(const char *who)
{
	return !strncmp(who, "--pid ", 6);
}

/* The same part of the capture. */
static void put_part(FILE *f, const struct report *r, const struct capture *cap)
{
	const char *before = " --cpu ";
	u32 i;

	put_time(f, "--from", cap->since);
	put_time(f, "--until", cap->until);
	if (has_all_cpus(r))
		return;
	for (i = 0; i < r->nr_cpus; i++) {
		if (r->cpus[i].elsewhere)
			continue;
		fprintf(f, "%s%u", before, r->cpus[i].nr);
		before = ",";
	}
}

/*
 * What asks why a process waits, those that it has made, or all of a name. A report of some
 * processes has no others that it has made, or of that name: then it is about all of these.
 */
static char *question(const struct report *r, const char *who, const struct capture *cap)
{
	char *program = shell_program("ovnik-decode"), *dir = shell_word(cap->dir), *text = NULL;
	size_t size;
	FILE *f = program && dir ? open_memstream(&text, &size) : NULL;

	if (f) {
		fprintf(f, "%s why %s", program, !cap->asked || is_pid(who) ? who : cap->asked);
		put_part(f, r, cap);
		fprintf(f, " %s", dir);
		if (fclose(f)) {
			free(text);
			text = NULL;
		}
	}
	free(program);
	free(dir);
	return text;
}

static int propose(const struct report *r, const char *who, const struct line *what,
		   const struct capture *cap, struct tracer_answer *to)
{
	char *text = question(r, who, cap);

	if (!text)
		return -ENOMEM;
	answer_text(to, "look at", what->text);
	answer_text(to, "next", text);
	free(text);
	return 0;
}

/* The process itself, or all of its name if they are several. */
static int propose_program(const struct report *r, const struct report_process *p,
			   const struct report_process *program, const char *why,
			   const struct capture *cap, struct tracer_answer *to)
{
	struct line line = { 0 };
	char who[WHO];

	if (program->sum.processes > 1 && is_word(p->name)) {
		snprintf(who, sizeof(who), "--comm %s", p->name);
		add(&line, "%s, %llu processes, %s", p->name, program->sum.processes, why);
	} else {
		snprintf(who, sizeof(who), "--pid %llu", p->pid);
		add_name(&line, p);
		add(&line, " %s", why);
	}
	return propose(r, who, &line, cap, to);
}

/* What a program may have lost, or else what it has used. */
static const struct reason {
	size_t at;
	const char *what;
} reasons[] = {
	{ offsetof(struct report_process, sum.queue.ns), "waited most for a CPU" },
	{ offsetof(struct report_process, sum.disk.ns), "waited most for disks" },
	{ offsetof(struct report_process, sum.faults.ns), "took longest in page faults" },
	{ offsetof(struct report_process, sum.cpu.ns), "ran most" },
};

static const struct report_process *most_of(const struct report_process *programs, size_t nr,
					    size_t at)
{
	const struct report_process *most = programs;
	size_t i;

	for (i = 1; i < nr; i++) {
		if (rank_at(&programs[i], at) > rank_at(most, at))
			most = &programs[i];
	}
	return most;
}

static u64 sum_of(const struct report_process *programs, size_t nr, size_t at)
{
	u64 sum = 0;
	size_t i;

	for (i = 0; i < nr; i++)
		report_add(&sum, rank_at(&programs[i], at));
	return sum;
}

/* The largest loss of a program, of those that are much in all; if none is, the time it ran. */
static const struct reason *find_reason(const struct report_process *programs, size_t nr,
					const struct report_process **most)
{
	const struct reason *found = &reasons[ARRAY_SIZE(reasons) - 1];
	u64 ran = sum_of(programs, nr, offsetof(struct report_process, sum.cpu.ns)), largest = 0;
	const struct report_process *first;
	u32 reason;

	*most = most_of(programs, nr, found->at);
	for (reason = 0; reason < ARRAY_SIZE(reasons) - 1; reason++) {
		/* A tenth of the time that all ran is much. */
		if (sum_of(programs, nr, reasons[reason].at) <= ran / 10)
			continue;
		first = most_of(programs, nr, reasons[reason].at);
		if (rank_at(first, reasons[reason].at) <= largest)
			continue;
		largest = rank_at(first, reasons[reason].at);
		found = &reasons[reason];
		*most = first;
	}
	return found;
}

/* The program of users whose waits cost most, or which ran most. */
static int write_program(const struct report *r, struct report_process **list,
			 const struct capture *cap, struct tracer_answer *to)
{
	size_t nr = r->nr_covered, i;
	struct report_process *programs = report_programs(list, &nr);
	const struct report_process *most;
	const struct reason *reason;
	int ret = 0;

	if (!programs)
		return -ENOMEM;
	reason = find_reason(programs, nr, &most);
	report_sort(list, r->nr_covered, reason->at);
	for (i = 0; i < r->nr_covered; i++) {
		if (list[i]->program && !strcmp(list[i]->name, most->name))
			break;
	}
	if (rank_at(most, reason->at))
		ret = propose_program(r, list[i], most, reason->what, cap, to);
	free(programs);
	return ret;
}

/* What the user has recorded; not if it only waited, as "sleep 10". */
static const struct report_process *find_command(const struct report *r,
						 struct report_process **list)
{
	const struct report_process *found = NULL;
	const struct sum *sum;
	u32 i;

	for (i = 0; r->command && i < r->nr_covered; i++) {
		/* Its number may have been used again. */
		if (list[i]->pid == r->command && (!found || list[i]->number < found->number))
			found = list[i];
	}
	if (!found || r->forked)
		return found;
	sum = &found->sum;
	if (sum->cpu.ns + sum->queue.ns + sum->disk.ns > (r->end - r->begin) / 100)
		return found;
	return NULL;
}

static int write_next(const struct report *r, struct report_process **list,
		      const struct capture *cap, struct tracer_answer *to)
{
	const struct report_process *command = find_command(r, list);
	struct line line = { 0 };
	char who[WHO];
	int ret;

	if (command) {
		snprintf(who, sizeof(who), "--tree %llu", command->pid);
		add_name(&line, command);
		add(&line, ", the recorded command");
		ret = propose(r, who, &line, cap, to);
	} else {
		ret = write_program(r, list, cap, to);
	}
	if (!r->opt.parts)
		answer_text(to, "tables", "--all, or --tables cpu,queue,waits,files,...: see report --help");
	return ret;
}

int report_write_summary(const struct report *r, const struct facts *facts,
			 struct tracer_answer *to)
{
	struct report_process **list = report_processes(r);
	int ret = list ? 0 : -ENOMEM;

	if (ret)
		return ret;
	write_host(r, facts->cap, to);
	write_when(facts->cap, to);
	write_length(r, facts->cap, to);
	report_write_scope(facts->cap, to);
	report_known_write(&r->known, false, to);
	if (!report_lacks(facts, NEEDS_SWITCHES)) {
		ret = write_cpus(r, list, facts->cap, to);
		write_queue(r, to);
		write_most(r, list, "disk sleep", "wait", offsetof(struct report_process, sum.disk),
			   to);
	}
	if (!report_lacks(facts, NEEDS_FAULT_ENDS))
		write_most(r, list, "page faults", "fault",
			   offsetof(struct report_process, sum.faults), to);
	if (!ret && !report_lacks(facts, NEEDS_CALLS))
		ret = write_files(r, to);
	if (!ret && !report_lacks(facts, NEEDS_SWITCHES))
		ret = write_next(r, list, facts->cap, to);
	free(list);
	answer_gap(to);
	return ret;
}
