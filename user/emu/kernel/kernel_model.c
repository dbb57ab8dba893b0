// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel model: why a thread is off the CPU, whether it waits for one, and where
 * events of a CPU are missing.
 */
#include <errno.h>
#include <string.h>

#include "emu/kernel/kernel.h"
#include "emu/kernel/wait.h"
#include "trace/missing.h"
#include "trace/offcpu.h"
#include "trace/wait.h"

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
