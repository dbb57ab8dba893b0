// SPDX-License-Identifier: GPL-2.0-only
/* Put each event of an application between those of the kernel: see merge.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/offcpu.h"
#include "merge/merge.h"
#include "output/ovni/row.h"
#include "util/msg.h"

#define END_BYTES	sizeof(struct ovni_ev_header)	/* OHe */

static int fail(struct ovni_merge *m, int error)
{
	if (!m->error)
		m->error = error;
	hook_fail(&m->translate->hooks, m->error);
	return m->error;
}

static int refuse(struct ovni_merge *m, const struct merge_thread *th, const char *reason)
{
	merge_reader_fail(&th->reader, reason);
	return fail(m, -EINVAL);
}

/* Events of one thread, at one clock. */
static int put(struct ovni_merge *m, struct merge_thread *th, u64 clock, const void *raw, u64 bytes)
{
	struct ovni_events events = {
		.clock = clock, .index = th->index, .bytes = bytes, .raw = raw,
	};

	if (m->error || !bytes)
		return m->error;
	if (clock < th->last)
		return refuse(m, th, "the stream has changed while it was read");
	th->last = clock;
	hook_invoke(&m->hooks, OVNI_EVENT, &events);
	return 0;
}

static int advance(struct ovni_merge *m, struct merge_thread *th)
{
	int ret = merge_reader_next(&th->reader);

	th->more = ret > 0;
	if (ret < 0)
		return fail(m, ret);
	if (ret)
		return 0;
	m->stats.regions += th->reader.regions;
	return 0;
}

static bool is_mcv(const u8 *mcv, const char *name)
{
	return !memcmp(mcv, name, 3);
}

static bool passed_over(const struct merge_thread *th)
{
	return merge_leaves_out(&th->reader.ev);
}

/* Does the application have an event before @clock? */
static inline bool due(const struct merge_thread *th, u64 clock)
{
	return th->more && th->reader.ev.clock < clock;
}

static int jumbo_room(struct ovni_merge *m, u64 bytes)
{
	u8 *grown;

	if (bytes <= m->jumbo_room)
		return 0;
	grown = realloc(m->jumbo, bytes);
	if (!grown)
		return fail(m, msg_no_memory());
	m->jumbo = grown;
	m->jumbo_room = bytes;
	return 0;
}

/* Take the application's next event, and put it at @clock. */
static int take(struct ovni_merge *m, struct merge_thread *th, u64 clock)
{
	const struct ovni_ev *ev = &th->reader.ev;
	u64 bytes = merge_raw_size(ev);
	u8 *raw = m->row;
	int ret;

	th->ended = is_mcv(ev->mcv, "OHe");
	th->seen = ev->clock;
	if (ev->clock < m->stats.low)
		m->stats.low = ev->clock;
	if (ev->clock > m->stats.high)
		m->stats.high = ev->clock;
	if (passed_over(th)) {
		merge_count_left_out(m, ev);
		return advance(m, th);
	}
	if (bytes > sizeof(m->row)) {
		if (jumbo_room(m, bytes))
			return m->error;
		raw = m->jumbo;
	}
	merge_raw_put(raw, ev, clock);
	ret = put(m, th, clock, raw, bytes);
	if (ret)
		return ret;
	m->stats.events++;
	return advance(m, th);
}

static int too_far(struct ovni_merge *m, const struct merge_thread *th, u64 to, u64 by)
{
	char reason[320];

	snprintf(reason, sizeof(reason),
		 "thread %d of process %d was on no CPU then, says the capture, and the next time on one is %llu ns away, at %llu: these are not clocks of the same run",
		 th->stream->tid, th->stream->pid, (unsigned long long)by, (unsigned long long)to);
	return refuse(m, th, reason);
}

