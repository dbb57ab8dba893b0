// SPDX-License-Identifier: GPL-2.0-only
/* Missing events. Laplace's format has no line for them, so they go into a file of their own. */
#include <errno.h>
#include <stdio.h>

#include "output/laplace/line.h"

/* With a trace per CPU: records that are in one trace only. */
static bool is_own(unsigned int event)
{
	switch (event) {
	case OVNIK_EV_sched_switch:
	case OVNIK_EV_file_open:
	case OVNIK_EV_dump_file:
	case OVNIK_EV_file_close:
	case OVNIK_EV_file_read:
	case OVNIK_EV_file_write:
		return true;
	}
	return false;
}

static bool others_concerned(const struct capture_gap *gap)
{
	unsigned int i;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (gap->lost[i] && !is_own(i))
			return true;
	}
	return gap->other || !gap->exact;
}

static void note_incomplete(struct laplace *l, const struct capture_gap *gap)
{
	bool all = others_concerned(gap);
	unsigned int i;

	for (i = 0; i < l->nr_files; i++) {
		if (all || (!gap->dump && l->by_cpu[gap->cpu] == &l->files[i]))
			l->files[i].incomplete = true;
	}
}

/* A line is "cpu|statedump from to causes event=n... [unknown=?]"; its numbers are hex. */
static void on_gap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct capture_gap *gap = it->gap;
	struct laplace *l = data;
	char causes[GAP_CAUSES_TEXT];
	unsigned int i;
	char *p;

	note_incomplete(l, gap);
	if (!l->lost.path && file_open(&l->lost, l->lost_path, l->error)) {
		hook_fail(ctx->domain, l->lost.error ? l->lost.error : -ENOMEM);
		return;
	}
	if (l->lost.error)
		return;
	p = file_room(&l->lost);
	p += gap->dump ? sprintf(p, "statedump") : sprintf(p, "%x", gap->cpu);
	p += sprintf(p, " %llx %llx %s", gap->from, gap->to,
		     capture_gap_causes(causes, gap->causes, ","));
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (gap->lost[i])
			p += sprintf(p, " %s=%llx", event_name(i), gap->lost[i]);
	}
	if (gap->other)
		p += sprintf(p, " other=%llx", gap->other);
	if (!gap->exact)
		p += sprintf(p, " unknown=?");
	end(&l->lost, p);
	l->gaps++;
}

int laplace_attach_gaps(struct laplace *l, struct world *w)
{
	int ret = hook_attach(&w->hooks, WORLD_GAP_BEGIN, on_gap, l);

	return ret ? ret : hook_attach(&w->hooks, WORLD_DUMP_GAP, on_gap, l);
}
