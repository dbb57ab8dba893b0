// SPDX-License-Identifier: GPL-2.0-only
/* Which part of a capture a picture shows: the time, the CPUs and the processes. */
#include <errno.h>
#include <stdlib.h>

#include "answer/answer.h"
#include "capture/capture.h"
#include "output/timeline/timeline.h"
#include "world/sight.h"

/* "only PID 7, on CPU 1, from 2.000 ms to 3.000 ms" */
static void say(const struct capture *cap, FILE *f)
{
	char time[ANSWER_TIME], text[META_FILTER];
	const char *before = "only ", *recorded = meta_filter(&cap->meta, text);

	if (cap->who) {
		fprintf(f, "%s%s", before, cap->who);
		before = ", ";
	} else if (recorded) {
		fprintf(f, "recorded only %s", recorded);
		before = "; only ";
	}
	if (cap->where) {
		fprintf(f, "%son %s", before, cap->where);
		before = ", ";
	}
	if (cap->since) {
		fprintf(f, "%sfrom %s", before, answer_time(cap->since, time));
		before = ", ";
	}
	if (cap->until)
		fprintf(f, "%sto %s", cap->since ? " " : before, answer_time(cap->until, time));
}

/* Of a process that no filter covers it is not known what it does. */
static bool is_known(const struct timeline_thread *th)
{
	u32 i;

	for (i = 0; i < TIMELINE_SUM_unknown; i++) {
		if (th->sums[i])
			return true;
	}
	return th->calls || th->faults;
}

void timeline_cover(const struct timeline *tl, struct timeline_process *p,
		    const struct trace_task *task)
{
	if (p && !p->covered)
		p->covered = sight_covers(tl->world, task->tid, task->pid);
}

int timeline_finish_part(struct timeline *tl, const struct capture *cap)
{
	struct timeline_thread *th;
	size_t len;
	FILE *f = open_memstream(&tl->part, &len);

	if (!f)
		return -ENOMEM;
	say(cap, f);
	if (fclose(f))
		return -ENOMEM;
	STAILQ_FOREACH(th, &tl->threads, next) {
		if (th->process && is_known(th))
			th->process->covered = true;
	}
	return 0;
}

bool timeline_shows(const struct timeline *tl, const struct timeline_process *p)
{
	return !tl->world->filtered || (p && p->covered);
}
