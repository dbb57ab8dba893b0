// SPDX-License-Identifier: GPL-2.0-only
/* Which tracer gets what: see tracers.h. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/tracers/tracers_priv.h"
#include "util/msg.h"

#define LOOK_EVERY	4096	/* ends between two calls of oldest() */

#define FAMILY_KINDS	(1U << TASKS_PROCESS | 1U << TASKS_THREAD)

static int reach(struct tracers *ts, u64 time)
{
	if (time > ts->now)
		ts->now = time;
	return ts->waiting && ts->now >= ts->deadline ? held_look(ts) : 0;
}

static int note_families(struct tracers *ts, const struct trace_task *task)
{
	unsigned int i;
	int ret = 0;
	u64 left;

	for_each_tracer(i, left, ts->of_tree) {
		ret = filter_note(&ts->list[i].filter, task);
		if (ret)
			break;
	}
	return ret;
}

static void forget_families(struct tracers *ts, const struct trace_task *task)
{
	unsigned int i;
	u64 left;

	for_each_tracer(i, left, ts->of_tree)
		filter_forget(&ts->list[i].filter, task);
}

static int start_for(struct tracers *ts, unsigned int i, const struct trace_task *task,
		     u64 *notified)
{
	int verdict = filter_at_start(&ts->list[i].filter, task);

	if (verdict == FILTER_LATER || verdict == FILTER_LAST)
		return held_add(ts, i, verdict, task);
	if (verdict != FILTER_YES)
		return verdict;
	*notified |= 1ULL << i;
	return notify_start(&ts->list[i], task);
}

static int also(struct tracers *ts, const struct trace_task *task, bool begins)
{
	unsigned int i;
	int ret = 0;
	u64 left;

	for_each_tracer(i, left, ts->of_also[task->kind]) {
		if (!ret)
			ret = notify_also(&ts->list[i], task, begins);
	}
	return ret;
}

static int start(struct tracers *ts, const struct trace_task *task)
{
	struct idmap_slot *slot;
	u64 left, notified = 0;
	unsigned int i;
	int ret;

	ret = reach(ts, task->start);
	if (!ret && ts->of_tree && FAMILY_KINDS >> task->kind & 1)
		ret = note_families(ts, task);
	if (!ret)
		ret = also(ts, task, true);
	if (ret)
		return ret;
	for_each_tracer(i, left, ts->of_kind[task->kind]) {
		ret = start_for(ts, i, task, &notified);
		if (ret)
			return ret;
	}
	if (!notified)
		return 0;
	slot = idmap_put(&ts->open, task->id);
	if (!slot)
		return -ENOMEM;
	slot->bits |= notified;
	return 0;
}

static int end_for(struct tracers *ts, struct idmap_slot *slot, const struct trace_task *task)
{
	unsigned int i;
	int ret = 0;
	u64 left;

	if (slot->ptr)
		ret = held_end(ts, slot, task);
	for_each_tracer(i, left, slot->bits) {
		if (!ret)
			ret = notify_end(&ts->list[i], task);
	}
	idmap_del(&ts->open, slot);
	return ret;
}

static int end(struct tracers *ts, const struct trace_task *task)
{
	int ret = reach(ts, task->end);
	struct idmap_slot *slot = idmap_get(&ts->open, task->id);

	if (ts->of_tree && FAMILY_KINDS >> task->kind & 1)
		forget_families(ts, task);
	if (!ret && slot)
		ret = end_for(ts, slot, task);
	return ret ? ret : also(ts, task, false);
}

static int tag(struct tracers *ts, const struct trace_tag *tag)
{
	struct idmap_slot *slot;
	unsigned int i;
	int ret;
	u64 left;

	ret = reach(ts, tag->time);
	slot = idmap_get(&ts->open, tag->task->id);
	if (ret || !slot)
		return ret;
	for_each_tracer(i, left, slot->bits & ts->of_tag) {
		ret = notify_tag(&ts->list[i], tag);
		if (ret)
			return ret;
	}
	return slot->ptr ? held_note(ts, slot, tag, NULL) : 0;
}

