// SPDX-License-Identifier: GPL-2.0-only
/* Many streams at once, in bounded memory: see spill.h. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/xray/spill.h"
#include "util/file.h"
#include "util/msg.h"

#define BUFFER_FIRST	256U	/* bytes; a full buffer grows to four times its size */

static bool fail(struct spill *s, const char *what, int error)
{
	if (!s->error) {
		msg_error("%s: cannot %s: %s", s->dir, what, strerror(error));
		s->error = -error;
	}
	return false;
}

int spill_init(struct spill *s, const char *dir, u64 limit)
{
	memset(s, 0, sizeof(*s));
	s->fd = -1;
	s->limit = limit;
	s->nr_pieces = 1;
	s->dir = strdup(dir);
	return s->dir ? 0 : -ENOMEM;
}

/* The file has no name, so it is deleted when it is closed, even by a crash. */
static bool open_file(struct spill *s)
{
	char path[PATH_MAX];

	if (s->fd >= 0)
		return true;
	snprintf(path, sizeof(path), "%s/xray.XXXXXX", s->dir);
	s->fd = mkstemp(path);
	if (s->fd < 0)
		return fail(s, "create a temporary file there", errno);
	unlink(path);
	return true;
}

static bool write_buffer(struct spill *s, const struct spill_stream *stream)
{
	int error = write_all(s->fd, stream->buf, stream->len);

	return error ? fail(s, "write to the temporary file there", error) : true;
}

static bool make_piece(struct spill *s, struct spill_stream *stream)
{
	struct spill_piece *piece;

	if (s->nr_pieces >= s->room) {
		u32 room = s->room ? 2 * s->room : 1024;

		piece = room > s->room ? realloc(s->pieces, room * sizeof(*piece)) : NULL;
		if (!piece)
			return fail(s, "allocate memory for the temporary file there", ENOMEM);
		s->pieces = piece;
		s->room = room;
	}
	piece = &s->pieces[s->nr_pieces];
	piece->offset = s->size;
	piece->len = stream->len;
	piece->next = 0;
	if (stream->last)
		s->pieces[stream->last].next = s->nr_pieces;
	else
		stream->first = s->nr_pieces;
	stream->last = s->nr_pieces++;
	return true;
}

static bool flush(struct spill *s, struct spill_stream *stream)
{
	if (!stream->len)
		return true;
	if (!open_file(s) || !write_buffer(s, stream) || !make_piece(s, stream))
		return false;
	s->size += stream->len;
	stream->bytes += stream->len;
	stream->len = 0;
	return true;
}

/* All buffers together have become too large. */
static bool flush_all(struct spill *s)
{
	while (s->streams) {
		struct spill_stream *stream = s->streams;

		if (!flush(s, stream))
			return false;
		s->streams = stream->next;
		s->buffered -= stream->room;
		free(stream->buf);
		stream->buf = NULL;
		stream->room = 0;
	}
	return true;
}

/* Few streams are busy, most are not: a buffer grows when it is full. */
bool spill_reserve_slow(struct spill *s, struct spill_stream *stream, u32 bytes)
{
	u32 room = stream->room ? stream->room : BUFFER_FIRST / 4;
	u8 *buf;

	if (s->error)
		return false;
	if (stream->room >= SPILL_PIECE_MAX)
		return flush(s, stream);
	do {
		room *= 4;
	} while (room < stream->len + bytes && room < SPILL_PIECE_MAX);
	if (s->buffered + room - stream->room > s->limit) {
		if (!flush_all(s))
			return false;
		return spill_reserve_slow(s, stream, bytes);
	}
	buf = realloc(stream->buf, room);
	if (!buf)
		return fail(s, "allocate memory for records", ENOMEM);
	if (!stream->buf) {
		stream->next = s->streams;
		s->streams = stream;
	}
	s->buffered += room - stream->room;
	stream->buf = buf;
	stream->room = room;
	return stream->len + bytes <= room || flush(s, stream);
}

static bool read_piece(struct spill *s, const struct spill_piece *piece, u8 *buf)
{
	ssize_t got = pread_all(s->fd, buf, piece->len, piece->offset);

	if (got == piece->len)
		return true;
	return fail(s, "read the temporary file there", got < 0 ? -got : EIO);
}

int spill_each(struct spill *s, const struct spill_stream *stream,
	       int (*fn)(void *data, const u8 *piece, u32 len), void *data)
{
	u8 buf[SPILL_PIECE_MAX];
	int ret = 0;
	u32 i;

	for (i = stream->first; i && !ret; i = s->pieces[i].next) {
		if (!read_piece(s, &s->pieces[i], buf))
			return s->error;
		ret = fn(data, buf, s->pieces[i].len);
	}
	return ret || !stream->len ? ret : fn(data, stream->buf, stream->len);
}

void spill_destroy(struct spill *s)
{
	for (; s->streams; s->streams = s->streams->next)
		free(s->streams->buf);
	if (s->fd >= 0)
		close(s->fd);
	free(s->pieces);
	free(s->dir);
	memset(s, 0, sizeof(*s));
	s->fd = -1;
}
