/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_BUILTIN_SUM_H
#define OVNIK_OUTPUT_TRACERS_BUILTIN_SUM_H

#include "tasks/tasks.h"

/*
 * Limit a sum to 64 bits for an answer. Millions of pages that are in the cache for an hour exceed
 * 64 bits of ns.
 */
static inline u64 sum_u64(__uint128_t sum)
{
	return sum > (u64)-1 ? (u64)-1 : (u64)sum;
}

#endif /* OVNIK_OUTPUT_TRACERS_BUILTIN_SUM_H */
