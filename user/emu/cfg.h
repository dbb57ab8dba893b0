/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CFG_H
#define OVNIK_EMU_CFG_H

#include "util/types.h"

struct emu;
struct out;

#define CFG_COUNTER_PREFIX "hwc-"	/* views that are made for a trace */

/*
 * Paraver's views, one a question: the files below cfg/ in the sources, which are part
 * of the program.
 */

/**
 * cfg_write() - Write the views of what is drawn to cfg/thread and cfg/cpu.
 * @emu: emulator, at the end
 *
 * Return: 0 or a negative errno, which is said on stderr.
 */
int __must_check cfg_write(const struct emu *emu);

/**
 * cfg_open() - Create a view.
 * @emu: emulator, at the end
 * @out: file
 * @name: its name, below the directory of the traces; folders are made
 *
 * Return: 0 or a negative errno, which is said on stderr.
 */
int __must_check cfg_open(const struct emu *emu, struct out *out, const char *name);

/**
 * cfg_check() - Could the views be written?
 * @dir: directory with the traces
 *
 * Return: 0 or a negative errno, which is said on stderr.
 */
int __must_check cfg_check(const char *dir);

/**
 * cfg_clear() - Remove the views, and cfg with them if nothing else is there.
 * @dir: directory with the traces
 *
 * Return: 0 or the first negative errno, which is said on stderr.
 */
int cfg_clear(const char *dir);

#endif /* OVNIK_EMU_CFG_H */