/* Move the next event to another clock, where the thread is on a CPU. */
static int move(struct ovni_merge *m, struct merge_thread *th, u64 to)
{
	u64 clock = th->reader.ev.clock;
	u64 by = to > clock ? to - clock : clock - to;

	if (passed_over(th) || !by)
		return take(m, th, to);
	if (by > MERGE_MOVE_MAX && m->trace.log) {
		m->stats.astray++;
		return take(m, th, to);
	}
	if (by > MERGE_MOVE_MAX)
		return too_far(m, th, to, by);
	m->stats.moved++;
	if (by > m->stats.farthest) {
		m->stats.farthest = by;
		m->stats.farthest_pid = th->stream->pid;
		m->stats.farthest_tid = th->stream->tid;
		m->stats.farthest_clock = clock;
	}
	return take(m, th, to);
}

/* On a CPU: the application's events before @clock keep their own. */
static int run_until(struct ovni_merge *m, struct merge_thread *th, u64 clock)
{
	int ret = 0;

	while (!ret && due(th, clock))
		ret = take(m, th, th->reader.ev.clock);
	return ret;
}

static int set_loose(struct ovni_merge *m, struct merge_thread *th, u64 clock)
{
	struct row row;

	row_begin(&row, clock);
	if (th->alive)
		row_add_back(&row);
	else
		row_add_birth(&row, -1);
	th->alive = true;
	th->loose = true;
	return put(m, th, clock, row.raw, row.end - row.raw);
}

/* Its CPU is unknown: the events before @clock go to the virtual CPU. */
static int loosen_until(struct ovni_merge *m, struct merge_thread *th, u64 clock)
{
	int ret = 0;

	while (!ret && due(th, clock)) {
		u64 now = th->reader.ev.clock;

		if (!th->loose && (!th->alive || !passed_over(th)))
			ret = set_loose(m, th, now);
		if (ret)
			return ret;
		m->stats.loose += !passed_over(th);
		ret = take(m, th, now);
	}
	return ret;
}

/* The application's thread ends where the kernel does not report it. */
static int end_loose(struct ovni_merge *m, struct merge_thread *th)
{
	struct row row;

	row_begin(&row, th->seen > th->last ? th->seen : th->last);
	row_add_end(&row);
	th->alive = false;
	th->loose = false;
	return put(m, th, row.clock, row.raw, row.end - row.raw);
}

/* From now on, only the kernel's next event puts it on a CPU. */
static void be_sure(const struct ovni_merge *m, struct merge_thread *th)
{
	th->certain = true;
	th->gaps = m->gaps_open ? m->gaps - 1 : m->gaps;
}

static void hold(const struct ovni_merge *m, struct merge_thread *th,
		 const struct ovni_events *events, u8 place)
{
	memcpy(th->held, events->raw, events->bytes);
	th->held_bytes = events->bytes;
	th->left = events->clock;
	th->place = place;
	be_sure(m, th);
}

static int let_go(struct ovni_merge *m, struct merge_thread *th)
{
	u32 bytes = th->held_bytes;

	th->held_bytes = 0;
	return put(m, th, th->left, th->held, bytes);
}

/*
 * Was it off the CPU all the time? It may have run in between if events of any CPU
 * are missing; and a CPU may stop reporting before the end of the capture.
 */
static bool in_doubt(const struct ovni_merge *m, const struct merge_thread *th)
{
	return m->translate->over || m->gaps_open || m->gaps != th->gaps;
}

/* Events between where it left and @clock, and nearer to the former, go there. */
static int settle(struct ovni_merge *m, struct merge_thread *th, u64 clock, bool doubt)
{
	int ret = 0;

	while (!ret && th->held_bytes && due(th, clock)) {
		u64 since = th->reader.ev.clock - th->left;

		if (since > clock - th->reader.ev.clock ||
		    (doubt && since > MERGE_MOVE_MAX && !passed_over(th)))
			break;
		ret = move(m, th, th->left);
	}
	return ret ? ret : let_go(m, th);
}

