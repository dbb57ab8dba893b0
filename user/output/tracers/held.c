// SPDX-License-Identifier: GPL-2.0-only
/* Tasks for which it is only known later whether they pass a filter. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/tracers_priv.h"
#include "util/heap.h"

/* A tag, or a milestone if it has a kind. */
struct note {
	u64 id;
	u64 time;
	char *kind;
	char *what;
};

/**
 * struct kept - What is known about a task that waits for at least one filter.
 * @task: as it began; what is a copy
 * @what: that copy
 * @held: the tracers whose filters it waits for
 * @notes: its tags and milestones so far
 * @nr_notes: length of @notes
 * @left_out: those for which there was no room
 */
struct kept {
	struct trace_task task;
	char *what;
	struct held *held;
	struct note *notes;
	unsigned int nr_notes;
	u64 left_out;
};

/**
 * struct held - A task waits for a tracer's filter.
 * @kept: the task
 * @sibling: the same task, waiting for another tracer's filter
 * @at: where it is in the tracer's queue
 * @tracer: number of the tracer
 * @verdict: FILTER_LATER, FILTER_LAST
 */
struct held {
	struct kept *kept;
	struct held *sibling;
	size_t at;
	unsigned int tracer;
	int verdict;
};

static struct held_queue *queue_of(struct tracers *ts, const struct held *h)
{
	struct tracer *tr = &ts->list[h->tracer];

	return h->verdict == FILTER_LATER ? &tr->later : &tr->until_end;
}

static struct held *first_of(const struct held_queue *q)
{
	return q->nr ? q->list[0] : NULL;
}

static bool is_before(const struct held *a, const struct held *b)
{
	const struct trace_task *x = &a->kept->task, *y = &b->kept->task;

	return x->start < y->start || (x->start == y->start && x->id < y->id);
}

static void put_at(struct held **at, size_t i, struct held *h)
{
	at[i] = h;
	h->at = i;
}

HEAP(held, struct held *, is_before, put_at)

static int enqueue(struct held_queue *q, struct held *h)
{
	size_t room = q->room ? 2 * q->room : 64;
	struct held **list;

	if (q->nr == q->room) {
		list = realloc(q->list, room * sizeof(struct held *));
		if (!list)
			return -ENOMEM;
		q->list = list;
		q->room = room;
	}
	held_rise(q->list, q->nr++, h);
	return 0;
}

static void dequeue(struct tracers *ts, struct held *h)
{
	struct held_queue *q = queue_of(ts, h);
	struct held *last = q->list[--q->nr];

	if (last != h && is_before(last, h))
		held_rise(q->list, h->at, last);
	else if (last != h)
		held_sink(q->list, q->nr, h->at, last);
	if (!ts->list[h->tracer].later.nr)
		ts->waiting &= ~(1ULL << h->tracer);
}

static struct kept *keep(const struct trace_task *task)
{
	struct kept *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->task = *task;
	k->what = strdup(task->what);
	if (!k->what) {
		free(k);
		return NULL;
	}
	k->task.what = k->what;
	return k;
}

static void free_kept(struct kept *k)
{
	unsigned int n;

	for (n = 0; n < k->nr_notes; n++) {
		free(k->notes[n].kind);
		free(k->notes[n].what);
	}
	free(k->notes);
	free(k->what);
	free(k);
}

static void wake_at(struct tracers *ts, unsigned int i, u64 deadline)
{
	if (!ts->waiting || deadline < ts->deadline)
		ts->deadline = deadline;
	ts->waiting |= 1ULL << i;
}

int held_add(struct tracers *ts, unsigned int i, int verdict, const struct trace_task *task)
{
	struct idmap_slot *slot = idmap_put(&ts->open, task->id);
	struct held *h = calloc(1, sizeof(*h));
	struct kept *k;

	if (slot && !slot->ptr)
		slot->ptr = keep(task);
	if (!h || !slot || !slot->ptr) {
		free(h);
		return -ENOMEM;
	}
	k = slot->ptr;
	*h = (struct held){ .kept = k, .sibling = k->held, .tracer = i, .verdict = verdict };
	if (enqueue(queue_of(ts, h), h)) {
		free(h);
		return -ENOMEM;
	}
	k->held = h;
	if (verdict == FILTER_LATER)
		wake_at(ts, i, filter_deadline(&ts->list[i].filter, task->start));
	return 0;
}

/* Does the window of any tracer that waits for the task contain it? */
static bool is_seen(const struct tracers *ts, const struct kept *k, const struct trace_tag *tag,
		    const struct trace_milestone *milestone)
{
	const struct tracer *tr;
	const struct held *h;

	for (h = k->held; h; h = h->sibling) {
		tr = &ts->list[h->tracer];
		if (tag ? sees_tag(tr, tag->time) : sees_milestone(tr, milestone->time))
			return true;
	}
	return false;
}

