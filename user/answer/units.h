/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_ANSWER_UNITS_H
#define OVNIK_ANSWER_UNITS_H

#include "util/types.h"

/* Times and sizes as text. */

/* What a number counts. */
enum unit_kind { UNIT_NONE, UNIT_TIME, UNIT_BYTES };

#define UNIT_TEXT	32	/* bytes that it takes */

/**
 * unit_of() - The unit in which a number is read best; of a column, that of its largest one.
 * @kind: UNIT_TIME or UNIT_BYTES
 * @value: ns or bytes
 *
 * Context: Any.
 * Return: the unit, for unit_put().
 */
unsigned int unit_of(enum unit_kind kind, u64 value);

/**
 * unit_put() - Write a number, rounded down; "<0.001 ms" is too small for the unit, but not 0.
 * @kind: UNIT_TIME or UNIT_BYTES
 * @unit: from unit_of()
 * @value: ns or bytes
 * @text: is set
 *
 * Context: Any.
 * Return: @text.
 */
const char *unit_put(enum unit_kind kind, unsigned int unit, u64 value, char text[UNIT_TEXT]);

#endif /* OVNIK_ANSWER_UNITS_H */
