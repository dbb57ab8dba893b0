/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_WAIT_H
#define OVNIK_TRACE_WAIT_H

#include <stddef.h>

#include "util/types.h"

/*
 * Waiting for a CPU. A wait begins while the thread is off the CPU or leaves it, where
 * upstream accepts no event in the thread's stream. So the event is in the stream of the
 * CPU on which it was recorded:
 *
 *	KW[	the thread is runnable from now on: pid, tid, cpu, why
 *	KWm	it waits for another CPU from now on: pid, tid, cpu
 *	KW]	from now on it is unknown whether it waits: pid, tid
 *
 * Otherwise the wait ends with the thread's own KCI, or when it runs on a physical CPU.
 * In a merged trace a thread whose kernel records are missing has KCI when its
 * application writes an event, even if it waits. So a KW[ may follow another, and KWm and
 * KW] of a thread that does not wait have no effect. cpu is an index, or -1 if that CPU is
 * not in the trace.
 *
 * Clocks: of one thread, no two of these events have the same clock, nor does one have
 * that of a KCI; so the order of equal clocks in different streams does not matter.
 *
 * Why is a value of PRV type 313. The numbers are stored in traces: add new ones at the
 * end, never change one.
 */
#define OVNI_WAIT_TABLE(row)						\
	row(WOKEN,	1, "Woken")					\
	row(NEW,	2, "New, has not run yet")			\
	row(PREEMPTED,	3, "Preempted in the kernel")			\
	row(YIELDED,	4, "Time slice over, or yielded")

/**
 * enum ovni_wait_why - Why a thread began to wait; see OVNI_WAIT_TABLE.
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
 * struct ovni_wait_payload - Payload of KW[; KWm and KW] have its first members.
 * @pid: process of the thread
 * @tid: the thread
 * @cpu: index of the CPU for which it waits; -1 if not in the trace
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
