/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_TRACERS_PRIV_H
#define OVNIK_OUTPUT_TRACERS_TRACERS_PRIV_H

#include "output/tracers/tracers.h"

/* notify.c calls one tracer, held.c keeps tasks that wait for filters, tracers.c calls all. */

/* The tracers of a mask, one after the other. */
#define for_each_tracer(i, left, mask)						\
	for ((left) = (mask); (left) && ((i) = __builtin_ctzll(left), true);	\
	     (left) &= (left) - 1)

/**
 * tracer_set_current() - Set the tracer that tracer_report_error() names.
 * @spec: what the user wrote for it; NULL: none
 *
 * Context: Any.
 */
void tracer_set_current(const char *spec);

/**
 * tracer_result() - Make sure that a tracer's error is reported.
 * @spec: what the user wrote for it
 * @ret: what it returned; 0: it goes on
 *
 * Context: Any.
 * Return: @ret.
 */
int tracer_result(const char *spec, int ret);

static inline int tracer_check(const struct tracer *tr, int ret)
{
	return likely(!ret) ? 0 : tracer_result(tr->spec, ret);
}

/*
 * Pass a task, a tag and so on to a tracer, if its class handles it and it is in its
 * filter's window. notify_also() is for tasks that the class gets whatever its filter.
 *
 * Context: From a hook.
 * Return: 0; the error of the tracer (reported).
 */
int notify_start(const struct tracer *tr, const struct trace_task *task) __must_check;
int notify_end(const struct tracer *tr, const struct trace_task *task) __must_check;
int notify_also(const struct tracer *tr, const struct trace_task *task, bool begins) __must_check;
int notify_tag(const struct tracer *tr, const struct trace_tag *tag) __must_check;
int notify_milestone(const struct tracer *tr, const struct trace_milestone *milestone) __must_check;
int notify_loss(const struct tracer *tr, const struct trace_loss *loss) __must_check;
int notify_oldest(const struct tracer *tr, u64 time) __must_check;

/* Does a tracer get tags, or milestones, of that time? */
bool sees_tag(const struct tracer *tr, u64 time);
bool sees_milestone(const struct tracer *tr, u64 time);

/**
 * held_add() - Make a task wait for a tracer's filter.
 * @ts: all tracers
 * @i: which
 * @verdict: FILTER_LATER, FILTER_LAST
 * @task: which has begun
 *
 * Return: 0, -ENOMEM.
 */
int held_add(struct tracers *ts, unsigned int i, int verdict, const struct trace_task *task)
	__must_check;

/**
 * held_note() - A task that waits has a tag or milestone.
 * @ts: all tracers
 * @slot: the task's, with ptr
 * @tag: the tag, or NULL
 * @milestone: the milestone, or NULL
 *
 * Return: 0, -ENOMEM.
 */
int held_note(struct tracers *ts, struct idmap_slot *slot, const struct trace_tag *tag,
	      const struct trace_milestone *milestone) __must_check;

/**
 * held_end() - A task that waits has ended: it passes, or it does not.
 * @ts: all tracers
 * @slot: the task's, with ptr; it is NULL then
 * @task: the task
 *
 * Return: 0; the error of a tracer (reported).
 */
int held_end(struct tracers *ts, struct idmap_slot *slot, const struct trace_task *task)
	__must_check;

/**
 * held_look() - Check tasks whose filters may be decided by now.
 * @ts: all tracers; @ts->now has reached @ts->deadline
 *
 * Return: 0; the error of a tracer (reported).
 */
int held_look(struct tracers *ts) __must_check;

/**
 * held_oldest() - When did the first task begin that waits for a tracer's filter?
 * @tr: the tracer
 * @now: the answer if none does
 *
 * Return: ns.
 */
u64 held_oldest(const struct tracer *tr, u64 now);

/**
 * held_free() - Forget all tasks that wait.
 * @ts: all tracers
 */
void held_free(struct tracers *ts);

#endif /* OVNIK_OUTPUT_TRACERS_TRACERS_PRIV_H */
