// SPDX-License-Identifier: GPL-2.0-only
/* Which threads run on a CPU, and the CPU's own channels. */
#include <errno.h>

#include "emu/core.h"
#include "emu/cpu.h"
#include "emu/track.h"

static void cpu_set_add(struct cpu_set *set, struct emu_thread *th, enum cpu_set_id id)
{
	th->prev[id] = NULL;
	th->next[id] = set->first;
	if (set->first)
		set->first->prev[id] = th;
	set->first = th;
	set->n++;
	th->set |= 1 << id;
}

static void cpu_set_del(struct cpu_set *set, struct emu_thread *th, enum cpu_set_id id)
{
	if (th->prev[id])
		th->prev[id]->next[id] = th->next[id];
	else
		set->first = th->next[id];
	if (th->next[id])
		th->next[id]->prev[id] = th->prev[id];
	set->n--;
	th->set &= ~(1 << id);
}

static inline void cpu_set_move(struct emu_cpu *cpu, struct emu_thread *th, enum cpu_set_id id,
				u8 want)
{
	if (!((th->set ^ want) & 1 << id))
		return;
	if (want & 1 << id)
		cpu_set_add(&cpu->set[id], th, id);
	else
		cpu_set_del(&cpu->set[id], th, id);
}

/* Move the thread into the sets @want. */
static bool cpu_sets_move(struct emu_cpu *cpu, struct emu_thread *th, u8 want)
{
	if (th->set == want)
		return false;
	cpu_set_move(cpu, th, SET_RUNNING, want);
	cpu_set_move(cpu, th, SET_ACTIVE, want);
	return true;
}

/* Notify models that a physical CPU runs a thread. Not inlined, to keep cpu_update() small. */
static __attribute__((noinline)) int cpu_runs(struct emu *emu, struct emu_thread *th)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < emu->nruns && !ret; i++)
		ret = emu->runs[i]->runs(emu, th);
	return ret;
}

static int cpu_follow(struct emu *emu, struct emu_cpu *cpu, struct emu_thread *th)
{
	struct chan_dirty *d = &emu->dirty;

	cpu->followed = th;
	chan_update(d, &cpu->chan[CPU_TID], th ? CHAN_INT(th->tid) : CHAN_NULL);
	chan_update(d, &cpu->chan[CPU_PID], th ? CHAN_INT(th->proc->pid) : CHAN_NULL);
	chan_update(d, &cpu->chan[CPU_TH_RUNNING], th ? CHAN_INT(th->row) : CHAN_NULL);
	return th && cpu->index != EMU_VCPU ? cpu_runs(emu, th) : 0;
}

static int cpu_update(struct emu *emu, struct emu_cpu *cpu)
{
	struct emu_thread *th = track_cpu_thread(TRACK_RUNNING, cpu);
	u32 n = cpu->set[SET_RUNNING].n;
	int ret;

	if (unlikely(n > 1) && cpu->index != EMU_VCPU)
		return emu_fail(emu, -EBUSY,
				"physical CPU '%s' has %u threads running at the same time",
				cpu->name, n);

	if (cpu->followed != th) {
		ret = cpu_follow(emu, cpu, th);
		if (unlikely(ret))
			return ret;
	}
	chan_update(&emu->dirty, &cpu->chan[CPU_NRUNNING], CHAN_INT(n));
	if (!emu->ncpu_tracked[SET_ACTIVE])
		return 0;
	th = track_cpu_thread(TRACK_ACTIVE, cpu);
	chan_update(&emu->dirty, &cpu->chan[CPU_TH_ACTIVE],
		    th ? CHAN_INT(th->row) : CHAN_NULL);
	return 0;
}

static u8 cpu_sets_of(const struct emu *emu, u8 state)
{
	u8 sets = 0;

	if (state == TH_RUNNING)
		sets |= 1 << SET_RUNNING;
	/* The set of active threads is needed only if some channel follows it. */
	if (emu->ncpu_tracked[SET_ACTIVE] && track_is_active(state))
		sets |= 1 << SET_ACTIVE;
	return sets;
}

int cpu_place(struct emu *emu, struct emu_thread *th)
{
	if (!cpu_sets_move(th->cpu, th, cpu_sets_of(emu, th->state)))
		return 0;
	return cpu_update(emu, th->cpu);
}

int cpu_assign(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu)
{
	struct emu_cpu *old = th->cpu;
	int ret;

	if (old && cpu_sets_move(old, th, 0)) {
		ret = cpu_update(emu, old);
		if (ret)
			return ret;
	}
	th->cpu = cpu;
	if (!cpu)
		return 0;
	/* A CPU used for the first time reports here that it runs no thread. */
	cpu_sets_move(cpu, th, cpu_sets_of(emu, th->state));
	return cpu_update(emu, cpu);
}
