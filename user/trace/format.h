/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_FORMAT_H
#define OVNIK_TRACE_FORMAT_H

#include "util/types.h"

/*
 * The binary stream of an ovni v3 trace, stream.obs, in the byte order of the
 * machine that wrote it:
 *
 *	+-----------+-------------+----------------------------------
 *	| "ovni"    | version u32 | events ...
 *	+-----------+-------------+----------------------------------
 *
 * A normal event (12 to 28 bytes):
 *
 *	  0     1    4           12
 *	+-------+----+-----------+----------------+
 *	| f | s | MCV| clock u64 | payload 0..16  |
 *	+-------+----+-----------+----------------+
 *
 * f is the upper nibble (flags), s the lower one: 0 means no payload and v means
 * v + 1 bytes, so a payload of one byte cannot be encoded. A jumbo event has
 * the jumbo flag, s = 3 and a u32 payload with the size of the data that
 * follows it.
 */
#define OVNI_STREAM_MAGIC	"ovni"
#define OVNI_STREAM_VERSION	1
#define OVNI_METADATA_VERSION	3

#define OVNI_OUR_COMMIT		"ovnik-"	/* begin of ovni.lib.commit */

#define OVNI_STREAM_OBS		"stream.obs"
#define OVNI_STREAM_JSON	"stream.json"

/*
 * ovnik's own: the stream of a CPU, for events that do not belong to a thread. The
 * format is the same, but the file names are others, which upstream ignores: it refuses
 * events of streams that are not a thread's.
 */
#define OVNI_CPU_OBS		"cpu.events"
#define OVNI_CPU_JSON		"cpu.json"
#define OVNI_CLOCK_JSON		"clock.json"	/* of a loom */
#define OVNI_MARK_TYPES		100	/* numbers that the marks of an application may have */
#define OVNI_LATE_NS		(50ULL * 60 * 1000000000)	/* upstream refuses an hour */

/**
 * struct ovni_stream_header - The beginning of stream.obs.
 * @magic: OVNI_STREAM_MAGIC, without the closing NUL
 * @version: OVNI_STREAM_VERSION
 */
struct ovni_stream_header {
	char magic[4];
	u32 version;
} __attribute__((packed));

/**
 * struct ovni_ev_header - The part of an event before its payload.
 * @flags: OVNI_EV_JUMBO and the coded size of the payload
 * @mcv: model, category and value
 * @clock: nanoseconds, never less than in the event before
 */
struct ovni_ev_header {
	u8 flags;
	u8 mcv[3];
	u64 clock;
} __attribute__((packed));

#define OVNI_EV_SIZE_MASK	0x0f
#define OVNI_EV_JUMBO		0x10
#define OVNI_EV_JUMBO_SIZE	4	/* bytes of a jumbo event's size field */
#define OVNI_EV_PAYLOAD_MAX	16	/* of a normal event */
#define OVNI_LABEL_MAX		511	/* bytes of a label; an emulator refuses more */
#define OVNI_CLOCK_MAX		((u64)1 << 63)	/* clocks are below this */
#define OVNI_STACK_MAX		512	/* states of a stack; an emulator refuses more */

/* Coded size of a payload of 0 or 2..16 bytes. */
#define OVNI_EV_SIZE_CODE(bytes)	((bytes) ? (bytes) - 1 : 0)

/**
 * struct ovni_ev - One event, taken out of its stream.
 * @clock: nanoseconds
 * @mcv: model, category and value
 * @jumbo: @payload is the data of a jumbo event
 * @size: bytes at @payload
 * @payload: its data, not aligned
 */
struct ovni_ev {
	u64 clock;
	u8 mcv[3];
	bool jumbo;
	u32 size;
	const void *payload;
};

_Static_assert(sizeof(struct ovni_stream_header) == 8, "stream header");
_Static_assert(sizeof(struct ovni_ev_header) == 12, "event header");

#endif /* OVNIK_TRACE_FORMAT_H */
