// SPDX-License-Identifier: GPL-2.0-only
/* The captures of several nodes become one ovni trace, of which the outputs are made. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "align/align.h"
#include "align/drift.h"
#include "decode/nodes.h"
#include "decode/parts.h"
#include "decode/place.h"
#include "decode/workers.h"
#include "merge/source.h"
#include "output/ovni/writer.h"
#include "util/jobs.h"
#include "util/msg.h"
#include "util/out.h"
#include "util/stage.h"

/* In the stage; not moved from there. */
#define HIDDEN_TRACE	".ovni"

/**
 * enum node_state - How far the process of a capture is.
 * @NODE_BEGUN: nothing is known of it
 * @NODE_OPENED: the name of its loom is known
 * @NODE_COUNTED: its applications are counted
 * @NODE_OUT: it has ended, and is not in the trace
 * @NODE_IN: it has ended, and is
 */
enum node_state {
	NODE_BEGUN,
	NODE_OPENED,
	NODE_COUNTED,
	NODE_OUT,
	NODE_IN,
};

/**
 * struct node - A capture, as its process leaves it.
 * @capture: its directory
 * @loom: name of its loom; empty: it is not in the trace
 * @apps: how many numbers of applications it needs
 * @merged: something of what is merged was written there
 * @state: how far it is; set by its process, and by the first one when that has ended
 */
struct node {
	const char *capture;
	char loom[OVNI_LOOM_MAX];
	u32 apps;
	bool merged;
	enum node_state state;
};

/**
 * struct nodes - A run.
 * @opt: what to do
 * @all: the captures, shared with their processes
 * @clocks: their clocks, shared, too
 * @nr: how many
 * @nr_clocks: of clocks: also those of hosts that only an application's trace is of
 * @room: for so many clocks
 * @current: the one that is decoded
 * @apps: number of the last application of a trace to merge
 * @in: how many are in the trace
 * @status: the worst of theirs
 * @rest: an application's trace, as far as no capture is of its hosts
 * @child: options of the process that decodes the current one
 * @drift: the tables of offsets, if they are given
 * @stage: where all is written
 * @trace: directory of the trace
 */
struct nodes {
	const struct decode_options *opt;
	struct node *all;
	struct align *clocks;
	unsigned int nr;
	unsigned int nr_clocks;
	unsigned int room;
	unsigned int current;
	u32 apps;
	unsigned int in;
	enum decode_status status;
	struct ovni_merge rest;
	struct decode_options *child;
	struct drift drift;
	struct stage stage;
	char trace[PATH_MAX];
};

static void reach(struct node *node, enum node_state state)
{
	__atomic_store_n(&node->state, state, __ATOMIC_RELEASE);
}

/* Earlier nodes were started earlier and never wait for later ones: this cannot deadlock. */
static enum node_state await(const struct node *node, enum node_state state)
{
	static const struct timespec nap = { .tv_nsec = 1000000 };
	enum node_state is;

	while ((is = __atomic_load_n(&node->state, __ATOMIC_ACQUIRE)) < state)
		nanosleep(&nap, NULL);
	return is;
}

/* Clocks and CPUs are a host's: it has a loom's name up to the first dot. */
static bool same_host(const char *a, const char *b)
{
	size_t len = strcspn(a, ".");

	return strcspn(b, ".") == len && !memcmp(a, b, len);
}

static int on_opened(void *data, struct capture *cap)
{
	struct nodes *n = data;
	struct node *node = &n->all[n->current];
	unsigned int i;

	ovni_loom_name(node->loom, sizeof(node->loom), cap->meta.host);
	reach(node, NODE_OPENED);
	for (i = 0; i < n->current; i++) {
		const struct node *other = &n->all[i];

		await(other, NODE_OPENED);
		if (!other->loom[0] || !same_host(other->loom, node->loom) ||
		    await(other, NODE_OUT) == NODE_OUT)
			continue;
		msg_error("%s: was recorded on host \"%s\", as was %s: a trace takes one capture of each node",
			  cap->dir, cap->meta.host, other->capture);
		return -EEXIST;
	}
	msg_info("%s: node %s", cap->dir, node->loom);
	if (n->opt->source && !merge_trace_has(&n->rest.trace, node->loom)) {
		msg_warn("%s: nothing in %s was written on node %s", cap->dir,
			 n->rest.trace.path, node->loom);
		n->child->source = NULL;
	}
	node->merged = n->child->source;
	/* The table in the trace has what is constant; what is not is taken out of the times. */
	return n->opt->offsets_after ? parts_bend(&n->drift, cap, node->loom) : 0;
}

