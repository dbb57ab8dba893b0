// SPDX-License-Identifier: GPL-2.0-only
/*
 * compare - hold a capture against what ftrace saw meanwhile
 *
 * On each CPU, ftrace's events between the moments when the ring was switched on
 * and off are the truth. Our records must be these, one by one and in this order,
 * with a gap wherever lost[] says so: exactly as many events of exactly those
 * kinds. What the statistics say was lost after the last sub-buffer must be what
 * is left of ftrace's at the end.
 *
 * These moments are known exactly from the first and the last sub-buffer, unless
 * that one was overwritten or there was no room for it. Then they lie somewhere
 * between two marks of ftrace's, some ten microseconds apart, and what happened
 * there may be on either side. With BPF they always do: a sub-buffer is opened by
 * the first event and closed some time after the last.
 *
 * And on each CPU ftrace may have stamped an event when the marks were made, and our
 * probe not have run yet: an interrupt that switches the ring comes in between, or
 * with BPF a word that another CPU writes. Such an event is under way: it is recorded,
 * or not, on either side of what its stamp says. No switch can come between the two
 * probes, so that there is one at most, and only where no switch follows up to the mark.
 *
 * Events whose hooks run with interrupts off are one sequence. Between ftrace's
 * probe and ours for one of the others an interrupt may come and leave events of
 * its own, so each of those kinds is a sequence by itself. Where the task may be
 * preempted there, as on 7.x, they have no order that both could see: see -l.
 */

#include <getopt.h>
#include <limits.h>

#include "common/capture.h"
#include "common/ftrace.h"

#define CONTEXT		5	/* events shown before a difference */
#define CLONE_VM	0x100
#define CLONE_THREAD	0x10000
#define CLOCK_SLACK	500	/* ns */
#define TIDS		0x400000	/* more than there can be */

/**
 * struct truth - What ftrace saw on a CPU.
 * @events: up to the end of the stop, and what the filter lets through
 * @before_start: the last switch before the start
 * @before_stop: and before the stop
 */
struct truth {
	struct events events;
	__u64 before_start;
	__u64 before_stop;
};

/* Within these times all rings were switched on, or off, by this task. */
struct window {
	__u64 begin;
	__u64 end;
	__u32 actor;
};

static struct window start, stop;

/* Set by -b: the capture is BPF's. */
static bool by_bpf;

struct stats {
	__u64 recorded[OVNIK_NR_EVENTS];
	__u64 lost[OVNIK_NR_EVENTS];
};

static struct truth truth[MAX_CPUS];
static bool quiet;

/* Of each task made while we traced: how. */
static __u32 *clone_flags;
/* Set by -l: of events whose hooks may be preempted, nothing is compared. */
static bool only_sched;
/* Set by -f: the tasks that match the filter. */
static bool *wanted;
static bool children = true;

static bool is_compared(unsigned int kind)
{
	return kind >= OVNIK_EV_sched_switch &&
	       kind <= (only_sched ? OVNIK_EV_sched_migrate : OVNIK_EV_mm_exit);
}

/* Number of the sequence that a kind belongs to. */
static unsigned int lane_of(unsigned int kind)
{
	return kind <= OVNIK_EV_sched_migrate ? OVNIK_EV_sched_switch : kind;
}

