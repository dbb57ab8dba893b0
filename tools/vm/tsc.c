// SPDX-License-Identifier: GPL-2.0-only
/* tsc - print the rate of this machine's TSC in kHz: a guest on a busy host measures it wrongly. */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define TRIES	50
#define WAIT_NS	50000000

struct pair {
	uint64_t tsc;
	uint64_t ns;
};

/* Both clocks at one time: of some tries, the one that nothing has interrupted. */
static struct pair read_clocks(void)
{
	uint64_t width = UINT64_MAX, before, after;
	struct pair pair = { 0 };
	struct timespec now;
	int i;

	for (i = 0; i < TRIES; i++) {
		before = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		after = __rdtsc();
		if (after - before >= width)
			continue;
		width = after - before;
		pair.tsc = before + width / 2;
		pair.ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	}
	return pair;
}

int main(void)
{
	const struct timespec wait = { .tv_nsec = WAIT_NS };
	struct pair from = read_clocks(), to;

	nanosleep(&wait, NULL);
	to = read_clocks();
	printf("%.0f\n", (double)(to.tsc - from.tsc) * 1e6 / (double)(to.ns - from.ns));
	return 0;
}
