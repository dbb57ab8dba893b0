/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CFG_H
#define OVNIK_EMU_CFG_H

#include "util/below.h"

struct emu;

/* Paraver's views, one for each question: cfg_table.h has them, cfg_template.h what they share. */

/**
 * cfg_write() - Write the views of the types that occur to cfg/thread and cfg/cpu.
 * @emu: emulator, at the end
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check cfg_write(const struct emu *emu);

/**
 * cfg_write_all() - Write all views, but those of something that is named in a trace.
 * @dir: directory to write them to, below cfg/thread and cfg/cpu
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check cfg_write_all(const char *dir);

/**
 * cfg_make() - Write the views of something that is named in the trace, on threads and CPUs.
 * @emu: emulator, at the end
 * @model: "nosv" for a hardware counter, "ovni" for a mark
 * @label: label of the type
 * @type: PRV type
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check cfg_make(const struct emu *emu, const char *model, const char *label, u32 type);

/**
 * cfg_check() - Check that the views can be written.
 * @dir: directory with the traces
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check cfg_check(const struct below *dir);

/**
 * cfg_clear() - Remove the views, and their folders if empty.
 * @dir: directory with the traces
 *
 * Return: 0 or the first negative errno, reported on stderr.
 */
int cfg_clear(const struct below *dir);

#endif /* OVNIK_EMU_CFG_H */
