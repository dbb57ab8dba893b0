// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests between threads, as in Akita:
 *
 *	initiate	a thread leaves its CPU to wait, or is made; of pages: they are
 *			added to the page cache, in the call or fault in which it will
 *			sleep for them
 *	receive		the waker gets its CPU, if that is later
 *	complete	it is woken
 *	finalize	it gets a CPU
 *
 * From initiate to finalize is a req_out, from receive to complete a req_in in it. The
 * waker may run on another CPU, or have left it by then, or have ended. If it is an
 * interrupt, the CPU answers, at that moment; if it is a thread that is not known, nobody
 * does: see struct trace_waker.
 */
#include <string.h>

#include "tasks/thread_state.h"

#define PAGES	"pages of a file"

void tasks_request(struct tasks *t, struct tasks_thread *th, const struct world_item *it)
{
	struct tasks_part *part = tasks_part_of(th);

	tasks_request_end(t, th, it->ns, TRACE_UNCERTAIN);
	tasks_begin_of(t, th, &th->req, TASKS_REQ_OUT, it);
	th->req.what = th->segment.what;
	th->req.code = th->segment.code;
	th->req.flags = th->segment.flags;
	th->req_cache = false;
	if (part && th->segment.cache) {
		th->req_cache = true;
		th->req.what = PAGES;
		th->req.file = part->file;
		th->req_dev = part->file.dev;
		if (!part->asked)
			th->req.start = part->added;
		part->asked = true;
	}
	tasks_start(t, &th->req);
}

static void by_thread(struct tasks *t, struct trace_task *task, struct tasks_thread *waker,
		      const struct tasks_thread *th, const struct world_item *it)
{
	tasks_begin_of(t, waker, task, TASKS_REQ_IN, it);
	if (waker->segment.kind != TASKS_RUN)
		return;
	task->start = waker->segment.start;
	if (task->start < th->segment.start)
		task->start = th->segment.start;
}

static void by_place(struct tasks *t, struct trace_task *task, u32 form, u32 a, u32 b,
		     const struct world_item *it)
{
	memset(task, 0, sizeof(*task));
	task->kind = TASKS_REQ_IN;
	task->start = it->ns;
	task->cpu = it->cpu;
	tasks_place(t, task, form, a, b);
}

/* The thread with that number that has ended last, or NULL. */
static const struct tasks_ended *ended_of(const struct tasks *t, u32 tid)
{
	u64 i = t->nr_ended, oldest = i > TASKS_ENDED ? i - TASKS_ENDED : 0;

	while (i-- > oldest) {
		if (t->ended[i % TASKS_ENDED].tid == tid)
			return &t->ended[i % TASKS_ENDED];
	}
	return NULL;
}

static void by_ended(struct tasks *t, struct trace_task *task, const struct tasks_ended *waker,
		     const struct world_item *it)
{
	by_place(t, task, TASKS_REQ_IN, waker->pid, waker->tid, it);
	task->pid = waker->pid;
	task->tid = waker->tid;
	task->tgid_task = waker->process;
	task->thread_task = waker->thread;
}

/* @waker: if it lives, @ended: if not. */
static void answer(struct tasks *t, struct tasks_thread *th, struct tasks_thread *waker,
		   const struct tasks_ended *ended, const struct world_item *it)
{
	struct trace_task task;

	if (th->req_cache) {
		by_place(t, &task, TASKS_FORM_CACHE, OVNIK_DEV_MAJOR(th->req_dev),
			 OVNIK_DEV_MINOR(th->req_dev), it);
		task.start = th->req.start;
	} else if (ended) {
		by_ended(t, &task, ended, it);
	} else if (waker) {
		by_thread(t, &task, waker, th, it);
	} else if (th->segment.waker.kind == TRACE_WAKER_INTERRUPT) {
		by_place(t, &task, TASKS_FORM_CPU, it->cpu, 0, it);
	} else {
		return;
	}
	task.parent = tasks_is_reported(t, &th->req) ? th->req.id : th->req.parent;
	task.what = th->req.what;
	task.code = th->req.code;
	task.file = th->req.file;
	tasks_start(t, &task);
	tasks_end(t, &task, it->ns, 0);
}

/* Who has not run since it was made has woken nobody: that was who had the number before. */
static bool never_ran(const struct tasks_thread *th)
{
	return th->segment.kind == TASKS_WAIT &&
	       (th->segment.code == TASKS_WAIT_BORN || th->segment.code == TASKS_WAIT_NEW);
}

void tasks_woken(struct tasks *t, struct tasks_thread *th, struct tasks_thread *waker,
		 const struct world_item *it)
{
	struct trace_waker *by = &th->segment.waker;
	const struct tasks_ended *ended = NULL;

	if (!it->tid || waker == th) {
		by->kind = TRACE_WAKER_INTERRUPT;
		waker = NULL;
	} else {
		by->kind = TRACE_WAKER_THREAD;
		by->tid = it->tid;
		if (!waker || never_ran(waker))
			ended = ended_of(t, it->tid);
		by->thread = ended ? ended->thread : waker ? waker->task.id : 0;
	}
	if (th->req.id)
		answer(t, th, waker, ended, it);
}
