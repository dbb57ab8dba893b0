// SPDX-License-Identifier: GPL-2.0-only
/*
 * hogload - keep CPU 1 with real-time priority, also from the kernel's own threads
 */

#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
	const struct sched_param param = { .sched_priority = 50 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	/* Nothing of it may have to wait for others. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE) || sched_setaffinity(0, sizeof(cpus), &cpus) ||
	    sched_setscheduler(0, SCHED_FIFO, &param))
		err(1, "CPU 1");
	puts("ready");
	fflush(stdout);
	for (;;)
		;
}
