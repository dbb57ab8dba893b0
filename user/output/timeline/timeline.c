// SPDX-License-Identifier: GPL-2.0-only
/* What a picture shows: see timeline.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/timeline/timeline.h"

#define STATE_BITS	31
#define CPU_SHIFT	32
#define PART_BITS	63
#define PART_SHIFT	64ULL
#define WAKER_SHIFT	32ULL
#define CALL_OTHER	12	/* greater than all of enum ovnik_file_op */
#define CALL_FAILED	16
#define PART_RESUMED	32

static int new_process(struct timeline *tl, const struct trace_task *task)
{
	struct timeline_process *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	STAILQ_INSERT_TAIL(&tl->processes, p, next);
	p->nr = ++tl->nr_processes;
	p->pid = task->pid;
	p->start = task->start;
	strncpy(p->name, task->what, sizeof(p->name) - 1);
	return idmap_set(&tl->by_id, task->id, p);
}

/* Mixes have the name of a program from the time when it is known. */
static void name_process(const struct timeline_thread *th)
{
	if (!th->process || th->process->pid != th->tid || !*th->name)
		return;
	memcpy(th->process->name, th->name, sizeof(th->process->name));
	th->process->program = 0;
}

static int new_thread(struct timeline *tl, const struct trace_task *task)
{
	struct timeline_thread *th = calloc(1, sizeof(*th));

	if (!th)
		return -ENOMEM;
	STAILQ_INSERT_TAIL(&tl->threads, th, next);
	th->nr = ++tl->nr_threads;
	th->tid = task->tid;
	th->process = idmap_ptr(&tl->by_id, task->tgid_task);
	th->start = task->start;
	strncpy(th->name, task->what, sizeof(th->name) - 1);
	name_process(th);
	if (th->process && (!th->process->threads++ || th->tid == th->process->pid))
		th->process->recorder = recorder_is(&tl->recorder, tl->world, task);
	th->states = lane_new(&tl->lanes, STATE_BITS);
	if (!th->states || idmap_set(&tl->by_id, task->id, th))
		return -ENOMEM;
	if (idmap_set(&tl->by_tid, th->tid, th) || idmap_set(&tl->by_nr, th->nr, th))
		return -ENOMEM;
	return timeline_number_thread(tl, th, task->pid);
}

static void on_start(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct timeline *tl = data;
	int ret = 0;

	if (task->kind == TASKS_PROCESS)
		ret = new_process(tl, task);
	else if (task->kind == TASKS_THREAD)
		ret = new_thread(tl, task);
	else if (task->kind == TASKS_FILE)
		ret = timeline_open(tl, &task->file, task->what);
	if (ret)
		hook_fail(ctx->domain, ret);
}

static struct timeline_thread *thread_of(struct timeline *tl, const struct trace_task *task)
{
	if (unlikely(task->thread_task != tl->last_id)) {
		tl->last = idmap_ptr(&tl->by_id, task->thread_task);
		tl->last_id = task->thread_task;
	}
	return tl->last;
}

enum timeline_sum timeline_sum_of_wait(u32 code)
{
	if (code <= TASKS_WAIT_QUEUE_LAST)
		return TIMELINE_SUM_queue;
	if (code == TASKS_WAIT_SLEEP)
		return TIMELINE_SUM_sleep;
	return code == TASKS_WAIT_DISK ? TIMELINE_SUM_disk : TIMELINE_SUM_other;
}

/* Times in lanes are since the capture's begin. */
static int add_state(struct timeline *tl, struct timeline_thread *th,
		     const struct trace_task *task, u32 sum, u64 key)
{
	th->sums[sum] += task->end - task->start;
	return lane_add(&tl->lanes, th->states, task->start - tl->begin, task->end - tl->begin,
			key, 0);
}

static int ran(struct timeline *tl, struct timeline_thread *th, const struct trace_task *task)
{
	u32 cpu = world_cpu_index(tl->world, task->cpu);
	int ret = add_state(tl, th, task, TIMELINE_SUM_run,
			    TIMELINE_RUN + CPU_SHIFT * (task->cpu + 1ULL));

	if (ret || cpu == tl->world->nr_cpus)
		return ret;
	tl->busy[cpu] += task->end - task->start;
	return lane_add(&tl->lanes, tl->cpus[cpu], task->start - tl->begin,
			task->end - tl->begin, th->nr, 0);
}

static int add_part(struct timeline *tl, struct lane **lane, const struct trace_task *task,
		    u64 key, u64 bytes)
{
	if (!*lane)
		*lane = lane_new(&tl->lanes, PART_BITS);
	if (!*lane)
		return -ENOMEM;
	return lane_add(&tl->lanes, *lane, task->start - tl->begin, task->end - tl->begin,
			key + (trace_counts(task) ? 0 : PART_RESUMED), bytes);
}

