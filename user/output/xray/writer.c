// SPDX-License-Identifier: GPL-2.0-only
/* Write FDR logs from the world's hooks: see writer.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/xray/writer.h"
#include "world/why.h"

static void fail(struct xray_writer *x, int error)
{
	hook_fail(&x->world->hooks, error);
}

/* Double the array when it is full. */
static int reserve(struct xray_life ***array, u32 *room, u32 index)
{
	u32 more = *room ? *room : 512;
	struct xray_life **larger;

	while (more <= index)
		more *= 2;
	larger = realloc(*array, more * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	memset(larger + *room, 0, (more - *room) * sizeof(*larger));
	*array = larger;
	*room = more;
	return 0;
}

static struct xray_life *make_thread(struct xray_writer *x, const struct world_task *task)
{
	struct xray_life *t;

	if ((task->id >= x->room_tasks && reserve(&x->of_task, &x->room_tasks, task->id)) ||
	    (x->nr_threads >= x->room_threads &&
	     reserve(&x->threads, &x->room_threads, x->nr_threads)))
		goto err;
	t = calloc(1, sizeof(*t));
	if (!t)
		goto err;
	t->tid = task->tid;
	t->nr = x->nr_threads;
	x->of_task[task->id] = t;
	x->threads[x->nr_threads++] = t;
	return t;
err:
	fail(x, -ENOMEM);
	return NULL;
}

static inline struct xray_life *known_thread(const struct xray_writer *x,
					     const struct world_task *task)
{
	if (!task->tid || unlikely(task->id >= x->room_tasks))
		return NULL;
	return x->of_task[task->id];
}

/*
 * The thread existed before its first record: since the capture began, or since the last thread
 * with its number ended.
 */
static __attribute__((noinline)) struct xray_life *find_thread(struct xray_writer *x,
							       const struct world_task *task,
							       u32 cpu)
{
	struct xray_life *t;
	u64 since = x->ended[task->tid] ? x->ended[task->tid] : x->begin;

	t = make_thread(x, task);
	if (t)
		xray_life_begin(&x->stacks, t, XRAY_OFFCPU_NOT_SEEN, cpu, since);
	return t;
}

/* NULL: of an idle task, or no memory. */
static inline struct xray_life *thread_of(struct xray_writer *x, const struct world_task *task,
					  u32 cpu)
{
	struct xray_life *t;

	if (!task->tid)
		return NULL;
	t = known_thread(x, task);
	return likely(t) ? t : find_thread(x, task, cpu);
}

static void put_event(struct xray_writer *x, struct xray_life *t, const struct world_item *it,
		      u16 cpu)
{
	char *end = record_text_put(x->stacks.text, &x->texts[it->event], it->rec);

	xray_life_event(&x->stacks, t, end, cpu, it->tsc);
	if (unlikely(x->stacks.spill.error))
		fail(x, x->stacks.spill.error);
}

static inline struct world_task *runner(const struct xray_writer *x, u32 cpu)
{
	u32 i = world_cpu_index(x->world, cpu);

	return likely(i < x->world->nr_cpus) ? x->world->cpus[i].running : NULL;
}

static void on_event(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	const struct world_task *task;
	struct xray_life *t;

	/* A gap, or what the world concludes, is no record; without a text, readers give up. */
	if (unlikely(!it->rec))
		return;
	task = runner(x, it->cpu);
	t = task ? thread_of(x, task, it->cpu) : NULL;
	if (likely(t)) {
		put_event(x, t, it, it->cpu);
		return;
	}
	t = it->task ? thread_of(x, it->task, it->cpu) : NULL;
	if (t)
		put_event(x, t, it, t->cpu);
	else
		x->unplaced++;
}

/* Hotplug events do not say on which CPU they were recorded. */
static void on_hotplug(void *data, const struct hook_ctx *ctx)
{
	struct xray_writer *x = data;

	(void)ctx;
	x->unplaced++;
}

static void on_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;

	x->begin = it->tsc;
}

