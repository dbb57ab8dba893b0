/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_SORTED_H
#define OVNIK_UTIL_SORTED_H

#include "util/types.h"

/**
 * sorted_has() - Is a number among others?
 * @numbers: ascending
 * @nr: how many
 * @number: the one to look for
 *
 * Context: Any.
 * Return: true if it is.
 */
static inline bool sorted_has(const u32 *numbers, u32 nr, u32 number)
{
	u32 low = 0, high = nr;

	while (low < high) {
		u32 mid = low + (high - low) / 2;

		if (numbers[mid] == number)
			return true;
		if (numbers[mid] < number)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

#endif /* OVNIK_UTIL_SORTED_H */
