/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_COMPARE_H
#define OVNIK_UTIL_COMPARE_H

#include "util/types.h"

/**
 * compare_u64() - The order of two numbers, for what qsort() calls.
 * @a: a number; not negative, if it was signed
 * @b: another one
 *
 * Context: Any.
 * Return: less than 0 if @a is smaller, more than 0 if @b is, 0 if they are equal.
 */
static inline int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/**
 * compare_u32s() - The same of numbers in a list, for qsort() itself.
 * @a: points to an u32
 * @b: to another one
 *
 * Context: Any.
 * Return: as compare_u64().
 */
static inline int compare_u32s(const void *a, const void *b)
{
	return compare_u64(*(const u32 *)a, *(const u32 *)b);
}

#endif /* OVNIK_UTIL_COMPARE_H */