/* OAs(-1) OHp KCO; or marks that are popped, OHp KCO of a thread that was on the virtual CPU */
static int on_leave(struct ovni_merge *m, struct merge_thread *th, const struct ovni_events *events)
{
	u32 reason = events->step.reason;
	int ret;

	ret = run_until(m, th, events->clock + 1);
	if (ret)
		return ret;
	if (reason != OVNI_OFFCPU_LOST && reason != OVNI_OFFCPU_UNKNOWN) {
		hold(m, th, events, MERGE_OFF);
		return 0;
	}
	th->place = MERGE_OFF;
	th->certain = false;
	return put(m, th, events->clock, events->raw, events->bytes);
}

/* KCI OHr, and OAs(cpu) unless it is about to end: these @bytes. */
static int on_arrive(struct ovni_merge *m, struct merge_thread *th,
		     const struct ovni_events *events, u32 bytes)
{
	u64 clock = events->clock;
	bool doubt = in_doubt(m, th);
	u32 skip = 0;
	int ret = 0;

	if (th->certain)
		ret = settle(m, th, clock, doubt);
	if (!ret && th->certain && doubt)
		ret = loosen_until(m, th, clock > MERGE_MOVE_MAX ? clock - MERGE_MOVE_MAX : 0);
	if (!ret && (!th->certain || th->loose))
		ret = loosen_until(m, th, clock);
	if (ret)
		return ret;
	if (th->loose)
		skip = events->step.head;
	th->loose = false;
	th->place = MERGE_ON;
	ret = put(m, th, clock, events->raw + skip, bytes - skip);
	while (!ret && due(th, clock))
		ret = move(m, th, clock);
	return ret;
}

/*
 * It was created during the capture. Events that the application wrote long before
 * belong to an earlier thread with that number.
 */
static int on_made(struct ovni_merge *m, struct merge_thread *th, const struct ovni_events *events)
{
	u64 clock = events->clock;
	int ret = 0;

	if (clock > MERGE_MOVE_MAX && !m->trace.log)
		ret = loosen_until(m, th, clock - MERGE_MOVE_MAX);
	if (!ret && th->alive && th->more && !th->ended)
		return refuse(m, th,
			      "it has events from before the thread was made, says the capture: these are not clocks of the same run");
	if (!ret && th->alive)
		ret = end_loose(m, th);
	be_sure(m, th);
	return ret ? ret : put(m, th, clock, events->raw, events->bytes);
}

/* It existed before, or its creation was not recorded: its CPU becomes known later. */
static int on_found(struct ovni_merge *m, struct merge_thread *th, const struct ovni_events *events)
{
	u32 skip = 0;
	int ret;

	ret = loosen_until(m, th, events->clock + 1);
	if (th->alive)
		skip = events->step.head;
	th->loose = false;
	th->certain = false;
	return ret ? ret : put(m, th, events->clock, events->raw + skip, events->bytes - skip);
}

/* OHx OHp KCO */
static int on_birth(struct ovni_merge *m, struct merge_thread *th, const struct ovni_events *events)
{
	int ret = 0;

	if (th->place == MERGE_DEAD) {
		ret = settle(m, th, events->clock, false);
		th->alive = false;
	}
	if (!ret && events->step.reason == OVNI_OFFCPU_NEW)
		ret = on_made(m, th, events);
	else if (!ret)
		ret = on_found(m, th, events);
	th->alive = true;
	th->place = MERGE_OFF;
	return ret;
}

/* The capture ends before the application: the thread continues somewhere. */
static int outlive(struct ovni_merge *m, struct merge_thread *th, u64 clock, const u8 *raw,
		   u32 bytes)
{
	struct row row;

	row_begin(&row, clock);
	memcpy(row.end, raw, bytes - END_BYTES);
	row.end += bytes - END_BYTES;
	row_add_u32(&row, MCV('O', 'A', 's'), VIRTUAL_CPU);
	th->loose = true;
	th->place = MERGE_OFF;
	th->certain = false;
	return put(m, th, clock, row.raw, row.end - row.raw);
}

