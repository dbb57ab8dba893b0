/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_PERFETTO_TRACE_H
#define OVNIK_OUTPUT_PERFETTO_TRACE_H

#include <zlib.h>

#include "output/perfetto/fields.h"
#include "output/perfetto/pb.h"
#include "util/file.h"

#define TRACE_PACKET_MAX	FILE_LINE_MAX	/* bytes of a packet */
#define TRACE_ROOM		(4 * TRACE_PACKET_MAX)

/* Sequences of packets: each node has its own. */
#define TRACE_BUNDLES		1
#define TRACE_EVENTS		2
#define TRACE_SEQUENCE(t, which)	(2 * (t)->machine + (which))

/**
 * struct perfetto_trace - A trace that is written.
 * @file: the file
 * @gzip: it is compressed
 * @machine: number of the machine; 0 is that of packets without one
 * @shift: to be added to all times, ns
 * @z: how
 * @plain: TRACE_ROOM bytes that are not compressed yet; with @gzip
 * @len: bytes in @plain
 * @start: what pb_begin() returned for the packet that is being made
 */
struct perfetto_trace {
	struct file file;
	bool gzip;
	u32 machine;
	s64 shift;
	z_stream z;
	u8 *plain;
	size_t len;
	u8 *start;
};

/**
 * trace_open() - Create a trace.
 * @t: zeroed; is set; call trace_close() in any case
 * @path: the file
 * @gzip: compress it
 * @latch: gets the first error, too
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int trace_open(struct perfetto_trace *t, const char *path, bool gzip, int *latch) __must_check;

/**
 * trace_close() - End a trace.
 * @t: as trace_open() left it, or zeroed
 *
 * Context: Any.
 * Return: 0, the first error (reported).
 */
int trace_close(struct perfetto_trace *t);

/**
 * trace_compress() - Make room for packets.
 * @t: the trace, with @gzip
 * @flush: Z_NO_FLUSH, or Z_FINISH at the end
 *
 * Context: Any.
 */
void trace_compress(struct perfetto_trace *t, int flush);

/**
 * trace_append() - Append all packets of a trace that is not compressed.
 * @t: the trace
 * @path: of the other one
 *
 * Context: No packet is being made.
 * Return: 0, a negative errno (reported).
 */
int trace_append(struct perfetto_trace *t, const char *path) __must_check;

/**
 * trace_begin() - A packet begins.
 * @t: the trace
 *
 * Context: No other packet is being made.
 * Return: where its first field goes; room for TRACE_PACKET_MAX bytes.
 */
static inline u8 *trace_begin(struct perfetto_trace *t)
{
	u8 *p;

	if (!t->gzip) {
		p = (u8 *)file_room(&t->file);
	} else {
		if (unlikely(t->len > TRACE_ROOM - TRACE_PACKET_MAX))
			trace_compress(t, Z_NO_FLUSH);
		p = t->plain + t->len;
	}
	t->start = pb_begin(p, TRACE_PACKET);
	return unlikely(t->machine) ? pb_uint(t->start, PACKET_MACHINE, t->machine) : t->start;
}

/**
 * trace_end() - A packet ends.
 * @t: the trace
 * @p: after its last field
 *
 * Context: Any.
 */
static inline void trace_end(struct perfetto_trace *t, u8 *p)
{
	p = pb_end(t->start, p);
	if (t->gzip)
		t->len = p - t->plain;
	else
		file_done(&t->file, (char *)p);
}

#endif /* OVNIK_OUTPUT_PERFETTO_TRACE_H */
