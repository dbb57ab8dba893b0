/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CLOCKS_H
#define OVNIK_EMU_CLOCKS_H

#include "emu/system.h"

/**
 * clocks_align() - Find the offsets of looms on several hosts by the time of day.
 * @sys: the system; offset and synced of its looms are set
 *
 * Nothing is done if all looms are of one host.
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check clocks_align(const struct system *sys);

/**
 * clocks_warn() - Warn of looms that cannot be compared with those on other hosts.
 * @sys: the system
 */
void clocks_warn(const struct system *sys);

#endif /* OVNIK_EMU_CLOCKS_H */
