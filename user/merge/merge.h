/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_MERGE_H
#define OVNIK_MERGE_MERGE_H

#include "hook/hook.h"
#include "merge/read.h"
#include "merge/trace.h"
#include "output/ovni/translate.h"
#include "output/ovni/writer.h"

/*
 * Merges an application's own trace into the events of a translation. It is between
 * the translation and its consumers: these attach to its hooks, whose positions and
 * items are those of the translation.
 *
 * The kernel reports where a thread is, so the application's events about that are left
 * out (OH?, OA?, OC?, KC?). All others go into the thread's stream at their own clocks.
 * They really happen while the thread runs. As both clocks are only nearly the same, one
 * may seem to happen while the kernel has the thread off the CPU:
 *
 *	kernel		... OAs(3) |        | OAs(-1) OHp KCO |         | KCI OHr OAs(3)
 *	application	        e1 e2 e3                      e4     e5
 *	merged		... OAs(3) e1 e2 e3 e4 OAs(-1) OHp KCO   KCI OHr OAs(3) e5
 *
 * Then it is moved to the nearer end, by MERGE_MOVE_MAX at most. For that, the events
 * that take the thread off are held until it is back: 96 bytes per thread.
 *
 * Where the capture does not know (before it, after it, in a gap, a thread that it does
 * not have), the thread runs on the virtual CPU from its first event on.
 */

#define MERGE_MOVE_MAX	1000000ULL	/* ns; events further away are of another run */
#define MERGE_NR_NAMES	12		/* events left out, by name; and others */

/**
 * enum merge_place - Where the kernel has a thread.
 * @MERGE_UNBORN: not known yet
 * @MERGE_OFF: alive, on no CPU
 * @MERGE_ON: on a CPU
 * @MERGE_DEAD: has ended
 */
enum merge_place {
	MERGE_UNBORN,
	MERGE_OFF,
	MERGE_ON,
	MERGE_DEAD,
};

/**
 * struct merge_thread - A thread with a stream of the application.
 * @stream: that stream
 * @reader: reads it
 * @more: @reader has an event that was not taken
 * @ended: the last one taken was OHe
 * @index: of the thread in the inventory
 * @place: enum merge_place
 * @certain: MERGE_OFF is certain, except for gaps
 * @gaps: number of gaps when that began; if it differs at the end, a gap was open
 * @alive: OHx was written, OHe was not
 * @loose: it is running on the virtual CPU, because its CPU is unknown
 * @left: clock at which it went off or died
 * @last: clock of the last event written
 * @seen: clock of the application's last event taken
 * @held_bytes: length of @held
 * @held: the events that took it off the CPU, not written yet
 */
struct merge_thread {
	const struct merge_stream *stream;
	struct merge_reader reader;
	bool more;
	bool ended;
	u32 index;
	u8 place;
	bool certain;
	u64 gaps;
	bool alive;
	bool loose;
	u64 left;
	u64 last;
	u64 seen;
	u32 held_bytes;
	u8 held[OVNI_EVENTS_MAX];
};

/**
 * struct merge_stats - How the application's events were handled.
 * @events: in the merged trace
 * @left_out: left out, by the names of merge_names, then all others
 * @moved: moved
 * @astray: of a log, and further away than MERGE_MOVE_MAX; moved all the same, so that a
 *	    damaged record does not affect the others
 * @farthest: by how much at most, ns
 * @farthest_pid: process of that event
 * @farthest_tid: thread of that event
 * @farthest_clock: original clock of that event
 * @loose: placed where the capture does not know where the thread was
 * @absent: threads that are not in the capture
 * @others: streams of other hosts
 * @regions: unsorted regions that were sorted
 * @silent: threads without an event that are not in the capture, left out
 * @low: the earliest clock of the application in threads that the capture has
 * @high: the latest
 */
struct merge_stats {
	u64 events;
	u64 left_out[MERGE_NR_NAMES + 1];
	u64 moved;
	u64 astray;
	u64 farthest;
	s32 farthest_pid;
	s32 farthest_tid;
	u64 farthest_clock;
	u64 loose;
	u32 absent;
	u32 others;
	u64 regions;
	u32 silent;
	u64 low;
	u64 high;
};

