/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CFG_H
#define OVNIK_EMU_CFG_H

#include "util/types.h"

struct emu;

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
