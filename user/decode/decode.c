// SPDX-License-Identifier: GPL-2.0-only
/* From a capture to outputs: opens, attaches, drives. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/merge.h"
#include "decode/decode.h"
#include "output/prv/draw.h"
#include "merge/logs.h"
#include "decode/place.h"
#include "output/prv/prv.h"
#include "output/tracers/tracing.h"
#include "decode/tree.h"
#include "output/laplace/laplace.h"
#include "merge/merge.h"
#include "output/ovni/writer.h"
#include "output/report/report.h"
#include "util/msg.h"
#include "world/census.h"
#include "output/xray/writer.h"

#define LOOK_EVERY	65536	/* items between two looks at errors and progress */

/**
 * struct outputs - Everything that may be attached to the world.
 * @opt: what to do
 * @census: who will have been there
 * @empty: the first of two passes met no record
 * @activities: enum ovni_activity that the records of that pass may give, a bit each
 * @loom: name of the loom
 * @loom_dir: file descriptor of its directory, -1 if it is not open
 * @translate: to ovni events
 * @merging: there is an application's trace, or logs of programs
 * @merge: the application's trace, if there is one
 * @logs: or logs of programs, of which it is made
 * @writer: of the ovni trace
 * @prv: the emulator
 * @laplace: writer of the Laplace trace
 * @xray: writer of the FDR logs
 * @tracing: tracers
 * @refused: a tracer cannot begin: nothing was touched
 * @made: the output directory was made for them
 */
struct outputs {
	const struct decode_options *opt;
	struct census census;
	bool empty;
	u32 activities;
	char loom[160];
	int loom_dir;
	struct ovni_translate translate;
	bool merging;
	struct ovni_merge merge;
	struct logs logs;
	struct ovni_writer writer;
	struct prv_sink prv;
	struct laplace laplace;
	struct xray_writer xray;
	struct tracing tracing;
	bool refused;
	bool made;
};

/* Do outputs or tracers need the census, and times in ns? */
static bool needs_census(const struct decode_options *opt)
{
	return opt->outputs & (DECODE_OVNI | DECODE_PRV) || tracing_wanted(opt->tracers) ||
	       opt->report;
}

static void show_progress(const struct capture *cap, const char *what)
{
	u64 total = cap->subbufs ? cap->subbufs : 1;

	fprintf(stderr, "\r%s: %3llu %%", what, cap->stats.subbufs * 100 / total);
}

/* What hooks could not do. */
static int look(const struct outputs *outs, const struct world *w)
{
	if (w->hooks.error)
		return w->hooks.error;
	if (outs->translate.hooks.error)
		return outs->translate.hooks.error;
	if (tracing_error(&outs->tracing))
		return tracing_error(&outs->tracing);
	if (report_error(outs->opt->report))
		return report_error(outs->opt->report);
	return laplace_error(&outs->laplace);
}

/* Some items, so that errors and progress need not be looked at with each. */
static int feed_some(struct world *w, struct merge *m, bool *more)
{
	const struct capture_item *item;
	unsigned int n;
	int ret;

	for (n = 0; n < LOOK_EVERY; n++) {
		ret = merge_next(m, &item);
		if (unlikely(ret || !item)) {
			*more = false;
			return ret;
		}
		ret = world_feed(w, item);
		if (unlikely(ret))
			return ret;
	}
	return 0;
}

static int feed_all(struct outputs *outs, struct capture *cap, struct world *w, struct merge *m,
		    const char *what)
{
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		ret = feed_some(w, m, &more);
		if (!ret)
			ret = look(outs, w);
		if (outs->opt->progress && more)
			show_progress(cap, what);
	}
	return ret;
}

