/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_PERFETTO_BUNDLE_H
#define OVNIK_OUTPUT_PERFETTO_BUNDLE_H

#include <ovnik.h>

#include "output/perfetto/trace.h"

/*
 * Events of a CPU, some hundred in a packet. Of switches and wakeups there are columns, one of
 * times, one of tids, and so on; the names are beside them. A switch in a column does not say
 * who leaves the CPU: it is who came before. So a CPU's first switch is a full event.
 *
 * Readers sort by time. Of events of a CPU with the same time, those in columns come first.
 */

#define BUNDLE_EVENTS		256	/* in each column */
#define BUNDLE_NAMES		128	/* that are looked up quickly */
#define BUNDLE_TEXTS_MAX	(4 << 10)	/* bytes of names, from which on it is full */
#define BUNDLE_FULL_MAX		(4 << 10)	/* bytes of full events, likewise */
#define BUNDLE_EVENT_MAX	(13 << 10)	/* bytes of a full event: a path may be in it */
#define BUNDLE_PRIO		120	/* is not recorded: that of most tasks */
#define BUNDLE_CPUS_MAX		1024	/* trace_processor reads no more */

/* Columns: of switches, then of wakeups, with the most bytes of a value. */
#define BUNDLE_COLUMNS(C)					\
	C(SWITCH_TIMESTAMP, PB_NUMBER_MAX)			\
	C(SWITCH_PREV_STATE, 2)					\
	C(SWITCH_NEXT_PID, 5)					\
	C(SWITCH_NEXT_PRIO, 1)					\
	C(SWITCH_NEXT_COMM, 2)					\
	C(WAKING_TIMESTAMP, PB_NUMBER_MAX)			\
	C(WAKING_PID, 5)					\
	C(WAKING_TARGET_CPU, 3)					\
	C(WAKING_PRIO, 1)					\
	C(WAKING_COMM, 2)

#define BUNDLE_COLUMN_BYTES(name, size)		u8 name[BUNDLE_EVENTS * (size)];
#define BUNDLE_COLUMN_END(name, bytes)		u8 *(name);

/**
 * struct bundle_name - A name that is in the bundle.
 * @comm: the name
 * @tid: who has it
 * @index: among the names
 * @bundle: number of that bundle
 */
struct bundle_name {
	char comm[OVNIK_COMM_LEN];
	u32 tid;
	u32 index;
	u64 bundle;
};

/**
 * struct bundle - Events of a CPU that are not written yet.
 * @trace: where they are written
 * @cpu: number of the CPU
 * @lost: events are missing before them
 * @number: bundles so far, from 1
 * @nr_switches: in the columns
 * @nr_wakings: likewise
 * @nr_names: in @texts
 * @switch_ns: time of the last switch in the columns, 0 at first
 * @waking_ns: likewise
 * @bytes: the columns
 * @ends: where their next values go
 * @names: some of the names, by tid
 * @texts: names, each as it is written
 * @texts_end: where the next one goes
 * @full: other events, likewise
 * @full_end: where the next one goes
 * @full_start: what pb_begin() returned for the event that is being made
 */
struct bundle {
	struct perfetto_trace *trace;
	u32 cpu;
	bool lost;
	u64 number;
	u32 nr_switches;
	u32 nr_wakings;
	u32 nr_names;
	u64 switch_ns;
	u64 waking_ns;
	struct { BUNDLE_COLUMNS(BUNDLE_COLUMN_BYTES) } bytes;
	struct { BUNDLE_COLUMNS(BUNDLE_COLUMN_END) } ends;
	struct bundle_name names[BUNDLE_NAMES];
	u8 texts[BUNDLE_TEXTS_MAX + 64];
	u8 *texts_end;
	u8 full[BUNDLE_FULL_MAX + BUNDLE_EVENT_MAX];
	u8 *full_end;
	u8 *full_start;
};

/**
 * bundle_init() - Make an empty bundle.
 * @b: zeroed; is set
 * @trace: where bundles are written
 * @cpu: of which CPU
 *
 * Context: Any.
 */
void bundle_init(struct bundle *b, struct perfetto_trace *trace, u32 cpu);

/**
 * bundle_write() - Write the bundle and begin the next one.
 * @b: the bundle; nothing is written if it is empty
 *
 * Context: Any.
 */
void bundle_write(struct bundle *b);

/**
 * bundle_switch() - Add a switch; another switch of this CPU has been added before.
 * @b: the bundle
 * @ns: when
 * @state: why the task that runs leaves, as since Linux 4.14
 * @tid: who comes
 * @comm: its name
 *
 * Context: Any.
 */
void bundle_switch(struct bundle *b, u64 ns, u32 state, u32 tid, const char *comm);

/**
 * bundle_waking() - Add a wakeup; a switch of this CPU has been added before.
 * @b: the bundle
 * @ns: when
 * @tid: who is woken
 * @comm: its name
 * @target: CPU on which it shall run
 *
 * Context: Any.
 */
void bundle_waking(struct bundle *b, u64 ns, u32 tid, const char *comm, u32 target);

/**
 * bundle_begin() - A full event begins.
 * @b: the bundle
 * @ns: when
 * @tid: who does it
 *
 * Context: No other full event of this CPU is being made.
 * Return: where the event's own field goes; room for BUNDLE_EVENT_MAX bytes.
 */
u8 *bundle_begin(struct bundle *b, u64 ns, u32 tid);

/**
 * bundle_end() - A full event ends.
 * @b: the bundle
 * @p: after its last field
 *
 * Context: Any.
 */
void bundle_end(struct bundle *b, u8 *p);

#endif /* OVNIK_OUTPUT_PERFETTO_BUNDLE_H */