/* The numbers of applications go on from one node to the next, whoever is first. */
static u32 on_counted(void *data, u32 processes)
{
	struct nodes *n = data;
	struct node *node = &n->all[n->current];
	u32 apps = n->apps;
	unsigned int i;

	node->apps = processes;
	/* Those that the capture does not have may get numbers, too. */
	if (n->child->source)
		node->apps += n->child->source->merge.trace.nr_processes;
	reach(node, NODE_COUNTED);
	for (i = 0; i < n->current; i++) {
		await(&n->all[i], NODE_COUNTED);
		apps += n->all[i].apps;
	}
	return apps;
}

static void on_decoded(void *data, const struct facts *facts)
{
	struct nodes *n = data;

	struct align *clock = &n->clocks[n->current];
	struct capture *cap = facts->cap;

	clock->begin = clock_ns(&cap->clock, cap->begin);
	clock->end = clock_ns(&cap->clock, cap->end);
	align_read(clock, cap->meta.walls, cap->meta.nr_walls);
}

/* In a process of its own: what one capture takes is given back, whatever is wrong with it. */
static int decode_alone(void *data, unsigned int which)
{
	struct nodes *n = data;
	struct decode_options opt = *n->opt;
	enum decode_status status;
	char out[PATH_MAX];
	unsigned int i;

	for (i = 0; i < opt.outputs->nr; i++)
		opt.outputs->uses[i].wanted = opt.outputs->uses[i].output == &ovni_output;
	jobs_set(1);
	n->child = &opt;
	n->current = which;
	snprintf(out, sizeof(out), PARTS_DIR, n->stage.path, which);
	opt.capture = n->all[n->current].capture;
	opt.out = out;
	/* Of several at a time one line would overwrite another. */
	opt.progress &= n->opt->jobs == 1;
	opt.opened = on_opened;
	opt.counted = on_counted;
	opt.decoded = on_decoded;
	opt.data = n;
	status = decode_run(&opt);
	fflush(NULL);
	return status;
}

static void leave_out(struct nodes *n, unsigned int i)
{
	n->all[i].loom[0] = '\0';
	n->clocks[i].node = NULL;
	msg_warn("%s: left out", n->all[i].capture);
	n->status = DECODE_DAMAGED;
}

static bool is_in(int status)
{
	return status == DECODE_OK || status == DECODE_DAMAGED || status == DECODE_LOST;
}

static void on_ended(void *data, unsigned int i, int status)
{
	struct nodes *n = data;

	reach(&n->all[i], is_in(status) ? NODE_IN : NODE_OUT);
}

static void on_done(void *data, unsigned int i, int status)
{
	struct nodes *n = data;

	if (!is_in(status)) {
		leave_out(n, i);
		return;
	}
	n->status = decode_worse(n->status, status);
	n->clocks[i].node = n->all[i].loom;
}

static int decode_all(struct nodes *n)
{
	const struct workers workers = {
		.nr = n->nr, .at_once = n->opt->jobs,
		.work = decode_alone, .ended = on_ended, .done = on_done, .data = n,
	};

	return workers_run(&workers);
}

