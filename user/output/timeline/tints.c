// SPDX-License-Identifier: GPL-2.0-only
/* Which programs have a tint of their own: see timeline.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/timeline/timeline.h"
#include "util/compare.h"

/* Told apart by everybody, also from the states: host/html.sh proves it. */
const char *const timeline_tints[TIMELINE_TINTS] = {
	"#5ca4f3", "#9f7dc0", "#12bb9d", "#6d7fd9", "#179ac0", "#9aa5c6", "#65a590", "#00b5bc",
};

/* Processes of one name. */
struct program {
	const char *name;
	u64 run;
	u32 nr;
};

static int by_name(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	return strcmp(x->name, y->name) ?: compare_u64(x->nr, y->nr);
}

static int by_run(const void *a, const void *b)
{
	const struct program *x = a, *y = b;

	return compare_u64(y->run, x->run) ?: by_name(a, b);
}

/* The recorder is no program of the user's, nor is who is not shown. */
static bool may_have_tint(const struct timeline *tl, const struct timeline_process *p)
{
	return !p->recorder && timeline_shows(tl, p);
}

/* One of each name, with the sum of all; the processes that it had are next to each other. */
static u32 sum_programs(const struct timeline *tl, struct program *all)
{
	const struct timeline_process *p;
	const struct timeline_thread *th;
	u32 i = 0, nr = 0;

	STAILQ_FOREACH(p, &tl->processes, next)
		all[i++] = (struct program){ .name = p->name, .nr = p->nr };
	STAILQ_FOREACH(th, &tl->threads, next) {
		if (th->process && may_have_tint(tl, th->process))
			all[th->process->nr - 1].run += th->sums[TIMELINE_SUM_run];
	}
	qsort(all, tl->nr_processes, sizeof(*all), by_name);
	for (i = 0; i < tl->nr_processes; i++) {
		if (nr && !strcmp(all[nr - 1].name, all[i].name))
			all[nr - 1].run += all[i].run;
		else
			all[nr++] = all[i];
	}
	return nr;
}

u32 timeline_tint(const struct timeline *tl, const char *name)
{
	u32 i;

	for (i = 0; i < TIMELINE_TINTS - 1; i++) {
		if (tl->tinted[i] && !strcmp(tl->tinted[i], name))
			break;
	}
	return i;
}

int timeline_finish_tints(struct timeline *tl)
{
	struct program *all = calloc(tl->nr_processes + 1, sizeof(*all));
	struct timeline_process *p;
	u32 nr, i;

	if (!all)
		return -ENOMEM;
	nr = sum_programs(tl, all);
	qsort(all, nr, sizeof(*all), by_run);
	for (i = 0; i < nr && i < TIMELINE_TINTS - 1 && all[i].run; i++)
		tl->tinted[i] = all[i].name;
	free(all);
	STAILQ_FOREACH(p, &tl->processes, next)
		p->tint = may_have_tint(tl, p) ? timeline_tint(tl, p->name) : TIMELINE_TINTS - 1;
	return 0;
}
