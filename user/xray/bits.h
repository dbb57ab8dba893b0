/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_XRAY_BITS_H
#define OVNIK_XRAY_BITS_H

#include <string.h>

#include "util/types.h"
#include "xray/format.h"

/*
 * Fields of records in either byte order. That of this machine is little-endian, as
 * everywhere in ovnik. @big is a constant where speed matters.
 */

static inline u16 xray_u16(const u8 *p, bool big)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return big ? __builtin_bswap16(v) : v;
}

static inline u32 xray_u32(const u8 *p, bool big)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return big ? __builtin_bswap32(v) : v;
}

static inline u64 xray_u64(const u8 *p, bool big)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return big ? __builtin_bswap64(v) : v;
}

/* Of enum xray_kind, or larger if there is no such metadata. */
static inline unsigned int xray_kind(const u8 *p, bool big)
{
	unsigned int kind = big ? *p & 0x7f : *p >> 1;

	if (!(*p & (big ? 0x80 : 1)))
		return XRAY_FUNCTION;
	return kind < XRAY_NR_KINDS ? kind : kind + 1;
}

/* The first byte of metadata. */
static inline u8 xray_first_byte(enum xray_kind kind, bool big)
{
	return big ? 0x80 | kind : kind << 1 | 1;
}

/* A record of a function, with an action that is known? @word is its first 32 bits. */
static inline bool xray_is_function(u32 word, bool big)
{
	return !(word & (big ? 0xc0000000 : 9));
}

static inline unsigned int xray_action(u32 word, bool big)
{
	return (big ? word >> 28 : word >> 1) & 7;
}

static inline u32 xray_function(u32 word, bool big)
{
	return big ? word & XRAY_FUNCTION_MAX : word >> 4;
}

#endif /* OVNIK_XRAY_BITS_H */
