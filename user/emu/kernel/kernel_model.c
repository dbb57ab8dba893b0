// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel model: why a thread is off the CPU, whether it waits for one, and where
 * events of a CPU are missing.
 */
#include <errno.h>
#include <string.h>

#include "emu/core.h"
#include "trace/missing.h"
#include "trace/offcpu.h"
#include "trace/wait.h"

enum kernel_chan_id {
	KERNEL_SWITCH,
	KERNEL_OFFCPU,
	KERNEL_WAIT,
	KERNEL_NR_CHANS,
};

/* Channels of CPUs, written from their own streams. */
enum kernel_cpu_chan_id {
	KERNEL_CPU_MISSING,
	KERNEL_CPU_WAITING,
	KERNEL_NR_CPU_CHANS,
};

static inline struct chan *kernel_chan(struct emu *emu, struct emu_thread *th,
				       enum kernel_chan_id chan)
{
	return emu_thread_chan(emu, th, MODEL_ID_KERNEL, chan);
}

static inline struct chan *kernel_cpu_chan(struct emu *emu, const struct emu_cpu *cpu,
					   enum kernel_cpu_chan_id chan)
{
	return emu_cpu_chan(emu, cpu, MODEL_ID_KERNEL, chan);
}

/* Threads that wait for a CPU: trace/wait.h describes their events. */

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

/* End the wait of a thread. */
static int kernel_wait_over(struct emu *emu, struct emu_thread *th)
{
	int ret = emu_set(emu, kernel_chan(emu, th, KERNEL_WAIT), CHAN_NULL);

	if (!ret)
		wait_for(emu, th, NULL);
	return ret;
}

/* End the wait, if any, of a thread that runs on a physical CPU. */
static int kernel_wait_runs(struct emu *emu, struct emu_thread *th)
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

/* Emulate one of these events: its first two letters are KW. */
static int kernel_wait_event(struct emu *emu, struct emu_cpu *cpu, const struct ovni_ev *ev)
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

#define ST_OUT_OF_CPU 3

static const struct ovni_label switch_labels[] = {
	{ ST_OUT_OF_CPU, "Context switch: Out of the CPU" },
};

static const struct ovni_label offcpu_labels[] = {
#define OFFCPU_LABEL(name, number, label) { number, label },
	OVNI_OFFCPU_TABLE(OFFCPU_LABEL)
#undef OFFCPU_LABEL
};

static const struct ovni_label wait_labels[] = {
#define WAIT_LABEL(name, number, label) { number, label },
	OVNI_WAIT_TABLE(WAIT_LABEL)
#undef WAIT_LABEL
};

static const struct ovni_label missing_labels[] = {
#define MISSING_LABEL(name, number, label) { number, label },
	OVNI_MISSING_TABLE(MISSING_LABEL)
#undef MISSING_LABEL
};

static const struct model_chan kernel_chans[KERNEL_NR_CHANS] = {
	[KERNEL_SWITCH] = {
		.name = "kernel.context_switch", .label = "Kernel context switch", .type = 45,
		.kind = CHAN_STACK, .flags = PRV_SKIP_DUP, MODEL_ROWS(NONE, RUNNING),
		MODEL_LABELS(switch_labels),
	},
	/* ovnik's own. Thread rows only: a CPU never follows a thread that is off the CPU. */
	[KERNEL_OFFCPU] = {
		.name = "kernel.offcpu_reason", .label = "Off-CPU reason",
		.type = OVNI_OFFCPU_PRV_TYPE, .flags = PRV_SKIP_DUP, MODEL_ROWS(NONE, NONE),
		.plain_label = true, .optional = true, MODEL_LABELS(offcpu_labels),
	},
	/* ovnik's own. Thread rows only: CPU rows show the number of waiting threads. */
	[KERNEL_WAIT] = {
		.name = "kernel.wait", .label = "Waiting for a CPU", .type = OVNI_WAIT_PRV_TYPE,
		MODEL_ROWS(NONE, NONE), .plain_label = true, .optional = true,
		MODEL_LABELS(wait_labels),
	},
};

