// SPDX-License-Identifier: GPL-2.0-only
/* Find where the next buffer of a log begins. */
#include <errno.h>
#include <string.h>

#include "util/file.h"
#include "util/msg.h"
#include "xray/bits.h"
#include "xray/scan.h"

/* Look at a few bytes anywhere, without moving the window, which only goes forward. */
static const u8 *peek(struct xray_scan *s, u64 offset, u32 size)
{
	struct xray_window *w = &s->window;

	if (offset >= w->offset && offset + size <= w->offset + w->size)
		return w->buf + (offset - w->offset);
	if (offset + size > s->log->size || offset + size < offset ||
	    pread_all(s->log->fd, s->peek, size, offset) != size)
		return NULL;
	return s->peek;
}

bool xray_is_head(struct xray_scan *s, u64 offset)
{
	u32 size = (s->version == 1 ? 3 : 4) * XRAY_METADATA_SIZE;
	const u8 *p = peek(s, offset, size);
	unsigned int last;

	if (!p)
		return false;
	if (s->version > 1) {
		if (xray_kind(p, s->big) != XRAY_BUFFER_EXTENTS)
			return false;
		p += XRAY_METADATA_SIZE;
	}
	last = xray_kind(p + 2 * XRAY_METADATA_SIZE, s->big);
	return xray_kind(p, s->big) == XRAY_NEW_BUFFER &&
	       xray_kind(p + XRAY_METADATA_SIZE, s->big) == XRAY_WALL_CLOCK &&
	       (last == XRAY_NEW_CPU_ID || (last == XRAY_PID && s->version > 2)) &&
	       (s32)xray_u32(p + 1, s->big) >= 0 &&
	       xray_u32(p + XRAY_METADATA_SIZE + 9, s->big) < XRAY_NS_PER_SEC;
}

/* "Look for either another header or EOF", says the document. */
static bool is_header(struct xray_scan *s, u64 offset)
{
	u8 header[XRAY_HEADER_SIZE];
	const u8 *p;

	if (pread_all(s->log->fd, header, sizeof(header), 0) != sizeof(header))
		return false;
	p = peek(s, offset, sizeof(header));
	return p && !memcmp(p, header, sizeof(header)) &&
	       xray_is_head(s, offset + XRAY_HEADER_SIZE);
}

bool xray_is_next(struct xray_scan *s, u64 offset)
{
	return offset == s->log->size || xray_is_head(s, offset) ||
	       (s->version == 1 && is_header(s, offset));
}

/* Each byte is looked at once, because the search continues after it. */
static int search(struct xray_scan *s, u64 end)
{
	enum xray_kind first = s->version == 1 ? XRAY_NEW_BUFFER : XRAY_BUFFER_EXTENTS;
	u8 byte = xray_first_byte(first, s->big);

	while (s->offset < end) {
		const u8 *p = xray_scan_at(s, 1), *hit;
		u64 size = s->window.offset + s->window.size - s->offset;

		if (!p)
			return -EIO;
		if (size > end - s->offset)
			size = end - s->offset;
		hit = memchr(p, byte, size);
		s->offset += hit ? (u64)(hit - p) : size;
		if (hit && xray_is_head(s, s->offset))
			break;
		s->offset += !!hit;
	}
	return 0;
}

static int skip_zeros(struct xray_scan *s)
{
	while (s->offset < s->log->size) {
		const u8 *p = xray_scan_at(s, 1);
		u64 size = s->window.offset + s->window.size - s->offset, i;

		if (!p)
			return -EIO;
		for (i = 0; i < size && !p[i]; i++)
			;
		s->offset += i;
		if (i < size)
			break;
	}
	return 0;
}

/* The end of a buffer of version 1, if all have the header's size; 0: unknown. */
static u64 end_by_size(const struct xray_scan *s)
{
	u64 size = s->log->header.buffer_size;

	if (s->packed || size < 3 * XRAY_METADATA_SIZE || size > s->log->size)
		return 0;
	return s->begin + size;
}

u64 xray_next_head(struct xray_scan *s, u64 from, u64 end)
{
	u64 offset = s->offset, next;

	s->offset = from;
	/* The error was reported; the next read fails with it again. */
	next = search(s, end) ? end : s->offset;
	s->offset = offset;
	return next;
}

/*
 * First try the place of the violation: a head there means that BufferExtents is wrong. Version 1
 * does not use the buffer size: searching finds the same places, and more if the size is wrong.
 */
int xray_resume(struct xray_scan *s)
{
	if (s->offset == s->head)
		s->offset++;
	if (xray_is_head(s, s->offset))
		return 0;
	if (s->sized && !s->cut && s->limit > s->offset && xray_is_next(s, s->limit)) {
		s->offset = s->limit;
		return 0;
	}
	return search(s, s->log->size);
}

/*
 * After EndOfBuffer, XRay's first runtime leaves garbage up to the fixed size; in a converted log
 * the next buffer follows at once. Try the latter first: the garbage is old records, which contain
 * a head only at the begin of a buffer.
 */
int xray_after_end(struct xray_scan *s)
{
	u64 end = end_by_size(s), from = s->offset;
	int ret;

	if (xray_is_next(s, from)) {
		s->packed |= from < s->log->size && end && end != from;
		return 0;
	}
	if (end >= from && end <= s->log->size && xray_is_next(s, end)) {
		s->offset = end;
		return 0;
	}
	if (end > s->log->size) {
		/* The file ends in this buffer, or the rest is a violation. */
		ret = search(s, s->log->size);
		if (s->offset < s->log->size)
			s->offset = from;
		return ret;
	}
	return skip_zeros(s);
}

int xray_skip_gap(struct xray_scan *s)
{
	u64 from = s->offset;
	int ret;

	if (s->version == 1) {
		if (is_header(s, from))
			s->offset += XRAY_HEADER_SIZE;
		return 0;
	}
	ret = skip_zeros(s);
	if (!ret && s->offset == s->log->size && from < s->offset)
		msg_warn("%s: offset %llu: only zeros follow, %llu bytes", s->log->path, from,
			 s->offset - from);
	return ret;
}
