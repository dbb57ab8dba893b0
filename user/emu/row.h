/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_ROW_H
#define OVNIK_EMU_ROW_H

#include "util/types.h"

struct emu;

/**
 * row_write() - Write thread.row and cpu.row: what rows are called.
 * @emu: emulator
 *
 * Return: 0 or a negative errno, which is said on stderr.
 */
int __must_check row_write(const struct emu *emu);

#endif /* OVNIK_EMU_ROW_H */
