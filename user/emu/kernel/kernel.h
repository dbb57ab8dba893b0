/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_KERNEL_KERNEL_H
#define OVNIK_EMU_KERNEL_KERNEL_H

#include "emu/core.h"

/* Private to the kernel model. */

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

#endif /* OVNIK_EMU_KERNEL_KERNEL_H */
