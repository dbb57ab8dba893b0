// SPDX-License-Identifier: GPL-2.0-only
/* The summary at the end. */
#include <stdarg.h>
#include <stdio.h>

#include "decode/decode.h"
#include "util/msg.h"

#define LINE_MAX_LEN	1024

/* A line of output; text beyond its end is cut off. */
struct line {
	char text[LINE_MAX_LEN];
	size_t len;
};

static void __printf_like(2, 3) add(struct line *line, const char *fmt, ...)
{
	size_t room = sizeof(line->text) - line->len;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line->text + line->len, room, fmt, ap);
	va_end(ap);
	if (n > 0)
		line->len += (size_t)n < room ? (size_t)n : room - 1;
}

static void add_counts(struct line *line, const u64 *counts, u64 other)
{
	unsigned int i;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (counts[i])
			add(line, " %s %llu", event_name(i), counts[i]);
	}
	if (other)
		add(line, " unknown %llu", other);
}

static void add_number(struct line *line, u64 n, const char *one, const char *many)
{
	add(line, "%llu %s", n, n == 1 ? one : many);
}

static void print_events(const struct capture *cap)
{
	struct line line = { .len = 0 };

	add_number(&line, capture_records(cap), "event", "events");
	add(&line, " in %.6f s on ", capture_seconds(cap, cap->end));
	add_number(&line, cap->nr_cpus, "CPU", "CPUs");
	add(&line, ":");
	add_counts(&line, cap->stats.records, cap->stats.unknown);
	msg_info("%s", line.text);
}

static void print_tasks(const struct facts *facts)
{
	struct line line = { .len = 0 };

	add_number(&line, facts->world.tasks, "task", "tasks");
	if (facts->processes) {
		add(&line, " in ");
		add_number(&line, facts->processes, "process", "processes");
	}
	if (facts->orphans)
		add(&line, "; the process of %llu is unknown, each counts as one",
		    facts->orphans);
	msg_info("%s", line.text);
}

/* An idle CPU can remove pages, too. */
static void print_unplaced(const struct facts *facts)
{
	struct line line = { .len = 0 };

	if (!facts->unplaced)
		return;
	add_number(&line, facts->unplaced, "event", "events");
	add(&line, " of memory and files where no task is known to run: not in ovni and Paraver's traces");
	msg_info("%s", line.text);
}

/* A flight recorder overwrites old events by design, so that is no warning. */
static void print_missing(u32 causes, const struct line *line)
{
	if (causes == GAP_OVERWRITTEN)
		msg_info("%s", line->text);
	else
		msg_warn("%s", line->text);
}

static void print_gap(const struct capture *cap, const struct capture_gap *gap)
{
	struct line line = { .len = 0 };
	char causes[GAP_CAUSES_TEXT];

	if (gap->dump)
		add(&line, "gap in the statedump");
	else
		add(&line, "gap on CPU %u", gap->cpu);
	add(&line, " from %.9f s to %.9f s (%s):",
	    capture_seconds(cap, gap->from), capture_seconds(cap, gap->to),
	    capture_gap_causes(causes, gap->causes, ", "));
	add_counts(&line, gap->lost, gap->other);
	if (!gap->exact)
		add(&line, " and an unknown number more");
	print_missing(gap->causes, &line);
}

/* If the records around a gap do not show how much is missing, the kernel's totals do. */
static bool uses_totals(const struct capture *cap)
{
	return cap->stats.inexact && cap->meta.valid && !cap->meta.overwrite && !cap->narrow;
}

static void add_by_totals(struct line *line, const struct capture *cap)
{
	u64 missing[OVNIK_NR_EVENTS] = { 0 };
	size_t len = line->len;
	unsigned int i, ev;

	for (ev = 1; ev < OVNIK_NR_EVENTS; ev++) {
		u64 all = 0;

		for (i = 0; i < cap->meta.nr_cpus; i++)
			all += cap->meta.cpus[i].counts[ev].recorded +
			       cap->meta.cpus[i].counts[ev].lost;
		if (all > cap->stats.records[ev])
			missing[ev] = all - cap->stats.records[ev];
	}
	add_counts(line, missing, 0);
	if (line->len == len)
		add(line, " none");
}

static const char *what_became(u32 causes)
{
	switch (causes) {
	case GAP_OVERWRITTEN:
		return "overwritten by newer events, as a flight recorder does";
	case GAP_LOST:
		return "lost";
	}
	return "not in the capture";
}