/* Of an application's trace, what no capture is of; those hosts have clocks, too. */
static int leave_to_rest(struct nodes *n)
{
	struct merge_trace *tr = &n->rest.trace;
	bool merged = false;
	u32 i;

	for (i = 0; i < n->nr; i++) {
		if (!n->clocks[i].node || !merge_trace_has(tr, n->clocks[i].node))
			continue;
		merge_trace_leave_out(tr, n->clocks[i].node);
		merged = true;
	}
	if (!merged) {
		msg_error("%s: none of the captures was recorded on a node that wrote it: there is nothing to merge",
			  tr->path);
		return -EINVAL;
	}
	for (i = 0; i < tr->nr; i++) {
		const struct merge_stream *s = &tr->streams[i];
		struct align *last = &n->clocks[n->nr_clocks - 1];

		if (n->nr_clocks > n->nr && same_host(last->node, s->loom))
			continue;
		n->clocks[n->nr_clocks++] = (struct align){
			.node = s->loom, .begin = s->first, .end = s->first,
		};
	}
	return 0;
}

static int align(struct nodes *n)
{
	unsigned int i;
	s64 middle;
	int ret = 0;

	if (n->opt->source)
		ret = leave_to_rest(n);
	if (ret)
		return ret;
	if (n->drift.before.n) {
		ret = align_by_table(n->clocks, n->nr_clocks, &n->drift.before);
		drift_report(&n->drift);
	} else {
		align_by_walls(n->clocks, n->nr);
	}
	middle = align_middle(n->clocks, n->nr);
	for (i = 0; i < n->nr && !ret; i++) {
		if (n->clocks[i].node && align_apart(n->clocks, n->nr, i, middle))
			leave_out(n, i);
	}
	return ret;
}

/* The loom is all that a node has of the trace. Return: -ENOENT if there was no task. */
static int take_loom(struct nodes *n, unsigned int i)
{
	char from[PATH_MAX], to[PATH_MAX];
	const char *loom = n->all[i].loom;

	if (snprintf(from, PATH_MAX, PARTS_DIR "/ovni/loom.%s", n->stage.path, i, loom) >=
	    PATH_MAX || snprintf(to, PATH_MAX, "%s/loom.%s", n->trace, loom) >= PATH_MAX)
		return report_error(n->stage.path, "cannot use this directory", ENAMETOOLONG);
	if (!rename(from, to))
		return 0;
	return errno == ENOENT ? -ENOENT : report_error(to, "cannot write", errno);
}

/* What an application wrote where no capture is of. */
static int take_rest(struct nodes *n)
{
	struct merge_trace *tr = &n->rest.trace;
	u32 i;

	for (i = 0; i < n->nr_clocks; i++) {
		if (n->clocks[i].node && i >= n->nr)
			msg_warn("%s: there is no capture of node %.*s: the streams of that node are copied without changes",
				 tr->path, (int)strcspn(n->clocks[i].node, "."),
				 n->clocks[i].node);
	}
	return ovni_merge_write_rest(&n->rest, n->trace, "", OVNI_CLOCK_MAX);
}

static int take_all(struct nodes *n)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < n->nr && !ret; i++) {
		if (!n->clocks[i].node)
			continue;
		ret = take_loom(n, i);
		n->in += !ret;
		if (ret == -ENOENT) {
			leave_out(n, i);
			ret = 0;
		}
	}
	if (!ret && !n->in) {
		msg_error("no capture could be decoded");
		ret = -ENODATA;
	}
	if (!ret && n->opt->source)
		ret = take_rest(n);
	return ret ? ret : align_write(n->clocks, n->nr_clocks, n->trace);
}

static int make_parts(struct nodes *n)
{
	struct part *parts = calloc(n->nr, sizeof(*parts));
	unsigned int i;
	int ret;

	if (!parts)
		return msg_no_memory();
	for (i = 0; i < n->nr; i++)
		parts[i] = (struct part){ n->all[i].capture, n->clocks[i].node, n->all[i].merged,
					  n->clocks[i].known ? n->clocks[i].offset : 0 };
	ret = parts_make(n->opt, parts, n->nr, n->stage.path, &n->drift);
	free(parts);
	return ret;
}

static int make_outputs(struct nodes *n)
{
	const struct outputs *outs = n->opt->outputs;
	unsigned int i;
	int ret = make_parts(n);

	for (i = 0; i < outs->nr && !ret; i++) {
		const struct output_use *use = &outs->uses[i];

		if (use->wanted && use->output->nodes)
			ret = use->output->nodes(use->data, n->stage.path, n->trace);
	}
	return ret;
}