static bool in_lane(const struct event *event, unsigned int lane)
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
static void spread_filter(unsigned int nr_cpus)
{
	struct events forks = {};
	unsigned int cpu;
	size_t i;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		for (i = 0; i < truth[cpu].events.nr; i++) {
			const struct event *event = &truth[cpu].events.event[i];

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

static void note_clone_flags(const struct events *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (events->event[i].kind == TRACE_NEWTASK)
			clone_flags[events->event[i].a % TIDS] = events->event[i].c;
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
 * Whoever starts or stops may be on another CPU when that is done. What ends a window
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

static void load_truth(const char *dir, unsigned int nr_cpus)
{
	struct events all[MAX_CPUS] = {};
	unsigned int cpu;

	read_formats(dir);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		read_trace(dir, cpu, &all[cpu]);
		note_clone_flags(&all[cpu]);
	}
	find_windows(all, nr_cpus);
	for (cpu = 0; cpu < nr_cpus; cpu++) {
		cut_truth(&truth[cpu], &all[cpu]);
		add_mm_events(&truth[cpu].events);
		free(all[cpu].event);
	}
	if (!wanted)
		return;
	spread_filter(nr_cpus);
	for (cpu = 0; cpu < nr_cpus; cpu++)
		apply_filter(&truth[cpu].events);
}

static void load_stats(const char *dir, unsigned int cpu, struct stats *stats)
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

/* ftrace has the path as it was given, we have the file that it led to. */
static bool same_file(const char *ours, const char *theirs)
{
	char path[PATH_MAX];

	if (!strcmp(theirs, "/proc/self/exe"))
		return *ours == '/';
	return realpath(theirs, path) && !strcmp(ours, path);
}

static bool same_text(const struct event *ours, const struct event *theirs)
{
	if (!ours->text || !theirs->text)
		return ours->text == theirs->text;
	return !strcmp(ours->text, theirs->text) ||
	       (ours->kind == OVNIK_EV_task_exec && same_file(ours->text, theirs->text));
}

/*
 * A zombie that leaves its CPU may be buried by another one at that moment,
 * between ftrace's look at it and ours.
 */
static bool buried(const struct event *ours, const struct event *theirs)
{
	return ours->kind == OVNIK_EV_sched_switch &&
	       (ours->c | theirs->c) == (OVNIK_STATE_DEAD | OVNIK_STATE_ZOMBIE);
}

static bool same(const struct event *ours, const struct event *theirs)
{
	return ours->kind == theirs->kind && ours->a == theirs->a && ours->b == theirs->b &&
	       (ours->c == theirs->c || buried(ours, theirs)) && same_text(ours, theirs);
}

/**
 * struct walk - A comparison on its way through a sequence.
 * @cap:   ours
 * @stats: how it ended, or NULL
 * @lane:  the sequence
 * @truth: ftrace's events of it
 * @nr:	   of these
 * @at:	   next of them
 * @lost:  as far as is accounted for
 * @under_way: the last one of ftrace's before the stop, if it came too late for us
 * @quiet: a difference is not to be shown
 */
struct walk {
	const struct capture *cap;
	const struct stats *stats;
	unsigned int lane;
	const struct event **truth;
	size_t nr;
	size_t at;
	__u64 lost[OVNIK_NR_EVENTS];
	const struct event *under_way;
	bool quiet;
};

static const struct event *next_truth(struct walk *walk)
{
	return walk->at < walk->nr ? walk->truth[walk->at++] : NULL;
}

/* Which of ours this is, and what ftrace had just before. */
static void show_difference(struct walk *walk, const struct event *ours,
			    const struct event *theirs)
{
	size_t i = walk->at > CONTEXT ? walk->at - CONTEXT - 1 : 0;

	if (walk->quiet)
		return;
	printf("# CPU %u: difference; on at %llu to %llu, off at %llu to %llu\n", walk->cap->cpu,
	       start.begin, start.end, stop.begin, stop.end);
	for (; i + 1 < walk->at; i++)
		print_event("before", walk->truth[i]);
	print_event("ftrace", theirs);
	print_event("ovnik", ours);
	if (ours)
		printf("# in sub-buffer %u, seq %llu\n", ours->block,
		       walk->cap->block[ours->block].head->seq);
}

/* So many more were lost: ftrace must have exactly these next. */
static bool skip_lost(struct walk *walk, const __u64 *lost)
{
	__u64 seen[OVNIK_NR_EVENTS] = {}, total = 0;
	unsigned int kind;

	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		if (is_compared(kind) && lane_of(kind) == walk->lane)
			total += lost[kind] - walk->lost[kind];
	}
	while (total--) {
		const struct event *event = next_truth(walk);

		if (!event) {
			if (!walk->quiet)
				printf("# CPU %u: more %s lost than ftrace has, by %llu\n",
				       walk->cap->cpu, kind_name(walk->lane), total + 1);
			return false;
		}
		seen[event->kind]++;
	}
	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		if (is_compared(kind) && lane_of(kind) == walk->lane &&
		    seen[kind] != lost[kind] - walk->lost[kind]) {
			if (!walk->quiet)
				printf("# CPU %u: %llu %s lost, ftrace has %llu there\n",
				       walk->cap->cpu, lost[kind] - walk->lost[kind],
				       kind_name(kind), seen[kind]);
			return false;
		}
	}
	memcpy(walk->lost, lost, sizeof(walk->lost));
	return true;
}

