/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_PCF_H
#define OVNIK_EMU_PCF_H

#include "util/types.h"

struct emu;
struct model_breakdown;
struct slot;

/**
 * pcf_write() - Write thread.pcf and cpu.pcf: labels of types and values.
 * @emu: emulator at its end
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check pcf_write(struct emu *emu);

/**
 * pcf_write_breakdown() - Write the configuration file of a breakdown.
 * @emu: emulator at its end
 * @spec: its description
 * @subsystem: channel of its states
 * @idle: channel of its idle states, or NULL
 * @task: channel of its tasks
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check pcf_write_breakdown(struct emu *emu, const struct model_breakdown *spec,
				     const struct slot *subsystem, const struct slot *idle,
				     const struct slot *task);

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

#endif /* OVNIK_EMU_PCF_H */
