// SPDX-License-Identifier: GPL-2.0-only
/* Threads that wait for a CPU; see trace/wait.h. */
#include <errno.h>
#include <string.h>

#include "emu/core.h"
#include "emu/kernel/kernel.h"
#include "emu/kernel/wait.h"
#include "trace/wait.h"

/* The CPU for which a thread waits; NULL if it does not, or that CPU is not in the trace. */
static inline struct emu_cpu *wait_cpu(const struct emu_thread *th)
{
	return th->priv[MODEL_ID_KERNEL];
}

static inline void count(struct emu *emu, struct emu_cpu *cpu, s64 by)
{
	struct chan *c = kernel_cpu_chan(emu, cpu, KERNEL_CPU_WAITING);
	s64 n = c->state.i + by;

	chan_update(&emu->dirty, c, n ? CHAN_INT(n) : CHAN_NULL);
}

static inline void wait_for(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu)
{
	struct emu_cpu *old = wait_cpu(th);

	if (old == cpu)
		return;
	th->priv[MODEL_ID_KERNEL] = cpu;
	if (old)
		count(emu, old, -1);
	if (cpu)
		count(emu, cpu, 1);
}

int kernel_wait_over(struct emu *emu, struct emu_thread *th)
{
	int ret = emu_set(emu, kernel_chan(emu, th, KERNEL_WAIT), CHAN_NULL);

	if (!ret)
		wait_for(emu, th, NULL);
	return ret;
}

int kernel_wait_runs(struct emu *emu, struct emu_thread *th)
{
	if (kernel_chan(emu, th, KERNEL_WAIT)->state.st == ST_NULL)
		return 0;
	return kernel_wait_over(emu, th);
}

static inline int wait_begin(struct emu *emu, struct emu_thread *th, struct emu_cpu *cpu, u32 why)
{
	struct chan *c = kernel_chan(emu, th, KERNEL_WAIT);
	int ret;

	if (!why || why > OVNI_WAIT_MAX)
		return emu_fail(emu, -EINVAL, "unknown reason %u to wait for a CPU", why);
	ret = c->state.i == why ? 0 : emu_set(emu, c, CHAN_INT(why));
	if (!ret)
		wait_for(emu, th, cpu);
	return ret;
}

static int bad_cpu(struct emu *emu, s32 index)
{
	return emu_fail(emu, -ENOENT, "a thread waits for an unknown CPU, index %d", index);
}

static int bad_size(struct emu *emu, const struct ovni_ev *ev, u32 size)
{
	return emu_fail(emu, -EINVAL, "payload of %u bytes, %u expected", ev->size, size);
}

/* Events that name a CPU. */
static inline int wait_event(struct emu *emu, struct emu_thread *th, const struct emu_loom *loom,
			     const struct ovni_ev *ev)
{
	struct emu_cpu *cpu = NULL;
	s32 index;
	u32 why;

	memcpy(&index, (const u8 *)ev->payload + OVNI_WAIT_END_SIZE, sizeof(index));
	if (likely((u32)index < loom->ncpus))
		cpu = loom->cpus[index];
	else if (index != EMU_VCPU)
		return bad_cpu(emu, index);
	if (ev->mcv[2] == 'm') {
		wait_for(emu, th, cpu);
		return 0;
	}
	memcpy(&why, (const u8 *)ev->payload + OVNI_WAIT_MOVE_SIZE, sizeof(why));
	return wait_begin(emu, th, cpu, why);
}

static inline u32 size_of(u8 letter)
{
	switch (letter) {
	case '[':
		return OVNI_WAIT_BEGIN_SIZE;
	case 'm':
		return OVNI_WAIT_MOVE_SIZE;
	case ']':
		return OVNI_WAIT_END_SIZE;
	default:
		return 0;
	}
}

int kernel_wait_event(struct emu *emu, struct emu_cpu *cpu, const struct ovni_ev *ev)
{
	u32 size = size_of(ev->mcv[2]);
	struct emu_thread *th;
	u32 who[2];

	if (unlikely(!size))
		return emu_fail(emu, -ENOENT, "a CPU has no such event");
	if (unlikely(ev->jumbo || ev->size != size))
		return bad_size(emu, ev, size);
	memcpy(who, ev->payload, sizeof(who));
	th = system_thread_exact(cpu->loom, who[0], who[1]);
	if (unlikely(!th))
		return emu_fail(emu, -ENOENT, "process %u has no thread %u in this trace", who[0],
				who[1]);
	if (ev->mcv[2] != '[' && kernel_chan(emu, th, KERNEL_WAIT)->state.st == ST_NULL)
		return 0;
	if (unlikely(ev->mcv[2] == ']'))
		return kernel_wait_over(emu, th);
	return wait_event(emu, th, cpu->loom, ev);
}
