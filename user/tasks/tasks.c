// SPDX-License-Identifier: GPL-2.0-only
/* Tasks, derived from the world: see tasks.h. */
#include <stdlib.h>

#include "tasks/tasks_priv.h"

static const char *why_missing(u32 causes)
{
	if (causes & (GAP_DAMAGED | GAP_MISSING))
		return "damaged";
	return causes & GAP_LOST ? "lost" : "overwritten";
}

static void on_gap_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks_cpu *cpu = tasks_cpu_of(data, it->cpu);

	cpu->gap = it->ns;
}

static void report_loss(struct tasks *t, struct trace_loss *loss, const char *event, u64 lost)
{
	loss->event = event;
	loss->lost = lost;
	hook_invoke(&t->hooks, TASKS_AT_LOSS, loss);
}

static void report_gap(struct tasks *t, const struct world_item *it, u32 cpu, u64 start)
{
	const struct capture_gap *gap = it->gap;
	struct trace_loss loss = {
		.start = start,
		.end = it->ns,
		.cpu = cpu,
		.why = why_missing(gap->causes),
	};
	u32 i;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (gap->lost[i])
			report_loss(t, &loss, event_name(i), gap->lost[i]);
	}
	if (gap->other || !gap->exact)
		report_loss(t, &loss, NULL, gap->other);
}

static void on_gap_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	report_gap(data, it, it->cpu, tasks_cpu_of(data, it->cpu)->gap);
}

static void on_dump_gap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	report_gap(data, it, TRACE_NO_CPU, it->ns);
}

static int attach_all(struct tasks *t)
{
	static const struct tasks_hook hooks[] = {
		{ WORLD_GAP_BEGIN, on_gap_begin, ~0U },
		{ WORLD_GAP_END, on_gap_end, ~0U },
		{ WORLD_DUMP_GAP, on_dump_gap, ~0U },
	};
	int ret = tasks_attach(t, hooks, ARRAY_SIZE(hooks));

	if (!ret)
		ret = tasks_sched_attach(t);
	if (!ret)
		ret = tasks_call_attach(t);
	if (!ret)
		ret = tasks_page_attach(t);
	if (!ret)
		ret = tasks_mapping_attach(t);
	if (!ret)
		ret = tasks_file_attach(t);
	return ret ? ret : tasks_thread_attach(t);
}

struct tasks *tasks_create(struct world *w, u32 kinds)
{
	struct tasks *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	hookable_init(&t->hooks, tasks_positions, TASKS_NR_POSITIONS, &w->hooks);
	t->world = w;
	t->kinds = kinds;
	t->nr_cpus = w->nr_cpus;
	t->cpus = calloc(w->nr_cpus, sizeof(*t->cpus));
	/* Its unused pages are never touched. */
	t->slots = calloc(TASK_TID_MAX + 1, sizeof(*t->slots));
	if (!t->cpus || !t->slots || hash_init(&t->places) || attach_all(t)) {
		tasks_destroy(t);
		return NULL;
	}
	return t;
}

struct hookable *tasks_hooks(struct tasks *t)
{
	return &t->hooks;
}

static void free_place(struct hash_node *node)
{
	free(container_of(node, struct tasks_place, node));
}

void tasks_destroy(struct tasks *t)
{
	if (!t)
		return;
	tasks_page_destroy(t);
	tasks_mapping_destroy(t);
	tasks_file_destroy(t);
	tasks_thread_destroy(t);
	hash_destroy(&t->places, free_place);
	hookable_destroy(&t->hooks);
	free(t->slots);
	free(t->cpus);
	free(t);
}
