/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_OVNI_WAIT_H
#define OVNIK_OUTPUT_OVNI_WAIT_H

#include "util/types.h"
#include "world/world.h"

/*
 * Threads that wait for a CPU, as events of CPUs' own streams (trace/wait.h):
 *
 *	wakeup		KW[(woken), KW[(new); if it waits already: KWm if the CPU differs
 *	sched_out	KW[(preempted), KW[(yielded) of a thread that leaves runnable
 *	migrate		KWm of a thread that waits
 *
 * The thread's own KCI is the end. What is unknown is not reported:
 *
 * - A thread waits only while the world knows it to (WORLD_PLACE_QUEUED). Where it gets
 *   lost, its KCI is the end.
 * - While migrations of any CPU may be missing, it waits for a CPU that is not known.
 */

struct ovni_translate;

/**
 * struct ovni_wait - Does a thread wait?
 * @since: clock of its last event of this kind or KCI; the next one's is later
 * @next: index of the next thread that waits, -1: none
 * @prev: index of the one before, -1: it is the first
 * @cpu: index of the CPU for which it waits, -1: none that is known
 * @why: enum ovni_wait_why, 0: it does not
 */
struct ovni_wait {
	u64 since;
	s32 next;
	s32 prev;
	s32 cpu;
	u8 why;
};

/**
 * ovni_wait_attach() - Translate waiting for a CPU.
 * @t: the translation
 * @w: the world
 *
 * Context: From ovni_translate_attach(), when its own hooks are attached.
 * Return: 0, -ENOMEM.
 */
int ovni_wait_attach(struct ovni_translate *t, struct world *w) __must_check;

/**
 * ovni_wait_left() - A thread has left its CPU.
 * @t: the translation
 * @thread: index of the thread
 * @it: what the world says of it
 *
 * Context: From a hook of the world, after the events of the switch.
 */
void ovni_wait_left(struct ovni_translate *t, u32 thread, const struct world_item *it);

/**
 * ovni_wait_over() - A thread gets a CPU, or ends.
 * @t: the translation
 * @thread: index of the thread
 * @clock: of the KCI that comes next
 *
 * Context: From a hook of the world.
 */
void ovni_wait_over(struct ovni_translate *t, u32 thread, u64 clock);

/**
 * ovni_wait_gap() - Events of a CPU are missing, or were.
 * @t: the translation
 * @cpu: index of the CPU
 * @gap: which
 * @begins: or it ends
 * @ns: when
 *
 * Context: From a hook of the world.
 */
void ovni_wait_gap(struct ovni_translate *t, u32 cpu, const struct capture_gap *gap, bool begins,
		   u64 ns);

#endif /* OVNIK_OUTPUT_OVNI_WAIT_H */
