// SPDX-License-Identifier: GPL-2.0-only
/* Helpers for all files of the builder: tags, parents, places, hooks. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

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
	return task->id && tasks_is_reported(t, task);
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
