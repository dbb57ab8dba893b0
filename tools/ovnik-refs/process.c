// SPDX-License-Identifier: GPL-2.0-only
/* When a process ran: only a capture knows which process a reference is of. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process.h"
#include "refs/machine.h"
#include "util/msg.h"
#include "world/inventory.h"

/* What a pass over the capture fills. */
struct reading {
	struct refs_process *process;
	struct inventory inventory;
	bool open;		/* the last stay has not ended */
};

static int make_room(struct refs_process *p)
{
	u32 room = p->room ? 2 * p->room : 1024;
	struct refs_stay *stays = reallocarray(p->stays, room, sizeof(*stays));

	if (!stays)
		return -ENOMEM;
	p->stays = stays;
	p->room = room;
	return 0;
}

static void on_in(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct reading *r = data;
	struct refs_process *p = r->process;

	/* An idle task is of no process, and has no number of its own in the world. */
	if (!it->task->tid)
		return;
	if (p->nr == p->room && make_room(p)) {
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	p->stays[p->nr++] = (struct refs_stay){ .begin = it->tsc, .task = it->task->id };
	r->open = true;
}

static void on_out(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct reading *r = data;

	if (r->open)
		r->process->stays[r->process->nr - 1].end = it->tsc;
	r->open = false;
}

static int attach(struct reading *r, struct world *w)
{
	int ret = inventory_attach(&r->inventory, w);

	if (!ret)
		ret = hook_attach(&w->hooks, WORLD_SCHED_IN, on_in, r);
	if (!ret)
		ret = hook_attach(&w->hooks, WORLD_SCHED_OUT, on_out, r);
	return ret;
}

/* Only a process's own stays are left. */
static void pick(struct reading *r, u32 pid)
{
	struct refs_process *p = r->process;
	u32 i, nr = 0;

	for (i = 0; i < p->nr; i++) {
		if (r->inventory.pids[p->stays[i].task] == pid)
			p->stays[nr++] = p->stays[i];
	}
	p->nr = nr;
}

static int read_capture(struct reading *r, struct capture *cap)
{
	struct world w;
	int ret;

	capture_begin_pass(cap, true);
	ret = world_init(&w, cap);
	w.clock = NULL;
	if (!ret)
		ret = attach(r, &w);
	if (!ret)
		ret = world_read(&w, cap);
	if (!ret)
		ret = w.hooks.error;
	if (!ret)
		ret = inventory_finish(&r->inventory);
	if (!ret && r->open)
		r->process->stays[r->process->nr - 1].end = cap->end + 1;
	world_destroy(&w);
	return ret;
}

/* It may have run at other times, too. */
static bool is_doubtful(const struct capture *cap)
{
	return capture_damages(cap) || cap->stats.gaps || cap->meta.missed;
}

static int read_stays(struct reading *r, struct capture *cap, u32 pid)
{
	int ret;

	if (cap->nr_files != 1) {
		msg_error("%s: was recorded on %u CPUs, but references are logged on one: record both in one guest (tools/vm/run --refs)",
			  cap->dir, cap->nr_files);
		return -EINVAL;
	}
	ret = read_capture(r, cap);
	if (ret == -ENOMEM)
		msg_no_memory();
	if (ret)
		return ret;
	r->process->doubtful = is_doubtful(cap);
	pick(r, pid);
	if (r->process->nr)
		return 0;
	msg_error("%s: process %u never ran; ovnik-decode top lists those that did, in decimal",
		  cap->dir, pid);
	return -ESRCH;
}

int refs_process_read(struct refs_process *p, const char *capture, u32 pid)
{
	struct reading r = { .process = p };
	struct capture cap;
	int ret = capture_open(&cap, capture);

	if (!ret)
		ret = refs_check_machine(&cap);
	if (!ret)
		ret = read_stays(&r, &cap, pid);
	inventory_free(&r.inventory);
	capture_close(&cap);
	return ret;
}

/* The first that ends behind a time. */
static u32 find(const struct refs_process *p, u64 time)
{
	u32 low = 0, high = p->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (p->stays[middle].end <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool refs_process_ran(struct refs_process *p, u64 time)
{
	if (unlikely(p->at && time < p->stays[p->at - 1].end))
		p->at = find(p, time);
	while (p->at < p->nr && p->stays[p->at].end <= time)
		p->at++;
	return p->at < p->nr && p->stays[p->at].begin <= time;
}

void refs_process_free(struct refs_process *p)
{
	free(p->stays);
}