static int called(struct timeline *tl, struct timeline_thread *th, const struct trace_task *task)
{
	bool known = !(task->flags & (TRACE_OPEN | TRACE_UNCERTAIN));
	u64 key = task->code && task->code < CALL_OTHER ? task->code : CALL_OTHER;
	u64 bytes = known ? task->bytes : 0;
	u32 file;

	if (known) {
		file = timeline_use(tl, &task->file, task->end - tl->begin,
				    task->write ? TIMELINE_WRITE : TIMELINE_READ, bytes);
		if (!file)
			return -ENOMEM;
		key += PART_SHIFT * file + (task->result < 0 ? CALL_FAILED : 0);
	}
	return add_part(tl, &th->calls, task, key, bytes);
}

static int faulted(struct timeline *tl, struct timeline_thread *th, const struct trace_task *task)
{
	u64 result = task->flags & (TRACE_OPEN | TRACE_UNCERTAIN) ? 3 : task->result & 3;
	u64 where = task->memory;
	u32 file;

	if (task->file.ino || task->file.dev) {
		file = timeline_file(tl, &task->file);
		if (!file)
			return -ENOMEM;
		where = TIMELINE_FILE + file;
	}
	return add_part(tl, &th->faults, task, 1 + task->code + 8 * result + PART_SHIFT * where,
			0);
}

static u64 waker_of(const struct timeline *tl, const struct trace_task *task)
{
	const struct timeline_thread *th;

	if (task->waker.kind == TRACE_WAKER_INTERRUPT)
		return TIMELINE_WAKER_INTERRUPT;
	th = idmap_ptr(&tl->by_id, task->waker.thread);
	return th ? TIMELINE_WAKER_THREAD + (u64)th->nr : TIMELINE_WAKER_UNKNOWN;
}

static int ended(struct timeline *tl, const struct trace_task *task)
{
	struct timeline_thread *th = thread_of(tl, task);

	if (!th)
		return 0;
	switch (task->kind) {
	case TASKS_THREAD:
		th->end = task->end;
		return 0;
	case TASKS_RUN:
		return ran(tl, th, task);
	case TASKS_WAIT:
		return add_state(tl, th, task, timeline_sum_of_wait(task->code),
				 TIMELINE_WAIT + task->code + WAKER_SHIFT * waker_of(tl, task));
	case TASKS_UNKNOWN:
		timeline_cover(tl, th->process, task);
		return add_state(tl, th, task, TIMELINE_SUM_unknown, TIMELINE_UNKNOWN);
	case TASKS_CALL:
		return called(tl, th, task);
	case TASKS_FAULT:
		return faulted(tl, th, task);
	}
	return 0;
}

static void end_process(const struct timeline *tl, const struct trace_task *task)
{
	struct timeline_process *p = idmap_ptr(&tl->by_id, task->id);

	p->end = task->end;
	strncpy(p->name, task->what, sizeof(p->name) - 1);
	p->program = 0;
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct timeline *tl = data;
	int ret;

	if (task->kind == TASKS_PROCESS) {
		end_process(tl, task);
		return;
	}
	ret = ended(tl, task);
	if (ret)
		hook_fail(ctx->domain, ret);
}

/* One more mark; a place that nothing else marks, of this CPU. */
static struct timeline_loss *add_loss(struct timeline *tl, const struct trace_loss *loss)
{
	struct timeline_loss *copy = calloc(1, sizeof(*copy));

	if (!copy)
		return NULL;
	copy->cpu = loss->cpu;
	copy->start = loss->start;
	STAILQ_INSERT_TAIL(&tl->losses, copy, next);
	return copy;
}

/* After so many, the last mark of the CPU is extended, so that every loss stays visible. */
static void on_loss(void *data, const struct hook_ctx *ctx)
{
	const struct trace_loss *loss = ctx->item;
	struct timeline *tl = data;
	u32 index = world_cpu_index(tl->world, loss->cpu);
	struct timeline_loss **last;

	last = &tl->last_losses[index < tl->world->nr_cpus ? index : tl->world->nr_cpus];
	if (++tl->nr_losses <= TIMELINE_LOSSES || !*last)
		*last = add_loss(tl, loss);
	if (!*last) {
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	(*last)->end = loss->end;
	(*last)->lost += loss->lost;
}

static void on_mapped(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct world_range *range = it->range;
	const struct trace_file id = {
		.dev = range->what.dev, .generation = range->what.generation,
		.ino = range->what.ino,
	};

	if (range->what.kind == MM_KIND_FILE && range->path &&
	    timeline_open(data, &id, range->path))
		hook_fail(ctx->domain, -ENOMEM);
}

static void use_pages(const struct hook_ctx *ctx, struct timeline *tl, u32 use,
		      const struct trace_file *file, u16 order)
{
	const struct world_item *it = ctx->item;
	u64 ns = it->ns - tl->begin, bytes = world_page_size(tl->world) << order;

	if (lane_add(&tl->lanes, tl->pages, ns, ns, use, bytes) ||
	    !timeline_use(tl, file, ns, use, bytes))
		hook_fail(ctx->domain, -ENOMEM);
}

static void on_page_add(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_add *rec = it->rec;
	const struct trace_file file = { rec->dev, rec->generation, rec->ino };

	use_pages(ctx, data, TIMELINE_ADD, &file, rec->order);
}

static void on_page_remove(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_remove *rec = it->rec;
	const struct trace_file file = { rec->dev, rec->generation, rec->ino };

	use_pages(ctx, data, TIMELINE_REMOVE, &file, rec->order);
}

/* Who runs during the statedump may have begun without a name. */
static void on_comm(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct timeline *tl = data;
	struct timeline_thread *th = idmap_ptr(&tl->by_tid, it->task->tid);

	if (!th)
		return;
	memcpy(th->name, it->task->comm, sizeof(th->name));
	name_process(th);
}

static void on_capture_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct timeline *tl = data;

	tl->begin = it->ns;
}

