// SPDX-License-Identifier: GPL-2.0-only
/* between FILE... - switches on a CPU between its first vma_dup and its last one */
#include <err.h>
#include <stdio.h>

#include "common/capture.h"

static unsigned long between(const struct capture *cap)
{
	unsigned long nr = 0, switches = 0;
	bool begun = false;
	size_t i;

	for (i = 0; i < cap->events.nr; i++) {
		switch (cap->events.event[i].kind) {
		case OVNIK_EV_vma_dup:
			begun = true;
			nr = switches;
			break;
		case OVNIK_EV_sched_switch:
			switches += begun;
			break;
		}
	}
	return nr;
}

int main(int argc, char **argv)
{
	unsigned long nr = 0;
	int i;

	if (argc < 2)
		errx(2, "usage: between cpuN.ovk...");
	for (i = 1; i < argc; i++)
		nr += between(load_capture(argv[i]));
	printf("%lu\n", nr);
	return 0;
}
