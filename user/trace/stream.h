/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_STREAM_H
#define OVNIK_TRACE_STREAM_H

#include <string.h>

#include "trace/format.h"
#include "util/types.h"

/* The largest jumbo event that is accepted; valid ones are far smaller. */
#define OVNI_STREAM_JUMBO_MAX (64u << 20)

/**
 * struct ovni_stream - A stream.obs being read, forward, through a window.
 * @path: file name, for messages
 * @size: bytes in the file
 * @offset: offset of the current event in the file
 * @ev: the current event; its payload is valid until the next one is read
 * @unsorted: clocks may go back; false unless the caller sets it
 * @killed: so may have been who wrote it: an event that is not whole ends it; false unless the
 *	    caller sets it
 * @cut: bytes of such an event
 * @ev_len: bytes of the current event, header included
 * @buf: the window
 * @room: bytes allocated for it
 * @window: bytes it should have
 * @pos: position of the current event in the window
 * @end: end of what the window holds
 *
 * No file descriptor and no mapping is kept, so the number of streams is
 * bounded by memory only, and a file that shrinks is an error, not a signal.
 */
struct ovni_stream {
	const char *path;
	u64 size;
	u64 offset;
	struct ovni_ev ev;
	bool unsorted;
	bool killed;
	u64 cut;
	u64 ev_len;
	u8 *buf;
	u64 room;
	u64 window;
	u8 *pos;
	u8 *end;
};

/**
 * ovni_stream_open() - Check a stream's header.
 * @s: stream
 * @path: file name, which must outlive @s
 * @window: bytes to read at once
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check ovni_stream_open(struct ovni_stream *s, const char *path, u32 window);

/* The most bytes of an event that is not a jumbo. */
#define OVNI_EV_NORMAL_MAX	(sizeof(struct ovni_ev_header) + OVNI_EV_PAYLOAD_MAX)

/* Go to an event that is not completely in the window, is a jumbo, or is invalid. */
int __must_check ovni_stream_next_slow(struct ovni_stream *s);

/* Bytes of the payload of an event that is not a jumbo. */
static inline u32 ovni_ev_payload(const struct ovni_ev_header *h)
{
	u32 size = h->flags & OVNI_EV_SIZE_MASK;

	return size + (size > 0);
}

/* Make an event that is not a jumbo the current one. */
static inline void ovni_stream_take(struct ovni_stream *s, const struct ovni_ev_header *h)
{
	u32 size = ovni_ev_payload(h);

	s->ev.clock = h->clock;
	memcpy(s->ev.mcv, h->mcv, sizeof(h->mcv));
	s->ev.jumbo = false;
	s->ev.size = size;
	s->ev.payload = h + 1;
	s->ev_len = sizeof(*h) + size;
}

/**
 * ovni_stream_next() - Go to the next event.
 * @s: stream
 *
 * Return: 1 with the event in @s->ev, 0 at the end, or a negative errno, which
 * is reported on stderr with file name and offset.
 */
static inline int __must_check ovni_stream_next(struct ovni_stream *s)
{
	const struct ovni_ev_header *h;

	s->pos += s->ev_len;
	s->offset += s->ev_len;
	h = (const struct ovni_ev_header *)s->pos;
	if (unlikely((size_t)(s->end - s->pos) < OVNI_EV_NORMAL_MAX || h->flags & OVNI_EV_JUMBO ||
		     h->clock >= OVNI_CLOCK_MAX || h->clock < s->ev.clock))
		return ovni_stream_next_slow(s);
	ovni_stream_take(s, h);
	return 1;
}

/**
 * ovni_stream_close() - Free the window.
 * @s: stream; may be all zero
 */
void ovni_stream_close(struct ovni_stream *s);

#define OVNI_MCV_TEXT 16

/**
 * ovni_mcv_text() - Make an event's letters printable.
 * @text: OVNI_MCV_TEXT bytes
 * @mcv: model, category, value
 *
 * Return: @text.
 */
const char *ovni_mcv_text(char *text, const u8 *mcv);

#endif /* OVNIK_TRACE_STREAM_H */
