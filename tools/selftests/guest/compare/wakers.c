// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who wakes a task: the one that runs where sched_waking is, or nobody if that is in an
 * interrupt. sched_wakeup may come on another CPU, in an interrupt there.
 */

#include "compare.h"

/* All events of all CPUs, in order. */
static struct event *next_of_all(struct events *all, size_t *at, unsigned int nr_cpus)
{
	struct event *next = NULL, *event;
	unsigned int cpu, of = 0;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		if (at[cpu] == all[cpu].nr)
			continue;
		event = &all[cpu].event[at[cpu]];
		if (!next || event->tsc < next->tsc) {
			next = event;
			of = cpu;
		}
	}
	if (next)
		at[of]++;
	return next;
}

void find_wakers(struct events *all, unsigned int nr_cpus)
{
	__u32 *wakers = malloc(TIDS * sizeof(*wakers)), waker;
	unsigned long wakeups = 0, elsewhere = 0, interrupts = 0, unknown = 0;
	size_t at[MAX_CPUS] = {};
	struct event *event;

	if (!wakers)
		err(1, "no memory");
	memset(wakers, 0xff, TIDS * sizeof(*wakers));
	while ((event = next_of_all(all, at, nr_cpus))) {
		if (event->kind == TRACE_WAKING)
			wakers[event->a % TIDS] = event->in_interrupt ? 0 : event->actor;
		if (event->kind != OVNIK_EV_sched_wakeup)
			continue;
		waker = wakers[event->a % TIDS];
		wakers[event->a % TIDS] = WAKER_UNKNOWN;
		/* From before the trace. */
		if (waker == WAKER_UNKNOWN && event->tsc < start.begin)
			continue;
		/* Of a CPU that goes off line, where nothing is traced. */
		if (waker == WAKER_UNKNOWN)
			unknown++;
		wakeups++;
		interrupts += !waker && event->actor;
		elsewhere += waker && waker != event->actor;
		event->b = waker;
	}
	free(wakers);
	printf("# of %lu wakeups, %lu by another task than the one that ran there, %lu by an interrupt of it\n",
	       wakeups, elsewhere, interrupts);
	if (unknown)
		printf("# %lu more without sched_waking\n", unknown);
}