/* OHe, after marks that are popped. */
static int on_end(struct ovni_merge *m, struct merge_thread *th, const struct ovni_events *events)
{
	int ret;

	ret = run_until(m, th, events->clock + 1);
	if (ret)
		return ret;
	if (m->translate->over && th->more)
		return outlive(m, th, events->clock, events->raw, events->bytes);
	hold(m, th, events, MERGE_DEAD);
	return 0;
}

static int on_gone(struct ovni_merge *m, struct merge_thread *th, const struct ovni_events *events)
{
	return events->step.what == OVNI_ENDED ? on_end(m, th, events) : on_leave(m, th, events);
}

static int on_kernel(struct ovni_merge *m, struct merge_thread *th,
		     const struct ovni_events *events)
{
	u8 what = events->step.what, head = events->step.head;
	struct ovni_events rest = *events;

	if (what == OVNI_BORN)
		return on_birth(m, th, events);
	if (what == OVNI_ON)
		return on_arrive(m, th, events, events->bytes);
	if (what != OVNI_OFF && what != OVNI_ENDED)
		return run_until(m, th, events->clock) ?:
		       put(m, th, events->clock, events->raw, events->bytes);
	if (!head)
		return on_gone(m, th, events);
	rest.raw += head;
	rest.bytes -= head;
	return on_arrive(m, th, events, head) ?: on_gone(m, th, &rest);
}

static void on_events(void *data, const struct hook_ctx *ctx)
{
	const struct ovni_events *events = ctx->item;
	struct ovni_merge *m = data;
	s32 index = m->of[events->index];

	if (m->error)
		return;
	if (likely(index < 0))
		hook_invoke(&m->hooks, OVNI_EVENT, events);
	else
		on_kernel(m, &m->threads[index], events);
}

static void on_cpu_events(void *data, const struct hook_ctx *ctx)
{
	const struct ovni_events *events = ctx->item;
	struct ovni_merge *m = data;

	if (events->step.what == OVNI_GAP) {
		m->gaps++;
		m->gaps_open++;
	} else if (events->step.what == OVNI_GAP_OVER) {
		m->gaps_open--;
	}
	hook_invoke(&m->hooks, OVNI_CPU_EVENT, events);
}

/* It has ended; only events with a slightly late clock may be left. */
static int finish_dead(struct ovni_merge *m, struct merge_thread *th)
{
	int ret = 0;

	while (!ret && th->more && !is_mcv(th->reader.ev.mcv, "OHx")) {
		if (!passed_over(th) && !m->trace.log &&
		    th->reader.ev.clock - th->left > MERGE_MOVE_MAX)
			return refuse(m, th,
				      "the thread had ended, says the capture: these are not clocks of the same run");
		ret = move(m, th, th->left);
	}
	if (!ret)
		ret = let_go(m, th);
	th->alive = false;
	return ret;
}

int merge_thread_finish(struct ovni_merge *m, struct merge_thread *th)
{
	int ret = 0;

	if (th->place == MERGE_DEAD)
		ret = finish_dead(m, th);
	if (!ret)
		ret = loosen_until(m, th, OVNI_CLOCK_MAX);
	if (!ret && th->alive)
		ret = end_loose(m, th);
	merge_reader_close(&th->reader);
	return ret;
}

int merge_thread_open(struct ovni_merge *m, struct merge_thread *th, u32 window)
{
	return merge_reader_open(&th->reader, th->stream->obs, th->stream->killed, window,
				 m->trace.clock) ?: advance(m, th);
}

int merge_events_attach(struct ovni_merge *m)
{
	return hook_attach(&m->translate->hooks, OVNI_EVENT, on_events, m) ?:
	       hook_attach(&m->translate->hooks, OVNI_CPU_EVENT, on_cpu_events, m);
}
