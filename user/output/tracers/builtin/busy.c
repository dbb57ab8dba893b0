// SPDX-License-Identifier: GPL-2.0-only
/* Busy time: how long at least one task went on. */
#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/sweep.h"

/**
 * struct busy - Busy time.
 * @sweep: how many tasks are open; comes first
 * @from: where the window begins
 * @to: where it ends
 * @tasks: tasks that ended
 * @busy: ns with at least one
 * @most: how many there were at once
 */
struct busy {
	struct sweep sweep;
	u64 from;
	u64 to;
	u64 tasks;
	u64 busy;
	u64 most;
};

static int stretch(void *data, u64 from, u64 to, u64 level)
{
	struct busy *b = data;

	if (level)
		b->busy += to - from;
	if (level > b->most)
		b->most = level;
	return 0;
}

static int busy_init(void *data, const struct tracer_run *run)
{
	struct busy *b = data;

	b->from = run->from;
	b->to = run->to;
	sweep_init(&b->sweep, run->from, stretch, b);
	return 0;
}

static int busy_end(void *data, const struct trace_task *task)
{
	struct busy *b = data;

	b->tasks++;
	return sweep_end(b, task);
}

static int busy_answer(void *data, struct tracer_answer *to)
{
	struct busy *b = data;
	u64 window = b->to - b->from;
	int ret = sweep_finish(&b->sweep, b->to);

	answer_u64(to, "tasks", b->tasks);
	answer_ns(to, "busy", b->busy);
	answer_ns(to, "window", window);
	answer_share(to, "share", b->busy, window ? window : 1);
	answer_u64(to, "most at once", b->most);
	if (b->sweep.late)
		answer_u64(to, "reported too late", b->sweep.late);
	return ret;
}

static void busy_destroy(void *data)
{
	struct busy *b = data;

	sweep_free(&b->sweep);
}

DEFINE_TRACER(busy) = {
	.abi = TRACER_ABI,
	.name = "busy",
	.sentence = "how long at least one task went on",
	.size = sizeof(struct busy),
	.init = busy_init,
	.start = sweep_start,
	.end = busy_end,
	.oldest = sweep_oldest,
	.answer = busy_answer,
	.destroy = busy_destroy,
};
