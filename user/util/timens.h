/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_TIMENS_H
#define OVNIK_UTIL_TIMENS_H

#include "util/types.h"

/**
 * timens_shift() - What a time namespace adds to CLOCK_MONOTONIC of this process.
 *
 * Context: Any.
 * Return: ns; 0 if the kernel has no time namespaces.
 */
s64 timens_shift(void);

#endif /* OVNIK_UTIL_TIMENS_H */