/*
 * Was the ring switched off in the window of the stop, with a sub-buffer open?
 * Then that one says exactly when. Otherwise the CPU was off line by then, or
 * had been losing events for some time.
 */
static bool knows_stop(const struct walk *walk)
{
	const struct capture *cap = walk->cap;

	return !by_bpf && walk->lane == OVNIK_EV_sched_switch && cap->nr_blocks &&
	       cap->block[cap->nr_blocks - 1].head->tsc_end >= stop.begin;
}

/* The same of the start. */
static bool knows_start(const struct walk *walk)
{
	const struct capture *cap = walk->cap;

	return !by_bpf && walk->lane == OVNIK_EV_sched_switch && cap->nr_blocks &&
	       cap->block[0].head->seq == 0 && cap->block[0].head->tsc <= start.end;
}

/*
 * May ftrace have seen this event before a mark, and our probe run after it? In the
 * first sequence interrupts are off: the module's ring cannot be switched there.
 */
static bool may_be_under_way(unsigned int lane, const struct event *event, __u64 last_switch)
{
	return lane == OVNIK_EV_sched_switch ? by_bpf : event->tsc > last_switch;
}

static bool under_way_at_start(const struct walk *walk, size_t at)
{
	return at < walk->nr && walk->truth[at]->tsc < start.begin &&
	       may_be_under_way(walk->lane, walk->truth[at],
				truth[walk->cap->cpu].before_start);
}

static bool under_way_at_stop(const struct walk *walk, const struct event *event)
{
	return may_be_under_way(walk->lane, event, truth[walk->cap->cpu].before_stop);
}

/* What is left of ftrace's must be from when the ring may have been off. */
static bool check_end(struct walk *walk)
{
	__u64 end = stop.begin;
	const struct event *theirs;

	if (!walk->stats)
		return true;
	if (!skip_lost(walk, walk->stats->lost))
		return false;
	if (knows_stop(walk))
		end = walk->cap->block[walk->cap->nr_blocks - 1].head->tsc_end;
	theirs = next_truth(walk);
	walk->under_way = NULL;
	if (theirs && theirs->tsc < end && under_way_at_stop(walk, theirs)) {
		walk->under_way = theirs;
		theirs = next_truth(walk);
	}
	if (!theirs || theirs->tsc >= end)
		return true;
	show_difference(walk, NULL, theirs);
	return false;
}

/*
 * BPF's stamps are of ftrace's own clock, which it reads just before us; so ours lies
 * between theirs and the next. That clock may step back a little when it is adjusted.
 * Only of what runs with interrupts off: elsewhere we may come first.
 */
static bool same_time(const struct walk *walk, const struct event *ours, const struct event *theirs)
{
	const struct event *next = walk->at < walk->nr ? walk->truth[walk->at] : NULL;

	return !by_bpf || walk->lane != OVNIK_EV_sched_switch ||
	       (theirs->tsc <= ours->tsc + CLOCK_SLACK &&
		(!next || ours->tsc <= next->tsc + CLOCK_SLACK));
}

