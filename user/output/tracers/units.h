/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_UNITS_H
#define OVNIK_OUTPUT_TRACERS_UNITS_H

#include "util/types.h"

/* Times and sizes as text. */

/* What a number counts. */
enum unit_kind { UNIT_NONE, UNIT_TIME, UNIT_BYTES };

#define UNIT_TEXT	32	/* bytes that it takes */

/**
 * unit_of() - The unit in which a number is read best.
 * @kind: UNIT_TIME or UNIT_BYTES
 * @value: ns or bytes
 *
 * Context: Any.
 * Return: the unit, for unit_put().
 */
unsigned int unit_of(enum unit_kind kind, u64 value);

/**
 * unit_of_column() - The unit for a column of numbers.
 * @kind: UNIT_TIME or UNIT_BYTES
 * @largest: ns or bytes
 *
 * A smaller one than for the largest alone, while that has four digits: small ones keep theirs.
 *
 * Context: Any.
 * Return: the unit, for unit_put().
 */
unsigned int unit_of_column(enum unit_kind kind, u64 largest);

/**
 * unit_put() - Write a number, rounded down.
 * @kind: UNIT_TIME or UNIT_BYTES
 * @unit: from unit_of() or unit_of_column()
 * @value: ns or bytes
 * @text: is set
 *
 * Context: Any.
 * Return: @text.
 */
const char *unit_put(enum unit_kind kind, unsigned int unit, u64 value, char text[UNIT_TEXT]);

#endif /* OVNIK_OUTPUT_TRACERS_UNITS_H */
