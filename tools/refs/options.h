/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_OPTIONS_H
#define OVNIK_REFS_OPTIONS_H

#include <stdbool.h>

#include "util/types.h"

/**
 * struct options - What the plugin is told.
 * @path:  of the log
 * @flags: REFS_NO_*
 * @every: of so many blocks one is kept
 */
struct options {
	const char *path;
	u32 flags;
	u32 every;
};

bool options_parse(struct options *options, int argc, char **argv);
bool options_of_qemu(void);

#endif /* OVNIK_REFS_OPTIONS_H */
