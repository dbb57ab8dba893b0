/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_PERFETTO_PB_H
#define OVNIK_OUTPUT_PERFETTO_PB_H

#include <string.h>

#include "util/types.h"
#include "util/utf8.h"

/*
 * Protocol buffers, as far as a trace needs them: numbers, strings, messages in messages. All
 * functions write at @p and return where the next byte goes; the caller has made room.
 */

#define PB_NUMBER_MAX	10	/* bytes of a number */
#define PB_FIELD_MAX	(2 + PB_NUMBER_MAX)

#define PB_TEXT_BYTES	4096	/* of a text, at most */
#define PB_TEXT_MAX	(3 * PB_TEXT_BYTES + 16)

#define PB_VARINT	0
#define PB_BYTES	2

static inline u8 *pb_varint(u8 *p, u64 n)
{
	for (; n > 0x7f; n >>= 7)
		*p++ = n | 0x80;
	*p++ = n;
	return p;
}

static inline u8 *pb_tag(u8 *p, u32 field, u32 type)
{
	return pb_varint(p, field << 3 | type);
}

static inline u8 *pb_uint(u8 *p, u32 field, u64 n)
{
	return pb_varint(pb_tag(p, field, PB_VARINT), n);
}

static inline u8 *pb_bytes(u8 *p, u32 field, const void *from, size_t len)
{
	p = pb_varint(pb_tag(p, field, PB_BYTES), len);
	memcpy(p, from, len);
	return p + len;
}

/**
 * pb_begin() - A message begins.
 * @p: where
 * @field: its number in the message around it
 *
 * Context: Any.
 * Return: where its first field goes; see pb_end().
 */
static inline u8 *pb_begin(u8 *p, u32 field)
{
	/* For a length below 128, as that of most is. */
	return pb_tag(p, field, PB_BYTES) + 1;
}

/**
 * pb_end() - A message ends.
 * @start: what pb_begin() returned
 * @p: where it ends; four more bytes may be written
 *
 * Context: Any.
 * Return: where the next field of the message around it goes.
 */
static inline u8 *pb_end(u8 *start, u8 *p)
{
	size_t len = p - start;
	u8 bytes[PB_NUMBER_MAX];
	size_t more;

	if (likely(len < 0x80)) {
		start[-1] = len;
		return p;
	}
	more = pb_varint(bytes, len) - bytes - 1;
	memmove(start + more, start, len);
	memcpy(start - 1, bytes, more + 1);
	return p + more;
}

/**
 * pb_text() - Write a text as a string, which is valid UTF-8.
 * @p: where; room for PB_TEXT_MAX, and for three times the text if that is less
 * @field: number of the field
 * @text: the text, up to its NUL; what is no character becomes U+FFFD
 *
 * Context: Any.
 * Return: where the next field goes.
 */
static inline u8 *pb_text(u8 *p, u32 field, const char *text)
{
	u8 *start = pb_begin(p, field);
	size_t at = 0;
	unsigned int len;

	for (p = start; text[at] && at < PB_TEXT_BYTES; at += len ? len : 1) {
		len = utf8_len(text + at);
		memcpy(p, len ? text + at : "\xef\xbf\xbd", len ? len : 3);
		p += len ? len : 3;
	}
	return pb_end(start, p);
}

#endif /* OVNIK_OUTPUT_PERFETTO_PB_H */
