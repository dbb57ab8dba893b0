// SPDX-License-Identifier: GPL-2.0-only
/* Processes summed by name, for example the compiler in a build. */
#include <stdlib.h>
#include <string.h>

#include "output/report/report.h"

static void add_process(struct report_process *sum, const struct report_process *p)
{
	sum->processes++;
	sum->threads += p->threads;
	report_add_times(&sum->cpu, &p->cpu);
	report_add_times(&sum->queue, &p->queue);
	report_add_times(&sum->sleep, &p->sleep);
	report_add_times(&sum->disk, &p->disk);
	report_add_times(&sum->other, &p->other);
	report_add_times(&sum->unknown, &p->unknown);
	report_add_times(&sum->faults, &p->faults);
	sum->major += p->major;
	sum->failed += p->failed;
	sum->cow += p->cow;
	report_add_io(&sum->io, &p->io);
}

/* qsort(): by name; of equals, the one that appeared first. */
static int compare(const void *a, const void *b)
{
	const struct report_process *x = *(struct report_process *const *)a;
	const struct report_process *y = *(struct report_process *const *)b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->number < y->number ? -1 : x->number > y->number;
}

struct report_process *report_programs(struct report_process **processes, size_t *nr)
{
	struct report_process *sums = calloc(*nr + 1, sizeof(*sums)), *sum = sums;
	size_t i;

	if (!sums)
		return NULL;
	qsort(processes, *nr, sizeof(*processes), compare);
	for (i = 0; i < *nr; i++) {
		const struct report_process *p = processes[i];

		if (i && strcmp(sum->name, p->name))
			sum++;
		if (!sum->processes) {
			memcpy(sum->name, p->name, sizeof(sum->name));
			sum->number = p->number;
		}
		add_process(sum, p);
	}
	if (*nr)
		*nr = sum - sums + 1;
	return sums;
}
