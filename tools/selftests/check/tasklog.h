/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_TASKLOG_H
#define OVNIK_SELFTESTS_TASKLOG_H

/*
 * Gets all that is reported of tasks, and checks what must be true whatever happened:
 *
 * - Numbers are given once. A place has one kind of tasks. Times do not go back, but for
 *   ends of TASKS_ENDS_LATE.
 * - A thread's runs, waits and unknowns, and its milestones, cover its life without gaps.
 * - Nothing that a thread does goes on when what it is part of has ended.
 * - In the end all has ended.
 *
 *	tasklog_attach(&log, tasks);
 *	...
 *	tasklog_finish(&log);
 *	if (log.nr_wrong)
 *		puts(log.wrong);
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/tasks.h"
#include "../fixture/replay.h"

#define TASKLOG_WRONG_MAX	256

/**
 * struct tasklog_task - What was reported of a task.
 * @task: at its start, then at its end; @where is valid, @what a copy
 * @ended: its end was reported
 * @children: tasks of its thread that are part of it and go on
 * @covered: its runs, waits and unknowns so far cover the time up to here
 * @segments: how many of them there were
 * @last: its last milestone
 * @sum: of the runs, waits and unknowns of it, by kind
 */
struct tasklog_task {
	struct trace_task task;
	bool ended;
	u32 children;
	u64 covered;
	u64 segments;
	u64 last;
	u64 sum[TASKS_NR_KINDS];
};

/**
 * struct tasklog - What was reported.
 * @tasks: by id
 * @nr: length of @tasks: ids are below it
 * @room: entries allocated at @tasks
 * @kinds_of: by number of a place: kind of its tasks, plus 1
 * @nr_places: length of @kinds_of
 * @last_mark: number of the last tag or milestone
 * @now: latest time that was reported
 * @count: tasks, by kind
 * @nr_tags: tags
 * @nr_milestones: milestones
 * @nr_losses: losses
 * @nr_wrong: how much was not true
 * @wrong: what came first
 * @lines: all that is reported, if it is not NULL
 */
struct tasklog {
	struct tasklog_task *tasks;
	u64 nr;
	u64 room;
	u16 *kinds_of;
	u32 nr_places;
	u64 last_mark;
	u64 now;
	u64 count[TASKS_NR_KINDS];
	u64 nr_tags;
	u64 nr_milestones;
	u64 nr_losses;
	u64 nr_wrong;
	char wrong[TASKLOG_WRONG_MAX];
	FILE *lines;
};

#define TASKLOG_CHECK(log, task, what)						\
do {										\
	if (!(what) && !(log)->nr_wrong++)					\
		snprintf((log)->wrong, TASKLOG_WRONG_MAX, "line %d: %s: %s %llu (%s)", \
			 __LINE__, #what, tasks_kind_names[(task)->kind], (task)->id, \
			 (task)->where);						\
} while (0)

static inline struct tasklog_task *tasklog_find(const struct tasklog *log, u64 id)
{
	if (!id || id >= log->nr || !log->tasks[id].task.id)
		return NULL;
	return &log->tasks[id];
}

static inline bool tasklog_is_segment(const struct trace_task *task)
{
	return task->kind == TASKS_RUN || task->kind == TASKS_WAIT || task->kind == TASKS_UNKNOWN;
}

/* What must end before its parent does. */
static inline bool tasklog_is_part(const struct trace_task *task)
{
	switch (task->kind) {
	case TASKS_PROCESS:
	case TASKS_FILE:
	case TASKS_PAGE:
		return false;
	}
	return true;
}

static inline struct tasklog_task *tasklog_room(struct tasklog *log, u64 id)
{
	u64 room = log->room ? log->room : 1024;

	while (id >= room)
		room *= 2;
	if (room > log->room) {
		log->tasks = realloc(log->tasks, room * sizeof(*log->tasks));
		if (!log->tasks)
			abort();
		memset(log->tasks + log->room, 0, (room - log->room) * sizeof(*log->tasks));
		log->room = room;
	}
	if (id >= log->nr)
		log->nr = id + 1;
	return &log->tasks[id];
}

