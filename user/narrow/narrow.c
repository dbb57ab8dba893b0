// SPDX-License-Identifier: GPL-2.0-only
/* A part of a capture: see narrow.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/skip.h"
#include "narrow/narrow.h"
#include "narrow/pick.h"
#include "narrow/when.h"
#include "util/msg.h"
#include "world/inventory.h"

static bool is_switch(const struct capture_item *item)
{
	return item->kind == ITEM_RECORD && item->event == OVNIK_EV_sched_switch;
}

static void note_gap(struct capture_gap *gaps, const struct capture_item *item)
{
	const struct capture_gap *gap = item->data;

	if (item->kind == ITEM_GAP_BEGIN)
		gaps[item->cpu] = *gap;
	else if (item->kind == ITEM_GAP_END)
		gaps[item->cpu].causes = 0;
}

/* Of no interest to the state, but that it may name a task that nothing else has named. */
static bool is_stateless(void *data, unsigned int event, const void *rec, u64 tsc)
{
	const struct narrow *n = data;
	const struct known_rule *rule;
	u32 tid;

	if (tsc >= n->from || !(PICK_PASSING >> event & 1))
		return false;
	rule = inventory_rule(event);
	if (rule->kind == KNOWN_NOBODY)
		return true;
	memcpy(&tid, (const u8 *)rec + rule->tid[0], sizeof(tid));
	return !tid || task_find(&n->state.w->tasks, tid);
}

static int next_for_state(struct cursor *c)
{
	return cursor_next_unless(c, is_stateless);
}

/* The moment has come. */
static int reach(struct narrow *n, const struct world *w, const struct merge *m)
{
	unsigned int i;
	int ret;

	n->reached = true;
	if (n->picked)
		pick_living(n, w);
	/* What is missing at the moment is missing from it on. */
	for (i = 0; i < n->cap->nr_files; i++)
		n->gaps[i].from = n->from;
	ret = state_take(&n->state);
	if (!ret)
		ret = merge_copy(&n->at, m);
	/* No cursor has skipped what is behind that moment. */
	n->at.ahead = false;
	return ret;
}

/* Feed the world until the part begins, or ends if there are processes to pick. */
static int read_until_end(struct narrow *n, struct world *w, struct merge *m)
{
	const struct capture_item *item;
	int ret;

	for (;;) {
		ret = merge_next(m, &item);
		if (!ret && !n->reached && (!item || item->tsc >= n->from))
			ret = reach(n, w, m);
		if (ret || !item || item->tsc > n->to)
			return ret;
		if (is_switch(item) && item->tsc < n->first_switch)
			n->first_switch = item->tsc;
		if (!n->reached) {
			n->switched |= is_switch(item);
			note_gap(n->gaps, item);
		}
		/* Later, only the processes are of interest. */
		if (!n->reached || n->picked)
			ret = world_feed(w, item);
		if (!ret)
			ret = w->hooks.error;
		if (ret)
			return ret;
	}
}

static int read_state(struct narrow *n, struct world *w)
{
	struct merge m;
	int ret;

	capture_begin_pass(n->cap, false);
	ret = state_watch(&n->state, w, n->parents);
	if (!ret)
		ret = pick_watch(n, w);
	if (ret)
		return ret;
	n->cap->next = next_for_state;
	n->cap->skip = n;
	ret = merge_open(&m, n->cap);
	if (!ret) {
		world_begin(w, n->cap->begin);
		ret = read_until_end(n, w, &m);
		pick_named(n, w);
	}
	merge_close(&m);
	state_forget(&n->state);
	return ret;
}

/* The passes to come are those of a capture that is just this part. */
static int become_part(struct narrow *n)
{
	struct capture *cap = n->cap;
	int ret = n->picked ? pick_finish(n) : 0;

	if (!ret)
		ret = pick_cpus(n);
	cap->since = clock_ns(&cap->clock, n->from) - clock_ns(&cap->clock, cap->begin);
	cap->until = n->to < cap->end ?
		     clock_ns(&cap->clock, n->to) - clock_ns(&cap->clock, cap->begin) : 0;
	cap->begin = n->from;
	cap->end = n->to;
	cap->narrow = true;
	cap->switched = n->switched;
	return ret ? ret : narrow_say(n->opt, cap);
}

int narrow_prepare(struct narrow *n, const struct narrow_options *opt, struct capture *cap)
{
	struct world w;
	int ret;

	memset(n, 0, sizeof(*n));
	n->opt = opt;
	n->cap = cap;
	n->first_switch = ~0ULL;
	ret = when_find(n);
	if (ret)
		return ret;
	n->parents = calloc(TASK_TID_MAX + 1, sizeof(*n->parents));
	n->gaps = calloc(cap->nr_files, sizeof(*n->gaps));
	n->open = calloc(cap->nr_files, sizeof(*n->open));
	if (!n->parents || !n->gaps || !n->open || (opt->nr_picks && pick_prepare(n)))
		return msg_no_memory();
	ret = world_init(&w, cap);
	if (!ret)
		ret = read_state(n, &w);
	world_destroy(&w);
	if (ret == -ENOMEM)
		msg_no_memory();
	return ret ? ret : become_part(n);
}