/* The sum over all gaps; a single gap was printed already. */
static void print_sum(const struct capture *cap)
{
	struct line line = { .len = 0 };

	if (cap->stats.gaps < 2 && !uses_totals(cap))
		return;
	add(&line, "%s, in ", what_became(cap->stats.causes));
	add_number(&line, cap->stats.gaps, "gap", "gaps");
	if (uses_totals(cap)) {
		add(&line, ", by the counts in meta.json:");
		add_by_totals(&line, cap);
	} else {
		add(&line, ":");
		add_counts(&line, cap->stats.lost, cap->stats.lost_other);
		if (cap->stats.inexact)
			add(&line, " and an unknown number more in %llu of them",
			    cap->stats.inexact);
	}
	print_missing(cap->stats.causes, &line);
}

static void print_gaps(const struct facts *facts)
{
	const struct capture *cap = facts->cap;
	struct line line = { .len = 0 };
	unsigned int i;

	if (!cap->stats.gaps)
		return;
	for (i = 0; i < facts->nr_gaps; i++)
		print_gap(cap, &facts->gaps[i]);
	if (cap->stats.gaps > facts->nr_gaps) {
		add(&line, "and ");
		add_number(&line, cap->stats.gaps - facts->nr_gaps, "gap more", "gaps more");
		print_missing(cap->stats.causes, &line);
	}
	print_sum(cap);
}

/* The kernel counts them per program, so CPU and time are unknown. */
static void print_missed(const struct capture *cap)
{
	struct line line = { .len = 0 };

	if (!cap->meta.missed)
		return;
	add_number(&line, cap->meta.missed, "run of a BPF probe", "runs of BPF probes");
	msg_warn("%s did not take place, because a probe does not interrupt itself: its events are missing",
		 line.text);
}

static void print_disagreements(const struct world_stats *stats)
{
	const struct {
		u64 n;
		const char *one, *many;
	} kinds[] = {
		{ stats->switches, "switch from a task that was not believed running",
		  "switches from a task that was not believed running" },
		{ stats->headers, "sub-buffer opened by a task that was not believed running",
		  "sub-buffers opened by a task that was not believed running" },
		{ stats->twice, "task on two CPUs at once", "tasks on two CPUs at once" },
		{ stats->replaced, "task number used again before its task ended",
		  "task numbers used again before their task ended" },
		{ stats->impossible, "record with an impossible task number",
		  "records with an impossible task number" },
		{ stats->ranges, "record with an impossible address space, range or page",
		  "records with an impossible address space, range or page" },
	};
	struct line line = { .len = 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!kinds[i].n)
			continue;
		add(&line, line.len ? "; " : "inconsistent, and repaired: ");
		add_number(&line, kinds[i].n, kinds[i].one, kinds[i].many);
	}
	if (line.len)
		msg_warn("%s", line.text);
}

static void print_clock(const struct capture *cap)
{
	const struct clock_residual *res = &cap->clock.residual;
	struct line line = { .len = 0 };

	if (!res->anchors && !res->rejected)
		return;
	add(&line, "clock: ");
	if (cap->clock.source == CLOCK_SOURCE_MONOTONIC)
		add(&line, "CLOCK_MONOTONIC in ns, not the TSC; ");
	else if (cap->clock.tsc_khz)
		add(&line, "TSC, %llu.%03llu MHz; ", cap->clock.tsc_khz / 1000,
		    cap->clock.tsc_khz % 1000);
	add_number(&line, res->anchors, "anchor", "anchors");
	msg_info("%s, %llu rejected; residual %llu ns rms, at most %llu ns beyond an anchor's own width",
		 line.text, res->rejected, clock_rms(res), res->max_ns);
}

static void print_damages(const struct capture *cap)
{
	u64 damages = capture_damages(cap) - cap->meta.missing;
	struct line line = { .len = 0 };

	if (cap->meta.missing)
		msg_warn("%s: " META_FILE " is missing: losses at the end are unknown", cap->dir);
	if (!damages)
		return;
	add_number(&line, damages, "place", "places");
	msg_warn("%s: damaged in %s; what could be read was read", cap->dir, line.text);
}

void decode_summary(const struct facts *facts, bool outputs)
{
	const struct capture *cap = facts->cap;
	bool found = outputs && capture_records(cap);

	if (found) {
		print_events(cap);
		print_tasks(facts);
		print_unplaced(facts);
	}
	if (!capture_records(cap))
		msg_warn("%s: the capture holds no events%s", cap->dir,
			 cap->narrow ? " of that time and these processes" : "");
	print_gaps(facts);
	print_missed(facts->cap);
	print_disagreements(&facts->world);
	if (found)
		print_clock(cap);
	print_damages(cap);
}
