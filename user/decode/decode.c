// SPDX-License-Identifier: GPL-2.0-only
/* Decode a capture: read it, for some outputs more than once, and feed the outputs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/capture.h"
#include "capture/merge.h"
#include "decode/decode.h"
#include "decode/place.h"
#include "merge/source.h"
#include "output/ovni/translate.h"
#include "output/ovni/writer.h"
#include "output/timeline/timeline.h"
#include "tasks/tasks.h"
#include "util/msg.h"
#include "util/rights.h"
#include "util/stage.h"
#include "world/inventory.h"
#include "world/renames.h"
#include "world/world.h"

#define LOOK_EVERY	65536	/* items between two looks at errors and progress */

static void show_progress(const struct capture *cap, const char *what)
{
	u64 total = cap->subbufs ? cap->subbufs : 1;

	fprintf(stderr, "\r%s: %3llu %%", what, cap->stats.subbufs * 100 / total);
}

/* Feed some items: errors and progress are not checked after each one. */
static __always_inline int feed_items(struct world *w, struct merge *m, struct narrow *part,
				      bool *more)
{
	const struct capture_item *item;
	unsigned int n;
	int ret;

	for (n = 0; n < LOOK_EVERY; n++) {
		ret = part ? narrow_next(part, m, &item) : merge_next(m, &item);
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

/* Most captures are read whole: no question for each item. */
static int feed_some(struct world *w, struct merge *m, struct narrow *part, bool *more)
{
	return part ? feed_items(w, m, part, more) : feed_items(w, m, NULL, more);
}

static int feed_all(struct capture *cap, struct world *w, struct merge *m, struct narrow *part,
		    const char *progress)
{
	bool more = true;
	int ret = 0;

	while (more && !ret) {
		ret = feed_some(w, m, part, &more);
		if (!ret)
			ret = w->hooks.error;
		if (progress && more)
			show_progress(cap, progress);
	}
	return ret;
}

/* A damaged capture without a record: outputs would be wrong, not just incomplete. */
static int check_records(const struct capture *cap)
{
	if (capture_records(cap) || !capture_damages(cap) || cap->narrow)
		return 0;
	msg_error("%s: the capture is damaged, and not one record of it can be read", cap->dir);
	return -ENODATA;
}

/* Feed a capture to a world. */
static int pass_run(struct capture *cap, struct world *w, struct narrow *part,
		    const char *progress)
{
	struct merge m;
	int ret;

	ret = part ? narrow_begin(part, &m) : merge_open(&m, cap);
	if (ret)
		goto out_close;
	world_begin(w, cap->begin);
	ret = feed_all(cap, w, &m, part, progress);
	if (!ret)
		ret = world_end(w, cap->end);
out_close:
	merge_close(&m);
	if (progress)
		fprintf(stderr, "\r%-16s\r", "");
	if (ret == -ENOMEM)
		msg_error("no memory");
	return ret ? ret : check_records(cap);
}

/**
 * struct decode - A run.
 * @opt: what to do
 * @cap: the capture
 * @part: what part of it is read
 * @inventory: inventory of the capture's tasks
 * @empty: the first of two passes found no record
 * @world: of the last pass
 * @translate: to ovni events
 * @tasks: of the last pass; NULL: no output needs any
 * @timeline: likewise, of those tasks; all zero: no output draws it
 * @facts: of the last pass
 * @env: for the outputs
 * @loom: name of the loom
 * @touched: outputs were changed: remove them all if the run fails
 * @stage: where the outputs are written
 * @command: the process that the recorder ran
 * @about: a question without a name is about it
 */
struct decode {
	const struct decode_options *opt;
	struct capture cap;
	struct narrow part;
	struct inventory inventory;
	struct renames renames;
	bool empty;
	struct world world;
	struct ovni_translate translate;
	struct tasks *tasks;
	struct timeline timeline;
	struct facts facts;
	struct output_env env;
	char loom[OVNI_LOOM_MAX];
	bool touched;
	struct stage stage;
	struct narrow_pick command;
	struct narrow_options about;
};

static const char *progress(const struct decode *d, const char *what)
{
	return d->opt->progress ? what : NULL;
}

/* NULL: all of the capture is read. */
static struct narrow *part_of(struct decode *d)
{
	return d->cap.narrow ? &d->part : NULL;
}

/* @hurry: see inventory_hurry(). Return: -EAGAIN if the result may be wrong. */
static int take_inventory(struct decode *d, bool hurry)
{
	struct world w;
	int ret;

	capture_begin_pass(&d->cap, !hurry || d->cap.narrow);
	ret = world_init(&w, &d->cap);
	w.clock = NULL;
	if (!ret)
		ret = inventory_attach(&d->inventory, &w);
	d->inventory.named = outputs_need(d->opt->outputs, OUTPUT_NAMES);
	if (d->renames.nr)
		renames_tell(&d->renames, &w);
	else if (!ret)
		ret = renames_watch(&d->renames, &w);
	if (!ret && d->opt->source)
		ret = source_watch(d->opt->source, &w);
	if (!ret && hurry)
		inventory_hurry(&d->inventory, &d->cap);
	if (!ret)
		ret = pass_run(&d->cap, &w, part_of(d), progress(d, "reading"));
	if (!ret && !d->renames.by_old)
		ret = renames_sort(&d->renames);
	if (!ret && d->inventory.known.clash)
		ret = -EAGAIN;
	if (!ret)
		ret = inventory_finish(&d->inventory);
	world_destroy(&w);
	return ret;
}

static int run_inventory(struct decode *d)
{
	int ret;

	/* The fast inventory skips records that the initial state of a selection needs. */
	ret = take_inventory(d, !d->cap.narrow);
	/* The renames just learned change which tasks exist: take the inventory again. */
	if (ret == -EAGAIN || (!ret && d->renames.nr)) {
		inventory_free(&d->inventory);
		ret = take_inventory(d, false);
	}
	d->empty = !capture_records(&d->cap);
	d->env.activities = ovni_activities_of(d->cap.stats.records);
	d->env.inventory = &d->inventory;
	/* Fit the clock again, now also with the anchors in records. */
	return ret ? ret : clock_fit(&d->cap.clock);
}

/* A question without a name is about the command that "ovnik record" ran. */
static bool is_about_command(const struct decode *d)
{
	return outputs_need(d->opt->outputs, OUTPUT_ABOUT) && !d->opt->about.nr_picks;
}

static int find_command(struct decode *d)
{
	u32 pid = inventory_command(&d->inventory, &d->cap.meta);

	if (!pid) {
		msg_error("%s: the recorded command is not in it: name a process by --comm, --pid or --tree",
			  d->cap.dir);
		return -ESRCH;
	}
	msg_info("about the recorded command, process %u, and its descendants: %s", pid,
		 d->cap.meta.command);
	d->command.pid = pid;
	d->command.tree = true;
	d->about.picks = &d->command;
	d->about.nr_picks = 1;
	d->env.about = &d->about;
	return 0;
}

/* Make what several outputs need. */
static int attach_events(struct decode *d)
{
	struct source *source = d->opt->source;
	int ret;

	if (!d->inventory.nr_threads && source) {
		msg_error("%s: no task is known: there is nothing to merge with", d->cap.dir);
		return -ENODATA;
	}
	if (!d->inventory.nr_threads) {
		if (!d->empty)
			msg_warn("%s: no task is known: there is nothing to write for ovni and Paraver",
				 d->cap.dir);
		return 0;
	}
	d->env.events = &d->translate;
	if (source)
		source->merge.apps = d->env.apps;
	ret = ovni_translate_attach(&d->translate, &d->world, &d->inventory);
	return !ret && source ? ovni_merge_attach(&source->merge, &d->translate, &d->cap) : ret;
}

static int attach_timeline(struct decode *d)
{
	int ret = timeline_init(&d->timeline, &d->world, TIMELINE_LANES_MAX) ?:
		  timeline_attach_marks(&d->timeline, d->env.events, d->env.loom);

	recorder_find(&d->timeline.recorder, &d->cap, &d->inventory);
	d->env.timeline = &d->timeline;
	return ret;
}

/* Once, for all outputs. What is attached to the world before has seen a record before they do. */
static int attach_tasks(struct decode *d)
{
	bool drawn = outputs_need(d->opt->outputs, OUTPUT_TIMELINE);
	u32 kinds = outputs_kinds(d->opt->outputs);
	int ret = drawn ? attach_timeline(d) : 0;

	if (ret || !kinds)
		return ret;
	d->tasks = tasks_create(&d->world, kinds);
	if (!d->tasks)
		return -ENOMEM;
	d->env.tasks = d->tasks;
	if (drawn)
		ret = timeline_attach(&d->timeline, tasks_hooks(d->tasks));
	return ret ? ret : outputs_attach_tasks(d->opt->outputs, &d->env);
}

static void on_gap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct facts *facts = data;

	if (facts->nr_gaps < FACTS_GAPS)
		facts->gaps[facts->nr_gaps++] = *it->gap;
}

static int attach_all(struct decode *d)
{
	bool inventory = outputs_need(d->opt->outputs, OUTPUT_INVENTORY);
	int ret;

	capture_begin_pass(&d->cap, inventory || d->cap.narrow);
	ret = world_init(&d->world, &d->cap);
	d->world.pids = d->inventory.pids;
	d->world.nr_pids = d->inventory.nr_tasks;
	renames_tell(&d->renames, &d->world);
	d->env.world = &d->world;
	/* The other outputs use the time stamps as they are. */
	if (!inventory)
		d->world.clock = NULL;
	if (!ret)
		ret = hook_attach(&d->world.hooks, WORLD_GAP_BEGIN, on_gap, &d->facts);
	if (!ret)
		ret = hook_attach(&d->world.hooks, WORLD_DUMP_GAP, on_gap, &d->facts);
	if (!ret && (d->opt->source || outputs_need(d->opt->outputs, OUTPUT_EVENTS)))
		ret = attach_events(d);
	if (!ret)
		ret = outputs_attach(d->opt->outputs, &d->env);
	return ret ? ret : attach_tasks(d);
}

/* The events of what is merged that come after all others. */
static int finish_merge(struct decode *d)
{
	const struct ovni_joined *joined = d->translate.joined;

	return joined ? joined->finish(joined->data) ?: d->world.hooks.error : 0;
}

static void collect_facts(struct decode *d)
{
	d->facts.cap = &d->cap;
	d->facts.world = d->world.stats;
	d->facts.orphans = d->inventory.orphans;
	d->facts.unplaced = d->translate.unplaced;
	d->facts.processes = d->inventory.nr_processes;
	if (capture_torn(&d->cap))
		msg_warn("%s: anchors of its clock contradict each other: times may be wrong by %.3f s",
			 d->cap.dir, d->cap.clock.residual.max_ns / 1e9);
	if (d->translate.dropped)
		msg_warn("%s: changed while it was read: %llu changes of unknown tasks left out",
			 d->cap.dir, d->translate.dropped);
}

static int run_outputs(struct decode *d)
{
	bool command = outputs_need(d->opt->outputs, OUTPUT_COMMAND);
	int ret;

	ret = attach_all(d);
	if (!ret)
		ret = pass_run(&d->cap, &d->world, part_of(d),
			       progress(d, command ? "reading" : "writing"));
	if (!ret)
		ret = finish_merge(d);
	collect_facts(d);
	if (!ret && d->env.timeline)
		ret = timeline_finish(&d->timeline, &d->cap);
	return ret ? ret : outputs_finish(d->opt->outputs, &d->env);
}

/* From here on, outputs of earlier runs are gone, and those of this one not there yet. */
static int begin_outputs(struct decode *d)
{
	d->touched = true;
	return place_clear(&d->stage, d->opt->outputs);
}

static int decode_capture(struct decode *d)
{
	const struct decode_options *opt = d->opt;
	int ret = 0;

	d->touched = true;
	if (d->cap.untrusted)
		msg_warn("%s: the kernel did not trust the TSC: times may be wrong", d->cap.dir);
	if (d->cap.meta.uncertain[0])
		msg_warn("%s: different files of %s may have the same device and inode number",
			 d->cap.dir, d->cap.meta.uncertain);
	if (d->cap.meta.lack[0])
		msg_warn("%s: not all that happened was recorded: %s", d->cap.dir,
			 d->cap.meta.lack);
	ovni_loom_name(d->loom, sizeof(d->loom), d->cap.meta.host);
	if (outputs_need(opt->outputs, OUTPUT_INVENTORY))
		ret = run_inventory(d);
	if (!ret && is_about_command(d))
		ret = find_command(d);
	if (!ret && opt->counted)
		d->env.apps = opt->counted(opt->data, d->inventory.nr_processes);
	if (!ret) {
		ret = outputs_open(opt->outputs, &d->env);
		d->touched = !ret;
	}
	if (!ret && opt->out)
		ret = begin_outputs(d);
	d->env.out = d->stage.path;
	if (!ret && opt->source)
		ret = source_prepare(opt->source, &d->inventory, d->stage.path, d->loom);
	if (!ret)
		ret = run_outputs(d);
	return !ret && opt->out ? stage_commit(&d->stage) : ret;
}

static int begin_stage(struct decode *d)
{
	const struct decode_options *opt = d->opt;
	int ret;

	ret = place_apart(opt->out, opt->capture) ?: stage_begin(&d->stage, opt->out) ?:
	      stage_made_of(&d->stage, opt->capture);
	return !ret && opt->source ? source_gives_rights(opt->source, &d->stage) : ret;
}

static int decode_into(struct decode *d)
{
	const struct decode_options *opt = d->opt;
	int ret = 0;

	if (opt->out)
		ret = begin_stage(d);
	else
		rights_of(opt->capture, getegid());
	if (!ret && opt->out)
		ret = place_check(&d->stage, opt->outputs);
	/* Check the trace to merge before any file is changed. */
	if (!ret && opt->source)
		ret = source_open(opt->source, &d->cap, opt->out);
	return ret ? ret : decode_capture(d);
}

/* One file per CPU is open, and some streams. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static enum decode_status status_of(const struct decode *d)
{
	const struct capture *cap = &d->cap;

	if (capture_damages(cap) || (cap->stats.causes & (GAP_DAMAGED | GAP_MISSING)))
		return DECODE_DAMAGED;
	if (d->opt->source && d->opt->source->app.damaged)
		return DECODE_DAMAGED;
	return cap->stats.gaps || cap->meta.missed ? DECODE_LOST : DECODE_OK;
}

static enum decode_status run(struct decode *d)
{
	const struct decode_options *opt = d->opt;

	if (capture_open(&d->cap, opt->capture))
		return DECODE_FAILED;
	if (opt->opened && opt->opened(opt->data, &d->cap))
		return DECODE_FAILED;
	if (is_about_command(d) && !(d->cap.meta.recorder && *d->cap.meta.command)) {
		msg_error("%s: %s: name a process by --comm, --pid or --tree", d->cap.dir,
			  d->cap.meta.valid ? "no command was recorded with it" :
			  "without meta.json, it is not known which command was recorded");
		return DECODE_USAGE;
	}
	d->env.wall = opt->wall;
	if (narrow_wanted(&opt->narrow) && narrow_prepare(&d->part, &opt->narrow, &d->cap))
		return DECODE_FAILED;
	if (decode_into(d))
		return DECODE_FAILED;
	if (!outputs_need(opt->outputs, OUTPUT_COMMAND) && !opt->nodes)
		decode_summary(&d->facts, opt->out);
	if (opt->source && !opt->nodes)
		source_report(opt->source);
	if (opt->out && !opt->nodes && !opt->decoded && capture_records(&d->cap))
		outputs_report(opt->outputs, opt->out);
	if (opt->decoded)
		opt->decoded(opt->data, &d->facts);
	return status_of(d);
}

/*
 * A failed run leaves no output, not even those of an earlier run, unless it fails before it has
 * changed anything.
 */
static void end(struct decode *d, bool failed)
{
	const struct decode_options *opt = d->opt;

	outputs_close(opt->outputs);
	tasks_destroy(d->tasks);
	timeline_free(&d->timeline);
	if (failed && opt->out && d->touched)
		place_clear(&d->stage, opt->outputs);
	stage_end(&d->stage);
	ovni_translate_destroy(&d->translate);
	if (d->env.world)
		world_destroy(&d->world);
	if (opt->source)
		source_close(opt->source);
	inventory_free(&d->inventory);
	renames_free(&d->renames);
	narrow_destroy(&d->part);
	capture_close(&d->cap);
}

enum decode_status decode_run(const struct decode_options *opt)
{
	struct decode *d = calloc(1, sizeof(*d));
	enum decode_status status;

	raise_file_limit();
	if (!d) {
		msg_no_memory();
		return DECODE_FAILED;
	}
	d->opt = opt;
	d->env = (struct output_env){
		.cap = &d->cap, .out = opt->out, .about = &opt->about, .loom = d->loom,
		.apps = opt->apps, .side = opt->side, .several = opt->several, .node = opt->node,
		.nodes = opt->nodes, .shift = opt->shift, .facts = &d->facts,
	};
	status = run(d);
	end(d, status == DECODE_FAILED);
	free(d);
	return status;
}
