// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CRC of zlib by carry-less multiplication.
 *
 * A polynomial of 128 bits that is n bits before another can be replaced: add its product
 * with x^n mod P to the other, and the CRC is the same. So all bytes are folded into the
 * last 16, and zlib computes their CRC. This CRC reflects its bits, so a product is one bit
 * too low: the factors are shifted by one.
 */
#include <zlib.h>

#include "capture/crc.h"

#ifdef __x86_64__
#include <immintrin.h>

#define LANE	16	/* bytes per register */
#define BLOCK	(4 * LANE)
#define FOLDS	__attribute__((target("pclmul,sse4.1")))

/* 2 * reflected(x^(n + 32) mod P) for the lower 64 bits, of n - 32 for the upper ones. */
static const u64 by_block[2] = { 0x154442bd4, 0x1c6e41596 };
static const u64 by_lane[2] = { 0x1751997d0, 0x0ccaa009e };

static inline FOLDS __m128i load(const void *from)
{
	return _mm_loadu_si128(from);
}

static inline FOLDS __m128i fold(__m128i x, __m128i factors, __m128i onto)
{
	__m128i low = _mm_clmulepi64_si128(x, factors, 0x00);
	__m128i high = _mm_clmulepi64_si128(x, factors, 0x11);

	return _mm_xor_si128(_mm_xor_si128(low, high), onto);
}

/* @len: at least one block, and whole lanes */
static FOLDS u32 crc_folded(u32 crc, const u8 *buf, size_t len)
{
	const __m128i block = load(by_block), lane = load(by_lane);
	const u8 *end = buf + len;
	__m128i x[4];
	u8 rest[LANE];
	int i;

	for (i = 0; i < 4; i++)
		x[i] = load(buf + i * LANE);
	x[0] = _mm_xor_si128(x[0], _mm_cvtsi32_si128(~crc));
	for (buf += BLOCK; end - buf >= BLOCK; buf += BLOCK) {
		x[0] = fold(x[0], block, load(buf));
		x[1] = fold(x[1], block, load(buf + LANE));
		x[2] = fold(x[2], block, load(buf + 2 * LANE));
		x[3] = fold(x[3], block, load(buf + 3 * LANE));
	}
	for (i = 1; i < 4; i++)
		x[i] = fold(x[i - 1], lane, x[i]);
	for (; buf < end; buf += LANE)
		x[3] = fold(x[3], lane, load(buf));
	_mm_storeu_si128((void *)rest, x[3]);
	/* The initial bits are already in it: zlib must add none. */
	return crc32(~0U, rest, sizeof(rest));
}

static bool folds(void)
{
	return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
}

u32 capture_crc(u32 crc, const u8 *buf, size_t len)
{
	size_t whole = len & ~(size_t)(LANE - 1);

	if (whole >= BLOCK && folds())
		crc = crc_folded(crc, buf, whole);
	else
		whole = 0;
	return crc32(crc, buf + whole, len - whole);
}
#else
u32 capture_crc(u32 crc, const u8 *buf, size_t len)
{
	return crc32(crc, buf, len);
}
#endif