static void on_capture_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct timeline *tl = data;

	tl->end = it->ns;
}

static int attach_world(struct timeline *tl)
{
	static const struct hook_use hooks[] = {
		{ WORLD_CAPTURE_BEGIN, on_capture_begin },
		{ WORLD_CAPTURE_END, on_capture_end },
		{ WORLD_COMM, on_comm },
		{ WORLD_TASK_DUMP, on_comm },
		{ WORLD_MM_MAP, on_mapped },
		{ WORLD_VMA_DUMP, on_mapped },
		{ WORLD_PAGE_ADD, on_page_add },
		{ WORLD_PAGE_REMOVE, on_page_remove },
	};

	return hook_attach_all(&tl->world->hooks, hooks, ARRAY_SIZE(hooks), tl);
}

int timeline_init(struct timeline *tl, struct world *w, size_t limit)
{
	u32 i;

	tl->world = w;
	SLIST_INIT(&tl->lanes.list);
	tl->lanes.limit = limit;
	tl->lanes.group_of = timeline_program_of;
	tl->lanes.data = tl;
	STAILQ_INIT(&tl->threads);
	STAILQ_INIT(&tl->processes);
	STAILQ_INIT(&tl->files);
	STAILQ_INIT(&tl->losses);
	STAILQ_INIT(&tl->programs);
	STAILQ_INIT(&tl->mark_rows);
	tl->cpus = calloc(w->nr_cpus + 1, sizeof(*tl->cpus));
	tl->busy = calloc(w->nr_cpus + 1, sizeof(*tl->busy));
	tl->last_losses = calloc(w->nr_cpus + 1, sizeof(*tl->last_losses));
	tl->pages = lane_new(&tl->lanes, ~0ULL);
	if (!tl->cpus || !tl->busy || !tl->last_losses || !tl->pages || hash_init(&tl->table) ||
	    hash_init(&tl->by_name))
		return -ENOMEM;
	for (i = 0; i < w->nr_cpus; i++) {
		tl->cpus[i] = lane_new(&tl->lanes, ~0ULL);
		if (!tl->cpus[i])
			return -ENOMEM;
		tl->cpus[i]->grouped = true;
	}
	return attach_world(tl);
}

int timeline_attach(struct timeline *tl, struct hookable *tasks)
{
	static const struct hook_use hooks[] = {
		{ TASKS_AT_START, on_start },
		{ TASKS_AT_END, on_end },
		{ TASKS_AT_LOSS, on_loss },
	};

	return hook_attach_all(tasks, hooks, ARRAY_SIZE(hooks), tl);
}

int timeline_finish(struct timeline *tl, const struct capture *cap)
{
	int ret = timeline_finish_marks(tl) ?: timeline_finish_part(tl, cap) ?:
		  timeline_finish_tints(tl);
	struct lane *lane;

	SLIST_FOREACH(lane, &tl->lanes.list, link)
		ret = ret ? ret : lane_end(&tl->lanes, lane);
	return ret;
}

/* Empties a list whose elements are linked by "next". */
#define FREE_ALL(list, element)						\
	while ((element = STAILQ_FIRST(list))) {			\
		STAILQ_REMOVE_HEAD(list, next);				\
		free(element);						\
	}

void timeline_free(struct timeline *tl)
{
	struct timeline_process *process;
	struct timeline_thread *th;
	struct timeline_loss *loss;

	FREE_ALL(&tl->threads, th);
	FREE_ALL(&tl->processes, process);
	FREE_ALL(&tl->losses, loss);
	timeline_free_marks(tl);
	timeline_free_files(tl);
	timeline_free_programs(tl);
	idmap_free(&tl->by_tid);
	idmap_free(&tl->by_id);
	lanes_free(&tl->lanes);
	free(tl->cpus);
	free(tl->busy);
	free(tl->last_losses);
	free(tl->part);
	memset(tl, 0, sizeof(*tl));
}
