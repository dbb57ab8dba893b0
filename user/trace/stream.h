/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_STREAM_H
#define OVNIK_TRACE_STREAM_H

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
 * @started: there is a current event
 * @unsorted: clocks may go back; false unless the caller sets it
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
	bool started;
	bool unsorted;
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

/**
 * ovni_stream_next() - Go to the next event.
 * @s: stream
 *
 * Return: 1 with the event in @s->ev, 0 at the end, or a negative errno, which
 * is reported on stderr with file name and offset.
 */
int __must_check ovni_stream_next(struct ovni_stream *s);

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