static inline void tasklog_place(struct tasklog *log, const struct trace_task *task)
{
	u32 nr = log->nr_places, id = task->where_id;

	TASKLOG_CHECK(log, task, id > 0);
	if (id >= nr) {
		log->nr_places = 2 * id;
		log->kinds_of = realloc(log->kinds_of, log->nr_places * sizeof(*log->kinds_of));
		if (!log->kinds_of)
			abort();
		memset(log->kinds_of + nr, 0, (log->nr_places - nr) * sizeof(*log->kinds_of));
	}
	if (!log->kinds_of[id])
		log->kinds_of[id] = task->kind + 1;
	TASKLOG_CHECK(log, task, log->kinds_of[id] == task->kind + 1);
}

/* Of a wait for a CPU: in whose run queue; of one that was ended: by whom, as TID:TASK. */
static inline void tasklog_wait(FILE *f, const struct trace_task *task)
{
	const struct trace_waker *by = &task->waker;

	if (task->code <= TASKS_WAIT_QUEUE_LAST && task->queue_cpu != TRACE_NO_CPU)
		fprintf(f, " queue %u", task->queue_cpu);
	if (by->kind == TRACE_WAKER_INTERRUPT)
		fprintf(f, " waker interrupt");
	if (by->kind == TRACE_WAKER_THREAD)
		fprintf(f, " waker %u:%llu", by->tid, by->thread);
}

/* Of a fault that has ended: a word for what it hit, and where. */
static inline void tasklog_hit(FILE *f, const struct trace_task *task)
{
	const char *memory = task->memory < TRACE_MEMORY_UNMAPPED ?
			     tasks_memory_texts[task->memory] :
			     task->memory == TRACE_MEMORY_UNMAPPED ? "nothing" : "unknown";

	fprintf(f, " memory %s", memory);
	if (task->address != OVNIK_NO_ADDRESS)
		fprintf(f, " address %llx", task->address);
}

/* Pairs of a name and a value, of what is not 0. */
static inline void tasklog_details(FILE *f, const struct trace_task *task)
{
	static const char *const caches[] = {
		[TRACE_CACHE_HIT] = "hit", [TRACE_CACHE_MISS] = "miss",
	};

	if (task->tid)
		fprintf(f, " tid %u", task->tid);
	if (task->bytes || task->result)
		fprintf(f, " bytes %llu result %lld", task->bytes, task->result);
	if (task->file.ino || task->file.dev)
		fprintf(f, " file %u:%u:%llu", OVNIK_DEV_MAJOR(task->file.dev),
			OVNIK_DEV_MINOR(task->file.dev), task->file.ino);
	if (task->kind == TASKS_CALL)
		fprintf(f, " way %s", task->write ? "write" : "read");
	if (task->cache)
		fprintf(f, " cache %s", caches[task->cache]);
	if (task->cows)
		fprintf(f, " cows %u", task->cows);
	if (task->migrations)
		fprintf(f, " migrations %u", task->migrations);
	if (task->kind == TASKS_WAIT)
		tasklog_wait(f, task);
	if (task->kind == TASKS_FAULT)
		tasklog_hit(f, task);
}

static inline void tasklog_line(struct tasklog *log, const char *what,
				const struct trace_task *task)
{
	if (!log->lines)
		return;
	fprintf(log->lines, "%s %s %llu of %llu %s \"%s\" %llu-%llu cpu %u%s%s%s", what,
		tasks_kind_names[task->kind], task->id, task->parent, task->where, task->what,
		task->start, task->end, task->cpu, task->flags & TRACE_EARLY ? " early" : "",
		task->flags & TRACE_OPEN ? " open" : "", task->flags & TRACE_UNCERTAIN ? " doubt" : "");
	if (task->flags & TRACE_EITHER)
		fprintf(log->lines, " either");
	tasklog_details(log->lines, task);
	fprintf(log->lines, "\n");
}

