/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_XRAY_SPILL_H
#define OVNIK_OUTPUT_XRAY_SPILL_H

#include "util/types.h"

/*
 * A log holds the records of one thread after those of another, but they arrive mixed. So each
 * thread has a stream: its records are kept in memory, up to a limit for all streams, and beyond
 * that in pieces in an unnamed file. In the end the streams are read one by one. A record is never
 * split: a piece holds whole records.
 */

#define SPILL_PIECE_MAX	(64U << 10)	/* that a stream keeps in memory */

/**
 * struct spill_piece - A piece of a stream in the file.
 * @offset: where it is
 * @len: its bytes
 * @next: number of the stream's next one; 0: none
 */
struct spill_piece {
	u64 offset;
	u32 len;
	u32 next;
};

/**
 * struct spill_stream - The records of one thread. All zero is empty.
 * @buf: its last records
 * @len: bytes in @buf
 * @room: bytes allocated
 * @first: number of its first piece in the file; 0: none
 * @last: number of its last piece
 * @bytes: in all its pieces, without @buf
 * @next: the next stream that has a buffer
 */
struct spill_stream {
	u8 *buf;
	u32 len;
	u32 room;
	u32 first;
	u32 last;
	u64 bytes;
	struct spill_stream *next;
};

/**
 * struct spill - All streams.
 * @dir: directory for the file
 * @fd: the file; -1: not needed so far
 * @size: bytes in it
 * @limit: bytes that all buffers may have
 * @buffered: bytes allocated for buffers
 * @streams: the streams that have a buffer
 * @pieces: all pieces, from 1 on
 * @nr_pieces: how many, and one more
 * @room: pieces allocated
 * @error: negative errno of the first thing that failed (reported)
 */
struct spill {
	char *dir;
	int fd;
	u64 size;
	u64 limit;
	u64 buffered;
	struct spill_stream *streams;
	struct spill_piece *pieces;
	u32 nr_pieces;
	u32 room;
	int error;
};

/**
 * spill_init() - Initialise, without a stream.
 * @s: is set; call spill_destroy() in any case
 * @dir: directory for the file
 * @limit: bytes of memory to be used for streams
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int spill_init(struct spill *s, const char *dir, u64 limit) __must_check;

/**
 * spill_destroy() - Free all streams and the file.
 * @s: as spill_init() left it, or zeroed with @s->fd -1
 *
 * Context: Any. The streams' buffers are freed.
 */
void spill_destroy(struct spill *s);

/* Use spill_reserve(). */
bool spill_reserve_slow(struct spill *s, struct spill_stream *stream, u32 bytes);

/**
 * spill_reserve() - Make room at the end of a stream.
 * @s: where it is kept
 * @stream: the stream
 * @bytes: at most SPILL_PIECE_MAX
 *
 * Context: Any.
 * Return: true; false if that failed: what was to be written is dropped, and @s->error set.
 */
static inline bool spill_reserve(struct spill *s, struct spill_stream *stream, u32 bytes)
{
	return likely(stream->len + bytes <= stream->room) || spill_reserve_slow(s, stream, bytes);
}

/**
 * spill_each() - Go through a stream.
 * @s: where it is kept
 * @stream: the stream
 * @fn: called with each piece, in order, while it returns 0
 * @data: handed to @fn
 *
 * Context: Any; nothing is reserved meanwhile.
 * Return: 0; what @fn returned; what reading gave (reported).
 */
int spill_each(struct spill *s, const struct spill_stream *stream,
	       int (*fn)(void *data, const u8 *piece, u32 len), void *data) __must_check;

#endif /* OVNIK_OUTPUT_XRAY_SPILL_H */
