// SPDX-License-Identifier: GPL-2.0-only
/* Marks of a merged application in a timeline: see timeline.h. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "output/timeline/timeline.h"

static u64 number_of(u32 pid, u32 tid)
{
	return (u64)pid << 32 | tid;
}

int timeline_number_thread(struct timeline *tl, struct timeline_thread *th, u32 pid)
{
	return tl->marks.fn ? idmap_set(&tl->by_number, number_of(pid, th->tid), th) : 0;
}

/* It may not have appeared yet. Of several lives of a number it is the first that has a mark. */
static void find_thread(struct timeline *tl, struct timeline_mark *mark)
{
	if (!mark->thread)
		mark->thread = idmap_ptr(&tl->by_number, number_of(mark->pid, mark->tid));
}

static struct timeline_mark *new_mark(struct timeline *tl, const struct marks_change *c)
{
	const struct inventory_thread *who = &tl->marks.inventory->threads[c->track->thread];
	struct timeline_mark *mark = calloc(1, sizeof(*mark));

	if (!mark)
		return NULL;
	STAILQ_INSERT_TAIL(&tl->mark_rows, mark, next);
	mark->pid = who->pid;
	mark->tid = who->tid;
	mark->type = c->type;
	mark->lane = lane_new(&tl->lanes, ~0ULL);
	c->track->user = (uintptr_t)mark;
	return mark->lane ? mark : NULL;
}

/* Return: its number; 0: no memory. */
static u32 number_value(struct timeline *tl, struct marks_label *label)
{
	const struct marks_label **values = tl->values;

	if (label->user)
		return label->user;
	if (!(tl->nr_values & (tl->nr_values - 1))) {
		values = realloc(values, (tl->nr_values ? 2 * tl->nr_values : 1) * sizeof(*values));
		if (!values)
			return 0;
		tl->values = values;
	}
	values[tl->nr_values++] = label;
	label->user = tl->nr_values;
	return tl->nr_values;
}

/* What is before and after the capture is cut off. */
static int add_value(struct timeline *tl, struct timeline_mark *mark, struct marks_label *label,
		     u64 start, u64 end)
{
	u32 nr;

	if (start < tl->begin)
		start = tl->begin;
	if (tl->end && end > tl->end)
		end = tl->end;
	if (start >= end)
		return 0;
	nr = number_value(tl, label);
	if (!nr)
		return -ENOMEM;
	mark->ns += end - start;
	return lane_add(&tl->lanes, mark->lane, start - tl->begin, end - tl->begin, nr, 0);
}

/* A row shows the innermost value, which is that until the next change. */
static int on_change(void *data, const struct marks_change *c)
{
	struct timeline_mark *mark = (void *)(uintptr_t)c->track->user;
	const struct marks_track *track = c->track;
	struct timeline *tl = data;

	if (!mark)
		mark = new_mark(tl, c);
	if (!mark)
		return -ENOMEM;
	find_thread(tl, mark);
	if (!track->depth)
		return 0;
	return add_value(tl, mark, track->values[track->depth - 1], track->since, c->ns);
}

int timeline_attach_marks(struct timeline *tl, struct ovni_translate *t, const char *loom)
{
	return marks_attach(&tl->marks, t, loom, on_change, tl);
}

int timeline_finish_marks(struct timeline *tl)
{
	int ret = marks_finish(&tl->marks, tl->end);
	struct timeline_mark *mark;

	STAILQ_FOREACH(mark, &tl->mark_rows, next)
		find_thread(tl, mark);
	return ret;
}

void timeline_free_marks(struct timeline *tl)
{
	struct timeline_mark *mark;

	while ((mark = STAILQ_FIRST(&tl->mark_rows))) {
		STAILQ_REMOVE_HEAD(&tl->mark_rows, next);
		free(mark);
	}
	marks_free(&tl->marks);
	idmap_free(&tl->by_number);
	free(tl->values);
}