/* The same, if the first @skip of ftrace's came before the ring was on? */
static bool same_from(struct walk *walk, size_t skip)
{
	const struct capture *cap = walk->cap;
	size_t block, i = 0;

	walk->at = skip;
	memset(walk->lost, 0, sizeof(walk->lost));
	for (block = 0; block < cap->nr_blocks; block++) {
		if (!skip_lost(walk, cap->block[block].lost))
			return false;
		for (; i < cap->events.nr && cap->events.event[i].block == block; i++) {
			const struct event *ours = &cap->events.event[i], *theirs;

			if (!in_lane(ours, walk->lane))
				continue;
			theirs = next_truth(walk);
			if (!theirs || !same(ours, theirs) || !same_time(walk, ours, theirs)) {
				show_difference(walk, ours, theirs);
				return false;
			}
		}
	}
	return check_end(walk);
}

static void take_lane(struct walk *walk)
{
	const struct events *all = &truth[walk->cap->cpu].events;
	size_t i;

	walk->truth = malloc((all->nr + 1) * sizeof(*walk->truth));
	if (!walk->truth)
		err(1, "no memory");
	for (i = 0; i < all->nr; i++) {
		if (in_lane(&all->event[i], walk->lane))
			walk->truth[walk->nr++] = &all->event[i];
	}
}

/*
 * Where in the window of the start the ring was switched on is known only from
 * its first sub-buffer. Without, any place in the window may be the right one;
 * there are few. Where no place fits, the last one tried is shown.
 */
static bool same_sequence(const struct capture *cap, const struct stats *stats, unsigned int lane)
{
	struct walk walk = { .cap = cap, .stats = stats, .lane = lane, .quiet = true };
	__u64 first = start.begin, last = start.end;
	size_t skip = 0;
	bool same = false;

	take_lane(&walk);
	if (knows_start(&walk)) {
		first = cap->block[0].head->tsc;
		last = first;
	}
	while (skip < walk.nr && walk.truth[skip]->tsc < first)
		skip++;
	skip -= skip && under_way_at_start(&walk, skip - 1);
	for (; !same; skip++) {
		bool more = skip < walk.nr && walk.truth[skip]->tsc < last;

		walk.quiet = quiet || more;
		same = same_from(&walk, skip);
		if (!more)
			break;
	}
	if (same && walk.under_way && !quiet)
		print_event("on its way at the stop", walk.under_way);
	free(walk.truth);
	return same;
}

static bool same_everywhere(const struct capture *cap, const struct stats *stats)
{
	unsigned int kind;

	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		if (is_compared(kind) && lane_of(kind) == kind && !same_sequence(cap, stats, kind))
			return false;
	}
	return true;
}

/* What the statistics call recorded is in the file. */
static bool all_recorded_read(const struct capture *cap, const struct stats *stats)
{
	__u64 count[OVNIK_NR_EVENTS] = {};
	unsigned int kind;
	size_t block;

	for (block = 0; block < cap->nr_blocks; block++) {
		for (kind = 1; kind < OVNIK_NR_EVENTS; kind++)
			count[kind] += cap->block[block].count[kind];
	}
	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		if (count[kind] == stats->recorded[kind])
			continue;
		printf("# CPU %u: %llu %s recorded, %llu in the file\n", cap->cpu,
		       stats->recorded[kind], kind_name(kind), count[kind]);
		return false;
	}
	return true;
}

/* The kinds that ftrace does not have must add up, too: lost never shrinks. */
static bool losses_grow(const struct capture *cap, const struct stats *stats)
{
	const __u64 *last = cap->nr_blocks ? cap->block[cap->nr_blocks - 1].lost : NULL;
	unsigned int kind;
	size_t block;

	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		for (block = 1; block < cap->nr_blocks; block++) {
			if (cap->block[block].lost[kind] >= cap->block[block - 1].lost[kind])
				continue;
			printf("# CPU %u: lost[%s] shrinks at seq %llu\n", cap->cpu,
			       kind_name(kind), cap->block[block].head->seq);
			return false;
		}
		if (last && stats && last[kind] > stats->lost[kind]) {
			printf("# CPU %u: lost[%s] %llu, statistics %llu\n", cap->cpu,
			       kind_name(kind), last[kind], stats->lost[kind]);
			return false;
		}
	}
	return true;
}

