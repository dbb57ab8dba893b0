// SPDX-License-Identifier: GPL-2.0-only
/*
 * Execution states of threads, and which CPU they are on: the ovni events OH (execution state)
 * and OA (affinity).
 */
#include <errno.h>
#include <string.h>

#include "emu/core.h"
#include "emu/ovni/ovni_model.h"
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

/* Move the thread into the sets @want. Inlined, because an event does it once on average. */
static __always_inline bool cpu_sets_move(struct emu_cpu *cpu, struct emu_thread *th, u8 want)
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

/* Has the CPU's row another channel to show? A breakdown looks at every change. */
static inline bool cpu_selects(const struct emu *emu, const struct emu_cpu *cpu)
{
	u64 bits = 0;
	u32 w;

	for (w = 0; w < emu->nwords; w++)
		bits |= emu_select_bits(emu, cpu, SET_RUNNING, w);
	return bits || emu->breakdown;
}

static int cpu_follow(struct emu *emu, struct emu_cpu *cpu, struct emu_thread *th)
{
	struct chan_dirty *d = &emu->dirty;

	cpu->followed = th;
	chan_update(d, &cpu->chan[CPU_TID], th ? CHAN_INT(th->tid) : CHAN_NULL);
	chan_update(d, &cpu->chan[CPU_PID], th ? CHAN_INT(th->proc->pid) : CHAN_NULL);
	if (unlikely(cpu_selects(emu, cpu)))
		chan_mark(d, &cpu->chan[CPU_TH_RUNNING]);
	return th && cpu->index != EMU_VCPU ? cpu_runs(emu, th) : 0;
}

static int cpu_update(struct emu *emu, struct emu_cpu *cpu)
{
	struct emu_thread *th = track_cpu_thread(TRACK_RUNNING, cpu);
	u32 n = cpu->set[SET_RUNNING].n;
	int ret;

	if (unlikely(n > 1) && cpu->index != EMU_VCPU)
		return emu_fail(emu, -EBUSY,
				"physical CPU \"%s\" has %u threads running at the same time",
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

/*
 * Put a thread into the sets of its CPU that match its state. Must be called in the pre phase
 * after the thread's state was written, so that its own channels are visited first.
 */
static int cpu_place(struct emu *emu, struct emu_thread *th)
{
	if (!cpu_sets_move(th->cpu, th, cpu_sets_of(emu, th->state)))
		return 0;
	return cpu_update(emu, th->cpu);
}

/* Take a thread from its CPU, if any, and give it another. */
static int cpu_assign(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu)
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

static const char *thread_state_name(u8 state)
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

/* It is another one than before, as all callers see to. */
static void thread_set_state(struct emu *emu, struct emu_thread *th, enum thread_state state)
{
	bool active = track_is_active(state);

	th->state = state;
	chan_update(&emu->dirty, &th->chan[THREAD_STATE], CHAN_INT(state));
	chan_update(&emu->dirty, &th->chan[THREAD_TID], active ? CHAN_INT(th->tid) : CHAN_NULL);
}

/* A thread starts to run on a CPU. */
static int thread_execute(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu)
{
	if (th->state == TH_RUNNING || th->cpu)
		return emu_fail(emu, -EINVAL, "thread %d is %s already", th->tid,
				thread_state_name(th->state));
	chan_update(&emu->dirty, &th->chan[THREAD_CPU], CHAN_INT(cpu->row));
	thread_set_state(emu, th, TH_RUNNING);
	return cpu_assign(emu, th, cpu);
}

/* A thread ends and leaves its CPU. */
static int thread_end(struct emu *emu, struct emu_thread *th)
{
	if (th->state != TH_RUNNING && th->state != TH_COOLING)
		return emu_fail(emu, -EINVAL, "thread %d ends, but it is %s", th->tid,
				thread_state_name(th->state));
	thread_set_state(emu, th, TH_DEAD);
	chan_update(&emu->dirty, &th->chan[THREAD_CPU], CHAN_NULL);
	return cpu_assign(emu, th, NULL);
}

/* Change the state of a thread. The thread keeps its CPU. */
static int thread_change(struct emu *emu, struct emu_thread *th, u32 from, enum thread_state to)
{
	if (!(from & 1 << th->state))
		return emu_fail(emu, -EINVAL, "thread %d cannot become %s, it is %s", th->tid,
				thread_state_name(to), thread_state_name(th->state));
	thread_set_state(emu, th, to);
	return cpu_place(emu, th);
}

/* A thread moves to another CPU. */
static int thread_migrate(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu)
{
	int ret = cpu_assign(emu, th, cpu);

	if (likely(!ret))
		chan_update(&emu->dirty, &th->chan[THREAD_CPU], CHAN_INT(cpu->row));
	return ret;
}

static s32 payload_s32(const struct ovni_ev *ev, u32 offset)
{
	s32 v;

	memcpy(&v, (const u8 *)ev->payload + offset, sizeof(v));
	return v;
}

static struct emu_cpu *payload_cpu(struct emu *emu, const struct emu_thread *th,
				   const struct ovni_ev *ev)
{
	const struct emu_loom *loom = th->proc->loom;
	s32 index = payload_s32(ev, 0);
	struct emu_cpu *cpu = system_cpu(loom, index);

	if (!cpu)
		emu_fail(emu, -ENOENT, "loom %s has no CPU with index %d", loom->name, index);
	return cpu;
}

int ovni_execute(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	struct emu_cpu *cpu = payload_cpu(emu, th, ev);

	return cpu ? thread_execute(emu, th, cpu) : -ENOENT;
}

int ovni_end(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	int ret = thread_end(emu, th);

	(void)ev;
	return ret ? ret : ovni_mark_end(emu, th);
}

int ovni_cool(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)ev;
	return thread_change(emu, th, 1 << TH_RUNNING, TH_COOLING);
}

int ovni_pause(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)ev;
	return thread_change(emu, th, 1 << TH_RUNNING | 1 << TH_COOLING, TH_PAUSED);
}

int ovni_warm(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)ev;
	return thread_change(emu, th, 1 << TH_PAUSED, TH_WARMING);
}

int ovni_resume(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)ev;
	return thread_change(emu, th, 1 << TH_PAUSED | 1 << TH_WARMING, TH_RUNNING);
}

int ovni_affinity(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	struct emu_cpu *cpu;

	if (!th->cpu || !track_is_active(th->state))
		return emu_fail(emu, -EINVAL, "thread %d moves itself, but it is %s", th->tid,
				thread_state_name(th->state));
	cpu = payload_cpu(emu, th, ev);
	if (!cpu)
		return -ENOENT;
	return cpu == th->cpu ? 0 : thread_migrate(emu, th, cpu);
}

int ovni_affinity_other(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	s32 tid = payload_s32(ev, 4);
	struct emu_thread *other = system_thread(th->proc, tid);
	struct emu_cpu *cpu;

	if (!other)
		return emu_fail(emu, -ENOENT, "loom %s has no thread %d", th->proc->loom->name,
				tid);
	if (other->state == TH_UNKNOWN || other->state == TH_DEAD)
		return emu_fail(emu, -EINVAL, "thread %d cannot be moved, it is %s", tid,
				thread_state_name(other->state));
	cpu = payload_cpu(emu, th, ev);
	if (!cpu)
		return -ENOENT;
	if (cpu == other->cpu)
		return emu_fail(emu, -EINVAL, "thread %d is on CPU \"%s\" already", tid, cpu->name);
	return thread_migrate(emu, other, cpu);
}
