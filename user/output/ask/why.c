// SPDX-License-Identifier: GPL-2.0-only
/* Where the time of some processes went, collected: see why.h. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "narrow/narrow.h"
#include "output/ask/why.h"
#include "output/tracers/builtin/sum.h"
#include "world/inventory.h"
#include "world/world.h"

/* Has any other thread than the leader, whose number another process may have had, that name? */
static bool has_thread(const struct inventory *inv, u32 pid, const struct narrow_pick *pick)
{
	u32 i;

	for (i = 0; i < inv->nr_threads; i++) {
		const struct inventory_thread *th = &inv->threads[i];

		if (th->pid == pid && th->tid != pid && narrow_is_named(pick, th->comm))
			return true;
	}
	return false;
}

static bool is_named(const struct why *why, const struct trace_task *task,
		     const struct narrow_pick *pick)
{
	const struct world_task *leader = task_find(&why->world->tasks, task->pid);

	if (leader && narrow_is_named(pick, inventory_name(why->inventory, leader->id)))
		return true;
	return has_thread(why->inventory, task->pid, pick);
}

static void set_asked(const struct why *why, struct why_process *p, const struct trace_task *task)
{
	const struct why_process *parent = idmap_ptr(&why->processes, task->parent);
	unsigned int i;

	p->asked = parent && parent->tree;
	p->tree = p->asked;
	for (i = 0; i < why->about->nr_picks; i++) {
		const struct narrow_pick *pick = &why->about->picks[i];
		bool tree = pick->tree && (pick->pid == p->pid ||
			    (task->flags & TRACE_EARLY &&
			     inventory_descends(why->inventory, p->pid, pick->pid)));

		p->tree |= tree;
		p->asked |= tree || (pick->pid ? pick->pid == p->pid : is_named(why, task, pick));
	}
}

static void set_name(struct why_process *p, const char *name)
{
	strncpy(p->name, name, sizeof(p->name) - 1);
}

static int new_process(struct why *why, const struct trace_task *task)
{
	struct why_process *p = calloc(1, sizeof(*p));

	if (!p || idmap_set(&why->processes, task->id, p)) {
		free(p);
		return -ENOMEM;
	}
	set_name(p, task->what);
	p->pid = task->pid;
	set_asked(why, p, task);
	why->asked += p->asked;
	return 0;
}

static struct why_process *process_of(const struct why *why, const struct trace_task *task)
{
	return idmap_ptr(&why->processes, task->tgid_task);
}

static int new_thread(struct why *why, const struct trace_task *task)
{
	const struct why_process *p = process_of(why, task);
	struct why_thread *th = calloc(1, sizeof(*th));

	if (!th || idmap_set(&why->threads, task->id, th)) {
		free(th);
		return -ENOMEM;
	}
	th->last.process = p;
	th->last.tid = task->tid;
	th->last.code = TASKS_NR_WAITS;
	why->threads_asked += p && p->asked;
	return 0;
}

/* A wait for a CPU of which no run has come. */
static void settle(struct why *why, struct why_thread *th)
{
	if (th->pending)
		report_time(&why->no_cpu, th->queue);
	th->pending = false;
}

static void forget_thread(struct why *why, u64 id)
{
	struct idmap_slot *slot = idmap_get(&why->threads, id);

	if (!slot)
		return;
	free(slot->ptr);
	idmap_del(&why->threads, slot);
}

/* Its last wakeup may come later: see struct tasks_ended. */
static void end_thread(struct why *why, const struct trace_task *task)
{
	struct why_thread *th = idmap_ptr(&why->threads, task->id);
	u64 *oldest = &why->ended[why->nr_ended % WHY_ENDED];

	if (!th)
		return;
	settle(why, th);
	forget_thread(why, *oldest);
	*oldest = task->id;
	why->nr_ended++;
}

static struct why_thread *thread_of(const struct why *why, const struct trace_task *task)
{
	return idmap_ptr(&why->threads, task->thread_task);
}

static struct sums_runs *cpu_of(const struct why *why, u32 nr)
{
	u32 i = world_cpu_index(why->world, nr);

	return i < why->nr_cpus ? &why->cpus[i] : NULL;
}

static void charge(void *data, void *who, u64 ns)
{
	struct why_process *p = who;
	u64 *had = data;

	report_time(&p->before, ns);
	*had += ns;
}

