// SPDX-License-Identifier: GPL-2.0-only
/* Captures of two sides, or of several nodes, one after the other: see sides.h. */
#include <stdlib.h>
#include <string.h>

#include "decode/sides.h"
#include "merge/source.h"
#include "output/ovni/writer.h"
#include "util/msg.h"

static enum decode_status decode_side(const struct decode_options *opt,
				      const struct captures *side, u32 nr)
{
	enum decode_status status = DECODE_OK;
	unsigned int i;

	for (i = 0; status != DECODE_FAILED && i < side->nr; i++) {
		struct decode_options one = *opt;

		one.capture = side->path[i];
		one.side = nr;
		status = decode_worse(status, decode_run(&one));
	}
	return status;
}

/**
 * struct several - Captures of several nodes, one after the other.
 * @opt: what to do
 * @each: of the current one
 * @source: what is merged with it
 * @rest: an application's trace, as far as no capture was of its hosts
 * @in: how many could be decoded
 * @merged: with how many the trace was merged
 */
struct several {
	const struct decode_options *opt;
	struct decode_options each;
	struct source source;
	struct merge_trace rest;
	unsigned int in;
	unsigned int merged;
};

/* Of the application's trace a node has its own part, or none. */
static int on_opened(void *data, struct capture *cap)
{
	struct several *s = data;
	char loom[OVNI_LOOM_MAX];

	ovni_loom_name(loom, sizeof(loom), cap->meta.host);
	if (merge_trace_has(&s->rest, loom)) {
		merge_trace_leave_out(&s->rest, loom);
		s->merged++;
		return 0;
	}
	msg_warn("%s: nothing of %s was written on node %s", cap->dir, s->rest.path, loom);
	source_close(&s->source);
	s->each.source = NULL;
	return 0;
}

/* Each capture closes what is merged with it. */
static int begin_source(struct several *s)
{
	if (!s->opt->source)
		return 0;
	s->source = (struct source){ .names = s->opt->source->names, .alone = true };
	s->each.source = &s->source;
	s->each.opened = on_opened;
	s->each.data = s;
	return source_add(&s->source, s->opt->source->paths[0]) ? msg_no_memory() : 0;
}

static enum decode_status decode_one(struct several *s, const char *capture)
{
	enum decode_status status;

	s->each.capture = capture;
	status = begin_source(s) ? DECODE_FAILED : decode_run(&s->each);
	s->in += status != DECODE_FAILED;
	if (status != DECODE_FAILED)
		return status;
	msg_warn("%s: left out", capture);
	return DECODE_DAMAGED;
}

static int check_merged(const struct several *s)
{
	u32 i;

	if (!s->opt->source)
		return 0;
	if (!s->merged) {
		msg_error("%s: no capture is of a node that it was written on: there is nothing to merge",
			  s->rest.path);
		return -EINVAL;
	}
	for (i = 0; i < s->rest.nr; i++) {
		const char *loom = s->rest.streams[i].loom;

		if (!i || strcmp(loom, s->rest.streams[i - 1].loom))
			msg_warn("%s: no capture is of node %s: what was written there is left out",
				 s->rest.path, loom);
	}
	return 0;
}

static enum decode_status decode_each(struct several *s, const struct captures *captures)
{
	enum decode_status status = DECODE_OK;
	unsigned int i;
	bool failed;

	if (s->opt->source && source_open_nodes(s->opt->source, &s->rest, NULL))
		return DECODE_FAILED;
	for (i = 0; i < captures->nr; i++)
		status = decode_worse(status, decode_one(s, captures->path[i]));
	if (!s->in)
		msg_error("no capture could be decoded");
	failed = !s->in || check_merged(s);
	return outputs_compare(s->opt->outputs, failed) || failed ? DECODE_FAILED : status;
}

enum decode_status several_run(const struct decode_options *opt, const struct captures *captures)
{
	struct several s = { .opt = opt, .each = *opt };
	enum decode_status status;

	s.each.several = true;
	status = decode_each(&s, captures);
	if (opt->source)
		source_close(opt->source);
	merge_trace_close(&s.rest);
	return status;
}

enum decode_status sides_run(const struct decode_options *opt, const struct captures *sides)
{
	enum decode_status status = DECODE_OK;
	u32 i;

	for (i = 0; status != DECODE_FAILED && i < SIDES; i++)
		status = decode_worse(status, decode_side(opt, &sides[i], i));
	return outputs_compare(opt->outputs, status == DECODE_FAILED) ? DECODE_FAILED : status;
}
