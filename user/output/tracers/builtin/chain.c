// SPDX-License-Identifier: GPL-2.0-only
/*
 * The critical chain of a thread: what delayed it. The last stretch of the chain is the thread
 * itself, from its last wakeup by another thread. The stretch before is the waking thread, from
 * its own last wakeup, and so on, back to a thread that no thread has woken. So the stretches are
 * contiguous in time. Sleep within a stretch was ended by no thread, but by a timer or a device.
 */
#include <errno.h>
#include <stdlib.h>

#include "output/tracers/args.h"
#include "output/tracers/builtin/builtin.h"
#include "output/tracers/builtin/groups.h"
#include "util/idmap.h"
#include "util/types.h"

/* Stretches of critical chains, see chain.c. Chains share common stretches. */

enum chain_doing {
	DOING_RUN,
	DOING_QUEUE,
	DOING_WAIT,
	DOING_UNKNOWN,
	NR_DOING
};

/**
 * struct stretch - A part of a chain; many chains may have it.
 * @users: stretches and threads that point to it
 * @length: of the chain that ends here, this one included
 * @cut: earlier stretches were dropped
 * @tid: thread
 * @process: the task of its process
 * @why: it slept when it was woken; NULL: it was not
 * @from: when it was woken, or first seen
 * @to: when it woke the next one
 * @ns: times in it, per enum chain_doing
 * @before: how it came to be woken
 */
struct stretch {
	u64 users;
	u64 length;
	bool cut;
	u32 tid;
	u64 process;
	const char *why;
	u64 from;
	u64 to;
	u64 ns[NR_DOING];
	struct stretch *before;
};

/* Drop a reference to a stretch; frees stretches without a reference. */
static void stretch_put(struct stretch *s)
{
	struct stretch *before;

	for (; s && !--s->users; s = before) {
		before = s->before;
		free(s);
	}
}

/* Copy the last stretches of a chain, for one user only. */
static struct stretch *cut(const struct stretch *s, u64 steps)
{
	struct stretch *first = NULL, **link = &first, *copy = NULL;
	u64 left;

	for (left = steps; left; left--, s = s->before) {
		copy = malloc(sizeof(*copy));
		if (!copy) {
			stretch_put(first);
			return NULL;
		}
		*copy = *s;
		copy->users = 1;
		copy->length = left;
		copy->before = NULL;
		*link = copy;
		link = &copy->before;
	}
	copy->cut = true;
	return first;
}

/* End a stretch. */
static struct stretch *stretch_end(const struct stretch *now, u64 time, u64 longest, u64 steps)
{
	struct stretch *s = malloc(sizeof(*s)), *shorter;

	if (!s)
		return NULL;
	*s = *now;
	s->users = 1;
	s->to = time;
	s->length = s->before ? s->before->length + 1 : 1;
	if (s->before)
		s->before->users++;
	if (s->length < longest)
		return s;
	shorter = cut(s, steps);
	stretch_put(s);
	return shorter;
}

#define STEPS		50
#define STEPS_MAX	10000
#define ENDED		1024	/* threads that have ended last are kept */

/**
 * struct chained - A thread.
 * @now: the open stretch; its @to is the time of the last update
 * @doing: enum chain_doing
 * @since: it does that
 * @busy: it does something
 * @ended: it is only here because its last wakeup may come later, see struct tasks_ended
 */
struct chained {
	struct stretch now;
	unsigned int doing;
	u64 since;
	bool busy;
	bool ended;
};

/**
 * struct chain - The chain of a thread.
 * @tid: the thread
 * @at: the end of the chain; until the capture is open, relative to its begin
 * @steps: most stretches to report
 * @begin: of the capture
 * @thread: id of its task; 0: not seen yet. If the number is used again, that of the last one
 * @threads: struct chained, by id of the thread's task
 * @ended: ids of those that have ended, the last at index (@nr_ended - 1) % ENDED
 * @nr_ended: how many threads have ended
 * @processes: last names of those that have ended, by task
 * @found: the answer
 * @over: @at is over
 */
struct chain {
	u64 tid;
	u64 at;
	u64 steps;
	u64 begin;
	u64 thread;
	struct idmap threads;
	u64 ended[ENDED];
	u64 nr_ended;
	struct groups processes;
	struct stretch *found;
	bool over;
};

static struct chained *thread_of(struct chain *c, u64 id, u32 tid, u64 time)
{
	struct idmap_slot *slot = idmap_put(&c->threads, id);
	struct chained *t;

