// SPDX-License-Identifier: GPL-2.0-only
/*
 * tracer-example - a tracer that is loaded: how often threads ran, per CPU
 *
 *	cc -shared -fPIC -I user -I kmod/include/uapi -o example.so tracer-example.c
 *	ovnik-decode CAPTURE --tracer ./example.so,pid=100
 */
#include <errno.h>

#include "output/tracers/tracer.h"

#define CPUS_MAX	1024

/* What a tracer has of its own; all zero at first. */
struct example {
	u64 runs[CPUS_MAX];
	u64 ns[CPUS_MAX];
};

/* What the user wrote behind the name and is no filter. */
static int example_parse(void *data, const char *args)
{
	(void)data;
	if (!*args)
		return 0;
	tracer_complain("takes no arguments but filters, not \"%s\"", args);
	return -EINVAL;
}

static int example_end(void *data, const struct trace_task *task)
{
	struct example *e = data;
	u32 cpu = task->cpu % CPUS_MAX;

	e->runs[cpu]++;
	e->ns[cpu] += task->end - task->start;
	return 0;
}

static int example_answer(void *data, struct tracer_answer *to)
{
	const struct example *e = data;
	u64 runs = 0;
	u32 cpu;

	answer_table(to, "cpus", "cpu,runs,time");
	for (cpu = 0; cpu < CPUS_MAX; cpu++) {
		if (!e->runs[cpu])
			continue;
		answer_row(to);
		answer_u64(to, "cpu", cpu);
		answer_u64(to, "runs", e->runs[cpu]);
		answer_ns(to, "time", e->ns[cpu]);
		runs += e->runs[cpu];
	}
	answer_table_end(to);
	answer_u64(to, "runs", runs);
	return 0;
}

const struct tracer_class ovnik_tracer = {
	.abi = TRACER_ABI,
	.name = "example",
	.sentence = "how often threads ran, per CPU",
	.kinds = 1U << TASKS_RUN,
	.size = sizeof(struct example),
	.parse = example_parse,
	.end = example_end,
	.answer = example_answer,
};
