// SPDX-License-Identifier: GPL-2.0-only
/* What happened, summed up by process, file and CPU: see report.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/report.h"
#include "world/sight.h"
#include "world/task.h"

/*
 * The worst waits in run queues, and the processes that ran during them on the CPU in whose run
 * queue the thread was. If it is not known of a whole wait who ran, nothing is reported about it.
 */

static void add_run(void *data, void *who, u64 ns)
{
	struct report_process *p = who;
	struct report_wait *wait = data;

	wait->processes += !p->in_wait;
	p->in_wait += ns;
	wait->ran += ns;
	if (p->in_wait > wait->most_ns) {
		wait->most = p;
		wait->most_ns = p->in_wait;
	}
}

static void forget_run(void *data, void *who, u64 ns)
{
	struct report_process *p = who;

	(void)data;
	(void)ns;
	p->in_wait = 0;
}

static void who_ran(const struct report *r, struct report_wait *wait, u64 from, u64 to)
{
	const struct report_cpu *cpu = report_cpu_of(r, wait->on);
	struct report_wait seen = *wait;

	if (!cpu || r->filtered)
		return;
	seen.known = sums_runs_within(&cpu->runs, from, to, add_run, &seen) == from;
	sums_runs_within(&cpu->runs, from, to, forget_run, NULL);
	if (seen.known)
		*wait = seen;
}

/* The worst first; of equals, the one that began first. */
static void insert(struct report *r, const struct report_wait *wait)
{
	unsigned int i = r->nr_waits;

	if (i == r->max_waits)
		i--;
	else
		r->nr_waits++;
	for (; i && r->waits[i - 1].ns < wait->ns; i--)
		r->waits[i] = r->waits[i - 1];
	r->waits[i] = *wait;
}

static void report_queue_finish(struct report *r)
{
	if (r->ended.process)
		insert(r, &r->ended);
	r->ended.process = NULL;
}

/* Threads of the recorder may have waited before its leader was seen. */
void report_queue_end(struct report *r)
{
	unsigned int i, nr = 0;

	report_queue_finish(r);
	for (i = 0; i < r->nr_waits; i++) {
		if (!r->waits[i].process->recorder)
			r->waits[nr++] = r->waits[i];
	}
	r->nr_waits = nr;
}

/* A wait in a run queue has ended. */
static void report_queue_waited(struct report *r, struct report_process *process,
				const struct trace_task *task)
{
	u64 ns = task->end - task->start;

	report_queue_finish(r);
	if (!ns || process->recorder)
		return;
	if (r->nr_waits == r->max_waits && ns <= r->waits[r->nr_waits - 1].ns)
		return;
	r->ended = (struct report_wait){
		.ns = ns, .start = task->start - r->begin, .process = process,
		.tid = task->tid, .why = task->code, .on = -1,
	};
	r->ended_at = task->end;
	r->ended_in = task->queue_cpu;
	r->ended_thread = task->thread_task;
}

/* A process has got a CPU. */
static void report_queue_run(struct report *r, const struct trace_task *task)
{
	struct report_cpu *cpu = report_cpu_of(r, task->cpu);

	if (r->ended.process && r->ended_thread == task->thread_task &&
	    r->ended_at == task->start) {
		r->ended.on = r->ended_in;
		who_ran(r, &r->ended, r->ended_at - r->ended.ns, r->ended_at);
		report_queue_finish(r);
	}
	if (cpu)
		sums_runs_begin(&cpu->runs, report_process_of(r, task), task->start);
}

struct report_process *report_process_of(struct report *r, const struct trace_task *task)
{
	struct idmap_slot *slot;

	if (likely(task->tgid_task == r->last_id))
		return r->last;
	slot = idmap_get(&r->processes, task->tgid_task);
	if (!slot)
		return NULL;
	r->last = slot->ptr;
	r->last_id = task->tgid_task;
	return r->last;
}

static void set_name(struct report_process *p, const char *name)
{
	strncpy(p->name, name, OVNIK_COMM_LEN - 1);
}

/*
 * The world forgets a task only after its thread has ended. Of processes that somebody has chosen,
 * it is enough that no record calls them a kernel thread.
 */
static bool is_program(const struct report *r, const struct trace_task *task)
{
	const struct world_task *thread = task_find(&r->world->tasks, task->tid);

	return thread && (thread->program || (r->filtered && !thread->kthread));
}

