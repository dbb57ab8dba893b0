// SPDX-License-Identifier: GPL-2.0-only
/* Of which CPUs something is known: see known.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer/answer.h"
#include "sums/known.h"
#include "world/sight.h"

static struct report_known_cpu *cpu_of(struct report_known *k, const struct world_item *it)
{
	u32 i = world_cpu_index(k->world, it->cpu);

	return i < k->nr ? &k->cpus[i] : NULL;
}

static void on_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report_known *k = data;

	k->begin = it->ns;
}

static void on_gap_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report_known_cpu *cpu = cpu_of(data, it);

	if (cpu)
		cpu->gap = it->ns;
}

static void on_gap_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report_known_cpu *cpu = cpu_of(data, it);

	if (cpu && sight_hides(it->gap, EV_BIT(sched_switch)))
		cpu->blind += it->ns - cpu->gap;
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct report_known *k = data;
	u64 length = it->ns - k->begin;
	u32 i;

	for (i = 0; i < k->nr; i++)
		k->cpus[i].missing = k->cpus[i].blind &&
				     k->cpus[i].blind >= length - length / REPORT_SEEN;
}

int report_known_attach(struct report_known *k, struct world *w)
{
	static const struct hook_use uses[] = {
		{ WORLD_CAPTURE_BEGIN, on_begin },
		{ WORLD_GAP_BEGIN, on_gap_begin },
		{ WORLD_GAP_END, on_gap_end },
		{ WORLD_CAPTURE_END, on_end },
	};
	u32 i;

	k->cpus = calloc(w->nr_cpus, sizeof(*k->cpus));
	if (!k->cpus)
		return -ENOMEM;
	k->world = w;
	k->nr = w->nr_cpus;
	for (i = 0; i < k->nr; i++) {
		k->cpus[i].nr = w->cpus[i].nr;
		k->cpus[i].elsewhere = w->cpus[i].elsewhere;
	}
	return hook_attach_all(&w->hooks, uses, ARRAY_SIZE(uses), k);
}

static bool is_one(const struct report_known_cpu *cpu, bool known)
{
	return !cpu->elsewhere && cpu->missing != known;
}

u32 report_known_count(const struct report_known *k, bool known)
{
	u32 i, count = 0;

	for (i = 0; i < k->nr; i++)
		count += is_one(&k->cpus[i], known);
	return count;
}

/* From a CPU that is one on: the last one of those whose numbers follow each other. */
static u32 end_of_range(const struct report_known *k, u32 i, bool known)
{
	while (i + 1 < k->nr && k->cpus[i + 1].nr == k->cpus[i].nr + 1 &&
	       is_one(&k->cpus[i + 1], known))
		i++;
	return i;
}

const char *report_known_text(const struct report_known *k, bool known,
			      char text[REPORT_CPUS_TEXT])
{
	u32 count = report_known_count(k, known), i, last;
	int len = snprintf(text, REPORT_CPUS_TEXT, "CPU%s", count == 1 ? "" : "s");
	const char *before = " ";

	for (i = 0; i < k->nr && len < REPORT_CPUS_TEXT; i++) {
		if (!is_one(&k->cpus[i], known))
			continue;
		last = end_of_range(k, i, known);
		len += snprintf(text + len, REPORT_CPUS_TEXT - len, "%s%u", before, k->cpus[i].nr);
		if (last > i && len < REPORT_CPUS_TEXT)
			len += snprintf(text + len, REPORT_CPUS_TEXT - len, "-%u",
					k->cpus[last].nr);
		before = ",";
		i = last;
	}
	if (len >= REPORT_CPUS_TEXT)
		snprintf(text, REPORT_CPUS_TEXT, "%u of %u CPUs", count,
			 report_known_count(k, true) + report_known_count(k, false));
	return text;
}

bool report_known_sum(const struct report_known *k, u64 sum)
{
	return sum || !report_known_count(k, false);
}

static void write_missing(const struct report_known *k, struct tracer_answer *to)
{
	u32 i;

	answer_table(to, "unknown CPUs", "");
	for (i = 0; i < k->nr; i++) {
		if (!is_one(&k->cpus[i], false))
			continue;
		answer_row(to);
		answer_u64(to, "cpu", k->cpus[i].nr);
	}
	answer_table_end(to);
}

void report_known_write(const struct report_known *k, bool json, struct tracer_answer *to)
{
	char unknown[REPORT_CPUS_TEXT], known[REPORT_CPUS_TEXT];
	char text[2 * REPORT_CPUS_TEXT + 80];
	size_t len;

	if (!report_known_count(k, false))
		return;
	report_known_text(k, false, unknown);
	report_known_text(k, true, known);
	len = snprintf(text, sizeof(text), "%s %s missing", unknown,
		       report_known_count(k, false) == 1 ? "is" : "are");
	if (report_known_count(k, true))
		snprintf(text + len, sizeof(text) - len,
			 "; sums are of %s only, and \"-\" marks what may be more than 0", known);
	answer_text(to, "not known", text);
	if (json)
		write_missing(k, to);
}

void report_known_free(struct report_known *k)
{
	free(k->cpus);
	k->cpus = NULL;
	k->nr = 0;
}
