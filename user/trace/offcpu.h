/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_OFFCPU_H
#define OVNIK_TRACE_OFFCPU_H

/*
 * Why a thread left the CPU: the optional u32 payload of ovnik's KCO events and
 * the values of PRV type 300. Upstream ignores the payload of KCO. The numbers are
 * stored in traces: add new ones at the end, never change one.
 */
#define OVNI_OFFCPU_TABLE(row)						\
	row(PREEMPTED,	 1, "Runnable (preempted in the kernel)")	\
	row(SLEEPING,	 2, "Sleeping (interruptible)")			\
	row(DISK_SLEEP,	 3, "Disk sleep (uninterruptible)")		\
	row(STOPPED,	 4, "Stopped")					\
	row(TRACED,	 5, "Stopped by a tracer")			\
	row(DEAD,	 6, "Dead or exiting")				\
	row(PARKED,	 7, "Parked")					\
	row(IDLE,	 8, "Idle kernel thread")			\
	row(NEW,	 9, "New, has not run yet")			\
	row(UNKNOWN,	10, "Not known")				\
	row(YIELDED,	11, "Runnable (time slice over, or yielded)")	\
	row(NOT_SEEN,	12, "Not seen on a CPU yet")			\
	row(LOST,	13, "Not known: events missing")

/**
 * enum ovni_offcpu - Why a thread left the CPU; see OVNI_OFFCPU_TABLE.
 */
enum ovni_offcpu {
#define OVNI_OFFCPU_ENUM(name, number, label) OVNI_OFFCPU_##name = number,
	OVNI_OFFCPU_TABLE(OVNI_OFFCPU_ENUM)
#undef OVNI_OFFCPU_ENUM
};

#define OVNI_OFFCPU_MIN		OVNI_OFFCPU_PREEMPTED
#define OVNI_OFFCPU_MAX		OVNI_OFFCPU_LOST
#define OVNI_OFFCPU_PRV_TYPE	300

#endif /* OVNIK_TRACE_OFFCPU_H */