static void new_thread(struct report *r, const struct trace_task *task)
{
	struct report_process *p = report_process_of(r, task);

	if (!p) {
		r->loose++;
		return;
	}
	if (!p->sum.threads++ || task->tid == task->pid)
		p->recorder = recorder_is(&r->recorder, r->world, task);
}

static int new_process(struct report *r, const struct trace_task *task)
{
	struct report_process *p = calloc(1, sizeof(*p));
	struct idmap_slot *slot = idmap_put(&r->processes, task->id);

	if (!p || !slot) {
		if (slot)
			idmap_del(&r->processes, slot);
		free(p);
		return -ENOMEM;
	}
	slot->ptr = p;
	p->number = r->processes.nr;
	p->sum.processes = 1;
	p->pid = task->pid;
	p->start = task->start - r->begin;
	set_name(p, task->what);
	return 0;
}

static void on_start(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct report *r = data;
	int ret = 0;

	switch (task->kind) {
	case TASKS_PROCESS:
		ret = new_process(r, task);
		break;
	case TASKS_THREAD:
		new_thread(r, task);
		break;
	case TASKS_RUN:
		report_queue_run(r, task);
		break;
	case TASKS_FILE:
		ret = report_file_open(&r->files, &task->file, task->what);
		break;
	}
	if (ret)
		hook_fail(ctx->domain, ret);
}

static int ran(struct report *r, struct report_process *p, const struct trace_task *task)
{
	struct report_cpu *cpu = report_cpu_of(r, task->cpu);

	if (!cpu)
		return 0;
	sums_add(&cpu->sum, task, false);
	return sums_runs_end(&cpu->runs, p, task->start, task->end);
}

static int called(struct report *r, struct report_process *p, const struct trace_task *task)
{
	struct report_file *file;

	/* The file is known only at the end. */
	if (task->flags & (TRACE_OPEN | TRACE_UNCERTAIN))
		return 0;
	file = report_file_get(&r->files, &task->file);
	if (!file)
		return -ENOMEM;
	sums_add_call(&file->io, task, p->recorder, true);
	file->own += p->recorder;
	return 0;
}

/* When others run and wait is not known. */
static bool is_covered(const struct report *r, const struct trace_task *task)
{
	return task->kind == TASKS_RUN || task->kind == TASKS_WAIT ||
	       sight_covers(r->world, task->tid, task->pid);
}

static int ended(struct report *r, struct report_process *p, const struct trace_task *task)
{
	if (r->filtered && !p->covered)
		p->covered = is_covered(r, task);
	sums_add(&p->sum, task, p->recorder);
	switch (task->kind) {
	case TASKS_PROCESS:
		p->end = task->end - r->begin;
		if (p->recorder)
			strcpy(p->name, REPORT_RECORDER);
		else
			set_name(p, task->what);
		return 0;
	case TASKS_RUN:
		return ran(r, p, task);
	case TASKS_WAIT:
		if (task->code <= TASKS_WAIT_QUEUE_LAST)
			report_queue_waited(r, p, task);
		return 0;
	case TASKS_FAULT:
		r->uncertain += !!(task->flags & TRACE_UNCERTAIN);
		return 0;
	case TASKS_CALL:
		r->uncertain += !!(task->flags & TRACE_UNCERTAIN);
		return called(r, p, task);
	}
	return 0;
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct report_process *p;
	struct report *r = data;
	int ret;

	if (!(REPORT_KINDS >> task->kind & 1))
		return;
	if (task->kind == TASKS_FILE) {
		report_file_close(&r->files, &task->file);
		return;
	}
	p = report_process_of(r, task);
	/* Only the statedump may say so, and it may come after its first run. */
	if (p && task->kind == TASKS_THREAD)
		p->program |= is_program(r, task);
	ret = p ? ended(r, p, task) : 0;
	if (ret)
		hook_fail(ctx->domain, ret);
}

int report_attach_tasks(struct report *r, struct hookable *tasks)
{
	static const struct hook_use hooks[] = {
		{ TASKS_AT_START, on_start },
		{ TASKS_AT_END, on_end },
	};

	return hook_attach_all(tasks, hooks, ARRAY_SIZE(hooks), r);
}
