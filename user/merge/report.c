// SPDX-License-Identifier: GPL-2.0-only
/* Report how an application's trace was merged. */
#include <stdio.h>
#include <string.h>

#include "merge/merge.h"
#include "util/msg.h"

#define TEXT_ROOM	1024
#define PLURAL(n)	((n) == 1 ? "" : "s")

/* In the order of merge_stats.left_out. */
static const char * const names[MERGE_NR_NAMES] = {
	"OHx", "OHe", "OHp", "OHr", "OHc", "OHw", "OHC", "OAs", "OAr", "OCn", "KCO", "KCI",
};

void merge_count_left_out(struct ovni_merge *m, const struct ovni_ev *ev)
{
	u32 i = 0;

	while (i < MERGE_NR_NAMES && memcmp(ev->mcv, names[i], sizeof(ev->mcv)))
		i++;
	m->stats.left_out[i]++;
}

static void report_left_out(const struct merge_stats *stats)
{
	char text[TEXT_ROOM] = "";
	size_t len = 0;
	u32 i;

	for (i = 0; i <= MERGE_NR_NAMES; i++) {
		if (!stats->left_out[i])
			continue;
		len += snprintf(text + len, sizeof(text) - len, " %s %llu",
				i < MERGE_NR_NAMES ? names[i] : "others", stats->left_out[i]);
	}
	if (len)
		msg_info("merged: left out, because the kernel says where a thread runs:%s", text);
}

static void report_moved(const struct merge_stats *stats)
{
	msg_info("merged: %llu event%s moved to where the thread was on a CPU, by at most %llu ns (thread %d of process %d, at %llu)",
		 stats->moved, PLURAL(stats->moved), stats->farthest, stats->farthest_tid,
		 stats->farthest_pid, stats->farthest_clock);
}

static void report_places(const struct merge_stats *stats)
{
	if (stats->moved)
		report_moved(stats);
	if (stats->astray)
		msg_warn("merged: %llu record%s of logs where the thread was on no CPU: shown at the nearest time at which it was; is the log damaged?",
			 stats->astray, PLURAL(stats->astray));
	if (stats->regions)
		msg_info("merged: %llu unsorted region%s sorted", stats->regions,
			 stats->regions == 1 ? " was" : "s were");
	if (stats->loose)
		msg_warn("merged: %llu event%s at times when the capture does not say on which CPU the thread was: shown on the virtual CPU",
			 stats->loose, PLURAL(stats->loose));
}

/* Of a killed program: what it did last is not in its streams. */
static void report_killed(const struct ovni_merge *m)
{
	u64 bytes = 0;
	u32 i, nr = 0;

	for (i = 0; i < m->trace.nr; i++) {
		nr += m->trace.streams[i].killed;
		bytes += m->trace.streams[i].cut;
	}
	if (nr)
		msg_warn("merged: %u stream%s not finished: was the program killed? Events since its last flush are missing; the capture says when its threads ended",
			 nr, nr == 1 ? " was" : "s were");
	if (bytes)
		msg_warn("merged: %llu byte%s of events that were cut off %s left out", bytes,
			 PLURAL(bytes), bytes == 1 ? "is" : "are");
}

static void report_threads(const struct ovni_merge *m)
{
	const struct merge_stats *stats = &m->stats;
	u32 i;

	if (m->trace.unpicked)
		msg_info("merged: %u stream%s of other processes or hosts left out",
			 m->trace.unpicked, PLURAL(m->trace.unpicked));
	if (stats->absent)
		msg_warn("merged: %u thread%s of the application %s not in the capture",
			 stats->absent, PLURAL(stats->absent), stats->absent == 1 ? "is" : "are");
	if (stats->silent)
		msg_warn("merged: %u thread%s not in the capture, and without events: left out",
			 stats->silent, PLURAL(stats->silent));
	if (stats->others)
		msg_info("merged: %u stream%s of other hosts, as %s", stats->others,
			 PLURAL(stats->others), stats->others == 1 ? "it was" : "they were");
	for (i = 0; i < OVNI_NR_ACTIVITIES; i++) {
		if (m->unmarked & 1U << i)
			msg_warn("merged: the application uses all numbers of marks: \"%s\" is left out",
				 ovni_activities[i].title);
	}
}

/* Logs are judged by themselves. Without events there is nothing to judge. */
static void report_time(const struct ovni_merge *m)
{
	const struct merge_stats *stats = &m->stats;
	struct capture *cap = m->cap;
	u64 begin = clock_ns(&cap->clock, cap->begin), end = clock_ns(&cap->clock, cap->end);

	if (m->trace.log || stats->low > stats->high)
		return;
	if (stats->low > end || stats->high < begin)
		msg_warn("merged: %s was written from %.6f s to %.6f s of CLOCK_MONOTONIC, the capture from %.6f s to %.6f s: they have no time in common; is it the trace of another run?",
			 m->name, stats->low / 1e9, stats->high / 1e9, begin / 1e9, end / 1e9);
}

void ovni_merge_report(const struct ovni_merge *m)
{
	u32 threads = m->trace.nr_ours - m->stats.silent;

	if (!m->trace.log)
		msg_info("merged: %s: %llu event%s of %u thread%s", m->trace.path,
			 m->stats.events, PLURAL(m->stats.events), threads, PLURAL(threads));
	report_time(m);
	report_left_out(&m->stats);
	report_killed(m);
	report_places(&m->stats);
	report_threads(m);
}
