// SPDX-License-Identifier: GPL-2.0-only
/* The channel emulator, attached to where ovni events are made, or fed with a trace. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/prv/prv.h"
#include "util/msg.h"

static int complain(const struct emu *emu, int error)
{
	const char *reason = emu_reason(emu);

	msg_error("emulator: %s", reason && *reason ? reason : strerror(-error));
	return error;
}

static void on_events(void *data, const struct hook_ctx *ctx)
{
	const struct ovni_events *events = ctx->item;
	struct prv_sink *sink = data;
	struct ovni_ev ev;
	u32 at = 0;
	int ret;

	if (ctx->domain->error)
		return;
	while (ovni_events_next(events, &at, &ev)) {
		ret = emu_event(sink->emu, sink->threads[events->index], &ev);
		if (ret) {
			hook_fail(ctx->domain, complain(sink->emu, ret));
			return;
		}
	}
}

static void on_cpu_events(void *data, const struct hook_ctx *ctx)
{
	const struct ovni_events *events = ctx->item;
	struct prv_sink *sink = data;
	struct ovni_ev ev;
	u32 at = 0;
	int ret;

	if (ctx->domain->error || !ovni_events_next(events, &at, &ev))
		return;
	ret = emu_cpu_event(sink->emu, sink->cpus[events->index], &ev);
	if (ret)
		hook_fail(ctx->domain, complain(sink->emu, ret));
}

static int add_cpus(struct prv_sink *sink, struct emu_loom *loom, const struct world *w)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < w->nr_cpus && !ret; i++) {
		ret = emu_cpu_add(loom, i, w->cpus[i].nr);
		sink->cpus[i] = emu_cpu_find(loom, i);
	}
	return ret;
}

static int add_process(struct prv_sink *sink, struct emu_loom *loom, const struct census *census,
		       u32 index)
{
	const struct census_process *process = &census->processes[index];
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
		const struct census_thread *thread = &census->threads[i];

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

static int describe(struct prv_sink *sink, const struct census *census, const struct world *w,
		    u32 activities, const char *name)
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
	for (i = 0; i < census->nr_processes && !ret; i++)
		ret = add_process(sink, loom, census, i);
	return ret;
}

int prv_sink_attach(struct prv_sink *sink, struct ovni_translate *t, const struct world *w,
		    u32 activities, const char *loom, const char *out, bool compress)
{
	int ret;

	memset(sink, 0, sizeof(*sink));
	sink->emu = emu_create();
	sink->threads = calloc(t->census->nr_threads + 1, sizeof(*sink->threads));
	sink->cpus = calloc(w->nr_cpus, sizeof(*sink->cpus));
	if (!sink->emu || !sink->threads || !sink->cpus) {
		msg_error("emulator: no memory");
		return -ENOMEM;
	}
	if (compress)
		emu_compress(sink->emu);
	ret = describe(sink, t->census, w, activities, loom);
	if (!ret)
		ret = emu_freeze(sink->emu, out);
	if (ret)
		return complain(sink->emu, ret);
	ret = hook_attach(t->events, OVNI_EVENT, on_events, sink);
	return ret ? ret : hook_attach(t->events, OVNI_CPU_EVENT, on_cpu_events, sink);
}

int prv_sink_finish(struct prv_sink *sink)
{
	int ret = emu_finish(sink->emu);

	return ret ? complain(sink->emu, ret) : 0;
}

void prv_sink_close(struct prv_sink *sink)
{
	emu_destroy(sink->emu);
	free(sink->threads);
	free(sink->cpus);
	sink->emu = NULL;
	sink->threads = NULL;
	sink->cpus = NULL;
}

static int draw(struct emu *emu, struct emu_trace *tr, const char *outdir)
{
	int ret;

	ret = emu_freeze(emu, outdir);
	if (ret)
		return complain(emu, ret);
	ret = emu_trace_play(tr);
	if (emu_finish(emu) && !ret)
		ret = complain(emu, -EINVAL);
	return ret;
}

int prv_draw(const char *trace, const char *name, const char *out, bool compress)
{
	struct emu *emu = emu_create();
	struct emu_trace *tr;
	int ret = -EINVAL;

	if (!emu)
		return msg_no_memory();
	if (compress)
		emu_compress(emu);
	tr = emu_trace_open(emu, trace, NULL);
	if (tr)
		ret = draw(emu, tr, out);
	if (ret)
		msg_error("%s: what was merged is refused by the emulator; --to ovni keeps it",
			  name);
	emu_trace_close(tr);
	emu_destroy(emu);
	return ret;
}