void narrow_destroy(struct narrow *n)
{
	merge_close(&n->at);
	state_destroy(&n->state);
	if (n->shadow.cpus)
		world_destroy(&n->shadow);
	free(n->parents);
	free(n->gaps);
	free(n->open);
	free(n->picked);
	free(n->owners);
	free(n->pids);
}

int narrow_begin(struct narrow *n, struct merge *m)
{
	int ret = merge_copy(m, &n->at);

	n->next = 0;
	n->ending = 0;
	memset(&n->stats, 0, sizeof(n->stats));
	memcpy(n->open, n->gaps, n->cap->nr_files * sizeof(*n->open));
	if (ret || !n->picked)
		return ret;
	if (n->shadow.cpus)
		world_destroy(&n->shadow);
	ret = world_init(&n->shadow, n->cap);
	n->shadow.clock = NULL;
	n->shadow.filtered = false;
	return ret;
}

static void count(struct narrow *n, const struct capture_item *item)
{
	struct capture_stats *stats = &n->stats;
	const struct capture_gap *gap = item->data;
	unsigned int i;

	if (item->kind == ITEM_RECORD)
		stats->records[item->event]++;
	if (item->kind != ITEM_GAP_BEGIN)
		return;
	stats->gaps++;
	stats->causes |= gap->causes;
	stats->inexact += !gap->exact;
	stats->lost_other += gap->other;
	for (i = 0; i < OVNIK_NR_EVENTS; i++)
		stats->lost[i] += gap->lost[i];
}

/* The gaps at the beginning, then the state. Return: NULL behind the last. */
static const struct capture_item *next_of_state(struct narrow *n)
{
	const struct state_item *from;
	u32 i = n->next;

	n->item.tsc = n->from;
	for (; i < n->cap->nr_files; i++) {
		if (!n->gaps[i].causes)
			continue;
		n->item.kind = ITEM_GAP_BEGIN;
		n->item.cpu = i;
		n->item.data = &n->gaps[i];
		n->next = i + 1;
		count(n, &n->item);
		return &n->item;
	}
	n->next = i + 1;
	i -= n->cap->nr_files;
	if (i >= n->state.nr)
		return NULL;
	from = &n->state.items[i];
	n->item.kind = from->kind;
	n->item.event = from->event;
	n->item.cpu = from->cpu;
	n->item.data = n->state.bytes + from->at;
	return &n->item;
}

/* Gaps that go on end with the part. Return: NULL behind the last. */
static const struct capture_item *next_of_end(struct narrow *n)
{
	u32 i = n->ending;

	while (i < n->cap->nr_files && !n->open[i].causes)
		i++;
	n->ending = i + 1;
	if (i >= n->cap->nr_files) {
		n->stats.subbufs = n->cap->stats.subbufs;
		n->cap->stats = n->stats;
		return NULL;
	}
	n->open[i].to = n->to;
	n->item.kind = ITEM_GAP_END;
	n->item.tsc = n->to;
	n->item.cpu = i;
	n->item.data = &n->open[i];
	return &n->item;
}

/* Return: NULL behind the part's last record. */
static int next_of_capture(struct narrow *n, struct merge *m, const struct capture_item **item)
{
	int ret = merge_next(m, item);

	if (ret || !*item)
		return ret;
	if ((*item)->tsc > n->to) {
		*item = NULL;
		return 0;
	}
	note_gap(n->open, *item);
	return 0;
}

/* Return: NULL if the part does not have it. */
static const struct capture_item *on_cpu(struct narrow *n, const struct capture_item *item)
{
	if (!n->cap->files[item->cpu].elsewhere)
		return item;
	n->item = *item;
	return pick_elsewhere(&n->item) ? &n->item : NULL;
}

static int next_of_all(struct narrow *n, struct merge *m, const struct capture_item **item)
{
	int ret = 0;

	*item = NULL;
	if (n->next < n->cap->nr_files + n->state.nr)
		*item = next_of_state(n);
	if (!*item && !n->ending)
		ret = next_of_capture(n, m, item);
	if (!*item && !ret)
		*item = next_of_end(n);
	return ret;
}

/* It shows of the tasks that are not left out, too, that they wait. */
static bool is_first_switch(const struct narrow *n, const struct capture_item *item)
{
	return n->picked && !n->switched && item->tsc == n->first_switch && is_switch(item);
}

static const struct capture_item *switching(struct narrow *n, const struct capture_item *item)
{
	n->item = *item;
	n->item.kind = ITEM_SWITCHING;
	return &n->item;
}

int narrow_next(struct narrow *n, struct merge *m, const struct capture_item **item)
{
	const struct capture_item *from;
	bool wanted;
	int ret;

	do {
		ret = next_of_all(n, m, &from);
		*item = from ? on_cpu(n, from) : NULL;
		if (ret || !from)
			return ret;
		wanted = *item && (!n->picked || pick_wants(n, *item));
		if (n->picked && *item)
			ret = world_feed(&n->shadow, *item);
		if (!wanted && is_first_switch(n, from)) {
			*item = switching(n, from);
			wanted = true;
		}
	} while (!ret && !wanted);
	if (from != &n->item)
		count(n, *item);
	return ret;
}