static void end_thread(struct xray_writer *x, const struct world_task *task, u32 cpu, u64 tsc)
{
	struct xray_life *t = known_thread(x, task);

	if (!t)
		return;
	xray_life_end(&x->stacks, t, cpu, tsc);
	t->pid = task->tgid;
	x->ended[t->tid] = tsc;
}

/* No record follows its last switch, except that an exec can give its number to another thread. */
static void on_dead(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	struct xray_life *t = known_thread(x, it->task);

	if (!t)
		return;
	end_thread(x, it->task, t->cpu, it->tsc);
	x->of_task[it->task->id] = NULL;
}

static void on_new(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	struct xray_life *t;

	on_event(data, ctx);
	if (known_thread(x, it->task))
		return;
	t = make_thread(x, it->task);
	if (t)
		xray_life_begin(&x->stacks, t, XRAY_OFFCPU_NEW, it->cpu, it->tsc);
}

static void on_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	u16 state = it->task->state;
	struct xray_writer *x = data;
	struct xray_life *t = thread_of(x, it->task, it->cpu);

	/* It is runnable and not known to be on a CPU, so it waits for one. */
	if (state == OVNIK_STATE_RUNNING)
		state = OVNIK_STATE_PREEMPTED;
	if (t && it->fresh)
		xray_life_leaf(&x->stacks, t, xray_offcpu(ovni_why_off(state)), t->cpu, it->tsc);
	on_event(data, ctx);
}

static void on_found(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	thread_of(data, it->task, it->cpu);
}

/* A thread leaves a CPU that seemed idle: its arrival was not recorded. */
static void on_stray(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	struct xray_life *t = thread_of(x, it->task, it->cpu);

	if (t)
		xray_life_leaf(&x->stacks, t, xray_offcpu(ovni_why_off(it->state)), it->cpu,
			       it->tsc);
}

static void on_out(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	struct xray_life *t = thread_of(x, it->task, it->cpu);

	if (unlikely(!t))
		return;
	if (unlikely(it->final))
		end_thread(x, it->task, it->cpu, it->tsc);
	else
		xray_life_leaf(&x->stacks, t, xray_offcpu(ovni_why_off(it->state)), it->cpu,
			       it->tsc);
}

static void on_in(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	struct xray_life *t = thread_of(x, it->task, it->cpu);

	if (likely(t))
		xray_life_leaf(&x->stacks, t, it->rec ? XRAY_RUN : XRAY_CONTINUED, it->cpu,
			       it->tsc);
}

static void on_elsewhere_in(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	struct xray_life *t = thread_of(x, it->task, it->cpu);

	if (t)
		xray_life_leaf(&x->stacks, t, XRAY_OFFCPU_UNKNOWN, it->cpu, it->tsc);
}

static void rename_thread(struct xray_writer *x, const struct world_task *task, u32 cpu, u64 tsc)
{
	struct xray_life *t = known_thread(x, task);
	u8 leaf = XRAY_OFFCPU_NOT_SEEN;

	if (t && t->leaf)
		leaf = xray_runs(t) ? XRAY_CONTINUED : t->leaf;
	end_thread(x, task, cpu, tsc);
	t = make_thread(x, task);
	if (t)
		xray_life_begin(&x->stacks, t, leaf, cpu, tsc);
}

/* exec by a thread other than the leader swaps the numbers: both continue as other threads. */
static void on_number(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;

	rename_thread(x, it->task, it->cpu, it->tsc);
	if (it->other)
		rename_thread(x, it->other, it->cpu, it->tsc);
}

static void on_fault_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_fault *rec = it->rec;
	struct xray_writer *x = data;
	struct xray_life *t = thread_of(x, it->task, it->cpu);

	if (t && xray_runs(t))
		xray_life_fault(&x->stacks, t, xray_fault(ovni_why_fault(rec->error)), it->cpu,
				it->tsc);
	if (t)
		put_event(x, t, it, it->cpu);
}

static void on_fault_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	struct xray_life *t = thread_of(x, it->task, it->cpu);

	if (!t)
		return;
	put_event(x, t, it, it->cpu);
	if (t->fault)
		xray_life_fault(&x->stacks, t, 0, it->cpu, it->tsc);
}