/* One pass over the capture. */
static int run_pass(struct outputs *outs, struct capture *cap, struct world *w, const char *what)
{
	struct merge m;
	int ret;

	ret = merge_open(&m, cap);
	if (ret)
		goto out_close;
	world_begin(w, cap->begin);
	ret = feed_all(outs, cap, w, &m, what);
	if (!ret)
		ret = world_end(w, cap->end);
	if (!ret)
		ret = look(outs, w);
out_close:
	merge_close(&m);
	if (outs->opt->progress)
		fprintf(stderr, "\r%-16s\r", "");
	if (ret == -ENOMEM)
		msg_error("no memory");
	return ret;
}

/* Not one record, and something is wrong: whatever was written would be a lie. */
static int check_records(const struct capture *cap)
{
	if (capture_records(cap) || !capture_damages(cap))
		return 0;
	msg_error("%s: the capture is damaged, and not one record of it can be read", cap->dir);
	return -ENODATA;
}

/* @hurry: see census_hurry(). Return: -EAGAIN if that has gone wrong. */
static int take_census(struct outputs *outs, struct capture *cap, bool hurry)
{
	struct world w;
	int ret;

	capture_begin_pass(cap, !hurry);
	ret = world_init(&w, cap);
	w.clock = NULL;
	if (!ret)
		ret = census_attach(&outs->census, &w);
	if (!ret && outs->opt->nr_logs)
		ret = xray_who_attach(&outs->logs.app.who, &w);
	if (!ret && hurry)
		census_hurry(&outs->census, cap);
	if (!ret)
		ret = run_pass(outs, cap, &w, "reading");
	if (!ret)
		ret = check_records(cap);
	if (!ret && outs->census.known.clash)
		ret = -EAGAIN;
	if (!ret)
		ret = census_finish(&outs->census);
	world_destroy(&w);
	return ret;
}

static int run_census(struct outputs *outs, struct capture *cap)
{
	int ret;

	ret = take_census(outs, cap, true);
	if (ret == -EAGAIN) {
		census_free(&outs->census);
		ret = take_census(outs, cap, false);
	}
	outs->empty = !capture_records(cap);
	outs->activities = ovni_activities_of(cap->stats.records);
	/* Now with the anchors that were met between the headers, too. */
	return ret ? ret : clock_fit(&cap->clock);
}

static int attach_writer(struct outputs *outs, struct world *w, const char *path)
{
	struct hookable *events = &outs->translate.hooks;
	int ret = 0;

	if (outs->merging) {
		ret = ovni_merge_attach(&outs->merge, &outs->translate);
		events = &outs->merge.hooks;
	}
	if (!ret)
		ret = ovni_writer_attach(&outs->writer, &outs->translate, events, w, path,
					 outs->loom_dir, outs->loom);
	if (ret || !outs->merging)
		return ret;
	outs->writer.ids = &outs->merge.ids;
	if (outs->merge.trace.first < OVNI_CLOCK_MAX)
		ovni_writer_since(&outs->writer, outs->merge.trace.first);
	return 0;
}

static int attach_ovni(struct outputs *outs, struct world *w)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/ovni", outs->opt->out);
	fd = tree_open_new(path);
	if (fd < 0)
		return fd;
	close(fd);
	snprintf(path, sizeof(path), "%s/ovni/loom.%s", outs->opt->out, outs->loom);
	outs->loom_dir = tree_open_new(path);
	if (outs->loom_dir < 0)
		return outs->loom_dir;
	return attach_writer(outs, w, path);
}

static int attach_laplace(struct outputs *outs, struct world *w)
{
	return laplace_attach(&outs->laplace, w, outs->opt->out, outs->opt->laplace_split);
}