/* A gap in the numbers is a gap in the events, and in overwrite mode the only one. */
static bool gaps_are_lost(const struct capture *cap)
{
	unsigned int kind;
	size_t i;

	for (i = 1; i < cap->nr_blocks; i++) {
		const struct block *block = &cap->block[i];
		bool next = block->head->seq == block[-1].head->seq + 1;
		__u64 lost = 0;

		for (kind = 1; kind < OVNIK_NR_EVENTS; kind++)
			lost += block->lost[kind] - block[-1].lost[kind];
		if (next && lost && block->head->flags & OVNIK_SB_OVERWRITE) {
			printf("# CPU %u: %llu lost before seq %llu, which follows its number\n",
			       cap->cpu, lost, block->head->seq);
			return false;
		}
		if (!next && !lost) {
			printf("# CPU %u: nothing lost before seq %llu\n", cap->cpu,
			       block->head->seq);
			return false;
		}
	}
	return true;
}

static void summary(const struct capture *cap)
{
	const struct events *seen = &truth[cap->cpu].events;
	size_t ours[NR_KINDS] = {}, theirs[NR_KINDS] = {}, i;
	unsigned int kind;

	for (i = 0; i < cap->events.nr; i++)
		ours[cap->events.event[i].kind]++;
	for (i = 0; i < seen->nr; i++)
		theirs[seen->event[i].kind]++;
	/* Some of ftrace's are from before the start or after the stop. */
	printf("# CPU %u: %zu sub-buffers; records/ftrace:", cap->cpu, cap->nr_blocks);
	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		if (is_compared(kind))
			printf(" %s %zu/%zu", kind_name(kind), ours[kind], theirs[kind]);
	}
	printf("\n");
}

static bool compare(const char *path, const char *stats_dir)
{
	struct capture *cap = load_capture(path);
	struct stats stats = {};

	if (stats_dir)
		load_stats(stats_dir, cap->cpu, &stats);
	summary(cap);
	return (!stats_dir || all_recorded_read(cap, &stats)) &&
	       losses_grow(cap, stats_dir ? &stats : NULL) &&
	       gaps_are_lost(cap) &&
	       same_everywhere(cap, stats_dir ? &stats : NULL);
}

/*
 * The comparer's own test. Each mutation is made to a copy at the first, the
 * middle and the last record of a kind, and must be noticed.
 */

static void mutate_drop(struct events *events, size_t at)
{
	memmove(&events->event[at], &events->event[at + 1],
		(events->nr - at - 1) * sizeof(*events->event));
	events->nr--;
}

static void mutate_double(struct events *events, size_t at)
{
	struct event copy = events->event[at];

	add_event(events);
	memmove(&events->event[at + 1], &events->event[at],
		(events->nr - at - 1) * sizeof(copy));
	events->event[at] = copy;
}

static void mutate_a(struct events *events, size_t at)
{
	events->event[at].a ^= 1;
}

static void mutate_b(struct events *events, size_t at)
{
	events->event[at].b ^= 1;
}

static void mutate_c(struct events *events, size_t at)
{
	events->event[at].c ^= 1;
}

static void mutate_text(struct events *events, size_t at)
{
	events->event[at].text = "altered";
}

static void mutate_kind(struct events *events, size_t at)
{
	unsigned int kind = events->event[at].kind;

	events->event[at].kind = kind == OVNIK_EV_mm_exit ? OVNIK_EV_task_exit : kind + 1;
}

