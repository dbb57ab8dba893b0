// SPDX-License-Identifier: GPL-2.0-only
/* Execution states of threads, and which CPU they are on. */
#include <errno.h>

#include "emu/core.h"
#include "emu/cpu.h"
#include "emu/thread.h"
#include "emu/track.h"

const char *thread_state_name(u8 state)
{
	static const char *const name[TH_NR_STATES] = {
		[TH_UNKNOWN] = "unknown",
		[TH_RUNNING] = "running",
		[TH_PAUSED] = "paused",
		[TH_DEAD] = "dead",
		[TH_COOLING] = "cooling",
		[TH_WARMING] = "warming",
	};

	return state < TH_NR_STATES ? name[state] : "?";
}

static int thread_set_state(struct emu *emu, struct emu_thread *th, enum thread_state state)
{
	bool active = track_is_active(state);
	int ret;

	th->state = state;
	ret = emu_set(emu, &th->chan[THREAD_STATE], CHAN_INT(state));
	if (ret)
		return ret;
	chan_update(&emu->dirty, &th->chan[THREAD_TID], active ? CHAN_INT(th->tid) : CHAN_NULL);
	return 0;
}

int thread_execute(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu)
{
	int ret;

	if (th->state == TH_RUNNING || th->cpu)
		return emu_fail(emu, -EINVAL, "thread %d is %s already", th->tid,
				thread_state_name(th->state));
	ret = emu_set(emu, &th->chan[THREAD_CPU], CHAN_INT(cpu->row));
	if (ret)
		return ret;
	ret = thread_set_state(emu, th, TH_RUNNING);
	if (ret)
		return ret;
	return cpu_assign(emu, th, cpu);
}

int thread_end(struct emu *emu, struct emu_thread *th)
{
	int ret;

	if (th->state != TH_RUNNING && th->state != TH_COOLING)
		return emu_fail(emu, -EINVAL, "thread %d ends, but it is %s", th->tid,
				thread_state_name(th->state));
	ret = thread_set_state(emu, th, TH_DEAD);
	if (ret)
		return ret;
	ret = emu_set(emu, &th->chan[THREAD_CPU], CHAN_NULL);
	if (ret)
		return ret;
	return cpu_assign(emu, th, NULL);
}

int thread_change(struct emu *emu, struct emu_thread *th, u32 from, enum thread_state to)
{
	int ret;

	if (!(from & 1 << th->state))
		return emu_fail(emu, -EINVAL, "thread %d cannot become %s, it is %s", th->tid,
				thread_state_name(to), thread_state_name(th->state));
	ret = thread_set_state(emu, th, to);
	if (ret)
		return ret;
	return cpu_place(emu, th);
}

int thread_migrate(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu)
{
	int ret;

	ret = cpu_assign(emu, th, cpu);
	if (ret)
		return ret;
	return emu_set(emu, &th->chan[THREAD_CPU], CHAN_INT(cpu->row));
}