static inline void tasklog_parent(struct tasklog *log, const struct trace_task *task)
{
	struct tasklog_task *parent = tasklog_find(log, task->parent);

	if (!task->parent)
		return;
	TASKLOG_CHECK(log, task, parent);
	if (!parent)
		return;
	TASKLOG_CHECK(log, task, !parent->ended);
	TASKLOG_CHECK(log, task, parent->task.start <= task->start);
	parent->children += tasklog_is_part(task);
}

static inline void tasklog_start(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct tasklog *log = data;
	struct tasklog_task *seen, *thread;

	tasklog_line(log, "start", task);
	seen = tasklog_room(log, task->id);
	TASKLOG_CHECK(log, task, task->id && !seen->task.id);
	TASKLOG_CHECK(log, task, task->kind < TASKS_NR_KINDS && task->what && task->where);
	TASKLOG_CHECK(log, task, !task->end);
	TASKLOG_CHECK(log, task, !(task->flags & (TRACE_OPEN | TRACE_UNCERTAIN)));
	tasklog_place(log, task);
	tasklog_parent(log, task);
	seen->task = *task;
	seen->task.what = strdup(task->what);
	seen->covered = task->start;
	seen->last = task->start;
	log->count[task->kind]++;
	log->now = task->start > log->now ? task->start : log->now;
	thread = tasklog_find(log, task->thread_task);
	if (thread && tasklog_is_segment(task)) {
		TASKLOG_CHECK(log, task, thread->covered == task->start);
		thread->segments++;
		/* Nothing but its end may follow. */
		thread->covered = 0;
	}
}

static inline void tasklog_end(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct tasklog *log = data;
	struct tasklog_task *seen = tasklog_find(log, task->id), *other;
	bool whole;

	tasklog_line(log, "end", task);
	TASKLOG_CHECK(log, task, seen && !seen->ended);
	if (!seen || seen->ended)
		return;
	TASKLOG_CHECK(log, task, task->end >= task->start);
	TASKLOG_CHECK(log, task, task->start == seen->task.start);
	TASKLOG_CHECK(log, task, task->where == seen->task.where);
	TASKLOG_CHECK(log, task, task->parent == seen->task.parent);
	TASKLOG_CHECK(log, task, !seen->children);
	TASKLOG_CHECK(log, task, seen->last <= task->end);
	TASKLOG_CHECK(log, task, task->end >= log->now || TASKS_ENDS_LATE >> task->kind & 1);
	log->now = task->end > log->now ? task->end : log->now;
	whole = task->kind == TASKS_THREAD && seen->segments;
	TASKLOG_CHECK(log, task, !whole || seen->covered == task->end);
	TASKLOG_CHECK(log, task, !whole || seen->sum[TASKS_RUN] + seen->sum[TASKS_WAIT] +
		      seen->sum[TASKS_UNKNOWN] == task->end - task->start);
	TASKLOG_CHECK(log, task, !whole || seen->last == task->end);
	free((char *)seen->task.what);
	seen->task = *task;
	seen->task.what = strdup(task->what);
	seen->ended = true;
	other = tasklog_find(log, task->parent);
	if (other)
		other->children -= tasklog_is_part(task);
	other = tasklog_find(log, task->thread_task);
	if (other && tasklog_is_segment(task)) {
		other->covered = task->end;
		other->sum[task->kind] += task->end - task->start;
	}
}

static inline void tasklog_tag(void *data, const struct hook_ctx *ctx)
{
	const struct trace_tag *tag = ctx->item;
	struct tasklog *log = data;
	struct tasklog_task *seen = tasklog_find(log, tag->task->id);

	if (log->lines)
		fprintf(log->lines, "tag %s %llu \"%s\" %llu\n", tasks_kind_names[tag->task->kind],
			tag->task->id, tag->what, tag->time);
	log->nr_tags++;
	TASKLOG_CHECK(log, tag->task, seen && !seen->ended);
	TASKLOG_CHECK(log, tag->task, tag->id == log->last_mark + 1);
	TASKLOG_CHECK(log, tag->task, tag->time >= tag->task->start);
	log->last_mark = tag->id;
}