	if (!slot)
		return NULL;
	if (slot->ptr)
		return slot->ptr;
	t = calloc(1, sizeof(*t));
	if (!t) {
		idmap_del(&c->threads, slot);
		return NULL;
	}
	t->now.tid = tid;
	t->now.from = time;
	slot->ptr = t;
	return t;
}

static void forget(struct chain *c, struct idmap_slot *slot)
{
	struct chained *t = slot->ptr;

	stretch_put(t->now.before);
	free(t);
	idmap_del(&c->threads, slot);
}

/* Add up what the thread does until a time; it may continue. */
static void count(struct chained *t, u64 time)
{
	u64 from = t->since > t->now.from ? t->since : t->now.from;

	if (t->busy && time > from)
		t->now.ns[t->doing] += time - from;
	if (time > t->since)
		t->since = time;
}

/* The open stretch of a thread, ended now. */
static struct stretch *end_stretch(struct chain *c, struct chained *t, u64 time)
{
	count(t, time);
	return stretch_end(&t->now, time, 2 * c->steps, c->steps);
}

static int wake(struct chain *c, struct chained *sleeper, struct chained *waker,
		const struct trace_task *wait)
{
	struct stretch *s = end_stretch(c, waker, wait->end);

	if (!s)
		return -ENOMEM;
	stretch_put(sleeper->now.before);
	sleeper->now = (struct stretch){
		.tid = sleeper->now.tid, .process = sleeper->now.process,
		.why = tasks_wait_texts[wait->code], .from = wait->end, .before = s,
	};
	return 0;
}

static int find(struct chain *c, u64 time)
{
	struct chained *t = idmap_ptr(&c->threads, c->thread);

	/* Of one that has ended the chain was found then. */
	if (!t || t->ended)
		return 0;
	stretch_put(c->found);
	c->found = end_stretch(c, t, time);
	return c->found ? 0 : -ENOMEM;
}

/* Return: 1 if the time asked for is over. */
static int reach(struct chain *c, u64 time)
{
	if (c->over || time <= c->at)
		return c->over;
	c->over = true;
	return find(c, c->at) ?: 1;
}

static unsigned int doing_of(const struct trace_task *task)
{
	if (task->kind == TASKS_RUN)
		return DOING_RUN;
	if (task->kind == TASKS_UNKNOWN)
		return DOING_UNKNOWN;
	return task->code <= TASKS_WAIT_QUEUE_LAST ? DOING_QUEUE : DOING_WAIT;
}

static int begin_doing(struct chain *c, const struct trace_task *task)
{
	struct chained *t = thread_of(c, task->thread_task, task->tid, task->start);

	if (!t)
		return -ENOMEM;
	if (task->tid == c->tid)
		c->thread = task->thread_task;
	t->now.process = task->tgid_task;
	t->doing = doing_of(task);
	t->since = task->start;
	t->busy = true;
	return 0;
}

/* A wait has ended. Who waits for pages of a file waits for a device, whichever thread woke it. */
static int end_wait(struct chain *c, const struct trace_task *task)
{
	const struct trace_waker *by = &task->waker;
	struct chained *sleeper, *waker;

	if (!by->thread || task->cache == TRACE_CACHE_MISS)
		return 0;
	waker = thread_of(c, by->thread, by->tid, task->end);
	sleeper = waker ? thread_of(c, task->thread_task, task->tid, task->end) : NULL;
	return sleeper ? wake(c, sleeper, waker, task) : -ENOMEM;
}

static int chain_start(void *data, const struct trace_task *task)
{
	struct chain *c = data;
	int ret = reach(c, task->start);

	if (ret || task->kind == TASKS_THREAD)
		return ret < 0 ? ret : 0;
	return begin_doing(c, task);
}

static int end_thread(struct chain *c, struct idmap_slot *slot, const struct trace_task *task)
{
	u64 *oldest = &c->ended[c->nr_ended++ % ENDED];
	int ret = task->thread_task == c->thread ? find(c, task->end) : 0;
	struct idmap_slot *last = idmap_get(&c->threads, *oldest);
	struct chained *t = slot->ptr;

	t->doing = DOING_UNKNOWN;
	t->since = task->end;
	t->busy = true;
	t->ended = true;
	*oldest = task->thread_task;
	if (last)
		forget(c, last);
	return ret;
}

static void end_doing(struct chained *t, const struct trace_task *task)
{
	if (t->doing != doing_of(task))
		return;
	count(t, task->end);
	t->busy = false;
}