/* With the next one of its sequence that differs. */
static void mutate_swap(struct events *events, size_t at)
{
	struct event copy = events->event[at];
	size_t next;

	for (next = at + 1; next < events->nr; next++) {
		struct event *other = &events->event[next];

		if (!in_lane(other, lane_of(copy.kind)) || same(other, &copy))
			continue;
		events->event[at] = *other;
		events->event[next] = copy;
		return;
	}
	mutate_drop(events, at);
}

/* The other sequences are as they were. */
static bool is_noticed(const struct capture *cap, const struct stats *stats, size_t at,
		       void (*mutate)(struct events *events, size_t at))
{
	unsigned int lane = lane_of(cap->events.event[at].kind), other;
	struct capture copy = *cap;
	bool noticed;

	copy.events.room = cap->events.nr + 1;
	copy.events.event = malloc(copy.events.room * sizeof(struct event));
	if (!copy.events.event)
		err(1, "no memory");
	memcpy(copy.events.event, cap->events.event, cap->events.nr * sizeof(struct event));
	mutate(&copy.events, at);
	other = at < copy.events.nr ? lane_of(copy.events.event[at].kind) : lane;
	noticed = !same_sequence(&copy, stats, lane) ||
		  (other != lane && !same_sequence(&copy, stats, other));
	free(copy.events.event);
	return noticed;
}

/*
 * What lies where the ring may have been on or off can be there or not, and what was
 * under way just then. Return: where the certain ones begin.
 */
static size_t find_certain(const struct capture *cap, unsigned int lane, size_t *end)
{
	struct walk walk = { .cap = cap, .lane = lane };
	size_t first = cap->events.nr, last = 0, i;
	bool skip;

	*end = cap->events.nr;
	if (!by_bpf && lane == OVNIK_EV_sched_switch)
		return 0;
	take_lane(&walk);
	for (i = 0; i < walk.nr && walk.truth[i]->tsc < start.begin;)
		i++;
	skip = i && under_way_at_start(&walk, i - 1);
	for (i = 0; i < cap->events.nr; i++) {
		const struct event *event = &cap->events.event[i];

		if (!in_lane(event, lane) || event->tsc <= start.end ||
		    event->tsc >= stop.begin || under_way_at_stop(&walk, event))
			continue;
		if (skip) {
			skip = false;
			continue;
		}
		if (first == cap->events.nr)
			first = i;
		last = i + 1;
	}
	*end = last - (last && by_bpf && lane == OVNIK_EV_sched_switch);
	free(walk.truth);
	return first;
}

/* Where the first, the middle and the last record of a kind are; how many of these. */
static unsigned int find_places(const struct capture *cap, unsigned int kind, size_t *places)
{
	size_t i, nr = 0, seen = 0, end, begin = find_certain(cap, lane_of(kind), &end);

	for (i = begin; i < end; i++)
		nr += cap->events.event[i].kind == kind;
	for (i = begin; i < end; i++) {
		if (cap->events.event[i].kind != kind)
			continue;
		if (!seen)
			places[0] = i;
		if (seen == nr / 2)
			places[1] = i;
		if (++seen == nr)
			places[2] = i;
	}
	return nr ? 3 : 0;
}

static bool all_noticed(const char *path, const char *stats_dir)
{
	static void (*const mutations[])(struct events *events, size_t at) = {
		mutate_drop, mutate_double, mutate_a, mutate_b, mutate_c, mutate_text,
		mutate_kind, mutate_swap,
	};
	const size_t nr = sizeof(mutations) / sizeof(*mutations);
	struct capture *cap = load_capture(path);
	unsigned int kind, place, nr_places, done = 0;
	struct stats stats = {};
	size_t places[3], i;

	load_stats(stats_dir, cap->cpu, &stats);
	quiet = true;
	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		nr_places = is_compared(kind) ? find_places(cap, kind, places) : 0;
		for (place = 0; place < nr_places; place++) {
			for (i = 0; i < nr; i++, done++) {
				if (is_noticed(cap, &stats, places[place], mutations[i]))
					continue;
				printf("# CPU %u: mutation %zu of a %s is not noticed\n",
				       cap->cpu, i, kind_name(kind));
				return false;
			}
		}
	}
	quiet = false;
	printf("# CPU %u: %u mutations noticed\n", cap->cpu, done);
	return done || !cap->events.nr;	/* the CPU may have been off line */
}

