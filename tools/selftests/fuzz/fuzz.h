/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_FUZZ_H
#define OVNIK_SELFTESTS_FUZZ_H

/* What the programs that damage their input share: drawing numbers, and giving up. */
#include <stdio.h>
#include <stdlib.h>

#include "util/types.h"

#define SECONDS_A_CASE	20

static u64 fuzz_state;

/* A case depends on its number and the seed alone. */
static inline void fuzz_begin(const char *seed, u64 nr)
{
	fuzz_state = (strtoull(seed, NULL, 0) + nr) * 0x9e3779b97f4a7c15ULL + 1;
}

/* 0 to @n - 1. */
static inline u32 draw(u32 n)
{
	fuzz_state ^= fuzz_state << 13;
	fuzz_state ^= fuzz_state >> 7;
	fuzz_state ^= fuzz_state << 17;
	return n ? (fuzz_state >> 16) % n : 0;
}

static inline void die(const char *what)
{
	perror(what);
	exit(2);
}

#endif /* OVNIK_SELFTESTS_FUZZ_H */
