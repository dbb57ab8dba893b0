// SPDX-License-Identifier: GPL-2.0-only
/* Captures of several nodes, one after the other: see several.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "align/align.h"
#include "align/drift.h"
#include "decode/parts.h"
#include "decode/several.h"
#include "merge/source.h"
#include "output/ovni/writer.h"
#include "util/msg.h"

#define DAY_OFF_NS	1000000000ll

/**
 * struct several - Captures of several nodes, one after the other.
 * @opt: what to do
 * @each: of the current one
 * @source: what is merged with it
 * @rest: an application's trace, as far as no capture was of its hosts
 * @drift: the tables of offsets, if they are given
 * @day: CLOCK_REALTIME less the clock that offsets are relative to, ns
 * @has_day: a node has told it
 * @wall: CLOCK_REALTIME less the current one's clock
 * @in: how many could be decoded
 * @merged: with how many the trace was merged
 */
struct several {
	const struct decode_options *opt;
	struct decode_options each;
	struct source source;
	struct merge_trace rest;
	struct drift drift;
	s64 day;
	bool has_day;
	s64 wall;
	unsigned int in;
	unsigned int merged;
};

/* Each node merges only its own streams of the application's trace. */
static void take_part(struct several *s, const struct capture *cap, const char *loom)
{
	if (merge_trace_has(&s->rest, loom)) {
		merge_trace_leave_out(&s->rest, loom);
		s->merged++;
		return;
	}
	msg_warn("%s: nothing in %s was written on node %s", cap->dir, s->rest.path, loom);
	source_close(&s->source);
	s->each.source = NULL;
}

/* The table goes by what is before the first dot. */
static bool is_taken(const struct ovni_offsets *table, const char *loom)
{
	size_t len = strcspn(loom, ".");
	u32 i;

	for (i = 0; i < table->n; i++) {
		const struct ovni_offset *o = &table->offset[i];

		if (o->used && strlen(o->host) == len && !memcmp(o->host, loom, len))
			return true;
	}
	return false;
}

/* NTP keeps a time of day within a second: a larger error means that a table is of another boot. */
static void check_day(const struct several *s, const struct capture *cap, s64 own)
{
	__int128 off = (__int128)s->wall - own;

	if (off > DAY_OFF_NS || off < -DAY_OFF_NS)
		msg_warn("%s: by %s its time of day is %lld s away from that of its own clock: one of them is wrong",
			 cap->dir, s->drift.before.path, (long long)(off / 1000000000));
}

/*
 * Nodes' times of day differ by more than measured offsets do: with those, the time of day is that
 * of the first node, and all others' follows from it.
 */
static int align_day(struct several *s, struct capture *cap, const char *loom)
{
	struct align clock = { .node = loom };
	u64 begin = clock_ns(&cap->clock, cap->begin);
	int ret;

	if (is_taken(&s->drift.before, loom)) {
		msg_error("%s: was recorded on host \"%s\", whose offset in %s belongs to an earlier capture",
			  cap->dir, cap->meta.host, s->drift.before.path);
		return -EEXIST;
	}
	align_read(&clock, cap->meta.walls, cap->meta.nr_walls);
	ret = align_by_table(&clock, 1, &s->drift.before);
	if (!ret && s->opt->offsets_after)
		ret = parts_bend(&s->drift, cap, loom);
	if (ret)
		return ret;
	if (!clock.known) {
		msg_warn("%s: node %s is not in %s: its time of day is that of its own clock",
			 cap->dir, loom, s->drift.before.path);
		return 0;
	}
	if (!s->has_day && clock.walled) {
		s->day = clock.wall - clock.offset -
			 (s64)(clock_ns(&cap->clock, cap->begin) - begin);
		s->has_day = true;
		msg_info("clocks: the time of day is that of node %s", loom);
	}
	s->wall = s->day + clock.offset;
	s->each.wall = s->has_day ? &s->wall : NULL;
	if (clock.walled)
		check_day(s, cap, clock.wall);
	return 0;
}

static int on_opened(void *data, struct capture *cap)
{
	struct several *s = data;
	char loom[OVNI_LOOM_MAX];

	ovni_loom_name(loom, sizeof(loom), cap->meta.host);
	if (s->opt->source)
		take_part(s, cap, loom);
	return s->drift.before.n ? align_day(s, cap, loom) : 0;
}

/* Each capture closes what is merged with it. */
static int begin_source(struct several *s)
{
	if (!s->opt->source)
		return 0;
	s->source = (struct source){ .names = s->opt->source->names, .alone = true };
	s->each.source = &s->source;
	return source_add(&s->source, s->opt->source->paths[0]) ? msg_no_memory() : 0;
}

static enum decode_status decode_one(struct several *s, const char *capture)
{
	enum decode_status status;

	s->each.capture = capture;
	s->each.wall = NULL;
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
		msg_error("%s: none of the captures was recorded on a node that wrote it: there is nothing to merge",
			  s->rest.path);
		return -EINVAL;
	}
	for (i = 0; i < s->rest.nr; i++) {
		const char *loom = s->rest.streams[i].loom;

		if (!i || strcmp(loom, s->rest.streams[i - 1].loom))
			msg_warn("%s: there is no capture of node %s: what that node wrote is left out",
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
	else if (s->drift.before.n)
		drift_report(&s->drift);
	failed = !s->in || check_merged(s);
	return outputs_compare(s->opt->outputs, failed) || failed ? DECODE_FAILED : status;
}

enum decode_status several_run(const struct decode_options *opt, const struct captures *captures)
{
	struct several s = { .opt = opt, .each = *opt };
	enum decode_status status = DECODE_FAILED;

	s.each.several = true;
	s.each.opened = on_opened;
	s.each.data = &s;
	if (!opt->offsets || !drift_load(&s.drift, opt->offsets, opt->offsets_after))
		status = decode_each(&s, captures);
	drift_free(&s.drift);
	if (opt->source)
		source_close(opt->source);
	merge_trace_close(&s.rest);
	return status;
}