/* A thread got a CPU: who had the one in whose run queue the thread waited? */
static void behind(struct why *why, const struct trace_task *task)
{
	struct why_thread *th = thread_of(why, task);
	const struct sums_runs *cpu = th ? cpu_of(why, th->queue_cpu) : NULL;
	u64 from, known, had = 0;

	if (!th || !th->pending || th->queued != task->start || !cpu)
		return;
	th->pending = false;
	from = th->queued - th->queue;
	known = sums_runs_within(cpu, from, th->queued, charge, &had);
	if (known > from)
		report_time(&why->beyond, known - from);
	if (had < th->queued - known)
		report_time(&why->nobody, th->queued - known - had);
}

/* A process gets a CPU. */
static void runs(struct why *why, const struct trace_task *task)
{
	struct sums_runs *cpu = cpu_of(why, task->cpu);

	if (cpu)
		sums_runs_begin(cpu, process_of(why, task), task->start);
}

/* The first step: who has ended the wait? Return: false if that is not known. */
static bool woken(const struct trace_task *task, const struct why_thread *waker,
		  struct why_step *step)
{
	*step = (struct why_step){ .code = TASKS_NR_WAITS };
	if (task->waker.kind == TRACE_WAKER_NONE)
		return false;
	if (task->cache == TRACE_CACHE_MISS)
		step->place = WHY_CACHE;
	else if (task->waker.kind == TRACE_WAKER_INTERRUPT)
		step->place = WHY_INTERRUPT;
	else if (!waker)
		return false;
	if (step->place)
		return true;
	step->process = waker->last.process;
	step->tid = task->waker.tid;
	return true;
}

/* The others: what has the waker waited for, and who has ended that? */
static void follow(struct why_wait *wait, const struct why_wait *before)
{
	struct why_step *step = &wait->steps[0];

	step->code = before->code;
	step->flags = before->flags;
	step->ns = before->ns;
	step->ended = before->start + before->ns;
	wait->nr += before->nr < WHY_STEPS ? before->nr : WHY_STEPS - 1;
	wait->more = before->more || before->nr == WHY_STEPS;
	memcpy(step + 1, before->steps, (wait->nr - 1) * sizeof(*step));
}

static void on_start(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct why *why = data;
	int ret = 0;

	switch (task->kind) {
	case TASKS_PROCESS:
		ret = new_process(why, task);
		break;
	case TASKS_THREAD:
		ret = new_thread(why, task);
		break;
	case TASKS_FILE:
		ret = report_file_open(&why->files, &task->file, task->what);
		break;
	case TASKS_RUN:
		behind(why, task);
		runs(why, task);
		break;
	}
	if (ret)
		hook_fail(ctx->domain, ret);
}

/* A process has left a CPU. */
static int ran(struct why *why, struct why_process *p, const struct trace_task *task)
{
	struct sums_runs *cpu = cpu_of(why, task->cpu);

	if (p->asked)
		report_time(&why->run, lasts(task));
	return cpu ? sums_runs_end(cpu, p, task->start, task->end) : 0;
}

/* The longest first; of equals, the one that ended first. */
static void keep(struct why *why, const struct why_wait *wait)
{
	unsigned int i = why->nr_longest;

	if (i == WHY_WAITS && wait->ns <= why->longest[i - 1].ns)
		return;
	if (i == WHY_WAITS)
		i--;
	else
		why->nr_longest++;
	for (; i && why->longest[i - 1].ns < wait->ns; i--)
		why->longest[i] = why->longest[i - 1];
	why->longest[i] = *wait;
}

static int blame(struct why *why, const struct why_wait *wait)
{
	const struct why_step *step = &wait->steps[0];
	const struct why_process *by = wait->nr ? step->process : NULL;
	u64 place = wait->nr ? step->place : why_ender(wait);
	u64 key = (by ? (u64)(uintptr_t)by : place) * TASKS_NR_WAITS + wait->code + 1;
	struct why_cause *cause = idmap_ptr(&why->causes, key);

	if (!cause) {
		cause = calloc(1, sizeof(*cause));
		if (!cause || idmap_set(&why->causes, key, cause)) {
			free(cause);
			return -ENOMEM;
		}
		cause->code = wait->code;
		cause->process = by;
		cause->place = place;
	}
	report_time(&cause->times, wait->ns);
	return 0;
}

/* A wait for something has ended. */
static void note_wait(const struct why *why, struct why_wait *wait, const struct trace_task *task)
{
	const struct why_thread *waker = idmap_ptr(&why->threads, task->waker.thread);

	wait->code = task->code;
	wait->flags = task->flags;
	wait->start = task->start;
	wait->ns = lasts(task);
	wait->more = false;
	wait->nr = woken(task, waker, &wait->steps[0]);
	if (!wait->nr || !wait->steps[0].process || waker->last.code == TASKS_NR_WAITS)
		return;
	/* What was over before this wait began is not why it was long. */
	if (waker->last.start + waker->last.ns > wait->start)
		follow(wait, &waker->last);
}

