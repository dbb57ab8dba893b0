/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_H
#define OVNIK_REFS_H

#include "util/file.h"
#include "util/types.h"

/*
 * A reference of Laplace's raw trace: a read, a write or the fetch of an
 * instruction. In binary it is one of these, in text the same fields in hex.
 *
 * What tells a wide reference from a narrow one, in binary as in text, is its
 * type: a capital. So every record says what it is, not a header far away from
 * it, and no piece of a wide trace is ever read as a narrow one.
 */

/**
 * struct refs_narrow - A reference as Laplace has it, 18 bytes.
 * @type: r, w or i
 * @timestamp: of the cycle counter
 * @length: bytes, 1 to REFS_LENGTH_MAX
 * @space: the address space, CR3 >> 12
 * @address: virtual address
 */
struct refs_narrow {
	u8 type;
	u64 timestamp;
	u8 length;
	u32 space;
	u32 address;
} __attribute__((packed));

/**
 * struct refs_wide - A reference with an address of 64 bits, 22 bytes.
 * @type: R, W or I
 * @timestamp: of the cycle counter
 * @length: bytes, 1 to REFS_LENGTH_MAX
 * @space: the address space, CR3 >> 12
 * @address: virtual address
 */
struct refs_wide {
	u8 type;
	u64 timestamp;
	u8 length;
	u32 space;
	u64 address;
} __attribute__((packed));

_Static_assert(sizeof(struct refs_narrow) == 18, "as in Laplace");
_Static_assert(sizeof(struct refs_wide) == 22, "as in ovnik-refs(1)");

#define REFS_LENGTH_MAX		8

/* No line is longer: "R 123456789abcdef0 08 12345678 123456789abcdef0\n". */
#define REFS_LINE_MAX		48

/* Conversions look at so much before and behind what they are given. */
#define REFS_MARGIN		64

#define REFS_REASON_MAX		160

static inline size_t refs_size(bool wide)
{
	return wide ? sizeof(struct refs_wide) : sizeof(struct refs_narrow);
}

/* The compiler makes a bit test of it. */
static inline bool refs_is_narrow(unsigned char type)
{
	return type == 'r' || type == 'w' || type == 'i';
}

static inline bool refs_is_wide(unsigned char type)
{
	return type == 'R' || type == 'W' || type == 'I';
}

static inline bool refs_is_type(unsigned char type, bool wide)
{
	return wide ? refs_is_wide(type) : refs_is_narrow(type);
}

/**
 * typedef refs_convert_fn - Convert references until one is not whole or not valid.
 * @out: where they go
 * @from: the first; REFS_MARGIN bytes before it may be read
 * @end: behind what is there; REFS_MARGIN bytes behind it may be read
 * @wide: of the references
 * @records: grows by their number
 *
 * Context: Any.
 * Return: where it stopped.
 */
typedef const char *(*refs_convert_fn)(struct file *out, const char *from, const char *end,
				       bool wide, u64 *records);

const char *refs_to_text(struct file *out, const char *from, const char *end, bool wide,
			 u64 *records);
const char *refs_to_binary(struct file *out, const char *from, const char *end, bool wide,
			   u64 *records);

/**
 * typedef refs_refuse_fn - Say why a conversion has stopped.
 * @reason: REFS_REASON_MAX bytes; is set
 * @from: where it has stopped; not the end
 * @end: behind what is there
 * @wide: of the references
 *
 * Context: Any.
 * Return: true if the reference is not valid; false if it may become so, its end
 * is not there yet, and @reason is for the case that it never comes.
 */
typedef bool (*refs_refuse_fn)(char *reason, const char *from, const char *end, bool wide);

bool refs_refuse_binary(char *reason, const char *from, const char *end, bool wide);
bool refs_refuse_text(char *reason, const char *from, const char *end, bool wide);

/**
 * struct refs_job - What is to be done.
 * @in: path of the input; NULL for standard input
 * @out: path of the output; NULL for standard output
 * @to_text: the direction
 * @wide: of the references
 */
struct refs_job {
	const char *in;
	const char *out;
	bool to_text;
	bool wide;
};

int refs_run(const struct refs_job *job) __must_check;

#endif /* OVNIK_REFS_H */
