// SPDX-License-Identifier: GPL-2.0-only
/* What ftrace saw on each CPU, as far as it is compared; and what the statistics say. */

#include <limits.h>

#include "../common/ftrace.h"
#include "compare.h"

#define CLONE_VM	0x100
#define CLONE_THREAD	0x10000

bool by_bpf;
bool only_sched;
bool children = true;
bool *wanted;
struct truth truth[MAX_CPUS];
struct window start, stop;

/* Of each task made while we traced: how. */
static __u32 *clone_flags;

bool is_compared(unsigned int kind)
{
	return kind >= OVNIK_EV_sched_switch &&
	       kind <= (only_sched ? OVNIK_EV_sched_migrate : OVNIK_EV_mm_exit);
}

unsigned int lane_of(unsigned int kind)
{
	return kind <= OVNIK_EV_sched_migrate ? OVNIK_EV_sched_switch : kind;
}

bool in_lane(const struct event *event, unsigned int lane)
{
	return is_compared(event->kind) && lane_of(event->kind) == lane;
}

/* A task_mm for each new process, as ftrace's event for it is the fork itself. */
static void add_fork_mm(struct events *events, const struct event *fork)
{
	struct event copy = *fork;

	if (clone_flags[copy.b % TIDS] & CLONE_VM)
		return;
	copy.kind = OVNIK_EV_task_mm;
	copy.a = copy.b;
	copy.b = OVNIK_MM_FORK;
	copy.text = NULL;
	*add_event(events) = copy;
}

static int by_time(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->tsc < y->tsc ? -1 : x->tsc > y->tsc;
}

/* Does a task match? A new task inherits that, or not. Tids are not reused here. */
static void spread_filter(const struct events *all, unsigned int nr_cpus)
{
	struct events forks = {};
	unsigned int cpu;
	size_t i;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		for (i = 0; i < all[cpu].nr; i++) {
			const struct event *event = &all[cpu].event[i];

			if (event->kind == OVNIK_EV_task_fork && event->tsc >= start.begin)
				*add_event(&forks) = *event;
		}
	}
	if (forks.nr)
		qsort(forks.event, forks.nr, sizeof(*forks.event), by_time);
	for (i = 0; i < forks.nr; i++) {
		const struct event *fork = &forks.event[i];

		if (wanted[fork->a % TIDS] &&
		    (children || clone_flags[fork->b % TIDS] & CLONE_THREAD))
			wanted[fork->b % TIDS] = true;
	}
	free(forks.event);
}

static bool is_wanted(const struct event *event)
{
	switch (event->kind) {
	case OVNIK_EV_sched_switch:
	case OVNIK_EV_sched_wakeup:
	case OVNIK_EV_sched_wakeup_new:
		return wanted[event->a % TIDS] || wanted[event->b % TIDS];
	case OVNIK_EV_task_mm:
	case OVNIK_EV_mm_exit:
		return wanted[event->actor % TIDS];
	default:
		return wanted[event->a % TIDS];
	}
}

/* They are not recorded. */
static void take_clone_flags(struct events *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		struct event *event = &events->event[i];

		if (event->kind != OVNIK_EV_task_fork)
			continue;
		clone_flags[event->b % TIDS] = event->c;
		event->c = 0;
	}
}

/* Also those before the start: one of them may be recorded. */
static void cut_truth(struct truth *cpu, const struct events *all)
{
	size_t i;

	for (i = 0; i < all->nr && all->event[i].tsc <= stop.end; i++) {
		const struct event *event = &all->event[i];

		if (event->kind == OVNIK_EV_sched_switch && event->tsc < start.begin)
			cpu->before_start = event->tsc;
		if (event->kind == OVNIK_EV_sched_switch && event->tsc < stop.begin)
			cpu->before_stop = event->tsc;
		if (is_compared(event->kind))
			*add_event(&cpu->events) = *event;
	}
}

static void open_window(struct window *window, const struct event *mark)
{
	if (window->begin)
		errx(1, "more than one capture in the trace");
	window->begin = mark->tsc;
	window->actor = mark->actor;
}

static void close_window(struct window *window, const struct event *mark)
{
	if (mark->actor == window->actor && mark->tsc > window->begin &&
	    (!window->end || mark->tsc < window->end))
		window->end = mark->tsc;
}

/* The module's marks are the same for start and stop, BPF's are not. */
static void begin_windows(const struct events *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		const struct event *event = &all->event[i];

		if (event->kind == TRACE_RINGS_OFF)
			open_window(&stop, event);
		else if (event->kind == TRACE_RINGS && (by_bpf || !start.begin))
			open_window(&start, event);
		else if (event->kind == TRACE_RINGS)
			open_window(&stop, event);
	}
}

static void end_windows(const struct events *all)
{
	size_t i;

	for (i = 0; i < all->nr; i++) {
		if (all->event[i].kind != TRACE_RINGS_END)
			continue;
		close_window(&start, &all->event[i]);
		close_window(&stop, &all->event[i]);
	}
}

/*
 * The task that starts or stops may be on another CPU when that is done. What ends a window
 * others do, too, and at other times: it is the first time that the same task does.
 */
static void find_windows(const struct events *all, unsigned int nr_cpus)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		begin_windows(&all[cpu]);
	if (stop.begin < start.begin) {
		struct window first = stop;

		stop = start;
		start = first;
	}
	for (cpu = 0; cpu < nr_cpus; cpu++)
		end_windows(&all[cpu]);
	if (!start.end || !stop.end || start.end > stop.begin)
		errx(1, "the trace does not show the capture's start and stop");
}

static void add_mm_events(struct events *events)
{
	struct events with_mm = {};
	size_t i;

	for (i = 0; i < events->nr; i++) {
		*add_event(&with_mm) = events->event[i];
		if (events->event[i].kind == OVNIK_EV_task_fork)
			add_fork_mm(&with_mm, &events->event[i]);
	}
	free(events->event);
	*events = with_mm;
}

static void apply_filter(struct events *events)
{
	size_t i, kept = 0;

	for (i = 0; i < events->nr; i++) {
		if (is_wanted(&events->event[i]))
			events->event[kept++] = events->event[i];
	}
	events->nr = kept;
}

void load_truth(const char *dir, unsigned int nr_cpus)
{
	struct events all[MAX_CPUS] = {};
	unsigned int cpu;

	clone_flags = calloc(TIDS, sizeof(*clone_flags));
	if (!clone_flags)
		err(1, "no memory");
	read_formats(dir);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		read_trace(dir, cpu, &all[cpu]);
		take_clone_flags(&all[cpu]);
	}
	find_windows(all, nr_cpus);
	find_wakers(all, nr_cpus);
	if (wanted)
		spread_filter(all, nr_cpus);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		cut_truth(&truth[cpu], &all[cpu]);
		add_mm_events(&truth[cpu].events);
		if (wanted)
			apply_filter(&truth[cpu].events);
		free(all[cpu].event);
	}
}

void load_stats(const char *dir, unsigned int cpu, struct stats *stats)
{
	unsigned long long recorded, lost;
	char path[PATH_MAX], name[64];
	FILE *file;

	snprintf(path, sizeof(path), "%s/cpu%u/stats", dir, cpu);
	file = fopen(path, "r");
	if (!file)
		err(1, "%s", path);
	while (fscanf(file, "%63s %llu %llu %*u", name, &recorded, &lost) == 3) {
		stats->recorded[kind_number(name)] = recorded;
		stats->lost[kind_number(name)] = lost;
	}
	fclose(file);
}
