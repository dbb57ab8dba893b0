/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_HEX_H
#define OVNIK_UTIL_HEX_H

#include <string.h>

#include "util/types.h"

/* Eight hex digits at once: one nibble into each byte, then letters for 10..15. */
static inline u64 hex_spread(u32 value)
{
	const u64 nibbles = 0x0f0f0f0f0f0f0f0fULL;
	u64 x = value, letters;

	x = ((x & 0xffff) << 32) | (x >> 16);
	x = ((x & 0x000000ff000000ffULL) << 16) | ((x & 0x0000ff000000ff00ULL) >> 8);
	x = ((x & 0x000f000f000f000fULL) << 8) | ((x >> 4) & 0x000f000f000f000fULL);
	letters = ((x + 0x0606060606060606ULL) >> 4) & (nibbles & 0x0101010101010101ULL);
	return x + 0x3030303030303030ULL + letters * ('a' - '0' - 10);
}

/* Four digits at once: most task numbers fit. */
static inline u32 hex_spread16(u32 x)
{
	u32 letters;

	x = (x & 0xff) << 16 | x >> 8;
	x = (x & 0x000f000f) << 8 | ((x >> 4) & 0x000f000f);
	letters = ((x + 0x06060606) >> 4) & 0x01010101;
	return x + 0x30303030 + letters * ('a' - '0' - 10);
}

/**
 * hex_put8() - Print a number of 32 bits in eight hex digits.
 * @to: room for 8 bytes
 * @value: the number
 *
 * Context: Any.
 * Return: pointer past the last digit.
 */
static inline char *hex_put8(char *to, u32 value)
{
	u64 text = hex_spread(value);

	memcpy(to, &text, sizeof(text));
	return to + sizeof(text);
}

/**
 * hex_put32() - hex_put() for a number of 32 bits.
 * @to: room for 8 bytes, all of which may be written
 * @value: the number
 *
 * Context: Any.
 * Return: pointer past the last digit.
 */
static inline char *hex_put32(char *to, u32 value)
{
	unsigned int digits = (32 - __builtin_clz(value | 1) + 3) / 4;
	u64 text;

	if (likely(value <= 0xffff))
		text = hex_spread16(value) >> (8 * (4 - digits));
	else
		text = hex_spread(value) >> (8 * (8 - digits));
	memcpy(to, &text, sizeof(text));
	return to + digits;
}

/**
 * hex_put() - Print a number in lower-case hex, without prefix and leading zeros.
 * @to: room for 16 bytes, all of which may be written
 * @value: the number
 *
 * Context: Any.
 * Return: pointer past the last digit.
 */
static inline char *hex_put(char *to, u64 value)
{
	if (value >> 32)
		return hex_put8(hex_put32(to, value >> 32), value);
	return hex_put32(to, value);
}

#endif /* OVNIK_UTIL_HEX_H */
