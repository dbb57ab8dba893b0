/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TOOL_CONTROL_H
#define OVNIK_TOOL_CONTROL_H

#include "util/types.h"

#include "ovnik.h"

/* Exit statuses of every command; see Documentation/man/ovnik.1. */
enum ovnik_exit {
	EXIT_OK		= 0,
	EXIT_FAILED	= 1,
	EXIT_USAGE	= 2,
	EXIT_LOST	= 4,
};

#define CONTROL_TEXT	4096

/* To control_cpu_stats(), instead of a CPU. */
#define CONTROL_DUMP	(~0U)

/**
 * struct settings - Settings of a capture.
 * @events:	 bit n: record event number n
 * @mode:	 "discard" or "overwrite"
 * @buffer_size: bytes per CPU
 * @pids:	 processes to record, separated by commas; NULL for all
 * @children:	 also record their future children
 * @owner:	 user ID, as text, from whom other users' memory is hidden; NULL: nobody
 * @refs:	 switch QEMU's plugin on and off, which logs memory references
 * @refs_tree:	 the module does, for the processes that are recorded
 */
struct settings {
	u64 events;
	const char *mode;
	u64 buffer_size;
	const char *pids;
	bool children;
	const char *owner;
	bool refs;
	bool refs_tree;
};

#define SETTINGS_DEFAULT \
	{ .events = ~0ULL, .mode = "discard", .buffer_size = 4 << 20, .children = true }

/**
 * struct clock_pair - The TSC and CLOCK_MONOTONIC at one instant.
 * @tsc:   ticks
 * @ns:	   ns
 * @width: ticks that the two readings took
 */
struct clock_pair {
	u64 tsc;
	u64 ns;
	u64 width;
};

/**
 * struct event_stats - Counts of one event on a CPU.
 * @recorded: number recorded
 * @lost:     number lost
 */
struct event_stats {
	u64 recorded;
	u64 lost;
};

int control_select(const char *name);
int control_read_u64(const char *name, u64 *value);
int control_running(void);
int control_must_be_there(void);
bool control_is_chosen(void);
int control_must_be_idle(void);
int control_start(void);
void control_report_memory(void);
int control_prepare(const struct settings *settings);
int control_clock(struct clock_pair *pair);
int control_cpu_stats(unsigned int cpu, struct event_stats stats[OVNIK_NR_EVENTS]);

#endif /* OVNIK_TOOL_CONTROL_H */
