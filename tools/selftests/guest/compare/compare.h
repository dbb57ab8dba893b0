/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_COMPARE_H
#define GUEST_COMPARE_H

/* What the parts of compare share. */

#include "../common/capture.h"

#define TIDS		0x400000	/* more than there can be */

/* @b of a sched_wakeup of which ftrace has no sched_waking. */
#define WAKER_UNKNOWN	0xffffffffU

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

/**
 * struct window - The time in which a task switched all rings on, or off.
 * @begin: TSC
 * @end: TSC
 * @actor: the task
 */
struct window {
	__u64 begin;
	__u64 end;
	__u32 actor;
};

/**
 * struct stats - Statistics of a CPU.
 * @recorded: by kind
 * @lost: by kind
 */
struct stats {
	__u64 recorded[OVNIK_NR_EVENTS];
	__u64 lost[OVNIK_NR_EVENTS];
};

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

/* Options: see the usage. */
extern bool by_bpf;
extern bool only_sched;
extern bool children;
/* By tid: the tasks that match the filter; NULL: all. */
extern bool *wanted;
/* Differences are not shown. */
extern bool quiet;

/* By CPU. */
extern struct truth truth[MAX_CPUS];
extern struct window start, stop;

/**
 * is_compared() - Are events of this kind compared?
 * @kind: enum ovnik_event
 */
bool is_compared(unsigned int kind);

/**
 * lane_of() - Return the number of the sequence that a kind belongs to.
 * @kind: enum ovnik_event
 */
unsigned int lane_of(unsigned int kind);

/**
 * in_lane() - Is this event compared, in this sequence?
 * @event: the event
 * @lane: see lane_of()
 */
bool in_lane(const struct event *event, unsigned int lane);

/**
 * load_truth() - Read what ftrace saw: truth, start and stop.
 * @dir: its instance
 * @nr_cpus: CPUs in all
 */
void load_truth(const char *dir, unsigned int nr_cpus);

/**
 * find_wakers() - Set @b of each sched_wakeup to the one that woke, 0 for an interrupt.
 * @all: what ftrace saw, by CPU
 * @nr_cpus: CPUs in all
 */
void find_wakers(struct events *all, unsigned int nr_cpus);

/**
 * load_stats() - Read the statistics of a CPU.
 * @dir: as /sys/kernel/ovnik/cpus
 * @cpu: its number
 * @stats: is set, kind by kind
 */
void load_stats(const char *dir, unsigned int cpu, struct stats *stats);

/**
 * same() - Is our event the same as that of ftrace?
 * @ours: from the capture
 * @theirs: from the trace
 */
bool same(const struct event *ours, const struct event *theirs);

/**
 * take_lane() - Collect ftrace's events of a sequence.
 * @walk: its CPU and sequence are set; free @truth at the end
 */
void take_lane(struct walk *walk);

/**
 * under_way_at_start() - May our probe have run after the start for an event before it?
 * @walk: with the events of take_lane()
 * @at: index of the event
 */
bool under_way_at_start(const struct walk *walk, size_t at);

/**
 * under_way_at_stop() - May our probe have run after the stop for an event before it?
 * @walk: its CPU and sequence are set
 * @event: the event
 */
bool under_way_at_stop(const struct walk *walk, const struct event *event);

/**
 * same_sequence() - Is a sequence the same as ftrace's?
 * @cap: ours
 * @stats: how it ended, or NULL
 * @lane: the sequence
 */
bool same_sequence(const struct capture *cap, const struct stats *stats, unsigned int lane);

/**
 * same_everywhere() - Are all sequences the same as ftrace's?
 * @cap: ours
 * @stats: how it ended, or NULL
 */
bool same_everywhere(const struct capture *cap, const struct stats *stats);

/**
 * all_noticed() - Test the comparer: is each of its mutations of a capture noticed?
 * @path: of the capture
 * @stats_dir: statistics
 */
bool all_noticed(const char *path, const char *stats_dir);

#endif /* GUEST_COMPARE_H */