static inline void tasklog_milestone(void *data, const struct hook_ctx *ctx)
{
	const struct trace_milestone *milestone = ctx->item;
	const struct trace_task *task = milestone->task;
	struct tasklog *log = data;
	struct tasklog_task *seen = tasklog_find(log, task->id);

	if (log->lines)
		fprintf(log->lines, "milestone %s %llu %s \"%s\" %llu\n",
			tasks_kind_names[task->kind], task->id, milestone->kind, milestone->what,
			milestone->time);
	log->nr_milestones++;
	TASKLOG_CHECK(log, task, milestone->id == log->last_mark + 1);
	log->last_mark = milestone->id;
	TASKLOG_CHECK(log, task, seen && !seen->ended);
	if (!seen)
		return;
	TASKLOG_CHECK(log, task, milestone->time > seen->last);
	seen->last = milestone->time;
}

static inline void tasklog_loss(void *data, const struct hook_ctx *ctx)
{
	const struct trace_loss *loss = ctx->item;
	struct tasklog *log = data;

	if (log->lines)
		fprintf(log->lines, "loss CPU %u %llu-%llu %s %llu %s\n", loss->cpu, loss->start,
			loss->end, loss->event ? loss->event : "?", loss->lost, loss->why);
	log->nr_losses++;
	if (loss->end < loss->start && !log->nr_wrong++)
		snprintf(log->wrong, TASKLOG_WRONG_MAX, "a loss goes back in time");
}

/* @log is zeroed, but for what the caller wants of it. Return: 0, -ENOMEM. */
static inline int tasklog_attach(struct tasklog *log, struct tasks *tasks)
{
	static const hook_fn fns[TASKS_NR_POSITIONS] = {
		[TASKS_AT_START] = tasklog_start,
		[TASKS_AT_END] = tasklog_end,
		[TASKS_AT_TAG] = tasklog_tag,
		[TASKS_AT_MILESTONE] = tasklog_milestone,
		[TASKS_AT_LOSS] = tasklog_loss,
	};
	int ret = 0;
	u32 i;

	for (i = 0; i < TASKS_NR_POSITIONS && !ret; i++)
		ret = hook_attach(tasks_hooks(tasks), i, fns[i], log);
	return ret;
}

/* The capture has ended. */
static inline void tasklog_finish(struct tasklog *log)
{
	u64 id;

	for (id = 1; id < log->nr; id++) {
		const struct tasklog_task *seen = &log->tasks[id];

		if (seen->task.id)
			TASKLOG_CHECK(log, &seen->task, seen->ended);
	}
}

/* Hear all of a capture, or what of it is in @kinds. Return: 0 or a negative errno. */
static inline int tasklog_capture(struct tasklog *log, const char *dir, u32 kinds)
{
	struct tasks *tasks = NULL;
	struct replay r;
	int ret;

	ret = replay_open(&r, dir);
	if (!ret)
		tasks = tasks_create(&r.world, kinds);
	if (!ret)
		ret = tasks ? tasklog_attach(log, tasks) : -ENOMEM;
	if (!ret)
		ret = replay_until(&r, ~0ULL);
	if (!ret)
		ret = world_end(&r.world, r.cap.end);
	if (!ret)
		tasklog_finish(log);
	tasks_destroy(tasks);
	replay_close(&r);
	return ret;
}

static inline void tasklog_free(struct tasklog *log)
{
	u64 id;

	for (id = 1; id < log->nr; id++)
		free((char *)log->tasks[id].task.what);
	free(log->tasks);
	free(log->kinds_of);
	memset(log, 0, sizeof(*log));
}

#endif /* OVNIK_SELFTESTS_TASKLOG_H */
