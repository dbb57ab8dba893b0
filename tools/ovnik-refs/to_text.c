// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convert binary to text with SSE2, which every x86-64 has. Each number is shifted left
 * until its first digit is in front, then 16 digits are made at once. hex_put() needs
 * twice the instructions and three times as long.
 */
#include <emmintrin.h>

#include "refs.h"

/* More than the longest line, because digits are stored 16 at a time. */
#define LINE_ROOM	(REFS_LINE_MAX + 16)

/* All 16 digits. */
static inline __m128i digits(u64 value)
{
	__m128i bytes = _mm_cvtsi64_si128((long long)__builtin_bswap64(value));
	__m128i nibbles = _mm_and_si128(_mm_unpacklo_epi8(_mm_srli_epi64(bytes, 4), bytes),
					_mm_set1_epi8(15));
	__m128i letters = _mm_cmpgt_epi8(nibbles, _mm_set1_epi8(9));

	return _mm_add_epi8(_mm_add_epi8(nibbles, _mm_set1_epi8('0')),
			    _mm_and_si128(letters, _mm_set1_epi8('a' - '0' - 10)));
}

/* Index of the first digit from the end: 0 for a number of one digit. */
static inline unsigned int top_digit(u64 value)
{
	return (unsigned int)(63 ^ __builtin_clzll(value | 1)) / 4;
}

/* Move the first digit into the uppermost bits. */
static inline u64 left(u64 value, unsigned int top)
{
	return value << (60 - 4 * top);
}

static inline char *put(char *to, u64 value)
{
	unsigned int top = top_digit(value);

	_mm_storeu_si128((__m128i *)to, digits(left(value, top)));
	return to + top + 1;
}

/* Convert two numbers of 32 bits at the cost of one of 64. */
static inline char *put_two(char *to, u32 first, u32 second)
{
	unsigned int top1 = top_digit(first), top2 = top_digit(second);
	__m128i both = digits(left(first, top1) | left(second, top2) >> 32);

	_mm_storel_epi64((__m128i *)to, both);
	to += top1 + 1;
	*to++ = ' ';
	_mm_storel_epi64((__m128i *)to, _mm_unpackhi_epi64(both, both));
	return to + top2 + 1;
}

/* Type, timestamp and length have the same place in both formats. */
static inline char *put_head(char *to, const struct refs_narrow *ref)
{
	*to++ = (char)ref->type;
	*to++ = ' ';
	to = put(to, ref->timestamp);
	*to++ = ' ';
	*to++ = (char)('0' + ref->length);
	*to++ = ' ';
	return to;
}

static inline char *put_narrow(char *to, const void *from)
{
	const struct refs_narrow *ref = from;

	to = put_two(put_head(to, from), ref->space, ref->address);
	*to++ = '\n';
	return to;
}

static inline char *put_wide(char *to, const void *from)
{
	const struct refs_wide *ref = from;

	to = put(put_head(to, from), ref->space);
	*to++ = ' ';
	to = put(to, ref->address);
	*to++ = '\n';
	return to;
}

/* Inlined once for narrow and once for wide references. */
static __always_inline const char *convert(struct file *out, const char *from, const char *end,
					   bool wide)
{
	const size_t size = refs_size(wide);
	char *to = file_room(out), *full = to + FILE_LINE_MAX - LINE_ROOM;

	for (; (size_t)(end - from) >= size && refs_is_valid(from, wide); from += size) {
		to = wide ? put_wide(to, from) : put_narrow(to, from);
		if (unlikely(to > full)) {
			file_done(out, to);
			to = file_room(out);
			full = to + FILE_LINE_MAX - LINE_ROOM;
		}
	}
	file_done(out, to);
	return from;
}

/**
 * refs_to_text() - refs_convert_fn() from binary to text.
 * @out: output
 * @from: the first reference
 * @end: end of the input
 * @wide: whether the references are wide
 * @records: is increased by the number of references
 *
 * Context: Any.
 * Return: where it stopped.
 */
const char *refs_to_text(struct file *out, const char *from, const char *end, bool wide,
			 u64 *records)
{
	const char *stop = wide ? convert(out, from, end, true) : convert(out, from, end, false);

	*records += (size_t)(stop - from) / refs_size(wide);
	return stop;
}
