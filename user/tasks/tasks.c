// SPDX-License-Identifier: GPL-2.0-only
/* Tasks, derived from the world: see tasks.h. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/tasks_priv.h"

#define TAG_MAX	(PATH_MAX + 64)

#define POSITION_ROW(id, pname, psentence) \
	[TASKS_AT_##id] = { .name = #pname, .sentence = psentence },
#define KIND_NAME(id, name, sentence) [TASKS_##id] = #name,

const struct hook_position tasks_positions[TASKS_NR_POSITIONS] = {
	TASKS_POSITIONS(POSITION_ROW)
};

const char *const tasks_kind_names[TASKS_NR_KINDS] = {
	TASKS_KINDS(KIND_NAME)
};

void tasks_tag(struct tasks *t, const struct trace_task *task, u64 ns, const char *fmt, ...)
{
	char text[TAG_MAX];
	struct trace_tag item = { .task = task, .time = ns, .what = text };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	item.id = ++t->next_mark;
	hook_invoke(&t->hooks, TASKS_AT_TAG, &item);
}

static inline bool goes_on(const struct tasks *t, const struct trace_task *task)
{
	return task->id && tasks_told(t, task);
}

static inline bool is_of_process(enum tasks_kind kind)
{
	return kind == TASKS_THREAD || kind == TASKS_FILE || kind == TASKS_MAPPING;
}

u64 tasks_parent_of(const struct tasks *t, const struct tasks_thread *th, enum tasks_kind kind)
{
	bool waits = kind == TASKS_WAIT || kind == TASKS_REQ_OUT;

	if (waits && goes_on(t, &th->fault.task))
		return th->fault.task.id;
	if ((waits || kind == TASKS_FAULT) && goes_on(t, &th->call.task))
		return th->call.task.id;
	if (is_of_process(kind))
		return t->kinds & KIND_BIT(PROCESS) ? th->process->task.id : 0;
	return th->self;
}

void tasks_place_of(struct tasks *t, struct tasks_thread *th, struct trace_task *task)
{
	bool of_process = task->kind == TASKS_FILE || task->kind == TASKS_MAPPING;

	th->places[task->kind] = tasks_place(t, task, task->kind, th->task.pid,
					     of_process ? 0 : th->task.tid);
}

void tasks_begin_of(struct tasks *t, struct tasks_thread *th, struct trace_task *task,
		    enum tasks_kind kind, const struct world_item *it)
{
	*task = (struct trace_task){
		.parent = tasks_parent_of(t, th, kind),
		.start = it->ns,
		.kind = kind,
		.cpu = it->cpu,
		.pid = th->task.pid,
		.tid = th->task.tid,
		.tgid_task = th->process->task.id,
		.thread_task = th->task.id,
	};
	tasks_be_at(t, th, task);
}

struct tasks_cpu *tasks_cpu_of(const struct tasks *t, u32 nr)
{
	u32 i;

	if (likely(nr < t->nr_cpus && t->world->cpus[nr].nr == nr))
		return &t->cpus[nr];
	for (i = 0; i < t->nr_cpus; i++) {
		if (t->world->cpus[i].nr == nr)
			return &t->cpus[i];
	}
	return NULL;
}

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

static void tell_loss(struct tasks *t, struct trace_loss *loss, const char *event, u64 lost)
{
	loss->event = event;
	loss->lost = lost;
	hook_invoke(&t->hooks, TASKS_AT_LOSS, loss);
}

static void on_gap_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct capture_gap *gap = it->gap;
	struct tasks *t = data;
	struct trace_loss loss = {
		.start = tasks_cpu_of(t, it->cpu)->gap,
		.end = it->ns,
		.cpu = it->cpu,
		.why = why_missing(gap->causes),
	};
	u32 i;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (gap->lost[i])
			tell_loss(t, &loss, event_name(i), gap->lost[i]);
	}
	if (gap->other || !gap->exact)
		tell_loss(t, &loss, NULL, gap->other);
}

int tasks_attach(struct tasks *t, const struct tasks_hook *hooks, unsigned int nr)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++) {
		if (hooks[i].kinds & t->kinds)
			ret = hook_attach(&t->world->hooks, hooks[i].position, hooks[i].fn, t);
	}
	return ret;
}

static int attach_all(struct tasks *t)
{
	static const struct tasks_hook hooks[] = {
		{ WORLD_GAP_BEGIN, on_gap_begin, ~0U },
		{ WORLD_GAP_END, on_gap_end, ~0U },
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
	return ret ? ret : tasks_life_attach(t);
}

struct tasks *tasks_create(struct world *w, u32 kinds)
{
	struct tasks *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	hookable_init(&t->hooks, tasks_positions, TASKS_NR_POSITIONS);
	t->world = w;
	t->kinds = kinds;
	t->nr_cpus = w->nr_cpus;
	t->cpus = calloc(w->nr_cpus, sizeof(*t->cpus));
	/* Pages of it that no task needs are never touched. */
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
	tasks_life_destroy(t);
	hash_destroy(&t->places, free_place);
	hookable_destroy(&t->hooks);
	free(t->slots);
	free(t->cpus);
	free(t);
}