static void on_io_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_begin *rec = it->rec;
	u8 call = xray_call(ovni_why_call(rec->op));
	struct xray_writer *x = data;
	struct xray_life *t = thread_of(x, it->task, it->cpu);
	bool runs = t && xray_runs(t);

	if (runs)
		xray_life_call(&x->stacks, t, call, it->cpu, it->tsc);
	if (t && (!runs || call == XRAY_CALL_OTHER))
		put_event(x, t, it, it->cpu);
}

static void io_end(struct xray_writer *x, const struct world_item *it, u16 op)
{
	struct xray_life *t;

	/* These end at any time, regardless of the thread on the CPU. */
	if (op == OVNIK_OP_AIO || op == OVNIK_OP_URING) {
		on_event(x, &(struct hook_ctx){ .item = it });
		return;
	}
	t = thread_of(x, it->task, it->cpu);
	if (!t)
		return;
	put_event(x, t, it, it->cpu);
	if (t->call || t->fault)
		xray_life_call(&x->stacks, t, 0, it->cpu, it->tsc);
}

static void on_read(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_read *rec = it->rec;

	io_end(data, it, rec->op);
}

static void on_write(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_write *rec = it->rec;

	io_end(data, it, rec->op);
}

static void on_lost(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	struct xray_life *t = known_thread(x, it->task);

	/* What follows tells of the others. */
	if (it->task->place == WORLD_PLACE_CPU || it->task->cpu >= 0)
		return;
	if (t)
		xray_life_leaf(&x->stacks, t, xray_offcpu(ovni_why_off(it->state)), t->cpu,
			       it->tsc);
}

static void on_doubt(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	struct xray_life *t = known_thread(x, it->task);

	if (t && (t->call || t->fault))
		xray_life_call(&x->stacks, t, 0, t->cpu, it->tsc);
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_writer *x = data;
	struct world_task *task = NULL;
	struct xray_life *t;

	while ((task = task_next(&x->world->tasks, task))) {
		t = known_thread(x, task);
		if (t)
			end_thread(x, task, t->cpu, it->tsc);
	}
	if (x->stacks.spill.error)
		fail(x, x->stacks.spill.error);
}

/* All other records become custom events. */
static const hook_fn functions[WORLD_NR_POSITIONS] = {
	[WORLD_CAPTURE_BEGIN] = on_begin,
	[WORLD_TASK_NEW] = on_new,
	[WORLD_TASK_DUMP] = on_dump,
	[WORLD_TASK_FOUND] = on_found,
	[WORLD_TASK_NUMBER] = on_number,
	[WORLD_TASK_DEAD] = on_dead,
	[WORLD_SCHED_STRAY] = on_stray,
	[WORLD_SCHED_OUT] = on_out,
	[WORLD_SCHED_IN] = on_in,
	[WORLD_ELSEWHERE_IN] = on_elsewhere_in,
	[WORLD_ELSEWHERE_OUT] = on_out,
	[WORLD_CPU_ONLINE] = on_hotplug,
	[WORLD_CPU_OFFLINE] = on_hotplug,
	[WORLD_LOST] = on_lost,
	[WORLD_DOUBT] = on_doubt,
	[WORLD_FAULT_BEGIN] = on_fault_begin,
	[WORLD_FAULT_END] = on_fault_end,
	[WORLD_IO_BEGIN] = on_io_begin,
	[WORLD_IO_READ] = on_read,
	[WORLD_IO_WRITE] = on_write,
	[WORLD_CAPTURE_END] = on_end,
};

int xray_attach_hooks(struct xray_writer *x)
{
	unsigned int i;
	int ret = 0;
	hook_fn fn;

	for (i = 0; i < WORLD_NR_POSITIONS && !ret; i++) {
		fn = functions[i] ? functions[i] : on_event;
		/* Two other hooks know of a switch. */
		if (i != WORLD_SCHED_SWITCH)
			ret = hook_attach(&x->world->hooks, i, fn, x);
	}
	return ret;
}
