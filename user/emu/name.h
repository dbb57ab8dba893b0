/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_NAME_H
#define OVNIK_EMU_NAME_H

#include "util/types.h"

/*
 * Names of the files that are drawn. Paraver's numbers of rows have 16 bits, so what has
 * more rows is drawn in parts: thread.prv, thread-2.prv, ... each with a .pcf and a .row
 * of its own. trace/drawn.h knows them again.
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

/* What their files are called. */
extern const char *const emu_prv_base[NR_PRV];

/**
 * emu_name() - Make the name of a file.
 * @name: EMU_NAME_MAX bytes for it
 * @base: what is drawn: "thread", "cpu"
 * @part: which part, from 0
 * @suffix: with the dot
 *
 * Return: @name.
 */
const char *emu_name(char *name, const char *base, u32 part, const char *suffix);

/**
 * emu_names_clear() - Remove what was drawn before, which may have had other parts.
 * @dir: directory
 *
 * Return: 0 or a negative errno, which is said on stderr.
 */
int __must_check emu_names_clear(const char *dir);

#endif /* OVNIK_EMU_NAME_H */
