/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CFG_H
#define OVNIK_EMU_CFG_H

#include "util/types.h"

struct emu;
struct out;

#define CFG_COUNTER_PREFIX "hwc-"	/* views generated from a trace */

/*
 * Paraver's views, one for each question: the files below cfg/ in the sources, which are
 * built into the program.
 */

/**
 * cfg_write() - Write the views of the types that occur to cfg/thread and cfg/cpu.
 * @emu: emulator, at the end
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check cfg_write(const struct emu *emu);

/**
 * cfg_open() - Create a view.
 * @emu: emulator, at the end
 * @out: file
 * @name: its name, relative to the directory of the traces; folders are created
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check cfg_open(const struct emu *emu, struct out *out, const char *name);

/**
 * cfg_check() - Check that the views can be written.
 * @dir: directory with the traces
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check cfg_check(const char *dir);

/**
 * cfg_clear() - Remove the views, and their folders if empty.
 * @dir: directory with the traces
 *
 * Return: 0 or the first negative errno, reported on stderr.
 */
int cfg_clear(const char *dir);

#endif /* OVNIK_EMU_CFG_H */
