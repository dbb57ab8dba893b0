// SPDX-License-Identifier: GPL-2.0-only
/* How many tasks are open at once. */
#include <errno.h>
#include <stdlib.h>

#include "output/tracers/args.h"
#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/sweep.h"

#define STEPS		20
#define STEPS_MAX	100000
#define LEVELS_EACH	17		/* 0 to 16: one by one */
#define LEVELS		(LEVELS_EACH + 60)

/**
 * struct curve_step - A part of the window.
 * @area: ns that its tasks went on there, together
 * @max: how many there were at once
 */
struct curve_step {
	__uint128_t area;
	u64 max;
};

/**
 * struct concurrency - How many.
 * @sweep: from stretch to stretch; comes first
 * @begin: of the capture
 * @from: where the window begins
 * @to: where it ends
 * @area: ns that all tasks went on, together
 * @min: least level
 * @max: largest one
 * @levels: ns at levels, see level_index()
 * @steps: the curve
 * @nr_steps: length of @steps
 */
struct concurrency {
	struct sweep sweep;
	u64 begin;
	u64 from;
	u64 to;
	__uint128_t area;
	u64 min;
	u64 max;
	u64 levels[LEVELS];
	struct curve_step *steps;
	u64 nr_steps;
};

/* One by one up to 16; then from one power of two to the next: 17 to 32, 33 to 64. */
static unsigned int level_index(u64 level)
{
	if (level < LEVELS_EACH)
		return level;
	return LEVELS_EACH + 59 - __builtin_clzll(level - 1);
}

static u64 level_last(unsigned int i)
{
	if (i < LEVELS_EACH)
		return i;
	return i < LEVELS - 1 ? 32ULL << (i - LEVELS_EACH) : (u64)-1;
}

/* Where a step begins; the steps differ by 1 ns at most. */
static u64 step_from(const struct concurrency *c, u64 step)
{
	return c->from + (u64)((__uint128_t)(c->to - c->from) * step / c->nr_steps);
}

static u64 step_of(const struct concurrency *c, u64 time)
{
	u64 step = (u64)((__uint128_t)(time - c->from) * c->nr_steps / (c->to - c->from));

	while (step + 1 < c->nr_steps && step_from(c, step + 1) <= time)
		step++;
	return step < c->nr_steps ? step : c->nr_steps - 1;
}

static int stretch(void *data, u64 from, u64 to, u64 level)
{
	struct concurrency *c = data;
	u64 step, until;

	if (level < c->min)
		c->min = level;
	if (level > c->max)
		c->max = level;
	c->levels[level_index(level)] += to - from;
	c->area += (__uint128_t)level * (to - from);
	for (step = step_of(c, from); from < to; step++, from = until) {
		until = step + 1 < c->nr_steps ? step_from(c, step + 1) : to;
		if (until > to)
			until = to;
		c->steps[step].area += (__uint128_t)level * (until - from);
		if (level > c->steps[step].max && until > from)
			c->steps[step].max = level;
	}
	return 0;
}

static int concurrency_parse(void *data, const char *args)
{
	struct concurrency *c = data;
	const struct args_key keys[] = {
		{ .name = "steps", .number = &c->nr_steps, .max = STEPS_MAX },
	};

	c->nr_steps = STEPS;
	return args_parse(args, keys, ARRAY_SIZE(keys));
}

static int concurrency_init(void *data, const struct tracer_run *run)
{
	struct concurrency *c = data;

	c->begin = run->begin;
	c->min = (u64)-1;
	c->from = run->from;
	c->to = run->to;
	sweep_init(&c->sweep, run->from, stretch, c);
	c->steps = calloc(c->nr_steps, sizeof(*c->steps));
	return c->steps ? 0 : -ENOMEM;
}

static void answer_levels(const struct concurrency *c, struct tracer_answer *to)
{
	unsigned int i;

	answer_table(to, "levels", "from,to,time");
	for (i = 0; i < LEVELS; i++) {
		if (!c->levels[i])
			continue;
		answer_row(to);
		answer_u64(to, "from", i ? level_last(i - 1) + 1 : 0);
		answer_u64(to, "to", level_last(i));
		answer_ns(to, "time", c->levels[i]);
	}
	answer_table_end(to);
}

static void answer_curve(const struct concurrency *c, struct tracer_answer *to)
{
	u64 i, from, until;

	answer_table(to, "curve", "from,average,max");
	for (i = 0; i < c->nr_steps && c->to > c->from; i++) {
		from = step_from(c, i);
		until = step_from(c, i + 1);
		answer_row(to);
		answer_ns(to, "from", from - c->begin);
		answer_real(to, "average",
			    until > from ? (double)c->steps[i].area / (until - from) : 0);
		answer_u64(to, "max", c->steps[i].max);
	}
	answer_table_end(to);
}

static int concurrency_answer(void *data, struct tracer_answer *to)
{
	struct concurrency *c = data;
	u64 window = c->to - c->from;
	int ret = sweep_finish(&c->sweep, c->to);

	answer_u64(to, "min", c->min <= c->max ? c->min : 0);
	answer_real(to, "average", window ? (double)c->area / window : 0);
	answer_u64(to, "max", c->max);
	answer_ns(to, "window", window);
	if (c->sweep.late)
		answer_u64(to, "reported too late", c->sweep.late);
	answer_levels(c, to);
	answer_curve(c, to);
	return ret;
}

static void concurrency_destroy(void *data)
{
	struct concurrency *c = data;

	sweep_free(&c->sweep);
	free(c->steps);
}

DEFINE_TRACER(concurrency) = {
	.abi = TRACER_ABI,
	.name = "concurrency",
	.sentence = "how many tasks go on at once: steps=N",
	.size = sizeof(struct concurrency),
	.parse = concurrency_parse,
	.init = concurrency_init,
	.start = sweep_start,
	.end = sweep_end,
	.oldest = sweep_oldest,
	.answer = concurrency_answer,
	.destroy = concurrency_destroy,
};
