/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_NAME_H
#define OVNIK_EMU_NAME_H

#include "util/below.h"

/*
 * Names of output files. Paraver numbers rows with 16 bits, so a trace with more rows is
 * written in parts: thread.prv, thread-2.prv, ... each with a .pcf and a .row of its own.
 * trace/drawn.h recognizes the names.
 */

#define EMU_PART_ROWS	65535	/* rows of a part */
#define EMU_NAME_MAX	64

/**
 * enum prv_file - The two traces.
 */
enum prv_file {
	PRV_THREAD,
	PRV_CPU,
	NR_PRV,
};

/* Names of their files, without suffix. */
extern const char *const emu_prv_base[NR_PRV];

/**
 * emu_name() - Make the name of a file.
 * @name: EMU_NAME_MAX bytes for it
 * @base: "thread", "cpu" or the name of a breakdown
 * @part: which part, from 0
 * @suffix: with the dot
 *
 * Return: @name.
 */
const char *emu_name(char *name, const char *base, u32 part, const char *suffix);

/**
 * emu_names_clear() - Remove earlier output, which may have had other parts.
 * @dir: directory
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check emu_names_clear(const struct below *dir);

#endif /* OVNIK_EMU_NAME_H */
