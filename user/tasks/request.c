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
 * waker may run on another CPU, or have left it by then. If it is an interrupt, the CPU
 * answers, at that moment; captures without struct meta.wakers have the thread that ran there
 * instead.
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
	if (part && part->added && th->segment.code == TASKS_WAIT_DISK) {
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

void tasks_answer(struct tasks *t, struct tasks_thread *th, struct tasks_thread *waker,
		  const struct world_item *it)
{
	struct trace_task task;

	if (th->req_cache) {
		by_place(t, &task, TASKS_FORM_CACHE, OVNIK_DEV_MAJOR(th->req_dev),
			 OVNIK_DEV_MINOR(th->req_dev), it);
		task.start = th->req.start;
	} else if (waker && waker != th) {
		by_thread(t, &task, waker, th, it);
	} else {
		by_place(t, &task, TASKS_FORM_CPU, it->cpu, 0, it);
	}
	task.parent = tasks_is_reported(t, &th->req) ? th->req.id : th->req.parent;
	task.what = th->req.what;
	task.code = th->req.code;
	task.file = th->req.file;
	tasks_start(t, &task);
	tasks_end(t, &task, it->ns, 0);
}
