// SPDX-License-Identifier: GPL-2.0-only
/*
 * between cpuN.ovk - switches on a CPU between the first vma_dup and the last one of the fork
 * that has more than half of them
 */
#include <err.h>
#include <stdio.h>

#include "common/capture.h"

static unsigned long long mm_of(const struct event *event)
{
	return ((const struct ovnik_vma_dup *)event->record)->mm;
}

/* Each of another fork takes one away. */
static unsigned long long largest(const struct capture *cap)
{
	unsigned long long mm = 0;
	size_t i, more = 0;

	for (i = 0; i < cap->events.nr; i++) {
		const struct event *event = &cap->events.event[i];

		if (event->kind != OVNIK_EV_vma_dup)
			continue;
		if (!more)
			mm = mm_of(event);
		more += mm_of(event) == mm ? 1 : -1;
	}
	return mm;
}

static unsigned long between(const struct capture *cap)
{
	unsigned long long mm = largest(cap);
	unsigned long nr = 0, switches = 0;
	bool begun = false;
	size_t i;

	for (i = 0; i < cap->events.nr; i++) {
		const struct event *event = &cap->events.event[i];

		if (event->kind == OVNIK_EV_sched_switch) {
			switches += begun;
		} else if (event->kind == OVNIK_EV_vma_dup && mm_of(event) == mm) {
			begun = true;
			nr = switches;
		}
	}
	return nr;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		errx(2, "usage: between cpuN.ovk");
	printf("%lu\n", between(load_capture(argv[1])));
	return 0;
}