/* The sum over all files, for a test that is to be large enough. */
static bool enough(char **paths, unsigned long min_switches)
{
	unsigned long switches = 0;
	size_t i;

	for (; *paths; paths++) {
		struct events *seen = &truth[cpu_of_name(*paths)].events;

		for (i = 0; i < seen->nr; i++)
			switches += seen->event[i].kind == OVNIK_EV_sched_switch;
	}
	if (switches < min_switches)
		printf("# only %lu switches\n", switches);
	return switches >= min_switches;
}

static void parse_tids(char *list)
{
	char *tid;

	wanted = calloc(TIDS, sizeof(*wanted));
	if (!wanted)
		err(1, "no memory");
	for (tid = strtok(list, ","); tid; tid = strtok(NULL, ","))
		wanted[strtoul(tid, NULL, 10) % TIDS] = true;
}

static const char usage[] =
	"usage: compare [OPTION]... cpuN.ovk...\n"
	"  -t DIR   ftrace's instance\n"
	"  -c N     CPUs in all (2)\n"
	"  -s DIR   statistics, as the module's\n"
	"  -p       the files are parts: do not ask what comes behind them\n"
	"  -w FILE  and one more file that is whole, with -p\n"
	"  -n N     fail with less than N switches\n"
	"  -f TIDS  only the events of these tasks and of their new threads ...\n"
	"  -x       ... but not of their new processes\n"
	"  -l       only the scheduler's events\n"
	"  -m       test the comparer itself\n"
	"  -b       the capture is BPF's\n";

int main(int argc, char **argv)
{
	const char *trace = "/sys/kernel/tracing", *stats = "/sys/kernel/ovnik/cpus";
	const char *whole[MAX_CPUS];
	unsigned int nr_cpus = 2, nr_whole = 0;
	unsigned long min_switches = 0;
	bool mutate = false, part = false, ok = true;
	char **path;
	int option;

	while ((option = getopt(argc, argv, "t:c:s:pw:n:f:xlmb")) != -1) {
		switch (option) {
		case 't':
			trace = optarg;
			break;
		case 'c':
			nr_cpus = atoi(optarg);
			break;
		case 's':
			stats = optarg;
			break;
		case 'p':
			part = true;
			break;
		case 'w':
			whole[nr_whole++ % MAX_CPUS] = optarg;
			break;
		case 'n':
			min_switches = strtoul(optarg, NULL, 10);
			break;
		case 'f':
			parse_tids(optarg);
			break;
		case 'x':
			children = false;
			break;
		case 'l':
			only_sched = true;
			break;
		case 'm':
			mutate = true;
			break;
		case 'b':
			by_bpf = true;
			break;
		default:
			errx(2, "%s", usage);
		}
	}
	if (optind == argc || !nr_cpus || nr_cpus > MAX_CPUS)
		errx(2, "%s", usage);
	clone_flags = calloc(TIDS, sizeof(*clone_flags));
	if (!clone_flags)
		err(1, "no memory");

	load_truth(trace, nr_cpus);
	for (path = &argv[optind]; *path; path++)
		ok = compare(*path, part ? NULL : stats) && ok;
	while (nr_whole)
		ok = compare(whole[--nr_whole], stats) && ok;
	ok = enough(&argv[optind], min_switches) && ok;
	for (path = &argv[optind]; ok && mutate && *path; path++)
		ok = all_noticed(*path, stats);
	return !ok;
}