static int attach_outputs(struct outputs *outs, struct world *w)
{
	u32 wanted = outs->opt->outputs;
	int ret = 0;

	if (wanted & DECODE_LAPLACE)
		ret = attach_laplace(outs, w);
	if (!ret && wanted & DECODE_XRAY)
		ret = xray_writer_attach(&outs->xray, w, outs->opt->out, outs->opt->xray_version);
	if (ret || !(wanted & (DECODE_OVNI | DECODE_PRV)))
		return ret;
	if (!outs->census.nr_threads) {
		if (outs->merging) {
			msg_error("%s: no task is known: there is nothing to merge with",
				  outs->opt->capture);
			return -ENODATA;
		}
		if (!outs->empty)
			msg_warn("%s: no task is known: there is nothing to write for ovni and Paraver",
				 outs->opt->capture);
		return 0;
	}
	ret = ovni_translate_attach(&outs->translate, w, &outs->census);
	if (!ret && (wanted & DECODE_OVNI))
		ret = attach_ovni(outs, w);
	/* With another trace in it, what is written is drawn in the end. */
	if (!ret && (wanted & DECODE_PRV) && !outs->merging)
		ret = prv_sink_attach(&outs->prv, &outs->translate, w, outs->activities,
				      outs->loom, outs->opt);
	return ret;
}

static int finish_merge(struct outputs *outs)
{
	char path[PATH_MAX];
	int ret;

	ret = ovni_merge_finish(&outs->merge);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/ovni", outs->opt->out);
	return ovni_merge_write_rest(&outs->merge, path, outs->loom, outs->writer.first_clock);
}

static int draw_merged(const struct outputs *outs)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/ovni", outs->opt->out);
	return draw_trace(path, outs->opt);
}

static int finish_outputs(struct outputs *outs, struct capture *cap)
{
	u32 wanted = outs->opt->outputs;
	int ret = 0;

	if (wanted & DECODE_LAPLACE)
		ret = laplace_finish(&outs->laplace, capture_damages(cap));
	if (!ret && wanted & DECODE_XRAY)
		ret = xray_writer_finish(&outs->xray, cap, outs->opt->xray_split);
	if (!ret && outs->merging)
		ret = finish_merge(outs);
	if (!ret && outs->writer.streams)
		ret = ovni_writer_finish(&outs->writer);
	if (!ret && outs->prv.emu)
		ret = prv_sink_finish(&outs->prv);
	if (!ret && outs->merging && (wanted & DECODE_PRV))
		ret = draw_merged(outs);
	return ret;
}

static void close_outputs(struct outputs *outs)
{
	prv_sink_close(&outs->prv);
	ovni_writer_close(&outs->writer);
	if (outs->loom_dir >= 0)
		close(outs->loom_dir);
	ovni_translate_destroy(&outs->translate);
	laplace_close(&outs->laplace);
	xray_writer_close(&outs->xray);
	tracing_close(&outs->tracing);
	report_detach(outs->opt->report);
	census_free(&outs->census);
}

static void on_gap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct decode_report *report = data;

	if (report->nr_gaps < DECODE_GAPS_TOLD)
		report->gaps[report->nr_gaps++] = *it->gap;
}

static int run_outputs(struct outputs *outs, struct capture *cap, struct decode_report *report)
{
	bool second = needs_census(outs->opt);
	struct world w;
	int ret;

	capture_begin_pass(cap, second);
	ret = world_init(&w, cap);
	/* Laplace's time is the stamp as it is, and so is XRay's. */
	if (!second)
		w.clock = NULL;
	if (!ret)
		ret = hook_attach(&w.hooks, WORLD_GAP_BEGIN, on_gap, report);
	if (!ret)
		ret = attach_outputs(outs, &w);
	if (!ret)
		ret = tracing_attach(&outs->tracing, &w);
	if (!ret)
		ret = report_attach(outs->opt->report, &w);
	if (!ret)
		ret = run_pass(outs, cap, &w, "writing");
	if (!ret)
		ret = check_records(cap);
	report->world = w.stats;
	report->orphans = outs->census.orphans;
	report->unplaced = outs->translate.unplaced;
	report->processes = outs->census.nr_processes;
	if (outs->translate.dropped)
		msg_warn("%s: has changed while it was read: %llu changes of unknown tasks left out",
			 cap->dir, outs->translate.dropped);
	if (!ret)
		ret = finish_outputs(outs, cap);
	if (!ret)
		ret = tracing_finish(&outs->tracing, outs->opt->json);
	close_outputs(outs);
	world_destroy(&w);
	return ret;
}

