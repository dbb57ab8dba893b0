// SPDX-License-Identifier: GPL-2.0-only
/* What is told at the end. */
#include <stdarg.h>
#include <stdio.h>

#include "decode/decode.h"
#include "util/msg.h"

#define LINE_MAX_LEN	1024

/* A line that is put together; what does not fit is left out. */
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

static double seconds(const struct capture *cap, u64 tsc)
{
	struct clock *clock = (struct clock *)&cap->clock;

	return ((double)clock_ns(clock, tsc) - (double)clock_ns(clock, cap->begin)) / 1e9;
}

static void tell_events(const struct capture *cap)
{
	struct line line = { .len = 0 };
	u64 total = cap->stats.unknown;
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		total += cap->stats.records[i];
	add(&line, "%llu events in %.6f s on %u CPUs:", total, seconds(cap, cap->end),
	    cap->nr_files);
	add_counts(&line, cap->stats.records, cap->stats.unknown);
	msg_info("%s", line.text);
}

static void tell_tasks(const struct decode_report *report)
{
	struct line line = { .len = 0 };

	add(&line, "%llu tasks", report->world.tasks);
	if (report->processes)
		add(&line, " in %llu processes", report->processes);
	if (report->orphans)
		add(&line, "; of %llu the process is not known, each counts as one",
		    report->orphans);
	msg_info("%s", line.text);
}

static void tell_gap(const struct capture *cap, const struct capture_gap *gap)
{
	static const char * const causes[] = {
		"", "lost", "damaged", "lost, damaged", "missing", "lost, missing",
		"damaged, missing", "lost, damaged, missing",
	};
	struct line line = { .len = 0 };

	add(&line, "gap on CPU %u from %.9f s to %.9f s (%s):", gap->cpu,
	    seconds(cap, gap->from), seconds(cap, gap->to),
	    causes[gap->causes & (GAP_LOST | GAP_DAMAGED | GAP_MISSING)]);
	add_counts(&line, gap->lost, gap->other);
	if (!gap->exact)
		add(&line, " and an unknown number more");
	msg_warn("%s", line.text);
}

/* Where neighbours could not tell how much is missing, the kernel's totals can. */
static void tell_by_totals(const struct capture *cap)
{
	struct line line = { .len = 0 };
	u64 missing[OVNIK_NR_EVENTS] = { 0 };
	unsigned int i, ev;

	if (!cap->stats.inexact || !cap->meta.valid || cap->meta.overwrite)
		return;
	for (ev = 1; ev < OVNIK_NR_EVENTS; ev++) {
		u64 all = 0;

		for (i = 0; i < cap->meta.nr_cpus; i++)
			all += cap->meta.cpus[i].counts[ev].recorded +
			       cap->meta.cpus[i].counts[ev].lost;
		if (all > cap->stats.records[ev])
			missing[ev] = all - cap->stats.records[ev];
	}
	add_counts(&line, missing, 0);
	msg_warn("not in the capture by the counts in meta.json:%s", line.len ? line.text : " none");
}

static void tell_gaps(const struct decode_report *report)
{
	const struct capture *cap = report->cap;
	struct line line = { .len = 0 };
	unsigned int i;

	if (!cap->stats.gaps)
		return;
	for (i = 0; i < report->nr_gaps; i++)
		tell_gap(cap, &report->gaps[i]);
	if (cap->stats.gaps > report->nr_gaps)
		msg_warn("and %llu gaps more", cap->stats.gaps - report->nr_gaps);
	add(&line, "not in the capture, in %llu gaps:", cap->stats.gaps);
	add_counts(&line, cap->stats.lost, cap->stats.lost_other);
	if (cap->stats.inexact)
		add(&line, " and an unknown number more in %llu of them", cap->stats.inexact);
	msg_warn("%s", line.text);
	tell_by_totals(cap);
}

static void tell_disagreements(const struct world_stats *stats)
{
	struct line line = { .len = 0 };

	if (stats->switches)
		add(&line, " %llu switches from a task that was not believed running;",
		    stats->switches);
	if (stats->headers)
		add(&line, " %llu sub-buffers opened by a task that was not believed running;",
		    stats->headers);
	if (stats->twice)
		add(&line, " %llu tasks on two CPUs at once;", stats->twice);
	if (stats->replaced)
		add(&line, " %llu task numbers used again before their task ended;",
		    stats->replaced);
	if (stats->impossible)
		add(&line, " %llu records with an impossible task number;", stats->impossible);
	if (!line.len)
		return;
	line.text[line.len - 1] = '\0';
	msg_warn("inconsistent, and repaired:%s", line.text);
}

/* Rounded down; no need for a mathematics library. */
static u64 square_root(double x)
{
	u64 low = 0, high = (u64)1 << 32;

	while (high - low > 1) {
		u64 mid = low + (high - low) / 2;

		if ((double)mid * mid <= x)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static void tell_clock(const struct capture *cap)
{
	const struct clock_residual *res = &cap->clock.residual;

	if (!res->anchors && !res->rejected)
		return;
	msg_info("clock: %llu anchors, %llu rejected; residual %llu ns rms, at most %llu ns beyond an anchor's own width",
		 res->anchors, res->rejected,
		 res->anchors ? square_root(res->sum_squares / res->anchors) : 0, res->max_ns);
}

void decode_summary(const struct decode_report *report)
{
	const struct capture *cap = report->cap;
	u64 damages = capture_damages(cap);

	tell_events(cap);
	tell_tasks(report);
	tell_gaps(report);
	tell_disagreements(&report->world);
	tell_clock(cap);
	if (damages)
		msg_warn("%s: damaged in %llu places; what could be read was", cap->dir, damages);
}
