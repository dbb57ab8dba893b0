// SPDX-License-Identifier: GPL-2.0-only
/* Events of a CPU, some hundred in a packet: see bundle.h. */
#include "output/perfetto/bundle.h"

static void begin(struct bundle *b)
{
	b->number++;
	b->nr_switches = 0;
	b->nr_wakings = 0;
	b->nr_names = 0;
	/* The first one of a column is less a time of 0. */
	b->switch_ns = -b->trace->shift;
	b->waking_ns = b->switch_ns;
#define FIRST(name, size) b->ends.name = b->bytes.name;
	BUNDLE_COLUMNS(FIRST)
	b->texts_end = b->texts;
	b->full_end = b->full;
}

void bundle_init(struct bundle *b, struct perfetto_trace *trace, u32 cpu)
{
	b->trace = trace;
	b->cpu = cpu;
	begin(b);
}

static u8 *put_column(u8 *p, u32 field, const u8 *from, const u8 *end)
{
	return from == end ? p : pb_bytes(p, field, from, end - from);
}

static u8 *put_columns(const struct bundle *b, u8 *p)
{
	u8 *start = pb_begin(p, BUNDLE_COMPACT);

	p = start;
#define PUT(name, size)	p = put_column(p, COMPACT_##name, b->bytes.name, b->ends.name);
	BUNDLE_COLUMNS(PUT)
	memcpy(p, b->texts, b->texts_end - b->texts);
	return pb_end(start, p + (b->texts_end - b->texts));
}

void bundle_write(struct bundle *b)
{
	u8 *p, *start;

	if (!b->nr_names && b->full_end == b->full)
		return;
	p = trace_begin(b->trace);
	start = pb_begin(p, PACKET_FTRACE_EVENTS);
	p = pb_uint(start, BUNDLE_CPU, b->cpu);
	if (b->lost)
		p = pb_uint(p, BUNDLE_LOST, 1);
	if (b->nr_names)
		p = put_columns(b, p);
	memcpy(p, b->full, b->full_end - b->full);
	p = pb_end(start, p + (b->full_end - b->full));
	trace_end(b->trace, pb_uint(p, PACKET_SEQUENCE, TRACE_SEQUENCE(b->trace, TRACE_BUNDLES)));
	b->lost = false;
	begin(b);
}

static u32 add_name(struct bundle *b, struct bundle_name *name, u32 tid, const char *comm)
{
	b->texts_end = pb_text(b->texts_end, COMPACT_INTERN_TABLE, comm);
	memcpy(name->comm, comm, sizeof(name->comm));
	name->tid = tid;
	name->bundle = b->number;
	name->index = b->nr_names++;
	return name->index;
}

/* A task may have been renamed. */
static inline u32 index_of(struct bundle *b, u32 tid, const char *comm)
{
	struct bundle_name *name = &b->names[tid % BUNDLE_NAMES];

	if (likely(name->tid == tid && name->bundle == b->number &&
		   !memcmp(name->comm, comm, sizeof(name->comm))))
		return name->index;
	return add_name(b, name, tid, comm);
}

static inline void make_room(struct bundle *b, u32 nr)
{
	if (unlikely(nr == BUNDLE_EVENTS || b->texts_end - b->texts > BUNDLE_TEXTS_MAX))
		bundle_write(b);
}

void bundle_switch(struct bundle *b, u64 ns, u32 state, u32 tid, const char *comm)
{
	make_room(b, b->nr_switches);
	b->nr_switches++;
	b->ends.SWITCH_TIMESTAMP = pb_varint(b->ends.SWITCH_TIMESTAMP, ns - b->switch_ns);
	b->switch_ns = ns;
	b->ends.SWITCH_PREV_STATE = pb_varint(b->ends.SWITCH_PREV_STATE, state);
	b->ends.SWITCH_NEXT_PID = pb_varint(b->ends.SWITCH_NEXT_PID, tid);
	*b->ends.SWITCH_NEXT_PRIO++ = BUNDLE_PRIO;
	b->ends.SWITCH_NEXT_COMM = pb_varint(b->ends.SWITCH_NEXT_COMM, index_of(b, tid, comm));
}

void bundle_waking(struct bundle *b, u64 ns, u32 tid, const char *comm, u32 target)
{
	make_room(b, b->nr_wakings);
	b->nr_wakings++;
	b->ends.WAKING_TIMESTAMP = pb_varint(b->ends.WAKING_TIMESTAMP, ns - b->waking_ns);
	b->waking_ns = ns;
	b->ends.WAKING_PID = pb_varint(b->ends.WAKING_PID, tid);
	b->ends.WAKING_TARGET_CPU = pb_varint(b->ends.WAKING_TARGET_CPU, target);
	*b->ends.WAKING_PRIO++ = BUNDLE_PRIO;
	b->ends.WAKING_COMM = pb_varint(b->ends.WAKING_COMM, index_of(b, tid, comm));
}

u8 *bundle_begin(struct bundle *b, u64 ns, u32 tid)
{
	if (b->full_end - b->full > BUNDLE_FULL_MAX)
		bundle_write(b);
	b->full_start = pb_begin(b->full_end, BUNDLE_EVENT);
	return pb_uint(pb_uint(b->full_start, EVENT_TIMESTAMP, ns + b->trace->shift), EVENT_PID,
		       tid);
}

void bundle_end(struct bundle *b, u8 *p)
{
	b->full_end = pb_end(b->full_start, p);
}
