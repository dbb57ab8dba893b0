// SPDX-License-Identifier: GPL-2.0-only
/*
 * Paraver's traces, drawn by the channel emulator. It gets the ovni events as they are made, or,
 * if a trace is merged, reads the merged trace when it is complete.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/cfg.h"
#include "emu/emu.h"
#include "output/output.h"
#include "output/ovni/writer.h"
#include "trace/drawn.h"
#include "util/jobs.h"
#include "util/msg.h"
#include "util/queue.h"
#include "util/stage.h"

#define BATCH	(64 << 10)

/**
 * struct batch_events - Events for the thread of the emulator.
 * @of_cpu: they are of a CPU
 * @events: they; the bytes follow, and @raw is not valid
 */
struct batch_events {
	bool of_cpu;
	struct ovni_events events;
};

/**
 * struct prv_output - The channel emulator, fed with a translation's events.
 * @compress: the PRV files are compressed
 * @emu: the emulator; while events come, its thread's, if it has one
 * @queue: of struct batch_events, for that thread
 * @threads: the emulator's threads, by thread of the inventory
 * @cpus: the emulator's CPUs, by CPU of the world
 */
struct prv_output {
	bool compress;
	struct emu *emu;
	struct queue queue;
	struct emu_thread **threads;
	struct emu_cpu **cpus;
};

static const struct argp_option options[] = {
	{ "gzip", 'z', NULL, 0,
	  "Compress the timelines: .prv.gz, which Paraver also reads", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct prv_output *o = use->data;

	(void)arg;
	(void)state;
	if (key != 'z')
		return ARGP_ERR_UNKNOWN;
	o->compress = true;
	return 0;
}

static int report_emulator(const struct emu *emu, int error)
{
	const char *reason = emu_reason(emu);

	msg_error("emulator: %s", reason && *reason ? reason : strerror(-error));
	return error;
}

static int play_events(struct prv_output *sink, const struct ovni_events *events, bool of_cpu)
{
	struct ovni_ev ev;
	u32 at = 0;
	int ret = 0;

	while (!ret && ovni_events_next(events, &at, &ev)) {
		if (of_cpu)
			ret = emu_cpu_event(sink->emu, sink->cpus[events->index], &ev);
		else
			ret = emu_event(sink->emu, sink->threads[events->index], &ev);
	}
	return ret;
}

/* In the thread of the emulator. */
static int play_batch(void *data, const u8 *batch, size_t len)
{
	const u8 *end = batch + len;
	int ret = 0;

	while (batch < end && !ret) {
		struct batch_events one;

		memcpy(&one, batch, sizeof(one));
		one.events.raw = batch + sizeof(one);
		ret = play_events(data, &one.events, one.of_cpu);
		batch += sizeof(one) + one.events.bytes;
	}
	return ret;
}

static int pass_events(struct prv_output *sink, const struct ovni_events *events, bool of_cpu)
{
	const struct batch_events one = { of_cpu, *events };
	int ret = queue_room(&sink->queue, sizeof(one) + events->bytes);

	if (ret)
		return ret;
	memcpy(sink->queue.pos, &one, sizeof(one));
	memcpy(sink->queue.pos + sizeof(one), events->raw, events->bytes);
	sink->queue.pos += sizeof(one) + events->bytes;
	return 0;
}

static inline void take(struct prv_output *sink, const struct hook_ctx *ctx, bool of_cpu)
{
	int ret;

	if (ctx->domain->error)
		return;
	if (sink->queue.size)
		ret = pass_events(sink, ctx->item, of_cpu);
	else
		ret = play_events(sink, ctx->item, of_cpu);
	if (unlikely(ret))
		hook_fail(ctx->domain, report_emulator(sink->emu, ret));
}

static void on_events(void *data, const struct hook_ctx *ctx)
{
	take(data, ctx, false);
}

static void on_cpu_events(void *data, const struct hook_ctx *ctx)
{
	take(data, ctx, true);
}

static int add_cpus(struct prv_output *sink, struct emu_loom *loom, const struct world *w)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < w->nr_cpus && !ret; i++) {
		ret = emu_cpu_add(loom, i, w->cpus[i].nr);
		sink->cpus[i] = emu_cpu_find(loom, i);
	}
	return ret;
}

static int add_process(struct prv_output *sink, struct emu_loom *loom,
		       const struct inventory *inventory, u32 index)
{
	const struct inventory_process *process = &inventory->processes[index];
	struct emu_proc *proc;
	u32 i;
	int ret;

	proc = emu_proc_add(loom, process->pid);
	if (!proc)
		return -ENOMEM;
	ret = emu_proc_app(proc, index + 1);
	if (!ret && process->comm[0])
		ret = emu_proc_name(proc, process->comm);
	for (i = process->first; i < process->first + process->nr && !ret; i++) {
		const struct inventory_thread *thread = &inventory->threads[i];

		sink->threads[i] = emu_thread_add(proc, thread->tid);
		if (!sink->threads[i])
			return -ENOMEM;
		if (thread->comm[0])
			ret = emu_thread_name(sink->threads[i], thread->comm);
	}
	return ret;
}

