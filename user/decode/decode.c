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
#include "decode/place.h"
#include "decode/prv.h"
#include "decode/tree.h"
#include "laplace/laplace.h"
#include "ovni/writer.h"
#include "util/msg.h"
#include "world/census.h"

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
 * @writer: of the ovni trace
 * @prv: the emulator
 * @laplace: writer of the Laplace trace
 */
struct outputs {
	const struct decode_options *opt;
	struct census census;
	bool empty;
	u32 activities;
	char loom[160];
	int loom_dir;
	struct ovni_translate translate;
	struct ovni_writer writer;
	struct prv_sink prv;
	struct laplace laplace;
};

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

static int run_census(struct outputs *outs, struct capture *cap)
{
	struct world w;
	int ret;

	capture_begin_pass(cap, false);
	ret = world_init(&w, cap);
	w.clock = NULL;
	if (!ret)
		ret = census_attach(&outs->census, &w);
	if (!ret)
		ret = run_pass(outs, cap, &w, "reading");
	if (!ret)
		ret = check_records(cap);
	if (!ret)
		ret = census_finish(&outs->census);
	outs->empty = !capture_records(cap);
	outs->activities = ovni_activities_of(cap->stats.records);
	world_destroy(&w);
	/* Now with the anchors that were met between the headers, too. */
	return ret ? ret : clock_fit(&cap->clock);
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
	return ovni_writer_attach(&outs->writer, &outs->translate, w, path, outs->loom_dir,
				  outs->loom);
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
	if (ret || !(wanted & (DECODE_OVNI | DECODE_PRV)))
		return ret;
	if (!outs->census.nr_threads) {
		if (!outs->empty)
			msg_warn("%s: no task is known: there is nothing to write for ovni and Paraver",
				 outs->opt->capture);
		return 0;
	}
	ret = ovni_translate_attach(&outs->translate, w, &outs->census);
	if (!ret && (wanted & DECODE_OVNI))
		ret = attach_ovni(outs, w);
	if (!ret && (wanted & DECODE_PRV))
		ret = prv_sink_attach(&outs->prv, &outs->translate, w, outs->activities,
				      outs->loom, outs->opt->out);
	return ret;
}

static int finish_outputs(struct outputs *outs, const struct capture *cap)
{
	u32 wanted = outs->opt->outputs;
	int ret = 0;

	if (wanted & DECODE_LAPLACE)
		ret = laplace_finish(&outs->laplace, capture_damages(cap));
	if (!ret && outs->writer.streams)
		ret = ovni_writer_finish(&outs->writer);
	if (!ret && outs->prv.emu)
		ret = prv_sink_finish(&outs->prv);
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
	bool second = outs->opt->outputs & (DECODE_OVNI | DECODE_PRV);
	struct world w;
	int ret;

	capture_begin_pass(cap, second);
	ret = world_init(&w, cap);
	/* Laplace's time is the TSC. */
	if (!second)
		w.clock = NULL;
	if (!ret)
		ret = hook_attach(&w.hooks, WORLD_GAP_BEGIN, on_gap, report);
	if (!ret)
		ret = attach_outputs(outs, &w);
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
	return cap->stats.gaps ? DECODE_LOST : DECODE_OK;
}

static int decode_capture(struct outputs *outs, struct capture *cap, struct decode_report *report)
{
	int ret = 0;

	if (cap->untrusted)
		msg_warn("%s: the kernel did not trust the TSC: times may be wrong", cap->dir);
	ovni_loom_name(outs->loom, sizeof(outs->loom), cap->meta.host);
	if (outs->opt->outputs & (DECODE_OVNI | DECODE_PRV))
		ret = run_census(outs, cap);
	return ret ? ret : run_outputs(outs, cap, report);
}

/* Either all outputs are there in the end, or none, old ones included. */
static int decode_into(struct outputs *outs, struct capture *cap, struct decode_report *report)
{
	const struct decode_options *opt = outs->opt;
	int ret;

	ret = tree_make_dir(opt->out);
	if (!ret)
		ret = place_check(opt->out, opt->outputs);
	if (ret)
		return ret;
	ret = place_clear(opt->out, opt->outputs);
	if (!ret)
		ret = decode_capture(outs, cap, report);
	if (ret)
		place_clear(opt->out, opt->outputs);
	return ret;
}

enum decode_status decode_run(const struct decode_options *opt)
{
	struct outputs outs = { .opt = opt, .loom_dir = -1 };
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
	decode_summary(report);
	status = status_of(&cap);
out_close:
	census_free(&outs.census);
	capture_close(&cap);
	free(report);
	return status;
}
