// SPDX-License-Identifier: GPL-2.0-only
/* The records of a thread, one after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/msg.h"
#include "xray/bits.h"
#include "xray/log.h"

#define WINDOW_SIZE	(1U << 16)

static int changed(const struct xray_cursor *c)
{
	msg_error("%s: offset %llu: the file has changed since it was checked", c->log->path,
		  c->offset);
	return -EIO;
}

static void enter_buffer(struct xray_cursor *c)
{
	const struct xray_buffer *buffer = &c->log->buffers[c->buffer];

	c->offset = buffer->offset;
	c->end = buffer->end;
	c->tsc = buffer->tsc;
}

int xray_cursor_open(struct xray_cursor *c, const struct xray_log *log, u32 thread)
{
	const struct xray_thread *t = &log->threads[thread];
	u32 i;

	memset(c, 0, sizeof(*c));
	c->log = log;
	c->window.fd = log->fd;
	c->buffer = t->first;
	c->last = t->first + t->nr;
	/* There may be thousands of threads: no more than a buffer of theirs needs. */
	for (i = c->buffer; i < c->last; i++) {
		u64 size = log->buffers[i].end - log->buffers[i].offset;

		if (size > WINDOW_SIZE)
			size = WINDOW_SIZE;
		if (size > c->window.room)
			c->window.room = size;
	}
	enter_buffer(c);
	return 0;
}

void xray_cursor_close(struct xray_cursor *c)
{
	free(c->window.buf);
	memset(c, 0, sizeof(*c));
}

static const u8 *bytes_at(struct xray_cursor *c, u32 need)
{
	int ret;

	if (need > c->end - c->offset) {
		changed(c);
		return NULL;
	}
	ret = xray_window_at(&c->window, c->offset, need, c->end);
	if (!ret)
		return c->window.buf + (c->offset - c->window.offset);
	if (ret == -ENODATA)
		changed(c);
	else
		msg_error("%s: offset %llu: %s", c->log->path, c->offset, strerror(-ret));
	return NULL;
}

static __always_inline bool decode_function(struct xray_cursor *c, const u8 *p, bool big)
{
	u32 word = xray_u32(p, big);

	if (!xray_is_function(word, big))
		return false;
	c->tsc += xray_u32(p + 4, big);
	c->function = xray_function(word, big);
	c->rec.offset = c->offset;
	c->rec.kind = XRAY_FUNCTION;
	c->rec.action = xray_action(word, big);
	c->rec.cpu = c->cpu;
	c->rec.function = c->function;
	c->rec.tsc = c->tsc;
	c->offset += XRAY_FUNCTION_SIZE;
	return true;
}

/* Version 4 alone says where; versions before 5 do not count from the record before. */
static int decode_event(struct xray_cursor *c, const u8 *p, bool typed, bool big)
{
	unsigned int version = c->log->header.version;
	struct xray_record *rec = &c->rec;
	u32 size = xray_u32(p + 1, big);

	if (version >= 5)
		c->tsc += (s64)(s32)xray_u32(p + 5, big);
	rec->tsc = version >= 5 ? c->tsc : xray_u64(p + 5, big);
	if (typed)
		rec->event_type = xray_u16(p + (version >= 5 ? 9 : 13), big);
	else if (version == 4)
		rec->cpu = xray_u16(p + 13, big);
	rec->size = size;
	rec->data = NULL;
	if (size > c->end - c->offset - XRAY_METADATA_SIZE)
		return changed(c);
	if (size <= XRAY_DATA_MAX) {
		p = bytes_at(c, XRAY_METADATA_SIZE + size);
		if (!p)
			return -EIO;
		rec->data = p + XRAY_METADATA_SIZE;
	}
	c->offset += XRAY_METADATA_SIZE + size;
	return 1;
}

static int decode_metadata(struct xray_cursor *c, const u8 *p, bool big)
{
	struct xray_record *rec = &c->rec;

	switch (rec->kind) {
	case XRAY_CUSTOM_EVENT:
	case XRAY_TYPED_EVENT:
		return decode_event(c, p, rec->kind == XRAY_TYPED_EVENT, big);
	case XRAY_NEW_CPU_ID:
		c->cpu = xray_u16(p + 1, big);
		c->tsc = xray_u64(p + 3, big);
		break;
	case XRAY_TSC_WRAP:
		c->tsc = xray_u64(p + 1, big);
		break;
	case XRAY_CALL_ARGUMENT:
		rec->function = c->function;
		rec->argument = xray_u64(p + 1, big);
		break;
	default:
		return changed(c);
	}
	rec->cpu = c->cpu;
	rec->tsc = c->tsc;
	c->offset += XRAY_METADATA_SIZE;
	return 1;
}

static int next_slowly(struct xray_cursor *c)
{
	bool big = c->log->header.big_endian;
	const u8 *p;

	while (c->offset == c->end) {
		if (c->buffer + 1 >= c->last)
			return 0;
		c->buffer++;
		enter_buffer(c);
	}
	p = bytes_at(c, XRAY_FUNCTION_SIZE);
	if (!p)
		return -EIO;
	c->rec.kind = xray_kind(p, big);
	if (c->rec.kind == XRAY_FUNCTION)
		return decode_function(c, p, big) ? 1 : changed(c);
	c->rec.offset = c->offset;
	c->rec.cpu = c->cpu;
	p = bytes_at(c, XRAY_METADATA_SIZE);
	return p ? decode_metadata(c, p, big) : -EIO;
}

int xray_cursor_next(struct xray_cursor *c)
{
	u64 at = c->offset - c->window.offset;

	/* The window holds nothing from after the buffer's last record. */
	if (likely(at < c->window.size && c->window.size - at >= XRAY_FUNCTION_SIZE &&
		   !c->log->header.big_endian && decode_function(c, c->window.buf + at, false)))
		return 1;
	return next_slowly(c);
}
