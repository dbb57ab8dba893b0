// SPDX-License-Identifier: GPL-2.0-only
/* Compare sequences of events one by one. */

#include <limits.h>
#include <stdlib.h>

#include "compare.h"

#define CONTEXT		5	/* events shown before a difference */
#define CLOCK_SLACK	500	/* ns */

bool quiet;

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

static bool same_second(const struct event *ours, const struct event *theirs)
{
	return ours->b == theirs->b ||
	       (theirs->b == WAKER_UNKNOWN && theirs->kind == OVNIK_EV_sched_wakeup);
}

bool same(const struct event *ours, const struct event *theirs)
{
	return ours->kind == theirs->kind && ours->a == theirs->a && same_second(ours, theirs) &&
	       (ours->c == theirs->c || buried(ours, theirs)) && same_text(ours, theirs);
}

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

bool under_way_at_start(const struct walk *walk, size_t at)
{
	return at < walk->nr && walk->truth[at]->tsc < start.begin &&
	       may_be_under_way(walk->lane, walk->truth[at],
				truth[walk->cap->cpu].before_start);
}

bool under_way_at_stop(const struct walk *walk, const struct event *event)
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

void take_lane(struct walk *walk)
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
bool same_sequence(const struct capture *cap, const struct stats *stats, unsigned int lane)
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

bool same_everywhere(const struct capture *cap, const struct stats *stats)
{
	unsigned int kind;

	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		if (is_compared(kind) && lane_of(kind) == kind && !same_sequence(cap, stats, kind))
			return false;
	}
	return true;
}
