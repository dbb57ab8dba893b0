/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_H
#define OVNIK_REFS_H

#include <linux/types.h>

/**
 * enum ovnik_refs - Which memory references QEMU's plugin logs while a capture runs.
 * @OVNIK_REFS_NONE: none, but for what others have switched on
 * @OVNIK_REFS_ALL:  the machine's
 * @OVNIK_REFS_MATCHING: those that are made while a task that matches the filter runs
 * @OVNIK_NR_REFS:   how many there are
 */
enum ovnik_refs {
	OVNIK_REFS_NONE,
	OVNIK_REFS_ALL,
	OVNIK_REFS_MATCHING,
	OVNIK_NR_REFS,
};

u64 ovnik_refs_events(void);
void ovnik_refs_start(void);
void ovnik_refs_stop(void);

#endif /* OVNIK_REFS_H */
