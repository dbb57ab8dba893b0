/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_OVNI_TRANSLATE_H
#define OVNIK_OUTPUT_OVNI_TRANSLATE_H

#include <string.h>

#include "hook/hook.h"
#include "output/ovni/activity.h"
#include "trace/format.h"
#include "output/ovni/wait.h"
#include "world/inventory.h"
#include "world/world.h"

/*
 * From the world's hooks to ovni events. A task's life becomes:
 *
 *	appears		OHx(-1, creator, 0) OHp KCO(reason)
 *	gets a CPU	KCI OHr OAs(cpu)
 *	leaves it	OAs(-1) OHp KCO(reason)
 *	ends		OHe on the CPU it runs on, else KCI OHr OHe
 *
 * and a CPU's missing records, in the CPU's own stream:
 *
 *	gap begins	KL[(why)
 *	gap ends	KL]
 *
 * For waiting for a CPU, see wait.h.
 *
 * A task without a CPU is paused on the virtual CPU, so it does not block
 * the next one. Clocks are CLOCK_MONOTONIC ns and never go back, even between
 * threads. A thread gets a CPU at least 1 ns after the last one left it, because
 * simultaneous events have no order across streams. No event of a CPU comes before
 * the first event of a thread: the trace begins with that, even for readers that
 * do not know CPUs' streams.
 */

/**
 * enum ovni_position - Where the translation invokes hooks.
 * @OVNI_EVENT: ovni events of one thread at one clock; item: struct ovni_events
 * @OVNI_CPU_EVENT: an event of a CPU; item: struct ovni_events
 * @OVNI_NR_POSITIONS: how many there are
 */
enum ovni_position {
	OVNI_EVENT,
	OVNI_CPU_EVENT,
	OVNI_NR_POSITIONS
};

extern const struct hook_position ovni_positions[OVNI_NR_POSITIONS];

#define OVNI_EVENTS_MAX	104	/* bytes that one item's events can have */

/**
 * enum ovni_what - What happens to a thread or CPU by its events.
 * @OVNI_MARKED: it goes on as it was
 * @OVNI_BORN: it appears, off the CPU
 * @OVNI_ON: it comes to a CPU, or is about to end on none
 * @OVNI_OFF: it leaves its CPU; with @head, it comes only to be off the CPU for another reason
 * @OVNI_ENDED: it ends; with @head, on no CPU
 * @OVNI_GAP: records of a CPU are missing from here on
 * @OVNI_GAP_OVER: they are not any more
 */
enum ovni_what {
	OVNI_MARKED,
	OVNI_BORN,
	OVNI_ON,
	OVNI_OFF,
	OVNI_ENDED,
	OVNI_GAP,
	OVNI_GAP_OVER,
};

/**
 * struct ovni_step - What events say, for who has no need to read them.
 * @what: enum ovni_what
 * @reason: enum ovni_offcpu of OVNI_BORN and OVNI_OFF
 * @head: bytes of those that come first, and make the thread or let it go on
 */
struct ovni_step {
	u8 what;
	u8 reason;
	u16 head;
};

/**
 * struct ovni_events - What is passed to the hooks.
 * @clock: of all of them, ns
 * @index: of the thread in the inventory; of OVNI_CPU_EVENT: of the CPU in the world
 * @bytes: length of @raw
 * @raw: the events in the format of a stream, one to six; OVNI_EVENTS_MAX bytes
 *	 may be read
 * @step: what they say, if the translation has made them
 */
struct ovni_events {
	u64 clock;
	u32 index;
	u32 bytes;
	const u8 *raw;
	struct ovni_step step;
};

/**
 * ovni_events_next() - Take the next event from a hook's item.
 * @events: the item
 * @at: offset in @events->raw, 0 at first; moved on
 * @ev: is set; payload points into @events->raw
 *
 * Context: From a hook.
 * Return: true; false at the end.
 */
