// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convert text to binary with SSE2, which every x86-64 has. First find all blanks and the
 * newline of a line at once, then convert 16 digits at a time; bytes before a field are
 * loaded with it and cleared.
 */
#include <emmintrin.h>
#include <string.h>

#include "refs.h"

#define BLOCK		16

/* The position of a field in its line. */
struct field {
	size_t begin;
	size_t end;
};

enum { TIMESTAMP, LENGTH, SPACE, ADDRESS, NR_FIELDS };

static inline __m128i load(const void *from)
{
	return _mm_loadu_si128(from);
}

/* One bit for each of 16 bytes that is a blank or a lower ASCII code. */
static inline u64 end_bits(const char *from)
{
	__m128i bytes = load(from);
	__m128i low = _mm_min_epu8(bytes, _mm_set1_epi8(' '));

	return (u32)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, low));
}

/* One bit for each byte of a line that may end a field; all bits from REFS_LINE_MAX on. */
static inline u64 line_bits(const char *line)
{
	return end_bits(line) | end_bits(line + BLOCK) << BLOCK |
	       end_bits(line + 2 * BLOCK) << 2 * BLOCK | ~0ULL << REFS_LINE_MAX;
}

static inline size_t width(struct field field)
{
	return field.end - field.begin;
}

/* There are always enough bits: those from REFS_LINE_MAX on are set. */
static __always_inline bool find_fields(struct field fields[NR_FIELDS], const char *line, bool wide)
{
	static const char after[NR_FIELDS] = { ' ', ' ', ' ', '\n' };
	const unsigned int max[NR_FIELDS] = { 16, 2, 8, wide ? 16 : 8 };
	u64 bits = line_bits(line) & ~3ULL;
	size_t begin = 2;
	unsigned int i;

	if (!refs_is_type((unsigned char)line[0], wide) || line[1] != ' ')
		return false;
#pragma GCC unroll 4
	for (i = 0; i < NR_FIELDS; i++) {
		fields[i].begin = begin;
		fields[i].end = (size_t)__builtin_ctzll(bits);
		if (width(fields[i]) - 1 >= max[i] || line[fields[i].end] != after[i])
			return false;
		begin = fields[i].end + 1;
		bits &= bits - 1;
	}
	return true;
}

/*
 * The value of each hex digit; more than 15 for other bytes.
 *
 * Only 0 to 9 become 0xf6 to 0xff in the first step; the saturating subtraction leaves
 * 0xf0 to 0xf9 for them and less for all others; the last step makes 0 to 9 of them and
 * more than 15 of all others. Letters of either case are handled likewise from A on, so
 * the minimum of both results is the value.
 */
static inline __m128i worth(__m128i text)
{
	__m128i top = _mm_add_epi8(text, _mm_set1_epi8((char)(0xff - '9')));
	__m128i digit = _mm_sub_epi8(_mm_subs_epu8(top, _mm_set1_epi8(6)),
				     _mm_set1_epi8((char)0xf0));
	__m128i capital = _mm_and_si128(text, _mm_set1_epi8((char)~0x20));
	__m128i letter = _mm_adds_epu8(_mm_sub_epi8(capital, _mm_set1_epi8('A')),
				       _mm_set1_epi8(10));

	return _mm_min_epu8(digit, letter);
}

/* Is any of them above 15? */
static inline bool above_15(__m128i nibbles)
{
	return _mm_movemask_epi8(_mm_adds_epu8(nibbles, _mm_set1_epi8(127 - 15)));
}

/* Combine sixteen nibbles into a number. */
static inline u64 number(__m128i nibbles)
{
	__m128i pairs = _mm_or_si128(_mm_slli_epi16(nibbles, 4), _mm_srli_epi16(nibbles, 8));
	__m128i bytes = _mm_and_si128(pairs, _mm_set1_epi16(0xff));

	return __builtin_bswap64((u64)_mm_cvtsi128_si64(_mm_packus_epi16(bytes, bytes)));
}

/* keep + n is a mask that keeps the last n of 8 or 16 bytes. */
static const unsigned char keep16[2 * BLOCK] = { [BLOCK ... 2 * BLOCK - 1] = 0xff };
#define keep8		(keep16 + BLOCK / 2)

