// SPDX-License-Identifier: GPL-2.0-only
/* Outputs of several nodes that are made of a part of each: see parts.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "align/drift.h"
#include "decode/parts.h"
#include "decode/workers.h"
#include "util/jobs.h"
#include "util/msg.h"

/**
 * struct making - A run.
 * @opt: what to do
 * @all: the nodes
 * @nr: how many
 * @dir: where to
 * @drift: the tables of offsets
 * @loom: of the node that this process decodes
 * @failed: a node cannot be decoded any more
 */
struct making {
	const struct decode_options *opt;
	const struct part *all;
	unsigned int nr;
	const char *dir;
	struct drift *drift;
	const char *loom;
	bool failed;
};

int parts_bend(struct drift *drift, struct capture *cap, const char *loom)
{
	struct clock_bend bend;
	int ret;

	ret = drift_of(drift, loom, clock_ns(&cap->clock, cap->begin),
		       clock_ns(&cap->clock, cap->end), &bend);
	if (!ret && clock_set_bend(&cap->clock, &bend))
		ret = msg_no_memory();
	return ret;
}

static int on_opened(void *data, struct capture *cap)
{
	struct making *m = data;

	return m->opt->offsets_after ? parts_bend(m->drift, cap, m->loom) : 0;
}

static bool is_part(const struct output_use *use)
{
	return use->wanted && use->output->part;
}

/* In a process of its own, as it was when the trace was made. */
static int decode_part(void *data, unsigned int which)
{
	struct making *m = data;
	const struct part *part = &m->all[which];
	struct decode_options opt = *m->opt;
	enum decode_status status;
	char out[PATH_MAX];
	unsigned int i;

	if (!part->loom)
		return DECODE_OK;
	for (i = 0; i < opt.outputs->nr; i++)
		opt.outputs->uses[i].wanted = is_part(&opt.outputs->uses[i]);
	snprintf(out, sizeof(out), PARTS_DIR, m->dir, which);
	m->loom = part->loom;
	opt.capture = part->capture;
	opt.out = out;
	opt.source = part->merged ? opt.source : NULL;
	opt.progress = false;
	opt.node = which;
	opt.nodes = m->nr;
	opt.shift = part->shift;
	opt.opened = on_opened;
	opt.counted = NULL;
	opt.decoded = NULL;
	opt.data = m;
	status = decode_run(&opt);
	fflush(NULL);
	return status;
}

/* All of them were decoded just before. */
static void on_done(void *data, unsigned int i, int status)
{
	struct making *m = data;

	if (status == DECODE_OK || status == DECODE_DAMAGED || status == DECODE_LOST)
		return;
	msg_error("%s: cannot be decoded a second time", m->all[i].capture);
	m->failed = true;
}

static void on_ended(void *data, unsigned int i, int status)
{
	(void)data;
	(void)i;
	(void)status;
}

static int join(const struct making *m, const struct output_use *use)
{
	char dir[PATH_MAX];
	unsigned int i;
	int ret = 0, last;

	for (i = 0; i < m->nr && !ret; i++) {
		snprintf(dir, sizeof(dir), PARTS_DIR, m->dir, i);
		if (m->all[i].loom)
			ret = use->output->part(use->data, m->dir, dir);
	}
	last = use->output->part(use->data, m->dir, NULL);
	return ret ? ret : last;
}

int parts_make(const struct decode_options *opt, const struct part *parts, unsigned int nr,
	       const char *dir, struct drift *drift)
{
	struct making m = { .opt = opt, .all = parts, .nr = nr, .dir = dir, .drift = drift };
	const struct workers workers = {
		.nr = nr, .at_once = opt->jobs ? opt->jobs : jobs_cpus(), .work = decode_part,
		.ended = on_ended, .done = on_done, .data = &m,
	};
	unsigned int i;
	int ret;

	if (!outputs_need(opt->outputs, OUTPUT_PARTS))
		return 0;
	ret = workers_run(&workers);
	if (!ret && m.failed)
		ret = -EIO;
	for (i = 0; i < opt->outputs->nr && !ret; i++) {
		if (is_part(&opt->outputs->uses[i]))
			ret = join(&m, &opt->outputs->uses[i]);
	}
	return ret;
}
