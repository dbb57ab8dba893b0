// SPDX-License-Identifier: GPL-2.0-only
/* Tracers in a pass over a capture: see tracing.h. */
#include <errno.h>

#include "output/tracers/tracing.h"
#include "util/msg.h"

int tracing_open(struct tracing *t, struct tracers *tracers, struct capture *cap)
{
	struct tracer_run run = {
		.capture = cap->dir,
		.host = cap->meta.host,
		.clock = cap->clock.source == CLOCK_SOURCE_TSC ? "TSC" : "CLOCK_MONOTONIC",
		.begin = clock_ns(&cap->clock, cap->begin),
		.end = clock_ns(&cap->clock, cap->end),
	};

	t->tracers = tracers;
	return tracers_open(tracers, &run);
}

int tracing_attach(struct tracing *t, struct world *w)
{
	if (!t->tracers)
		return 0;
	t->tasks = tasks_create(w, tracers_kinds(t->tracers));
	if (!t->tasks)
		return -ENOMEM;
	return tracers_attach(t->tracers, tasks_hooks(t->tasks));
}

int tracing_error(const struct tracing *t)
{
	return t->tasks ? tasks_hooks(t->tasks)->error : 0;
}

int tracing_finish(struct tracing *t, bool json)
{
	struct tracer_answer *to;
	int ret;

	if (!t->tracers)
		return 0;
	to = answer_create(json);
	if (!to) {
		msg_error("no memory");
		return -ENOMEM;
	}
	ret = tracers_answer(t->tracers, to);
	if (!ret) {
		ret = answer_write(to, stdout);
		if (ret)
			msg_error("answers cannot be written");
	}
	/* Whoever sees a file of a tracer shall have its answer, too. */
	if (!ret)
		ret = tracers_keep(t->tracers);
	answer_destroy(to);
	return ret;
}

void tracing_close(struct tracing *t)
{
	tasks_destroy(t->tasks);
	t->tasks = NULL;
}