int held_note(struct tracers *ts, struct idmap_slot *slot, const struct trace_tag *tag,
	      const struct trace_milestone *milestone)
{
	const char *what = tag ? tag->what : milestone->what;
	struct kept *k = slot->ptr;
	struct note *n;

	if (!is_seen(ts, k, tag, milestone))
		return 0;
	if (k->nr_notes == TRACER_NOTES_MAX) {
		k->left_out++;
		return 0;
	}
	if (!k->notes)
		k->notes = calloc(TRACER_NOTES_MAX, sizeof(*k->notes));
	if (!k->notes)
		return -ENOMEM;
	n = &k->notes[k->nr_notes++];
	n->id = tag ? tag->id : milestone->id;
	n->time = tag ? tag->time : milestone->time;
	n->what = strdup(what);
	n->kind = tag ? NULL : strdup(milestone->kind);
	return n->what && (tag || n->kind) ? 0 : -ENOMEM;
}

static int notify_note(const struct tracer *tr, const struct kept *k, const struct note *n)
{
	struct trace_milestone milestone = { &k->task, n->id, n->time, n->kind, n->what };
	struct trace_tag tag = { &k->task, n->id, n->time, n->what };

	return n->kind ? notify_milestone(tr, &milestone) : notify_tag(tr, &tag);
}

/* The task is open, or it was until now. */
static int notify_kept(struct tracer *tr, const struct kept *k)
{
	unsigned int n;
	int ret;

	ret = notify_start(tr, &k->task);
	for (n = 0; !ret && n < k->nr_notes; n++)
		ret = notify_note(tr, k, &k->notes[n]);
	if (tr->notes)
		tr->left_out += k->left_out;
	return ret;
}

static void unlink_sibling(struct held *h)
{
	struct held **link = &h->kept->held;

	while (*link != h)
		link = &(*link)->sibling;
	*link = h->sibling;
}

/* It is decided while the task is open: it passes, or it lasts too long. */
static int decide(struct tracers *ts, struct held *h, bool passes)
{
	struct kept *k = h->kept;
	struct idmap_slot *slot = idmap_get(&ts->open, k->task.id);
	int ret = 0;

	if (passes) {
		slot->bits |= 1ULL << h->tracer;
		ret = notify_kept(&ts->list[h->tracer], k);
	}
	dequeue(ts, h);
	unlink_sibling(h);
	free(h);
	if (k->held)
		return ret;
	free_kept(k);
	slot->ptr = NULL;
	if (!slot->bits)
		idmap_del(&ts->open, slot);
	return ret;
}

static int look_at(struct tracers *ts, unsigned int i)
{
	struct tracer *tr = &ts->list[i];
	bool passes = tr->filter.max == (u64)-1;
	struct held *first;
	u64 deadline;
	int ret = 0;

	while (!ret && (first = first_of(&tr->later))) {
		deadline = filter_deadline(&tr->filter, first->kept->task.start);
		if (deadline > ts->now) {
			if (deadline < ts->deadline)
				ts->deadline = deadline;
			break;
		}
		ret = decide(ts, first, passes);
	}
	return ret;
}

int held_look(struct tracers *ts)
{
	unsigned int i;
	int ret = 0;
	u64 left;

	ts->deadline = (u64)-1;
	for_each_tracer(i, left, ts->waiting) {
		ret = look_at(ts, i);
		if (ret)
			break;
	}
	return ret;
}

int held_end(struct tracers *ts, struct idmap_slot *slot, const struct trace_task *task)
{
	struct kept *k = slot->ptr;
	struct held *h;
	int ret = 0;

	/* Its name may have become known. */
	k->task.what = task->what;
	while ((h = k->held)) {
		if (!ret && filter_at_end(&ts->list[h->tracer].filter, h->verdict, task)) {
			ret = notify_kept(&ts->list[h->tracer], k);
			if (!ret)
				ret = notify_end(&ts->list[h->tracer], task);
		}
		dequeue(ts, h);
		k->held = h->sibling;
		free(h);
	}
	free_kept(k);
	slot->ptr = NULL;
	return ret;
}

u64 held_oldest(const struct tracer *tr, u64 now)
{
	const struct held *later = first_of(&tr->later), *last = first_of(&tr->until_end);

	if (later && later->kept->task.start < now)
		now = later->kept->task.start;
	return last && last->kept->task.start < now ? last->kept->task.start : now;
}

void held_free(struct tracers *ts)
{
	struct idmap_slot *slot = NULL;
	struct kept *k;
	struct held *h;
	unsigned int i;

	while ((slot = idmap_next(&ts->open, slot))) {
		k = slot->ptr;
		if (!k)
			continue;
		while ((h = k->held)) {
			k->held = h->sibling;
			free(h);
		}
		free_kept(k);
	}
	for (i = 0; i < ts->nr; i++) {
		free(ts->list[i].later.list);
		free(ts->list[i].until_end.list);
		ts->list[i].later = (struct held_queue){ .list = NULL };
		ts->list[i].until_end = (struct held_queue){ .list = NULL };
	}
}