static int waited(struct why *why, const struct why_process *p, const struct trace_task *task)
{
	struct why_thread *th = thread_of(why, task);

	if (p->asked && task->code < TASKS_NR_WAITS)
		report_time(&why->waits[task->code], lasts(task));
	if (!th)
		return 0;
	if (task->code <= TASKS_WAIT_QUEUE_LAST) {
		settle(why, th);
		th->queued = task->end;
		th->queue = lasts(task);
		th->queue_cpu = task->queue_cpu;
		th->pending = p->asked && th->queue;
		return 0;
	}
	note_wait(why, &th->last, task);
	if (!p->asked)
		return 0;
	keep(why, &th->last);
	return blame(why, &th->last);
}

static int called(struct why *why, const struct trace_task *task)
{
	struct report_file *file;

	/* The file is known only at the end. */
	if (task->flags & (TRACE_OPEN | TRACE_UNCERTAIN)) {
		report_time(&why->no_file.time, lasts(task));
		return 0;
	}
	file = report_file_get(&why->files, &task->file);
	if (!file)
		return -ENOMEM;
	report_time(&file->io.time, lasts(task));
	/* Now it is known which file the call in doubt before it was of. */
	if (!trace_counts(task) && why->no_file.time.nr)
		why->no_file.time.nr--;
	if (task->write) {
		file->io.writes++;
		report_add(&file->io.written_bytes, task->bytes);
	} else {
		file->io.reads++;
		report_add(&file->io.read_bytes, task->bytes);
	}
	return 0;
}

/* What a process did that the question is about. */
static int did(struct why *why, const struct trace_task *task)
{
	switch (task->kind) {
	case TASKS_THREAD:
		report_time(&why->life, lasts(task));
		return 0;
	case TASKS_UNKNOWN:
		report_time(&why->unknown, lasts(task));
		return 0;
	case TASKS_FAULT:
		if (!trace_counts(task))
			return 0;
		if (task->code < WHY_FAULTS)
			report_time(&why->faults[task->code], lasts(task));
		return why_faulted(why, task);
	case TASKS_CALL:
		return called(why, task);
	}
	return 0;
}

static int ended(struct why *why, struct why_process *p, const struct trace_task *task)
{
	switch (task->kind) {
	case TASKS_PROCESS:
		set_name(p, task->what);
		return 0;
	case TASKS_RUN:
		return ran(why, p, task);
	case TASKS_WAIT:
		return waited(why, p, task);
	}
	return p->asked ? did(why, task) : 0;
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct why_process *p;
	struct why *why = data;
	int ret;

	if (task->kind == TASKS_FILE) {
		report_file_close(&why->files, &task->file);
		return;
	}
	p = process_of(why, task);
	ret = p ? ended(why, p, task) : 0;
	if (ret)
		hook_fail(ctx->domain, ret);
	if (task->kind == TASKS_THREAD)
		end_thread(why, task);
}

static void on_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct why *why = data;

	why->begin = it->ns;
}

int why_attach(struct why *why, struct world *w)
{
	static const struct hook_use uses[] = {
		{ WORLD_CAPTURE_BEGIN, on_begin },
		{ WORLD_MM_MAP, why_mapped },
		{ WORLD_VMA_DUMP, why_mapped },
	};
	int ret = hook_attach_all(&w->hooks, uses, ARRAY_SIZE(uses), why) ?:
		  report_known_attach(&why->known, w);

	if (ret)
		return ret;
	why->cpus = calloc(w->nr_cpus, sizeof(*why->cpus));
	if (!why->cpus || hash_init(&why->files.table) || hash_init(&why->mapped.table))
		return -ENOMEM;
	why->world = w;
	why->nr_cpus = w->nr_cpus;
	return 0;
}

int why_attach_tasks(struct why *why, struct hookable *tasks)
{
	return hook_attach(tasks, TASKS_AT_START, on_start, why) ?:
	       hook_attach(tasks, TASKS_AT_END, on_end, why);
}

static void free_all(struct idmap *map)
{
	struct idmap_slot *slot = NULL;

	while ((slot = idmap_next(map, slot)))
		free(slot->ptr);
	idmap_free(map);
}

void why_free(struct why *why)
{
	u32 i;

	free_all(&why->causes);
	free_all(&why->threads);
	free_all(&why->processes);
	report_files_free(&why->files);
	report_files_free(&why->mapped);
	for (i = 0; i < why->nr_cpus; i++)
		sums_runs_free(&why->cpus[i]);
	free(why->cpus);
	report_known_free(&why->known);
	memset(why, 0, sizeof(*why));
}
