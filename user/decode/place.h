/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_PLACE_H
#define OVNIK_DECODE_PLACE_H

#include "util/types.h"

/*
 * What a run writes into its output directory, and where. Names that are not
 * among these, and those of kinds that are not wanted, are never touched.
 */

/**
 * place_check() - Can all outputs of these kinds be made?
 * @out: the output directory
 * @kinds: enum decode_output
 *
 * Context: Any; nothing is changed.
 * Return: 0, a negative errno (told).
 */
int place_check(const char *out, u32 kinds) __must_check;

/**
 * place_clear() - Remove the outputs of these kinds, of whatever run they are.
 * @out: the output directory
 * @kinds: enum decode_output
 *
 * Links are removed, not what they point to.
 *
 * Context: Any.
 * Return: 0, the first negative errno (told); the others are removed all the same.
 */
int place_clear(const char *out, u32 kinds);

#endif /* OVNIK_DECODE_PLACE_H */
