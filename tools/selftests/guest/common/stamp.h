/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_STAMP_H
#define GUEST_STAMP_H

/*
 * For the programs that are recorded: what the clock says by which they are. The
 * module has the TSC; BPF has CLOCK_MONOTONIC, and guest-lib.sh says so in the
 * environment.
 */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

static bool stamp_is_monotonic;

/* Before main(), for it writes to memory that may be looked at later. */
__attribute__((constructor))
static void stamp_init(void)
{
	const char *clock = getenv("OVNIK_CLOCK");

	stamp_is_monotonic = clock && !strcmp(clock, "monotonic");
}

/* By a system call: the vDSO would touch pages that the caller knows nothing of. */
static inline unsigned long long stamp_now(void)
{
	struct timespec time;
	unsigned int cpu;

	if (!stamp_is_monotonic)
		return __rdtscp(&cpu);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

#endif /* GUEST_STAMP_H */