static const struct model_chan kernel_cpu_chans[KERNEL_NR_CPU_CHANS] = {
	[KERNEL_CPU_MISSING] = {
		.name = "cpu.missing", .label = "CPU: Events missing",
		.type = OVNI_MISSING_PRV_TYPE, .plain_label = true, .optional = true,
		MODEL_LABELS(missing_labels),
	},
	[KERNEL_CPU_WAITING] = {
		.name = "cpu.waiting", .label = "CPU: Number of threads that wait for it",
		.type = OVNI_WAITING_PRV_TYPE, .dup = CHAN_DUP_IGNORE, .plain_label = true,
		.optional = true,
	},
};

/* Upstream ignores the payload, so a bad one must not make the event fail. */
static u32 offcpu_reason(const struct ovni_ev *ev)
{
	u32 reason;

	memcpy(&reason, ev->payload, sizeof(reason));
	if (reason < OVNI_OFFCPU_MIN || reason > OVNI_OFFCPU_MAX)
		return OVNI_OFFCPU_UNKNOWN;
	return reason;
}

static int kernel_out(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	struct chan *c = kernel_chan(emu, th, KERNEL_SWITCH);
	int ret;

	ret = chan_push(&emu->dirty, c, ST_OUT_OF_CPU);
	if (unlikely(ret))
		return emu_chan_fail(emu, c, "push", ST_OUT_OF_CPU, ret);
	th->out_of_cpu = true;
	if (ev->jumbo || ev->size != sizeof(u32))
		return 0;
	return emu_set(emu, kernel_chan(emu, th, KERNEL_OFFCPU), CHAN_INT(offcpu_reason(ev)));
}

static int kernel_in(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	struct chan *c = kernel_chan(emu, th, KERNEL_SWITCH);
	int ret;

	(void)ev;
	ret = chan_pop(&emu->dirty, c, ST_OUT_OF_CPU);
	if (unlikely(ret))
		return emu_chan_fail(emu, c, "pop", ST_OUT_OF_CPU, ret);
	th->out_of_cpu = false;
	c = kernel_chan(emu, th, KERNEL_OFFCPU);
	if (c->state.st != ST_NULL) {
		ret = emu_set(emu, c, CHAN_NULL);
		if (unlikely(ret))
			return ret;
	}
	if (kernel_chan(emu, th, KERNEL_WAIT)->state.st == ST_NULL)
		return 0;
	return kernel_wait_over(emu, th);
}

static int missing_begin(struct emu *emu, struct emu_cpu *cpu, const struct ovni_ev *ev)
{
	u32 why;

	if (ev->jumbo || ev->size != sizeof(why))
		return emu_fail(emu, -EINVAL, "payload of %u bytes, %zu expected", ev->size,
				sizeof(why));
	memcpy(&why, ev->payload, sizeof(why));
	if (!why || why > OVNI_MISSING_MAX)
		why = OVNI_MISSING_LOST;
	return emu_set(emu, kernel_cpu_chan(emu, cpu, KERNEL_CPU_MISSING), CHAN_INT(why));
}

/* Events of the CPU are missing from KL[ to KL]; for KW? see trace/wait.h. */
static int kernel_cpu_event(struct emu *emu, struct emu_cpu *cpu, const struct ovni_ev *ev)
{
	if (likely(ev->mcv[1] == 'W'))
		return kernel_wait_event(emu, cpu, ev);
	if (!memcmp(ev->mcv, "KL[", sizeof(ev->mcv)))
		return missing_begin(emu, cpu, ev);
	if (!memcmp(ev->mcv, "KL]", sizeof(ev->mcv)))
		return emu_set(emu, kernel_cpu_chan(emu, cpu, KERNEL_CPU_MISSING), CHAN_NULL);
	return emu_fail(emu, -ENOENT, "a CPU has no such event");
}

static const struct model_event kernel_events[] = {
	{ .mcv = "KCO", .call = kernel_out },
	{ .mcv = "KCI", .call = kernel_in },
};

DEFINE_MODEL(kernel) = {
	.name = "kernel", .letter = 'K', .major = 1, .minor = 0, .id = MODEL_ID_KERNEL,
	.need = NEED_NOTHING, MODEL_TABLE(chans, kernel_chans),
	MODEL_TABLE(cpu_chans, kernel_cpu_chans), MODEL_TABLE(events, kernel_events),
	.runs = kernel_wait_runs, .cpu_event = kernel_cpu_event,
};