static inline bool ovni_events_next(const struct ovni_events *events, u32 *at, struct ovni_ev *ev)
{
	const struct ovni_ev_header *head = (const void *)(events->raw + *at);

	if (*at + sizeof(*head) > events->bytes)
		return false;
	ev->clock = head->clock;
	memcpy(ev->mcv, head->mcv, sizeof(ev->mcv));
	ev->jumbo = false;
	ev->size = head->flags & OVNI_EV_SIZE_MASK;
	ev->size += ev->size > 0;
	ev->payload = head + 1;
	*at += sizeof(*head) + ev->size;
	return true;
}

/**
 * struct ovni_thread_state - The state of a thread.
 * @cpu: index of the CPU on which it runs, -1 if on none
 * @alive: it has appeared and not ended
 * @doing: its call, fault and counts
 * @wait: does it wait for a CPU
 */
struct ovni_thread_state {
	s32 cpu;
	bool alive;
	struct ovni_doing doing;
	struct ovni_wait wait;
};

/**
 * struct ovni_cpu_state - The thread on a CPU, and what is missing.
 * @left: clock at which the last one left
 * @thread: index of the thread there; -1: none
 * @missing: enum ovni_missing while records are missing, else 0
 * @sent: its KL[ was sent
 * @blind: migrations may be missing
 * @since: clock of @sent
 */
struct ovni_cpu_state {
	u64 left;
	long thread;
	u32 missing;
	bool sent;
	bool blind;
	u64 since;
};

struct ovni_joined;

/**
 * struct ovni_translate - The translation: one, for all outputs that need ovni events.
 * @hooks: its positions are enum ovni_position
 * @events: what outputs attach to: @hooks, or those of a merge
 * @joined: another trace to be merged; NULL: none
 * @inventory: inventory of the capture's tasks
 * @world: what is translated
 * @nr_cpus: CPUs
 * @cpus: by index
 * @threads: by index in the inventory
 * @thread_of: per task, by id: index of its thread; -1: none (yet)
 * @now: clock of the last event
 * @began: a thread had an event
 * @waiting: index of a thread that waits for a CPU, the first of a list; -1: none
 * @nr_blind: how many CPUs are blind
 * @over: the capture has ended: threads that end now end because of that
 * @marks: activities that were reported, a bit each
 * @mark_of: number of the mark of each activity, -1: it is not reported
 * @unplaced: activities of no thread that is known to be on a CPU, left out
 * @dropped: events of tasks that the inventory does not know; 0 unless the capture
 *	     was changed between the passes
 */
struct ovni_translate {
	struct hookable hooks;
	struct hookable *events;
	const struct ovni_joined *joined;
	const struct inventory *inventory;
	const struct world *world;
	unsigned int nr_cpus;
	struct ovni_cpu_state *cpus;
	struct ovni_thread_state *threads;
	s32 *thread_of;
	u64 now;
	bool began;
	s32 waiting;
	u32 nr_blind;
	bool over;
	u32 marks;
	s32 mark_of[OVNI_NR_ACTIVITIES];
	u64 unplaced;
	u64 dropped;
};

/**
 * ovni_translate_attach() - Translate what a world reports.
 * @t: is set; call ovni_translate_destroy() in any case
 * @w: the world of the second pass
 * @inventory: of the first pass; must outlive @t
 *
 * Context: Before world_begin(); attach to @t->events what shall get the events.
 * Return: 0, -ENOMEM.
 */
int ovni_translate_attach(struct ovni_translate *t, struct world *w,
			  const struct inventory *inventory) __must_check;

/**
 * ovni_translate_destroy() - Free a translation, its hooks with it.
 * @t: as ovni_translate_attach() left it, or zeroed
 *
 * Context: Not from a hook.
 */
void ovni_translate_destroy(struct ovni_translate *t);

#endif /* OVNIK_OUTPUT_OVNI_TRANSLATE_H */
