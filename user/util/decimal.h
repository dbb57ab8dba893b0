/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_DECIMAL_H
#define OVNIK_UTIL_DECIMAL_H

#include "util/types.h"

/*
 * Decimal numbers as text, without a zero at the end: much cheaper than printf(), for outputs with
 * millions of them.
 */

#define DECIMAL_MAX	20	/* bytes of the longest one */

/**
 * decimal_put() - Write a number.
 * @to: room for DECIMAL_MAX bytes
 * @value: the number
 *
 * Return: the place behind it.
 */
char *decimal_put(char *to, u64 value);

/**
 * decimal_put_signed() - Write a number that may be negative.
 * @to: room for DECIMAL_MAX bytes
 * @value: the number
 *
 * Return: the place behind it.
 */
static inline char *decimal_put_signed(char *to, s64 value)
{
	if (likely(value >= 0))
		return decimal_put(to, (u64)value);
	*to = '-';
	return decimal_put(to + 1, -(u64)value);
}

#endif /* OVNIK_UTIL_DECIMAL_H */
