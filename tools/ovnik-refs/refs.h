/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_H
#define OVNIK_REFS_H

#include "refs/format.h"
#include "util/file.h"
#include "util/types.h"

/*
 * A reference of Laplace's raw trace: a read, a write or an instruction fetch. In
 * binary it is one of these structures, in text the same fields in hex.
 *
 * The type of a wide reference is a capital letter, in binary and in text. Every
 * record thus identifies itself without a header, and no part of a wide trace can
 * be read as a narrow one.
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

/* The longest line: "R 123456789abcdef0 08 12345678 123456789abcdef0\n". */
#define REFS_LINE_MAX		48

/* Conversions may read this many bytes before and after their input. */
#define REFS_MARGIN		64

#define REFS_REASON_MAX		160

static inline size_t refs_size(bool wide)
{
	return wide ? sizeof(struct refs_wide) : sizeof(struct refs_narrow);
}

/* The compiler turns this into a bit test. */
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
 * refs_is_valid() - Is a binary reference valid?
 * @from: the reference, complete
 * @wide: whether it should be wide
 *
 * Context: Any.
 * Return: false if not.
 */
static inline bool refs_is_valid(const void *from, bool wide)
{
	const struct refs_narrow *ref = from;

	return refs_is_type(ref->type, wide) && ref->length - 1U < REFS_LENGTH_MAX;
}

/**
 * typedef refs_convert_fn - Convert references until one is incomplete or not valid.
 * @out: output
 * @from: the first reference; REFS_MARGIN bytes before it may be read
 * @end: end of the input; REFS_MARGIN bytes after it may be read
 * @wide: whether the references are wide
 * @records: is increased by the number of references
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
 * typedef refs_refuse_fn - Find out why a conversion has stopped.
 * @reason: REFS_REASON_MAX bytes; is set
 * @from: where it has stopped; not @end
 * @end: end of the input
 * @wide: whether the references are wide
 *
 * Context: Any.
 * Return: true if the reference is not valid; false if it is incomplete: @reason then
 * applies only if no more input follows.
 */
typedef bool (*refs_refuse_fn)(char *reason, const char *from, const char *end, bool wide);

bool refs_refuse_binary(char *reason, const char *from, const char *end, bool wide);
bool refs_refuse_text(char *reason, const char *from, const char *end, bool wide);

/**
 * struct refs_part - The part of a log that is wanted.
 * @from: first TSC
 * @to: last TSC
 * @space: the address space, CR3 >> 12; REFS_ALL_SPACES
 * @kinds: bit REFS_FETCH, ...
 * @capture: directory of the capture that knows when @pid ran; NULL: of all processes
 * @pid: number of a process
 */
struct refs_part {
	u64 from;
	u64 to;
	u64 space;
	u32 kinds;
	const char *capture;
	u32 pid;
};

#define REFS_ALL_SPACES		(~0ULL)
#define REFS_ALL_KINDS		((1U << REFS_NR_KINDS) - 1)

/**
 * struct refs_job - The command line.
 * @in: path of the input; NULL for standard input
 * @out: path of the output; NULL for standard output
 * @to_text: convert to text; else to binary
 * @to_log: convert to a log
 * @reduced: convert to Laplace's reduced text
 * @wide: whether the references are wide
 * @is_part: whether @part leaves anything out
 * @part: of a log
 */
struct refs_job {
	const char *in;
	const char *out;
	bool to_text;
	bool to_log;
	bool reduced;
	bool wide;
	bool is_part;
	struct refs_part part;
};

struct refs_to_log;

struct refs_to_log *refs_to_log_open(int fd);
const char *refs_to_log_add(struct refs_to_log *l, const char *from, const char *end, bool wide,
			    const char **reason);
int refs_to_log_error(const struct refs_to_log *l);
int refs_to_log_close(struct refs_to_log *l) __must_check;

int refs_run(const struct refs_job *job) __must_check;
bool refs_is_log(const char *path);
int refs_expand_log(const struct refs_job *job, struct file *out) __must_check;
int refs_info(const char *path) __must_check;

#endif /* OVNIK_REFS_H */
