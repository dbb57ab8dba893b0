// SPDX-License-Identifier: GPL-2.0-only
/* What a capture contains, and what is missing from it. */
#include <stdio.h>

#include "output/report/report.h"
#include "output/report/table.h"

static u64 sum_lost(const struct capture_stats *stats)
{
	u64 sum = stats->lost_other;
	unsigned int i;

	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		report_add(&sum, stats->lost[i]);
	return sum;
}

static void write_clock(const struct capture *cap, struct tracer_answer *to)
{
	const struct clock_residual *res = &cap->clock.residual;

	answer_text(to, "clock", cap->clock.source == CLOCK_SOURCE_TSC ? "TSC" :
		    "CLOCK_MONOTONIC");
	if (cap->clock.source == CLOCK_SOURCE_TSC && cap->clock.tsc_khz)
		answer_u64(to, "clock kHz", cap->clock.tsc_khz);
	if (cap->untrusted)
		answer_text(to, "clock trusted", "no: times may be wrong");
	if (!res->anchors && !res->rejected)
		return;
	answer_u64(to, "clock anchors", res->anchors);
	answer_u64(to, "clock anchors rejected", res->rejected);
	answer_ns(to, "clock residual rms", clock_rms(res));
	answer_ns(to, "clock residual beyond an anchor", res->max_ns);
}

/* Two of their files may be one row of the report. */
static void write_uncertain(const struct capture *cap, struct tracer_answer *to)
{
	if (cap->meta.uncertain[0])
		answer_text(to, "files not told apart on", cap->meta.uncertain);
}

static void write_filter(const struct capture *cap, struct tracer_answer *to)
{
	char text[64];

	if (!cap->meta.nr_pids)
		return;
	snprintf(text, sizeof(text), "%u%s%s", cap->meta.nr_pids,
		 cap->meta.nr_pids == 1 ? " process" : " processes",
		 cap->meta.children ? " and their children" : "");
	answer_text(to, "recorded only", text);
}

static void write_missing(const struct report *r, const struct facts *facts,
			  struct tracer_answer *to)
{
	const struct capture *cap = facts->cap;

	answer_u64(to, "events lost", sum_lost(&cap->stats));
	if (cap->stats.gaps)
		answer_u64(to, "gaps", cap->stats.gaps);
	if (cap->stats.inexact)
		answer_u64(to, "gaps that lost more than was counted", cap->stats.inexact);
	if (capture_damages(cap))
		answer_u64(to, "damaged places", capture_damages(cap));
	if (cap->meta.missed)
		answer_u64(to, "BPF probes that did not run", cap->meta.missed);
	if (r->uncertain)
		answer_u64(to, "calls and faults without an end", r->uncertain);
}

void report_write_capture(const struct report *r, const struct facts *facts,
			  struct tracer_answer *to)
{
	const struct capture *cap = facts->cap;

	answer_text(to, "host", cap->meta.host);
	answer_ns(to, "length", r->end - r->begin);
	if (r->opt.json)
		answer_ns(to, "begin", r->begin);
	answer_u64(to, "number of CPUs", r->nr_cpus);
	answer_u64(to, "events", capture_records(cap));
	write_missing(r, facts, to);
	write_filter(cap, to);
	write_uncertain(cap, to);
	write_clock(cap, to);
}

static const struct report_column cpu_columns[] = {
#define COL(name, field, form, needs) \
	{ name, offsetof(struct report_cpu, field), FORM_##form, NEEDS_##needs }
	COL("cpu", nr, U32, NOTHING),
	COL("busy", busy.ns, NS, SWITCHES),
	COL("share busy", busy.ns, SHARE, SWITCHES),
	COL("runs", busy.nr, U64, SWITCHES),
	COL("longest run", busy.longest, NS, SWITCHES),
	COL("gaps", gaps, U64, NOTHING),
	COL("blind", blind, NS, NOTHING),
	COL("share blind", blind, SHARE, NOTHING),
};

static void write_cpus(const struct report *r, const struct facts *facts,
		       struct tracer_answer *to)
{
	const struct report_table t = {
		.to = to, .facts = facts, .columns = cpu_columns,
		.nr = ARRAY_SIZE(cpu_columns), .whole = r->end - r->begin,
	};
	u32 i;

	report_table_begin(&t, "CPUs");
	for (i = 0; i < r->nr_cpus; i++) {
		answer_row(to);
		report_cells(&t, &r->cpus[i]);
	}
	report_end(to);
}

static void write_lost(const struct report_cpu *cpu, const char *event, u64 lost,
		       struct tracer_answer *to)
{
	char causes[GAP_CAUSES_TEXT];

	if (!lost)
		return;
	answer_row(to);
	answer_u64(to, "cpu", cpu->nr);
	answer_text(to, "event", event);
	answer_u64(to, "lost", lost);
	answer_text(to, "why", capture_gap_causes(causes, cpu->causes, ", "));
}

void report_write_losses(const struct report *r, const struct facts *facts,
			 struct tracer_answer *to)
{
	u32 i, ev;

	write_cpus(r, facts, to);
	if (!facts->cap->stats.gaps)
		return;
	report_begin(to, "events lost by CPU", "cpu,event,lost,why");
	for (i = 0; i < r->nr_cpus; i++) {
		const struct report_cpu *cpu = &r->cpus[i];

		if (!cpu->gaps)
			continue;
		for (ev = 1; ev < OVNIK_NR_EVENTS; ev++)
			write_lost(cpu, event_name(ev), cpu->lost[ev], to);
		write_lost(cpu, "of unknown kinds", cpu->other, to);
	}
	report_end(to);
}
