// SPDX-License-Identifier: GPL-2.0-only
/* The clocks of several nodes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "align/align.h"
#include "capture/meta_wall.h"
#include "trace/format.h"
#include "trace/offsets.h"
#include "util/msg.h"
#include "util/out.h"

#define STEP_NS		1000	/* less is no step */
#define OFFSET_MAX	2000000000000000000ll	/* 63 years: also a clock that says 1970 */

void align_read(struct align *a, const struct meta_wall *walls, unsigned int nr)
{
	const struct meta_wall *first, *last;

	a->walled = nr;
	if (!nr)
		return;
	first = &walls[0];
	last = &walls[nr - 1];
	a->wall = meta_wall_offset(first);
	a->step = meta_wall_offset(last) - a->wall;
	if ((u64)llabs(a->step) <= first->width + last->width + STEP_NS)
		a->step = 0;
	a->synced = first->synced && last->synced;
	a->error = first->width / 2 + 1 + (u64)llabs(a->step);
	if (a->synced)
		a->error += first->max_error > last->max_error ? first->max_error :
								 last->max_error;
}

/* Times with it are below 2^63, and so are their differences. */
static bool is_possible(s64 offset)
{
	return offset > -OFFSET_MAX && offset < OFFSET_MAX;
}

int align_by_table(struct align *a, unsigned int nr, struct ovni_offsets *table)
{
	const struct ovni_offset *found;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!a[i].node)
			continue;
		found = ovni_offsets_of(table, a[i].node);
		a[i].known = found;
		a[i].offset = found ? found->ns : 0;
		if (!is_possible(a[i].offset)) {
			msg_error("%s: line %u: the offset is out of range", table->path,
				  found->line);
			return -ERANGE;
		}
	}
	return 0;
}

static void warn_of_steps(const struct align *a, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (a[i].node && a[i].step)
			msg_warn("node %s: the time of day was set by %lld ns during the recording",
				 a[i].node, (long long)a[i].step);
	}
}

/* Two nodes are apart by their errors. */
static void report_walls(const struct align *a, unsigned int nr)
{
	const struct align *unsynced = NULL;
	u64 most = 0, second = 0;
	unsigned int i, n = 0, nodes = 0;

	for (i = 0; i < nr; i++) {
		if (!a[i].known)
			continue;
		nodes++;
		if (!a[i].synced) {
			unsynced = unsynced ? unsynced : &a[i];
			n++;
		}
		if (a[i].error > most) {
			second = most;
			most = a[i].error;
		} else if (a[i].error > second) {
			second = a[i].error;
		}
	}
	if (!n)
		msg_info("clocks: aligned by the time of day: two nodes differ by at most %llu ns, as their kernels estimate",
			 most + second);
	else
		msg_warn("clocks: aligned by the time of day, to %llu ns, but nothing kept that right on %u of %u nodes, the first is %s: how far they differ is unknown (--offsets)",
			 most + second, n, nodes, unsynced->node);
}

static bool is_walled(const struct align *a)
{
	return a->node && a->walled;
}

static void align_to(struct align *a, const struct align *first)
{
	s64 offset = a->wall - first->wall;

	a->known = is_possible(offset);
	if (a->known)
		a->offset = offset;
	else
		msg_warn("node %s: its time of day is impossible", a->node);
}

void align_by_walls(struct align *a, unsigned int nr)
{
	const struct align *first = NULL;
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++) {
		if (!is_walled(&a[i]))
			continue;
		first = first ? first : &a[i];
		n++;
	}
	/* One alone is not aligned with any other. */
	if (n < 2)
		return;
	for (i = 0; i < nr; i++) {
		if (is_walled(&a[i]))
			align_to(&a[i], first);
	}
	warn_of_steps(a, nr);
	report_walls(a, nr);
}

static s64 begin_of(const struct align *a)
{
	return (s64)a->begin + a->offset;
}

static s64 end_of(const struct align *a)
{
	return (s64)a->end + a->offset;
}

/* Does it begin before that one? They have an order, also if they begin together. */
static bool is_before(const struct align *a, const struct align *b)
{
	return begin_of(a) != begin_of(b) ? begin_of(a) < begin_of(b) : a < b;
}

s64 align_middle(const struct align *a, unsigned int nr)
{
	unsigned int i, j;

	for (i = 0; i < nr; i++) {
		int balance = 0;

		for (j = 0; j < nr && a[i].node; j++) {
			if (a[j].node && j != i)
				balance += is_before(&a[j], &a[i]) ? -1 : 1;
		}
		if (a[i].node && (!balance || balance == 1))
			return begin_of(&a[i]);
	}
	return 0;
}

bool align_apart(const struct align *a, unsigned int nr, unsigned int which, s64 middle)
{
	const struct align *one = &a[which];
	s64 late = begin_of(one) - middle;
	unsigned int i, others = 0, beside = 0;

	if (llabs(late) > (s64)OVNI_LATE_NS) {
		msg_error("node %s: its capture begins %lld s %s the others: in one trace, all must begin within an hour",
			  one->node, llabs(late) / 1000000000, late < 0 ? "before" : "after");
		return true;
	}
	for (i = 0; i < nr; i++) {
		if (!a[i].node || i == which)
			continue;
		others++;
		beside += begin_of(&a[i]) < end_of(one) && end_of(&a[i]) > begin_of(one);
	}
	if (others && !beside)
		msg_warn("node %s: no other node was recorded at the time of its capture",
			 one->node);
	return false;
}

int align_write(const struct align *a, unsigned int nr, const char *trace)
{
	unsigned int i, n = 0;
	struct out out;
	int ret;

	for (i = 0; i < nr; i++)
		n += a[i].node && a[i].known;
	if (!n)
		return 0;
	ret = out_open(&out, trace, OVNI_OFFSETS_FILE);
	if (ret)
		return ret;
	fputs("rank hostname offset_median offset_mean offset_std\n", out.f);
	for (i = 0; i < nr; i++) {
		if (a[i].node && a[i].known)
			fprintf(out.f, "%u %.*s %lld %lld 0\n", i, (int)strcspn(a[i].node, "."),
				a[i].node, (long long)a[i].offset, (long long)a[i].offset);
	}
	return out_close(&out);
}