static int milestone(struct tracers *ts, const struct trace_milestone *milestone)
{
	struct idmap_slot *slot;
	unsigned int i;
	int ret;
	u64 left;

	ret = reach(ts, milestone->time);
	slot = idmap_get(&ts->open, milestone->task->id);
	if (ret || !slot)
		return ret;
	for_each_tracer(i, left, slot->bits & ts->of_milestone) {
		ret = notify_milestone(&ts->list[i], milestone);
		if (ret)
			return ret;
	}
	return slot->ptr ? held_note(ts, slot, NULL, milestone) : 0;
}

static int loss(struct tracers *ts, const struct trace_loss *loss)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < ts->nr; i++)
		ret = notify_loss(&ts->list[i], loss);
	return ret;
}

static int oldest(struct tracers *ts)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < ts->nr; i++)
		ret = notify_oldest(&ts->list[i], held_oldest(&ts->list[i], ts->now));
	return ret;
}

static void done(const struct hook_ctx *ctx, int ret)
{
	if (unlikely(ret))
		hook_fail(ctx->domain, ret);
}

static void on_start(void *data, const struct hook_ctx *ctx)
{
	if (likely(!ctx->domain->error))
		done(ctx, start(data, ctx->item));
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	struct tracers *ts = data;

	if (unlikely(ctx->domain->error))
		return;
	done(ctx, end(ts, ctx->item));
	if (++ts->ended % LOOK_EVERY == 0)
		done(ctx, oldest(ts));
}

static void on_tag(void *data, const struct hook_ctx *ctx)
{
	if (likely(!ctx->domain->error))
		done(ctx, tag(data, ctx->item));
}

static void on_milestone(void *data, const struct hook_ctx *ctx)
{
	if (likely(!ctx->domain->error))
		done(ctx, milestone(data, ctx->item));
}

static void on_loss(void *data, const struct hook_ctx *ctx)
{
	if (likely(!ctx->domain->error))
		done(ctx, loss(data, ctx->item));
}

const char *tracers_of_one(const struct tracers *ts)
{
	unsigned int i;

	for (i = 0; i < ts->nr; i++) {
		const struct filter *f = &ts->list[i].filter;

		if (!(ts->list[i].class->flags & TRACER_NODES) || f->from || ~f->to || f->pid ||
		    f->tid || f->tree)
			return ts->list[i].spec;
	}
	return NULL;
}

bool tracers_name_wakers(const struct tracers *ts)
{
	unsigned int i;

	for (i = 0; i < ts->nr; i++) {
		if (ts->list[i].class->flags & TRACER_WAKERS ||
		    ts->list[i].filter.kinds >> TASKS_REQ_IN & 1)
			return true;
	}
	return false;
}

u32 tracers_kinds(const struct tracers *ts)
{
	unsigned int i;
	u32 kinds = 0;

	for (i = 0; i < ts->nr; i++) {
		kinds |= ts->list[i].filter.kinds | ts->list[i].class->also;
		if (ts->list[i].filter.tree)
			kinds |= FAMILY_KINDS;
	}
	return kinds >> TASKS_FAULT & 1 ? kinds | TASKS_MEMORY : kinds;
}

static void count_in(struct tracers *ts, unsigned int i)
{
	const struct tracer *tr = &ts->list[i];
	u64 bit = 1ULL << i;
	unsigned int kind;

	for (kind = 0; kind < TASKS_NR_KINDS; kind++) {
		if (tr->filter.kinds >> kind & 1)
			ts->of_kind[kind] |= bit;
		if (tr->class->also >> kind & 1)
			ts->of_also[kind] |= bit;
	}
	if (tr->notes & TRACER_TAGS)
		ts->of_tag |= bit;
	if (tr->notes & TRACER_MILESTONES)
		ts->of_milestone |= bit;
	if (tr->filter.tree)
		ts->of_tree |= bit;
}

static u32 notes_of(const struct tracer *tr)
{
	u32 notes = (tr->class->tag ? TRACER_TAGS : 0) |
		    (tr->class->milestone ? TRACER_MILESTONES : 0);

	return tr->class->notes ? notes & tr->class->notes(tr->data) : notes;
}

static void warn_mixed(const struct tracer *tr)
{
	if (tr->class->flags & TRACER_ALIKE && filter_takes_all_kinds(&tr->filter))
		msg_warn("tracer \"%s\": this would add up lives, runs, waits, page faults and all other tasks: choose with kind=, such as kind=run",
			 tr->spec);
}

