/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_BREAKDOWN_H
#define OVNIK_EMU_BREAKDOWN_H

#include "util/types.h"

struct emu;

/*
 * Traces of what the CPUs do, for models that have a struct model_breakdown. Each
 * physical CPU has one value; the rows show all values in ascending order. A row is not
 * a CPU.
 */

/**
 * breakdown_open() - Create the traces of the enabled models.
 * @emu: emulator being frozen, with rows
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check breakdown_open(struct emu *emu);

/**
 * breakdown_event() - The emit and post phases of an event, and its lines in the breakdown.
 * @emu: emulator with breakdown
 *
 * Return: 0 or a negative errno with the reason in @emu.
 */
int __must_check breakdown_event(struct emu *emu);

/**
 * breakdown_has() - Does a breakdown have lines of a type?
 * @emu: emulator, with breakdown or not
 * @type: PRV type
 */
bool breakdown_has(const struct emu *emu, u32 type);

/**
 * breakdown_write() - Write the PCF and ROW files.
 * @emu: emulator at its end, with breakdown or not
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check breakdown_write(struct emu *emu);

/**
 * breakdown_close() - Close the traces.
 * @emu: emulator, with breakdown or not
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check breakdown_close(struct emu *emu);

#endif /* OVNIK_EMU_BREAKDOWN_H */