/**
 * struct ovni_merge - A trace to merge.
 * @hooks: its positions are enum ovni_position
 * @name: what the user calls it
 * @trace: the application's
 * @apps: number of the last application of other nodes
 * @cap: the capture
 * @translate: where the kernel's events come from
 * @of: per thread of the inventory: index in @threads, -1: none
 * @threads: those of the captured host that the capture has
 * @nr_threads: length of @threads
 * @joined: what outputs must know about it
 * @gaps: of all CPUs, so far
 * @gaps_open: how many of them have not ended
 * @row: an event being assembled
 * @jumbo: a larger one
 * @jumbo_room: bytes allocated for it
 * @unmarked: activities for which no mark number was free
 * @error: negative errno of the first thing that failed (reported)
 * @stats: how events were handled
 */
struct ovni_merge {
	struct hookable hooks;
	const char *name;
	struct merge_trace trace;
	u32 apps;
	struct capture *cap;
	struct ovni_translate *translate;
	s32 *of;
	struct merge_thread *threads;
	u32 nr_threads;
	struct ovni_joined joined;
	u64 gaps;
	u32 gaps_open;
	u8 row[OVNI_EVENTS_MAX];
	u8 *jumbo;
	u64 jumbo_room;
	u32 unmarked;
	int error;
	struct merge_stats stats;
};

/**
 * ovni_merge_attach() - Merge a trace into the events of a translation.
 * @m: @m->name is set and @m->trace open, all else is zero; call ovni_merge_close() in any case
 * @t: the translation, attached
 * @cap: the capture; must outlive @m
 *
 * Marks of the translation get other numbers where the application uses theirs.
 *
 * Context: Before world_begin(), and before outputs are attached to @t->events.
 * Return: 0, a negative errno (reported).
 */
int __must_check ovni_merge_attach(struct ovni_merge *m, struct ovni_translate *t,
				   struct capture *cap);

/**
 * ovni_merge_write_rest() - Write the streams that have no thread in the capture.
 * @data: the merge, finished
 * @out: existing directory of the trace
 * @loom: name of the captured host's loom
 * @begin: clock of the first event of the merged trace
 *
 * These are the threads that are not in the capture and those of other hosts, and the
 * table of their clocks' offsets.
 *
 * Context: Before the writer writes metadata.
 * Return: 0, a negative errno (reported).
 */
int ovni_merge_write_rest(void *data, const char *out, const char *loom, u64 begin) __must_check;

/**
 * ovni_merge_describe() - The metadata of a thread with a stream of the application.
 * @data: the merge
 * @index: of the thread in the inventory
 * @loom: name of its loom
 * @root: is set to the application's own, changed for that loom
 *
 * Return: 1; 0 if there is no such stream; a negative errno (reported).
 */
int ovni_merge_describe(void *data, u32 index, const char *loom, struct json_object **root);

/**
 * merge_leaves_out() - Does the kernel report this itself?
 * @ev: event of an application
 *
 * Return: true if it is left out where the thread is in the capture's loom.
 */
static inline bool merge_leaves_out(const struct ovni_ev *ev)
{
	const u8 *mcv = ev->mcv;

	if (mcv[0] == 'K')
		return mcv[1] == 'C';
	return mcv[0] == 'O' && (mcv[1] == 'H' || mcv[1] == 'A' || mcv[1] == 'C');
}

/**
 * merge_count_left_out() - Count an event that is left out.
 * @m: the merge
 * @ev: the event
 */
void merge_count_left_out(struct ovni_merge *m, const struct ovni_ev *ev);

/**
 * merge_thread_open() - Read the first event of a thread.
 * @m: the merge
 * @th: the thread, its stream is set
 * @window: bytes that are read at once
 *
 * Return: 0, a negative errno (reported).
 */
int merge_thread_open(struct ovni_merge *m, struct merge_thread *th, u32 window) __must_check;

/**
 * merge_events_attach() - Merge into each event of the translation.
 * @m: the merge, its threads open
 *
 * Context: Before world_begin().
 * Return: 0, -ENOMEM.
 */
int merge_events_attach(struct ovni_merge *m) __must_check;

/**
 * merge_thread_finish() - Pass on what is left of a thread.
 * @m: the merge
 * @th: the thread
 *
 * Context: After the pass.
 * Return: 0, a negative errno (reported).
 */
int merge_thread_finish(struct ovni_merge *m, struct merge_thread *th) __must_check;

/**
 * ovni_merge_report() - Report what was merged.
 * @m: after everything
 *
 * Context: Any.
 */
void ovni_merge_report(const struct ovni_merge *m);

/**
 * ovni_merge_close() - Free everything, the trace with it.
 * @m: in any state, or zeroed
 *
 * Context: Not from a hook.
 */
void ovni_merge_close(struct ovni_merge *m);

#endif /* OVNIK_MERGE_MERGE_H */
