/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_KERNEL_KERNEL_H
#define OVNIK_EMU_KERNEL_KERNEL_H

#include "emu/core.h"

/* What the files of the kernel model share; nobody else includes this. */

enum kernel_chan_id {
	KERNEL_SWITCH,
	KERNEL_OFFCPU,
	KERNEL_WAIT,
	KERNEL_NR_CHANS,
};

static inline struct chan *kernel_chan(struct emu *emu, struct emu_thread *th,
				       enum kernel_chan_id chan)
{
	return emu_thread_chan(emu, th, MODEL_ID_KERNEL, chan);
}

#endif /* OVNIK_EMU_KERNEL_KERNEL_H */
