/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_WAIT_H
#define OVNIK_TRACE_WAIT_H

#include <stddef.h>

#include "util/types.h"

/*
 * Waiting for a CPU. It begins while the thread is off the CPU or just leaves it, where
 * its stream may say nothing that upstream would take; so the stream of the CPU on which
 * it was recorded says it:
 *
 *	KW[	the thread is runnable from now on: pid, tid, cpu, why
 *	KWm	it waits for another CPU from now on: pid, tid, cpu
 *	KW]	it is not known any more whether it waits: pid, tid
 *
 * What ends a wait is otherwise the thread's own KCI, or that it runs on a physical CPU.
 * In a merged trace a thread of which the kernel's records are missing has KCI when its
 * application speaks, whatever it waits for: so a KW[ may follow another, and KWm and KW]
 * of who does not wait change nothing. cpu is an index; -1: that CPU is not in the trace.
 *
 * Clocks: none of these is that of a KCI, or of another of these, of
 * the same thread; so equal clocks of different streams may come in any order.
 *
 * Why is a value of PRV type 313. The numbers stand in traces: add new ones at the end,
 * never change one.
 */
#define OVNI_WAIT_TABLE(row)						\
	row(WOKEN,	1, "Woken")					\
	row(NEW,	2, "New, has not run yet")			\
	row(PREEMPTED,	3, "Preempted in the kernel")			\
	row(YIELDED,	4, "Time slice over, or yielded")

/**
 * enum ovni_wait_why - How a thread became one that waits; see OVNI_WAIT_TABLE.
 */
enum ovni_wait_why {
#define OVNI_WAIT_ENUM(name, number, label) OVNI_WAIT_##name = number,
	OVNI_WAIT_TABLE(OVNI_WAIT_ENUM)
#undef OVNI_WAIT_ENUM
};

#define OVNI_WAIT_MAX		OVNI_WAIT_YIELDED
#define OVNI_WAIT_PRV_TYPE	313	/* thread rows */
#define OVNI_WAITING_PRV_TYPE	314	/* CPU rows: how many */

/**
 * struct ovni_wait_payload - Payload of KW[; KWm and KW] have the beginning of it.
 * @pid: process of the thread
 * @tid: the thread
 * @cpu: index of the CPU for which it waits; -1: none of the trace's
 * @why: enum ovni_wait_why
 */
struct ovni_wait_payload {
	u32 pid;
	u32 tid;
	s32 cpu;
	u32 why;
};

#define OVNI_WAIT_BEGIN_SIZE	sizeof(struct ovni_wait_payload)
#define OVNI_WAIT_MOVE_SIZE	offsetof(struct ovni_wait_payload, why)
#define OVNI_WAIT_END_SIZE	offsetof(struct ovni_wait_payload, cpu)

#endif /* OVNIK_TRACE_WAIT_H */