static void *map_shared(unsigned int nr, size_t size)
{
	void *map = mmap(NULL, nr * size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			 0);

	return map == MAP_FAILED ? NULL : map;
}

/* Their numbers of applications are given to processes of captures after those. */
static int open_source(struct nodes *n)
{
	int ret = source_open_nodes(n->opt->source, &n->rest.trace, n->opt->out);

	n->opt->source->alone = true;
	n->apps = n->rest.trace.next_app - 1;
	return ret;
}

/* An application's trace may have a table of its own. */
static int load_tables(struct nodes *n)
{
	const char *table = n->opt->offsets;
	char *own = NULL;
	int ret = 0;

	if (!table && n->opt->source) {
		own = out_path(n->rest.trace.path, OVNI_OFFSETS_FILE);
		if (!own)
			return msg_no_memory();
		table = access(own, F_OK) ? NULL : own;
	}
	if (table)
		ret = drift_load(&n->drift, table, n->opt->offsets_after);
	free(own);
	return ret;
}

static int begin(struct nodes *n, const struct captures *captures)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < captures->nr; i++)
		ret = place_apart(n->opt->out, captures->path[i]);
	if (!ret)
		ret = stage_begin(&n->stage, n->opt->out);
	for (i = 0; !ret && i < captures->nr; i++)
		ret = stage_made_of(&n->stage, captures->path[i]);
	if (!ret && n->opt->source)
		ret = source_gives_rights(n->opt->source, &n->stage);
	if (!ret && n->opt->source)
		ret = open_source(n);
	if (ret)
		return ret;
	n->nr = captures->nr;
	n->nr_clocks = n->nr;
	n->all = map_shared(n->nr, sizeof(*n->all));
	n->room = n->nr + n->rest.trace.nr;
	n->clocks = map_shared(n->room, sizeof(*n->clocks));
	if (!n->all || !n->clocks)
		return msg_no_memory();
	for (i = 0; i < n->nr; i++)
		n->all[i].capture = captures->path[i];
	ret = load_tables(n);
	if (!ret)
		ret = place_check(&n->stage, n->opt->outputs);
	if (ret)
		return ret;
	/* It is an output itself, or what the others are made of. */
	if (snprintf(n->trace, PATH_MAX, "%s/%s", n->stage.path,
		     outputs_find(n->opt->outputs, "ovni")->wanted ? "ovni" : HIDDEN_TRACE) >=
	    PATH_MAX)
		return report_error(n->stage.path, "cannot use this directory", ENAMETOOLONG);
	return mkdir(n->trace, 0777) ?
	       report_error(n->trace, "cannot make this directory", errno) : 0;
}

/* As with one capture: a run that fails leaves no output, nor one of an earlier run. */
static int finish(struct nodes *n)
{
	int ret;

	ret = place_clear(&n->stage, n->opt->outputs);
	if (!ret)
		ret = make_outputs(n);
	return ret ? ret : stage_commit(&n->stage);
}

static enum decode_status run(struct nodes *n)
{
	if (decode_all(n) || align(n) || take_all(n) || finish(n))
		return DECODE_FAILED;
	msg_info("%u of %u captures are in the trace", n->in, n->nr);
	outputs_report(n->opt->outputs, n->opt->out);
	return n->status;
}

enum decode_status nodes_run(const struct decode_options *opt, const struct captures *captures)
{
	struct nodes n = { .opt = opt, .status = DECODE_OK };
	enum decode_status status = DECODE_FAILED;

	if (!begin(&n, captures))
		status = run(&n);
	stage_end(&n.stage);
	drift_free(&n.drift);
	if (opt->source)
		source_close(opt->source);
	merge_trace_close(&n.rest.trace);
	if (n.all)
		munmap(n.all, n.nr * sizeof(*n.all));
	if (n.clocks)
		munmap(n.clocks, n.room * sizeof(*n.clocks));
	return status;
}
