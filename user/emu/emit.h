/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_EMIT_H
#define OVNIK_EMU_EMIT_H

#include "util/types.h"

struct emu;

/**
 * emit_event() - The emit and post phases of an event.
 * @emu: emulator
 *
 * Visits only the channels the event has written. Order within an instant:
 * punctual states; direct outputs in writing order; then what follows them: a
 * thread's channels after a change of its state, a CPU's channels after a change
 * of the thread it follows.
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check emit_event(struct emu *emu);

#endif /* OVNIK_EMU_EMIT_H */