static int add_marks(struct emu *emu, u32 activities)
{
	u32 i;
	int ret = 0;

	for (i = 0; i < OVNI_NR_ACTIVITIES && !ret; i++) {
		const struct ovni_activity_desc *what = &ovni_activities[i];

		if (!(activities & 1U << i))
			continue;
		ret = emu_mark_add(emu, what->mark, what->title,
				   what->shape == OVNI_SHAPE_STATE ? EMU_MARK_STACK :
				   EMU_MARK_SINGLE);
		if (!ret)
			ret = emu_mark_activity(emu, what->mark, what->key);
	}
	return ret;
}

static int describe(struct prv_output *sink, const struct inventory *inventory,
		    const struct world *w, u32 activities, const char *name)
{
	struct emu_loom *loom;
	u32 i;
	int ret;

	ret = emu_require(sink->emu, "kernel", "1.0.0");
	if (!ret)
		ret = add_marks(sink->emu, activities);
	if (ret)
		return ret;
	loom = emu_loom_add(sink->emu, name);
	if (!loom)
		return -ENOMEM;
	ret = add_cpus(sink, loom, w);
	for (i = 0; i < inventory->nr_processes && !ret; i++)
		ret = add_process(sink, loom, inventory, i);
	return ret;
}

static int attach_events(struct prv_output *sink, const struct output_env *env)
{
	struct ovni_translate *t = env->events;
	int ret;

	ret = describe(sink, t->inventory, env->world, env->activities, env->loom);
	if (!ret)
		ret = emu_freeze(sink->emu, env->out);
	if (ret)
		return report_emulator(sink->emu, ret);
	if (jobs_several())
		ret = queue_open(&sink->queue, BATCH, play_batch, sink);
	return ret ?:
	       hook_attach(t->events, OVNI_EVENT, on_events, sink) ?:
	       hook_attach(t->events, OVNI_CPU_EVENT, on_cpu_events, sink);
}

static struct emu *create(const struct prv_output *sink)
{
	struct emu *emu = emu_create();

	if (emu && sink->compress)
		emu_options(emu, EMU_COMPRESS);
	return emu;
}

static int attach(void *data, const struct output_env *env)
{
	struct prv_output *sink = data;

	sink->emu = create(sink);
	sink->threads = calloc(env->inventory->nr_threads + 1, sizeof(*sink->threads));
	sink->cpus = calloc(env->world->nr_cpus, sizeof(*sink->cpus));
	if (!sink->emu || !sink->threads || !sink->cpus) {
		msg_error("emulator: no memory");
		return -ENOMEM;
	}
	/* Merged events are in order within a thread only, until all are written. */
	return env->events->joined ? 0 : attach_events(sink, env);
}

static int play(struct emu *emu, struct emu_trace *tr, const char *out)
{
	int ret;

	ret = emu_freeze(emu, out);
	if (ret)
		return report_emulator(emu, ret);
	ret = emu_trace_play(tr);
	if (emu_finish(emu) && !ret)
		ret = report_emulator(emu, -EINVAL);
	return ret;
}

static int play_trace(struct emu *emu, const char *trace, const char *out)
{
	struct emu_trace *tr;
	int ret;

	tr = emu_trace_open(emu, &trace, 1, NULL);
	ret = tr ? play(emu, tr, out) : -EINVAL;
	emu_trace_close(tr);
	return ret;
}

static int play_written(struct emu *emu, const struct output_env *env)
{
	char path[PATH_MAX];
	int ret;

	snprintf(path, sizeof(path), "%s/ovni", env->out);
	ret = play_trace(emu, path, env->out);
	if (ret)
		msg_error("%s: the emulator rejects the merged trace; --to ovni keeps it",
			  env->events->joined->name);
	return ret;
}

static int draw_nodes(void *data, const char *out, const char *trace)
{
	struct emu *emu = create(data);
	int ret;

	ret = emu ? play_trace(emu, trace, out) : msg_no_memory();
	emu_destroy(emu);
	return ret;
}

static int finish(void *data, const struct output_env *env)
{
	struct prv_output *sink = data;
	int ret;

	if (env->events->joined)
		return play_written(sink->emu, env);
	ret = queue_close(&sink->queue) ?: emu_finish(sink->emu);
	return ret ? report_emulator(sink->emu, ret) : 0;
}

static void close_output(void *data)
{
	struct prv_output *sink = data;

	queue_close(&sink->queue);
	emu_destroy(sink->emu);
	free(sink->threads);
	free(sink->cpus);
	sink->emu = NULL;
	sink->threads = NULL;
	sink->cpus = NULL;
}

static int can_clear(const struct stage *stage)
{
	return cfg_check(&stage->dir);
}

static int clear(const struct stage *stage)
{
	return cfg_clear(&stage->dir);
}

DEFINE_OUTPUT(prv) = {
	.name = "prv",
	.sentence = "traces for Paraver, and views of them: thread.prv, cpu.prv, cfg/",
	.flags = OUTPUT_FILES | OUTPUT_DEFAULT | OUTPUT_EVENTS | OUTPUT_NODES | OUTPUT_PLAYS,
	.shows = "thread.prv",
	.before = "wxparaver",
	.size = sizeof(struct prv_output),
	.options = options,
	.parse = parse,
	.owns = ovni_is_drawn,
	.can_clear = can_clear,
	.clear = clear,
	.attach = attach,
	.finish = finish,
	.nodes = draw_nodes,
	.close = close_output,
};
