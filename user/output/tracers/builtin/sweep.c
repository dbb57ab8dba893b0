// SPDX-License-Identifier: GPL-2.0-only
/* How many tasks are open: see sweep.h. */
#include <errno.h>
#include <stdlib.h>

#include "output/tracers/builtin/sweep.h"
#include "util/heap.h"

void sweep_init(struct sweep *s, u64 from, sweep_fn fn, void *data)
{
	*s = (struct sweep){ .fn = fn, .data = data, .time = from };
}

void sweep_free(struct sweep *s)
{
	free(s->ring.at);
	free(s->heap.at);
	s->ring.at = NULL;
	s->heap.at = NULL;
}

static bool is_before(struct sweep_moment a, struct sweep_moment b)
{
	return a.time < b.time;
}

HEAP(heap, struct sweep_moment, is_before, HEAP_PUT)

static struct sweep_moment heap_take(struct sweep_queue *q)
{
	struct sweep_moment first = q->at[0];

	q->nr--;
	heap_sink(q->at, q->nr, 0, q->at[q->nr]);
	return first;
}

static struct sweep_moment ring_take(struct sweep_queue *q)
{
	q->nr--;
	return q->at[q->first++ & (q->room - 1)];
}

static void ring_put(struct sweep_queue *q, u64 time, s64 change)
{
	q->at[(q->first + q->nr++) & (q->room - 1)] = (struct sweep_moment){ time, change };
}

/* Afterwards the contents of the ring begin at index 0. */
static int grow(struct sweep_queue *q)
{
	size_t room = q->room ? 2 * q->room : 1024, i;
	struct sweep_moment *at = calloc(room, sizeof(*at));

	if (!at)
		return -ENOMEM;
	for (i = 0; i < q->nr; i++)
		at[i] = q->at[(q->first + i) & (q->room - 1)];
	free(q->at);
	q->at = at;
	q->first = 0;
	q->room = room;
	return 0;
}

static u64 ring_time(const struct sweep_queue *q)
{
	return q->at[q->first & (q->room - 1)].time;
}

/* The queue with the next moment; NULL if both are empty. */
static struct sweep_queue *next_of(struct sweep *s)
{
	if (s->heap.nr && (!s->ring.nr || s->heap.at[0].time < ring_time(&s->ring)))
		return &s->heap;
	return s->ring.nr ? &s->ring : NULL;
}

static u64 next_time(struct sweep *s, const struct sweep_queue *q)
{
	return q == &s->heap ? q->at[0].time : ring_time(q);
}

static int go_to(struct sweep *s, u64 time)
{
	u64 from = s->time;

	if (time <= from)
		return 0;
	s->time = time;
	return s->fn(s->data, from, time, s->level > 0 ? s->level : 0);
}

static int step(struct sweep *s, struct sweep_queue *q)
{
	struct sweep_moment m = q == &s->heap ? heap_take(q) : ring_take(q);
	int ret = go_to(s, m.time);

	s->level += m.change;
	return ret;
}

/*
 * Take half of the queue at a time, so that the check is rare. Moments after sweep_oldest() are
 * taken one by one.
 */
static int make_room(struct sweep *s)
{
	struct sweep_queue *q;
	int ret = 0;

	while (!ret && s->ring.nr + s->heap.nr > SWEEP_ROOM / 2) {
		q = next_of(s);
		if (next_time(s, q) >= s->oldest && s->ring.nr + s->heap.nr < SWEEP_MOST)
			break;
		ret = step(s, q);
	}
	return ret;
}

static int add(struct sweep *s, u64 time, s64 change)
{
	struct sweep_queue *q = &s->ring;
	int ret = 0;

	if (s->ring.nr + s->heap.nr >= SWEEP_ROOM)
		ret = make_room(s);
	if (time < s->time) {
		s->late++;
		time = s->time;
	}
	if (s->ring.nr && time < s->last)
		q = &s->heap;
	if (!ret && q->nr == q->room)
		ret = grow(q);
	if (ret)
		return ret;
	if (q == &s->heap) {
		heap_rise(q->at, q->nr++, (struct sweep_moment){ time, change });
	} else {
		ring_put(q, time, change);
		s->last = time;
	}
	return 0;
}

int sweep_start(void *data, const struct trace_task *task)
{
	return add(data, task->start, 1);
}

int sweep_end(void *data, const struct trace_task *task)
{
	return add(data, task->end, -1);
}

int sweep_oldest(void *data, u64 time)
{
	struct sweep *s = data;

	if (time > s->oldest)
		s->oldest = time;
	return 0;
}

int sweep_finish(struct sweep *s, u64 to)
{
	struct sweep_queue *q = next_of(s);
	int ret = 0;

	for (; !ret && q && next_time(s, q) <= to; q = next_of(s))
		ret = step(s, q);
	return ret ? ret : go_to(s, to);
}
