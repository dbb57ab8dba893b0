// SPDX-License-Identifier: GPL-2.0-only
/* Total time: the sum of all tasks, however many went on at once. */
#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/sum.h"

/**
 * struct total - Total time.
 * @tasks: tasks that ended
 * @open: of them, those that had not ended when the capture did
 * @uncertain: of them, those whose end is uncertain
 * @ns: their sum
 */
struct total {
	u64 tasks;
	u64 open;
	u64 uncertain;
	__uint128_t ns;
};

static int total_end(void *data, const struct trace_task *task)
{
	struct total *t = data;

	t->tasks++;
	t->open += !!(task->flags & TRACE_OPEN);
	t->uncertain += !!(task->flags & TRACE_UNCERTAIN);
	t->ns += lasts(task);
	return 0;
}

static int total_answer(void *data, struct tracer_answer *to)
{
	const struct total *t = data;

	answer_u64(to, "tasks", t->tasks);
	answer_u64(to, "open", t->open);
	answer_u64(to, "in doubt", t->uncertain);
	answer_ns(to, "total", sum_u64(t->ns));
	return 0;
}

DEFINE_TRACER(total) = {
	.abi = TRACER_ABI,
	.name = "total",
	.sentence = "how long all tasks lasted together",
	.flags = TRACER_ALIKE,
	.size = sizeof(struct total),
	.end = total_end,
	.answer = total_answer,
};
