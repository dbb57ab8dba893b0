/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_PCF_H
#define OVNIK_EMU_PCF_H

#include "util/types.h"

struct emu;

/**
 * pcf_write() - Write thread.pcf and cpu.pcf: what types and values are called.
 * @emu: emulator at its end
 *
 * Return: 0 or a negative errno, which is said on stderr.
 */
int __must_check pcf_write(struct emu *emu);

#endif /* OVNIK_EMU_PCF_H */
