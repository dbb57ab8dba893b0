/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_FTRACE_H
#define GUEST_FTRACE_H

/*
 * Reading ftrace's ring buffer from per_cpu/cpuN/trace_pipe_raw: pages of
 * events, see "ring_buffer" in Documentation/trace of the kernel and
 * include/linux/ring_buffer.h. Reading consumes.
 */

#include "event.h"

#define TRACE_PAGE	4096U
#define TRACE_HEADER	16U
#define TRACE_MISSED	0x80000000U
#define TRACE_LENGTH	0xfffffU
#define FORMAT_MAX	8192

/* common_flags of an event: TRACE_FLAG_HARDIRQ and TRACE_FLAG_SOFTIRQ. */
#define TRACE_IN_INTERRUPT	0x18

/* Which fields of which event are compared; ftrace says at which offsets they are. */
struct trace_format {
	const char *event;
	unsigned int kind;
	const char *a;
	const char *b;
	const char *c;
	const char *text;
	int id;
	int a_at;
	int b_at;
	int c_at;
	int text_at;
	bool data_loc;
	bool optional;
};

/* Is given each event of a trace: what it begins with is its ID. */
typedef void (*trace_taker)(void *arg, const char *data, __u64 tsc);

/**
 * field_offset() - Where a field lies, such as "field:pid_t prev_pid; offset:24; ...".
 * @text: description of the event
 * @name: of the field, or NULL
 * @data_loc: is it a string that lies elsewhere? May be NULL
 *
 * Return: its offset.
 */
int field_offset(const char *text, const char *name, bool *data_loc);

/**
 * read_format() - Read an event's description.
 * @dir: of ftrace
 * @event: such as sched/sched_switch
 * @text: room for FORMAT_MAX bytes
 *
 * Return: its ID.
 */
int read_format(const char *dir, const char *event, char *text);

/**
 * read_formats() - Read the descriptions of all events that are compared.
 * @dir: of ftrace
 */
void read_formats(const char *dir);

/**
 * field_u32() - A number in an event.
 * @data: the event
 * @offset: of field_offset(); negative for no field
 *
 * Return: it, or 0.
 */
__u32 field_u32(const char *data, int offset);

/**
 * walk_trace() - Hand on all that ftrace saw on a CPU, in its order.
 * @dir: of ftrace
 * @cpu: which
 * @take: is given each event
 * @arg: for @take
 */
void walk_trace(const char *dir, unsigned int cpu, trace_taker take, void *arg);

/**
 * read_trace() - Read all that ftrace saw on a CPU of what is compared.
 * @dir: of ftrace
 * @cpu: which
 * @events: it is added to these
 */
void read_trace(const char *dir, unsigned int cpu, struct events *events);

#endif /* GUEST_FTRACE_H */
