/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_TRACK_H
#define OVNIK_EMU_TRACK_H

#include "emu/system.h"

/**
 * enum track - Which execution states a channel follows.
 * @TRACK_NONE: thread rows show it always; CPU rows do not have it
 * @TRACK_RUNNING: shown while the thread is Running; a CPU row follows the one
 *	Running thread of the CPU
 * @TRACK_ACTIVE: the same with Running, Cooling or Warming
 */
enum track {
	TRACK_NONE,
	TRACK_RUNNING,
	TRACK_ACTIVE,
};

/**
 * track_is_active() - Is this one of the active states?
 * @state: enum thread_state
 */
static inline bool track_is_active(u8 state)
{
	return state == TH_RUNNING || state == TH_COOLING || state == TH_WARMING;
}

/**
 * track_thread() - Is a thread's channel enabled in an execution state?
 * @mode: what the channel follows
 * @state: enum thread_state
 */
static inline bool track_thread(enum track mode, u8 state)
{
	if (mode == TRACK_NONE)
		return true;
	if (mode == TRACK_RUNNING)
		return state == TH_RUNNING;
	return track_is_active(state);
}

/**
 * track_cpu_set() - The threads a CPU row looks at.
 * @mode: TRACK_RUNNING or TRACK_ACTIVE
 * @cpu: CPU
 */
static inline const struct cpu_set *track_cpu_set(enum track mode, const struct emu_cpu *cpu)
{
	return &cpu->set[mode == TRACK_ACTIVE ? SET_ACTIVE : SET_RUNNING];
}

/**
 * track_cpu_thread() - The thread a CPU row follows.
 * @mode: TRACK_RUNNING or TRACK_ACTIVE
 * @cpu: CPU
 *
 * Return: the thread, or NULL when there is none or more than one.
 */
static inline struct emu_thread *track_cpu_thread(enum track mode, const struct emu_cpu *cpu)
{
	const struct cpu_set *set = track_cpu_set(mode, cpu);

	return set->n == 1 ? set->first : NULL;
}

/**
 * track_cpu_chan() - What a CPU row shows of a channel of the one thread.
 * @c: channel
 *
 * Return: its state, or ST_BAD if it is disabled.
 */
static inline struct chan_value track_cpu_chan(const struct chan *c)
{
	return c->enabled ? c->state : (struct chan_value){ ST_BAD, 0 };
}

/**
 * track_cpu_without() - What a CPU row shows if it has not one thread.
 * @set: threads it looks at, none or several
 *
 * Return: null without thread, ST_TOO_MANY_TH with several.
 */
static inline struct chan_value track_cpu_without(const struct cpu_set *set)
{
	return set->n ? (struct chan_value){ ST_TOO_MANY_TH, 0 } : CHAN_NULL;
}

/**
 * track_cpu() - What a CPU row shows of a thread channel.
 * @mode: TRACK_RUNNING or TRACK_ACTIVE
 * @cpu: CPU
 * @chan: index of the channel in emu_thread.chan
 */
static inline struct chan_value track_cpu(enum track mode, const struct emu_cpu *cpu, u32 chan)
{
	const struct cpu_set *set = track_cpu_set(mode, cpu);

	return set->n == 1 ? track_cpu_chan(&set->first->chan[chan]) : track_cpu_without(set);
}

/**
 * track_cpu_follows() - Does a CPU row follow this channel of this thread now?
 * @mode: what the row looks at; TRACK_NONE: CPU rows do not have the channel
 * @th: thread
 */
static inline bool track_cpu_follows(enum track mode, const struct emu_thread *th)
{
	return th->cpu && mode != TRACK_NONE && track_cpu_thread(mode, th->cpu) == th;
}

#endif /* OVNIK_EMU_TRACK_H */
