// SPDX-License-Identifier: GPL-2.0-only
/* Who had a CPU while a thread waited for it: see runs.h. */
#include <errno.h>
#include <stdlib.h>

#include "sums/runs.h"

void sums_runs_begin(struct sums_runs *cpu, void *who, u64 ns)
{
	cpu->now = (struct sums_run){ .who = who, .start = ns };
	if (cpu->seen)
		return;
	cpu->seen = true;
	cpu->since = ns;
}

int sums_runs_end(struct sums_runs *cpu, void *who, u64 start, u64 end)
{
	cpu->now.who = NULL;
	if (start == end)
		return 0;
	if (!cpu->kept)
		cpu->kept = calloc(SUMS_RUNS, sizeof(*cpu->kept));
	if (!cpu->kept)
		return -ENOMEM;
	cpu->kept[cpu->nr++ % SUMS_RUNS] = (struct sums_run){
		.who = who, .start = start, .end = end,
	};
	return 0;
}

static const struct sums_run *kept(const struct sums_runs *cpu, u64 i)
{
	return &cpu->kept[i % SUMS_RUNS];
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

u64 sums_runs_within(const struct sums_runs *cpu, u64 from, u64 to,
		     void (*each)(void *data, void *who, u64 ns), void *data)
{
	u64 oldest = cpu->nr > SUMS_RUNS ? cpu->nr - SUMS_RUNS : 0, i = cpu->nr;
	u64 known = cpu->seen ? later(from, cpu->since) : to;

	while (i > oldest && kept(cpu, i - 1)->end > from)
		i--;
	if (i && i == oldest)
		known = later(known, kept(cpu, i)->start);
	for (; i < cpu->nr; i++)
		each(data, kept(cpu, i)->who, kept(cpu, i)->end - later(kept(cpu, i)->start, from));
	if (cpu->now.who && cpu->now.start < to)
		each(data, cpu->now.who, to - later(cpu->now.start, from));
	return known;
}

void sums_runs_free(struct sums_runs *cpu)
{
	free(cpu->kept);
	cpu->kept = NULL;
}
