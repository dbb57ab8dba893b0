/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_ROWFILE_H
#define OVNIK_EMU_ROWFILE_H

#include "util/types.h"

struct emu;

/**
 * row_write() - Write thread.row and cpu.row: names of rows.
 * @emu: emulator
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check row_write(const struct emu *emu);

/**
 * row_write_breakdown() - Write the row file of a breakdown.
 * @emu: emulator
 * @trace: name of the file, without suffix
 * @rows: number of rows
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check row_write_breakdown(const struct emu *emu, const char *trace, u32 rows);

#endif /* OVNIK_EMU_ROWFILE_H */