static int open_one(struct tracer *tr, const struct tracer_run *about)
{
	struct tracer_run run = *about;

	tr->notes = notes_of(tr);
	filter_begin(&tr->filter, run.begin);
	tr->filter.sums = tr->class->oldest;
	run.from = tr->filter.from > run.begin ? tr->filter.from : run.begin;
	run.to = tr->filter.to < run.end ? tr->filter.to : run.end;
	if (run.from > run.to)
		run.from = run.to;
	if (tr->filter.from && tr->filter.from >= run.end)
		msg_warn("tracer \"%s\": from= is not before the capture's end: the window is empty",
			 tr->spec);
	warn_mixed(tr);
	tracer_set_current(tr->spec);
	return tr->class->init ? tr->class->init(tr->data, &run) : 0;
}

int tracers_open(struct tracers *ts, const struct tracer_run *run)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < ts->nr; i++) {
		ret = tracer_check(&ts->list[i], open_one(&ts->list[i], run));
		count_in(ts, i);
	}
	tracer_set_current(NULL);
	return ret;
}

int tracers_attach(struct tracers *ts, struct hookable *tasks)
{
	static const hook_fn hooks[TASKS_NR_POSITIONS] = {
		[TASKS_AT_START] = on_start,
		[TASKS_AT_END] = on_end,
		[TASKS_AT_TAG] = on_tag,
		[TASKS_AT_MILESTONE] = on_milestone,
		[TASKS_AT_LOSS] = on_loss,
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < TASKS_NR_POSITIONS; i++)
		ret = hook_attach(tasks, i, hooks[i], ts);
	return ret;
}

/* What has no recorded end would wait for ever. */
static void end_capture(struct tracers *ts)
{
	if (ts->open.nr)
		msg_warn("%u tasks have no recorded end; tracers got none for them", ts->open.nr);
	held_free(ts);
	idmap_free(&ts->open);
}

void tracers_next(struct tracers *ts)
{
	end_capture(ts);
	ts->waiting = 0;
	ts->deadline = 0;
	ts->now = 0;
}

static int answer_one(struct tracer *tr, struct tracer_answer *to)
{
	int ret = 0;

	answer_open(to, tr->class->name, tr->spec);
	tracer_set_current(tr->spec);
	if (tr->class->answer)
		ret = tracer_check(tr, tr->class->answer(tr->data, to));
	if (ret)
		return ret;
	if (tr->left_out)
		answer_u64(to, "tags and milestones left out", tr->left_out);
	return answer_close(to);
}

/* Otherwise a mistyped number would give the same empty answer as an idle process. */
static void warn_unseen(const struct tracer *tr)
{
	const struct filter *f = &tr->filter;

	if (!f->seen && (f->pid || f->tid || f->tree))
		msg_warn("tracer \"%s\": the capture has no such task of that process or thread",
			 tr->spec);
}

int tracers_answer(struct tracers *ts, struct tracer_answer *to)
{
	unsigned int i;
	int ret = 0;

	end_capture(ts);
	for (i = 0; !ret && i < ts->nr; i++) {
		warn_unseen(&ts->list[i]);
		ret = answer_one(&ts->list[i], to);
	}
	tracer_set_current(NULL);
	return ret;
}

int tracers_keep(struct tracers *ts)
{
	const struct tracer *tr;
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < ts->nr; i++) {
		tr = &ts->list[i];
		tracer_set_current(tr->spec);
		if (tr->class->keep)
			ret = tracer_check(tr, tr->class->keep(tr->data));
	}
	tracer_set_current(NULL);
	return ret;
}

void tracers_destroy(struct tracers *ts)
{
	struct tracer *tr;

	held_free(ts);
	idmap_free(&ts->open);
	for (tr = ts->list; tr < ts->list + ts->nr; tr++) {
		if (tr->data && tr->class->destroy)
			tr->class->destroy(tr->data);
		free(tr->data);
		filter_destroy(&tr->filter);
		free(tr->spec);
		if (tr->lib)
			dlclose(tr->lib);
	}
	memset(ts, 0, sizeof(*ts));
}
