// SPDX-License-Identifier: GPL-2.0-only
/* How long a task lasts: the average, and how far tasks differ from it. */
#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/sum.h"
#include "util/types.h"

/*
 * A histogram of any 64-bit values in constant memory. Values below 256 have a bucket
 * each; above, each power of two has 128 buckets of the same width. So a value and the
 * last of its bucket differ by less than 1/128 of the value.
 */

#define HIST_SUB	128	/* buckets of a power of two */
#define HIST_BUCKETS	(2 * HIST_SUB + 56 * HIST_SUB)

/**
 * struct hist - A histogram. All zero is empty.
 * @nr: values
 * @counts: per bucket
 */
struct hist {
	u64 nr;
	u64 counts[HIST_BUCKETS];
};

/**
 * hist_add() - Add a value.
 * @h: the histogram
 * @value: the value
 *
 * Context: Any.
 */
static inline void hist_add(struct hist *h, u64 value)
{
	unsigned int shift = value < 2 * HIST_SUB ? 0 : 56 - __builtin_clzll(value);

	h->nr++;
	h->counts[shift * HIST_SUB + (value >> shift)]++;
}

/**
 * hist_last() - The last value of a bucket.
 * @i: its number
 *
 * Context: Any.
 * Return: the value.
 */
static inline u64 hist_last(unsigned int i)
{
	unsigned int shift = i < 2 * HIST_SUB ? 0 : i / HIST_SUB - 1;

	return ((u64)(i - shift * HIST_SUB + 1) << shift) - 1;
}

/* A value that is not less than a share of the values. */
static u64 hist_percentile(const struct hist *h, u64 permyriad)
{
	u64 rank = (h->nr / 10000) * permyriad + (h->nr % 10000 * permyriad + 9999) / 10000;
	u64 seen = 0;
	unsigned int i;

	if (!h->nr)
		return 0;
	for (i = 0; i < HIST_BUCKETS - 1; i++) {
		seen += h->counts[i];
		if (seen >= rank && seen)
			break;
	}
	return hist_last(i);
}

/**
 * struct average - Durations.
 * @sum: of all
 * @min: the least one
 * @max: the largest one
 * @open: tasks that had not ended when the capture did: they lasted longer
 * @uncertain: tasks whose end is uncertain: they may have lasted longer
 * @hist: all durations
 */
struct average {
	__uint128_t sum;
	u64 min;
	u64 max;
	u64 open;
	u64 uncertain;
	struct hist hist;
};

static int average_end(void *data, const struct trace_task *task)
{
	struct average *a = data;
	u64 ns = lasts(task);

	if (!a->hist.nr || ns < a->min)
		a->min = ns;
	if (ns > a->max)
		a->max = ns;
	a->open += !!(task->flags & TRACE_OPEN);
	a->uncertain += !!(task->flags & TRACE_UNCERTAIN);
	a->sum += ns;
	hist_add(&a->hist, ns);
	return 0;
}

/* The end of a bucket can be beyond the largest value. */
static u64 percentile(const struct average *a, u64 permyriad)
{
	u64 value = hist_percentile(&a->hist, permyriad);

	return value < a->max ? value : a->max;
}

static void answer_histogram(const struct average *a, struct tracer_answer *to)
{
	u64 from = 0, below = 1, n;
	unsigned int i = 0;

	answer_table(to, "histogram", "from,below,tasks");
	while (i < HIST_BUCKETS) {
		for (n = 0; i < HIST_BUCKETS && hist_last(i) < below; i++)
			n += a->hist.counts[i];
		if (n) {
			answer_row(to);
			answer_ns(to, "from", from);
			answer_ns(to, "below", below);
			answer_u64(to, "tasks", n);
		}
		from = below;
		below = below > (u64)-1 / 2 ? (u64)-1 : 2 * below;
		if (from == (u64)-1)
			break;
	}
	answer_table_end(to);
}

static void answer_times(const struct average *a, struct tracer_answer *to)
{
	answer_ns(to, "average", sum_u64(a->sum / a->hist.nr));
	answer_ns(to, "min", a->min);
	answer_ns(to, "max", a->max);
	answer_ns(to, "p50", percentile(a, 5000));
	answer_ns(to, "p90", percentile(a, 9000));
	answer_ns(to, "p99", percentile(a, 9900));
	answer_ns(to, "p99.9", percentile(a, 9990));
}

static int average_answer(void *data, struct tracer_answer *to)
{
	const struct average *a = data;

	answer_u64(to, "tasks", a->hist.nr);
	answer_u64(to, "open", a->open);
	answer_u64(to, "in doubt", a->uncertain);
	/* Nothing has no average. */
	if (a->hist.nr)
		answer_times(a, to);
	answer_histogram(a, to);
	return 0;
}

DEFINE_TRACER(average) = {
	.abi = TRACER_ABI,
	.name = "average",
	.sentence = "how long a task lasts: average, percentiles, histogram",
	.flags = TRACER_WHOLE | TRACER_ALIKE,
	.size = sizeof(struct average),
	.end = average_end,
	.answer = average_answer,
};
