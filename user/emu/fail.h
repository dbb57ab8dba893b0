/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_FAIL_H
#define OVNIK_EMU_FAIL_H

#include "util/types.h"

struct chan;
struct emu;

/* Code that leads to a rejection is not on any fast path. */
#define EMU_COLD __attribute__((cold))

/**
 * emu_fail() - Set the reason of a failure.
 * @emu: emulator
 * @err: negative errno
 * @fmt: printf format
 *
 * Return: @err.
 */
int emu_fail(struct emu *emu, int err, const char *fmt, ...) __printf_like(3, 4) EMU_COLD;

/**
 * emu_chan_fail() - Set the reason why a channel refused a write.
 * @emu: emulator
 * @c: channel
 * @what: "set", "push", "pop"
 * @v: the value
 * @err: negative errno of the chan function
 *
 * Return: @err.
 */
int emu_chan_fail(struct emu *emu, const struct chan *c, const char *what, s64 v, int err) EMU_COLD;

#endif /* OVNIK_EMU_FAIL_H */
