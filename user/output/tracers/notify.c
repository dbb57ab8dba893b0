// SPDX-License-Identifier: GPL-2.0-only
/* Calls one tracer, and reports its errors to the user. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output/tracers/tracers_priv.h"
#include "util/msg.h"

static const char *current;
static bool reported;

void tracer_set_current(const char *spec)
{
	current = spec;
	reported = false;
}

void tracer_report_error(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	reported = true;
	if (current)
		msg_error("tracer \"%s\": %s", current, text);
	else
		msg_error("%s", text);
}

int tracer_result(const char *spec, int ret)
{
	if (ret > 0) {
		msg_error("tracer \"%s\": returned %d, which is neither 0 nor a negative errno",
			  spec, ret);
		return -EINVAL;
	}
	if (ret && !reported)
		msg_error("tracer \"%s\": %s", spec, strerror(-ret));
	return ret;
}

/* Only the part in the filter's window, unless the tracer wants whole tasks. */
static const struct trace_task *cut(const struct tracer *tr, const struct trace_task *task,
				    struct trace_task *part)
{
	u64 from = tr->filter.from, to = tr->filter.to;

	if (tr->class->flags & TRACER_WHOLE || (task->start >= from && task->end <= to))
		return task;
	*part = *task;
	if (part->start < from)
		part->start = from;
	if (part->end > to)
		part->end = to;
	/* It was reported, but had ended before the window: nothing of it is in it. */
	if (part->end && part->end < from)
		part->end = from;
	return part;
}

static inline int notify_task(const struct tracer *tr,
			      int (*fn)(void *data, const struct trace_task *task),
			      const struct trace_task *task)
{
	current = tr->spec;
	return tracer_check(tr, fn(tr->data, task));
}

int notify_start(const struct tracer *tr, const struct trace_task *task)
{
	struct trace_task part;

	return tr->class->start ? notify_task(tr, tr->class->start, cut(tr, task, &part)) : 0;
}

int notify_end(const struct tracer *tr, const struct trace_task *task)
{
	struct trace_task part;

	return tr->class->end ? notify_task(tr, tr->class->end, cut(tr, task, &part)) : 0;
}

bool sees_tag(const struct tracer *tr, u64 time)
{
	if (!(tr->notes & TRACER_TAGS))
		return false;
	return tr->class->flags & TRACER_WHOLE ||
	       (time >= tr->filter.from && time < tr->filter.to);
}

/* It is about the time before it. */
bool sees_milestone(const struct tracer *tr, u64 time)
{
	if (!(tr->notes & TRACER_MILESTONES))
		return false;
	return tr->class->flags & TRACER_WHOLE ||
	       (time > tr->filter.from && time <= tr->filter.to);
}

int notify_tag(const struct tracer *tr, const struct trace_tag *tag)
{
	if (!sees_tag(tr, tag->time))
		return 0;
	current = tr->spec;
	return tracer_check(tr, tr->class->tag(tr->data, tag));
}

int notify_milestone(const struct tracer *tr, const struct trace_milestone *milestone)
{
	if (!sees_milestone(tr, milestone->time))
		return 0;
	current = tr->spec;
	return tracer_check(tr, tr->class->milestone(tr->data, milestone));
}

int notify_also(const struct tracer *tr, const struct trace_task *task, bool begins)
{
	int (*fn)(void *data, const struct trace_task *task) =
		begins ? tr->class->also_start : tr->class->also_end;

	return fn ? notify_task(tr, fn, task) : 0;
}

/* What the statedump lacks is unknown from then on. */
static bool concerns(const struct tracer *tr, const struct trace_loss *loss)
{
	return loss->start < tr->filter.to &&
	       (loss->end >= tr->filter.from || loss->cpu == TRACE_NO_CPU);
}

int notify_loss(const struct tracer *tr, const struct trace_loss *loss)
{
	if (!tr->class->loss || !concerns(tr, loss))
		return 0;
	current = tr->spec;
	return tracer_check(tr, tr->class->loss(tr->data, loss));
}

int notify_oldest(const struct tracer *tr, u64 time)
{
	if (!tr->class->oldest)
		return 0;
	current = tr->spec;
	return tracer_check(tr, tr->class->oldest(tr->data, time));
}