static int chain_end(void *data, const struct trace_task *task)
{
	struct chain *c = data;
	struct idmap_slot *slot;
	int ret = reach(c, task->end);

	if (ret)
		return ret < 0 ? ret : 0;
	ret = task->kind == TASKS_WAIT ? end_wait(c, task) : 0;
	if (ret)
		return ret;
	slot = idmap_get(&c->threads, task->thread_task);
	if (slot && task->kind == TASKS_THREAD)
		return end_thread(c, slot, task);
	if (slot)
		end_doing(slot->ptr, task);
	return 0;
}

static int chain_also_end(void *data, const struct trace_task *task)
{
	struct chain *c = data;

	if (task->kind != TASKS_PROCESS)
		return 0;
	return groups_numbered(&c->processes, task->id, task->what) ? 0 : -ENOMEM;
}

static int chain_parse(void *data, const char *args)
{
	struct chain *c = data;
	const struct args_key keys[] = {
		{ .name = "tid", .number = &c->tid, .max = 0xffffffff },
		{ .name = "at", .ns = &c->at },
		{ .name = "steps", .number = &c->steps, .max = STEPS_MAX },
	};
	int ret;

	c->at = (u64)-1;
	c->steps = STEPS;
	ret = args_parse(args, keys, ARRAY_SIZE(keys));
	if (ret || c->tid)
		return ret;
	tracer_report_error("needs a thread: tid=TID");
	return -EINVAL;
}

static int chain_init(void *data, const struct tracer_run *run)
{
	struct chain *c = data;

	c->begin = run->begin;
	c->at = c->at > run->end - run->begin ? run->end : run->begin + c->at;
	return 0;
}

static int answer_stretch(struct chain *c, const struct stretch *s, struct tracer_answer *to)
{
	const struct group *process = groups_numbered(&c->processes, s->process, "");

	if (!process)
		return -ENOMEM;
	answer_row(to);
	answer_ns(to, "from", s->from - c->begin);
	answer_ns(to, "to", s->to - c->begin);
	answer_u64(to, "tid", s->tid);
	if (process->name && *process->name)
		answer_text(to, "process", process->name);
	if (s->why)
		answer_text(to, "woken from", s->why);
	answer_ns(to, "lasted", s->to - s->from);
	answer_ns(to, "run", s->ns[DOING_RUN]);
	answer_ns(to, "run queue", s->ns[DOING_QUEUE]);
	answer_ns(to, "wait", s->ns[DOING_WAIT]);
	answer_ns(to, "unknown", s->ns[DOING_UNKNOWN]);
	return 0;
}

static int chain_answer(void *data, struct tracer_answer *to)
{
	struct chain *c = data;
	const struct stretch *s;
	int ret = c->over ? 0 : find(c, c->at);
	u64 left = c->steps;

	if (!c->found) {
		answer_text(to, "chain", "the thread was not seen until then");
		return ret;
	}
	answer_ns(to, "at", c->found->to - c->begin);
	if (c->found->to < c->at)
		answer_text(to, "the thread", "has ended by then");
	answer_table(to, "chain",
		     "from,to,tid,process,woken from,lasted,run,run queue,wait,unknown");
	for (s = c->found; s && left && !ret; s = s->before, left--)
		ret = answer_stretch(c, s, to);
	answer_table_end(to);
	for (s = c->found; s->before && !s->cut;)
		s = s->before;
	answer_text(to, "stretches before", c->found->length > c->steps || s->cut ? "yes" : "no");
	return ret;
}

static void chain_destroy(void *data)
{
	struct idmap_slot *slot = NULL;
	struct chain *c = data;
	struct chained *t;

	while ((slot = idmap_next(&c->threads, slot))) {
		t = slot->ptr;
		stretch_put(t->now.before);
		free(t);
	}
	idmap_free(&c->threads);
	groups_free(&c->processes);
	stretch_put(c->found);
}

DEFINE_TRACER(chain) = {
	.abi = TRACER_ABI,
	.name = "chain",
	.sentence = "who woke a thread, and who woke that one: tid=TID, at=TIME, steps=N",
	.kinds = 1U << TASKS_THREAD | 1U << TASKS_RUN | 1U << TASKS_WAIT | 1U << TASKS_UNKNOWN,
	.flags = TRACER_WHOLE | TRACER_UNFILTERED | TRACER_WAKERS,
	.size = sizeof(struct chain),
	.keys = "tid",
	/* Calls and faults tell what waits are for: see trace_task, @cache. */
	.also = 1U << TASKS_PROCESS | 1U << TASKS_CALL | 1U << TASKS_FAULT,
	.also_end = chain_also_end,
	.parse = chain_parse,
	.init = chain_init,
	.start = chain_start,
	.end = chain_end,
	.answer = chain_answer,
	.destroy = chain_destroy,
};