/* The nibbles of a field. */
static inline __m128i get(const char *line, struct field field)
{
	return _mm_and_si128(worth(load(line + field.end - BLOCK)), load(keep16 + width(field)));
}

/* Load eight bytes each from two places. */
static inline __m128i load_two(const void *first, const void *second)
{
	long long low, high;

	memcpy(&low, first, sizeof(low));
	memcpy(&high, second, sizeof(high));
	return _mm_set_epi64x(high, low);
}

/* The nibbles of two fields of up to 8 digits. */
static inline __m128i get_two(const char *line, struct field first, struct field second)
{
	__m128i text = load_two(line + first.end - BLOCK / 2, line + second.end - BLOCK / 2);

	return _mm_and_si128(worth(text), load_two(keep8 + width(first), keep8 + width(second)));
}

/* Return the length minus 1: REFS_LENGTH_MAX or more if it is not valid, 0 included. */
static inline unsigned int length_less_1(const char *line, struct field field)
{
	if (unlikely(width(field) > 1) && line[field.begin] != '0')
		return REFS_LENGTH_MAX;
	return (unsigned char)line[field.end - 1] - '1';
}

static inline bool get_narrow(struct refs_narrow *ref, const char *line,
			      const struct field fields[NR_FIELDS])
{
	__m128i time = get(line, fields[TIMESTAMP]);
	__m128i two = get_two(line, fields[SPACE], fields[ADDRESS]);
	u64 numbers = number(two);

	ref->timestamp = number(time);
	ref->space = (u32)(numbers >> 32);
	ref->address = (u32)numbers;
	return !above_15(_mm_or_si128(time, two));
}

static inline bool get_wide(struct refs_wide *ref, const char *line,
			    const struct field fields[NR_FIELDS])
{
	__m128i time = get(line, fields[TIMESTAMP]);
	__m128i space = get(line, fields[SPACE]);
	__m128i address = get(line, fields[ADDRESS]);

	ref->timestamp = number(time);
	ref->space = (u32)number(space);
	ref->address = number(address);
	return !above_15(_mm_or_si128(_mm_or_si128(time, space), address));
}

/* Returns the length of the line, or 0 if it is not valid. */
static __always_inline size_t get_line(void *to, const char *line, bool wide)
{
	struct field fields[NR_FIELDS];
	struct refs_narrow *head = to;	/* the same in both formats */
	unsigned int length;

	if (unlikely(!find_fields(fields, line, wide)))
		return 0;
	length = length_less_1(line, fields[LENGTH]);
	head->type = (u8)line[0];
	head->length = (u8)(length + 1);
	if (unlikely(!(wide ? get_wide(to, line, fields) : get_narrow(to, line, fields))))
		return 0;
	return length < REFS_LENGTH_MAX ? fields[ADDRESS].end + 1 : 0;
}

/* Inlined once for narrow and once for wide references. */
static __always_inline const char *convert(struct file *out, const char *from, const char *end,
					   bool wide, u64 *records)
{
	const size_t size = refs_size(wide);
	char *to = file_room(out), *begin = to, *full = to + FILE_LINE_MAX - 2 * size;
	size_t len;

	for (; from < end; from += len) {
		len = get_line(to, from, wide);
		if (unlikely(!len || len > (size_t)(end - from)))
			break;
		to += size;
		if (unlikely(to > full)) {
			*records += (size_t)(to - begin) / size;
			file_done(out, to);
			to = file_room(out);
			begin = to;
			full = to + FILE_LINE_MAX - 2 * size;
		}
	}
	*records += (size_t)(to - begin) / size;
	file_done(out, to);
	return from;
}

/**
 * refs_to_binary() - refs_convert_fn() from text to binary.
 * @out: output
 * @from: the first line
 * @end: end of the input
 * @wide: whether the references are wide
 * @records: is increased by the number of references
 *
 * Context: Any.
 * Return: where it stopped.
 */
const char *refs_to_binary(struct file *out, const char *from, const char *end, bool wide,
			   u64 *records)
{
	return wide ? convert(out, from, end, true, records) :
		      convert(out, from, end, false, records);
}