/* A file a CPU is open, and some streams. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static enum decode_status status_of(const struct capture *cap)
{
	if (capture_damages(cap) || (cap->stats.causes & (GAP_DAMAGED | GAP_MISSING)))
		return DECODE_DAMAGED;
	return cap->stats.gaps || cap->meta.missed ? DECODE_LOST : DECODE_OK;
}

static int decode_capture(struct outputs *outs, struct capture *cap, struct decode_report *report)
{
	const struct decode_options *opt = outs->opt;
	int ret = 0;

	if (cap->untrusted)
		msg_warn("%s: the kernel did not trust the TSC: times may be wrong", cap->dir);
	ovni_loom_name(outs->loom, sizeof(outs->loom), cap->meta.host);
	if (needs_census(opt))
		ret = run_census(outs, cap);
	if (!ret && tracing_wanted(opt->tracers)) {
		ret = tracing_open(&outs->tracing, opt->tracers, cap);
		outs->refused = ret;
	}
	if (!ret && opt->out)
		ret = place_clear(opt->out, opt->outputs);
	if (!ret && opt->nr_logs)
		ret = logs_to_trace(&outs->logs, &outs->merge.trace, &outs->census, opt,
				    outs->loom);
	return ret ? ret : run_outputs(outs, cap, report);
}

/* What is to be merged, before anything of ours is touched. */
static int open_merge(struct outputs *outs, struct capture *cap)
{
	char path[PATH_MAX], *out;

	if (outs->opt->nr_logs)
		return logs_open(&outs->logs, cap, outs->opt);
	out = realpath(outs->opt->out, NULL);
	if (!out) {
		msg_error("%s: %s", outs->opt->out, strerror(errno));
		return -EINVAL;
	}
	snprintf(path, sizeof(path), "%s/ovni", out);
	free(out);
	return merge_trace_open(&outs->merge.trace, outs->opt->merge, cap->meta.host, path);
}

/*
 * Either all outputs are there in the end, or none, old ones included; but for a tracer
 * that refuses.
 */
static int decode_into(struct outputs *outs, struct capture *cap, struct decode_report *report)
{
	const struct decode_options *opt = outs->opt;
	int ret = 0;

	if (opt->out)
		ret = tree_make_dir(opt->out, &outs->made);
	if (!ret && opt->out)
		ret = place_check(opt->out, opt->outputs);
	if (!ret && outs->merging)
		ret = open_merge(outs, cap);
	if (ret)
		return ret;
	ret = decode_capture(outs, cap, report);
	if (ret && opt->out && !outs->refused)
		place_clear(opt->out, opt->outputs);
	return ret;
}

enum decode_status decode_run(const struct decode_options *opt)
{
	struct outputs outs = {
		.opt = opt, .loom_dir = -1, .merging = opt->merge || opt->nr_logs,
	};
	enum decode_status status = DECODE_FAILED;
	struct decode_report *report;
	struct capture cap;

	raise_file_limit();
	report = calloc(1, sizeof(*report));
	if (capture_open(&cap, opt->capture) || !report)
		goto out_close;
	report->cap = &cap;
	if (decode_into(&outs, &cap, report))
		goto out_close;
	if (!opt->report)
		decode_summary(report, opt->out);
	else if (report_write(opt->report, report))
		goto out_close;
	if (opt->nr_logs)
		xray_app_report(&outs.logs.app);
	if (outs.merging)
		ovni_merge_report(&outs.merge);
	status = status_of(&cap);
	if (outs.logs.app.damaged)
		status = DECODE_DAMAGED;
out_close:
	ovni_merge_close(&outs.merge);
	logs_close(&outs.logs);
	census_free(&outs.census);
	capture_close(&cap);
	/* Not if there is something in it. */
	if (status == DECODE_FAILED && outs.made)
		rmdir(opt->out);
	free(report);
	return status;
}
