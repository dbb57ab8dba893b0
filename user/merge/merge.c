// SPDX-License-Identifier: GPL-2.0-only
/* Begin and end a merge: its threads, applications, ranks and marks. See merge.h. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "merge/merge.h"
#include "trace/format.h"
#include "util/msg.h"

#define WINDOW_TOTAL	(64U << 20)	/* bytes, for all streams; each is read twice */
#define WINDOW_MAX	(256U << 10)

static int attach_threads(struct ovni_merge *m, const struct inventory *inventory)
{
	u32 i, window = WINDOW_TOTAL / (m->trace.nr_ours + 1) / 2;
	int ret;

	if (window > WINDOW_MAX)
		window = WINDOW_MAX;
	for (i = 0; i < inventory->nr_threads; i++)
		m->of[i] = -1;
	for (i = 0; i < m->trace.nr_ours; i++) {
		struct merge_stream *s = &m->trace.streams[i];
		struct merge_thread *th = &m->threads[m->nr_threads];

		s->thread = inventory_find(inventory, s->pid, s->tid);
		if (s->thread < 0)
			continue;
		th->stream = s;
		th->index = s->thread;
		m->of[s->thread] = m->nr_threads++;
		ret = merge_thread_open(m, th, window);
		if (ret)
			return ret;
	}
	if (m->nr_threads)
		return 0;
	msg_error("%s: the capture has none of its threads: it is from another run, or only other processes were recorded",
		  m->trace.path);
	return -EINVAL;
}

/* Ours change where the application uses the same numbers. */
static void choose_marks(struct ovni_merge *m, struct ovni_translate *t)
{
	bool taken[OVNI_MARK_TYPES];
	s32 next = 0;
	u32 i;

	memcpy(taken, m->trace.marks, sizeof(taken));
	for (i = 0; i < OVNI_NR_ACTIVITIES; i++)
		taken[ovni_activities[i].mark] = true;
	for (i = 0; i < OVNI_NR_ACTIVITIES; i++) {
		if (!m->trace.marks[ovni_activities[i].mark] ||
		    ovni_activities[i].shape == OVNI_SHAPE_CALLS)
			continue;
		while (next < OVNI_MARK_TYPES && taken[next])
			next++;
		t->mark_of[i] = next < OVNI_MARK_TYPES ? next++ : -1;
		if (t->mark_of[i] < 0)
			m->unmarked |= 1U << i;
	}
}

static int number(s64 *next, s32 *to)
{
	if (*next > INT_MAX)
		return -ERANGE;
	*to = (*next)++;
	return 0;
}

/* Applications and ranks for processes that have none. */
static int choose_ids(struct ovni_merge *m, const struct inventory *inventory)
{
	s64 app = m->trace.next_app, rank = (s64)m->trace.next_rank + m->apps;
	struct ovni_joined *ids = &m->joined;
	int ret = 0;
	u32 i;

	if (app <= m->apps)
		app = (s64)m->apps + 1;
	for (i = 0; i < m->trace.nr_processes && !ret; i++) {
		struct merge_process *p = &m->trace.processes[i];

		if (!p->app_id)
			ret = number(&app, &p->app_id);
		if (!ret && m->trace.ranks && p->rank < 0)
			ret = number(&rank, &p->rank);
	}
	for (i = 0; i < inventory->nr_processes && !ret; i++) {
		const struct merge_process *p;

		p = merge_trace_process(&m->trace, inventory->processes[i].pid);
		ids->rank[i] = p ? p->rank : -1;
		ids->nranks[i] = p ? p->nranks : 0;
		if (p)
			ids->app_id[i] = p->app_id;
		else
			ret = number(&app, (s32 *)&ids->app_id[i]);
		if (!ret && m->trace.ranks && !p)
			ret = number(&rank, &ids->rank[i]);
	}
	if (ret || rank >= INT_MAX) {
		msg_error("%s: its numbers of applications or ranks leave none for the other processes",
			  m->trace.path);
		return -ERANGE;
	}
	for (i = 0; i < m->trace.nr_processes; i++) {
		if (!m->trace.processes[i].nranks)
			m->trace.processes[i].nranks = rank;
	}
	for (i = 0; i < inventory->nr_processes; i++) {
		if (!ids->nranks[i])
			ids->nranks[i] = rank;
	}
	return 0;
}

static int finish(void *data)
{
	struct ovni_merge *m = data;
	int ret = m->error;
	u32 i;

	for (i = 0; i < m->nr_threads && !ret; i++)
		ret = merge_thread_finish(m, &m->threads[i]);
	if (!ret && m->stats.astray > m->stats.events / 2) {
		msg_error("more than half of the logs' records are more than %llu ns away from where their threads were on a CPU: these are not clocks of the same run",
			  MERGE_MOVE_MAX);
		return -EINVAL;
	}
	return ret ? ret : m->error;
}

static int make_tables(struct ovni_merge *m, const struct inventory *inventory)
{
	m->of = malloc((inventory->nr_threads + 1) * sizeof(*m->of));
	m->threads = calloc(m->trace.nr_ours + 1, sizeof(*m->threads));
	m->joined.app_id = calloc(inventory->nr_processes + 1, sizeof(*m->joined.app_id));
	m->joined.rank = calloc(inventory->nr_processes + 1, sizeof(*m->joined.rank));
	m->joined.nranks = calloc(inventory->nr_processes + 1, sizeof(*m->joined.nranks));
	m->joined.can_breakdown = m->trace.can_breakdown;
	m->joined.name = m->name;
	m->joined.first = m->trace.first;
	m->joined.describe = ovni_merge_describe;
	m->joined.finish = finish;
	m->joined.write_rest = ovni_merge_write_rest;
	m->joined.data = m;
	if (m->of && m->threads && m->joined.app_id && m->joined.rank && m->joined.nranks)
		return 0;
	return msg_no_memory();
}

int ovni_merge_attach(struct ovni_merge *m, struct ovni_translate *t, struct capture *cap)
{
	int ret;

	m->translate = t;
	m->cap = cap;
	m->stats.low = ~0ULL;
	hookable_init(&m->hooks, ovni_positions, OVNI_NR_POSITIONS, &t->hooks);
	ret = make_tables(m, t->inventory);
	if (!ret)
		ret = choose_ids(m, t->inventory);
	if (!ret)
		ret = attach_threads(m, t->inventory);
	if (ret)
		return ret;
	choose_marks(m, t);
	t->events = &m->hooks;
	t->joined = &m->joined;
	return merge_events_attach(m);
}

void ovni_merge_close(struct ovni_merge *m)
{
	u32 i;

	for (i = 0; i < m->nr_threads; i++)
		merge_reader_close(&m->threads[i].reader);
	hookable_destroy(&m->hooks);
	merge_trace_close(&m->trace);
	free(m->of);
	free(m->threads);
	free(m->joined.app_id);
	free(m->joined.rank);
	free(m->joined.nranks);
	free(m->jumbo);
	memset(m, 0, sizeof(*m));
}
