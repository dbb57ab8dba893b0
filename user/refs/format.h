/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_REFS_FORMAT_H
#define OVNIK_REFS_FORMAT_H

#include "util/types.h"

/* The file of memory references: see Documentation/refs-format.rst. All little endian. */

#define REFS_MAGIC		"OVNREFS\n"
#define REFS_VERSION		1
#define REFS_PAGE_SHIFT		12		/* QEMU's guest is of x86: refs_of_machine() */
#define REFS_BLOCK_MAGIC	0x4b4c4252	/* "RBLK" */
#define REFS_END_MAGIC		0x444e4552	/* "REND" */

#define REFS_NO_FETCHES		(1U << 0)	/* options: fetches are not to be given out */
#define REFS_NO_KERNEL		(1U << 1)
#define REFS_NO_USER		(1U << 2)

#define REFS_NO_TIME		(1U << 0)	/* of a block: the TSC was not read yet */

/* Limits, so that a reader of a damaged file needs no more memory. */
#define REFS_STREAM_MAX		(8U << 20)	/* bytes */
#define REFS_STORED_MAX		(64U << 20)
#define REFS_ACCESSES_MAX	(64U << 10)	/* of one template */
#define REFS_INSNS_MAX		512U
#define REFS_BLOCK_MAX		(1U << 25)	/* references of a kind */

/**
 * struct refs_file - The first bytes of the file.
 * @magic: REFS_MAGIC
 * @version: REFS_VERSION
 * @options: REFS_NO_FETCHES, ...
 * @every: one block in so many was kept
 * @crc: of all before
 */
struct refs_file {
	char magic[8];
	u32 version;
	u32 options;
	u32 every;
	u32 crc;
};

/* What a block has, in this order. */
enum refs_stream {
	REFS_OPS,
	REFS_ADDRESSES,
	REFS_TEMPLATES,
	REFS_TIMES,
	REFS_EVENTS,
	REFS_NR_STREAMS,
};

enum refs_kind { REFS_FETCH, REFS_LOAD, REFS_STORE, REFS_NR_KINDS };

/**
 * struct refs_block - The header of a block, or the end of the file.
 * @magic: REFS_BLOCK_MAGIC; at the end REFS_END_MAGIC, which nothing follows
 * @stored: bytes that follow
 * @number: of the block; at the end, of blocks
 * @begin: time of the first instruction; no time in the block is before it
 * @end: time after the last one; none is behind it
 * @cr3: at its beginning
 * @refs: by kind; at the end, of the whole file
 * @drift: of times that did not agree with the guest's TSC; at the end, of the whole file
 * @streams: bytes of each, before compression
 * @flags: REFS_NO_TIME
 * @stored_crc: of what follows
 * @crc: of all before
 */
struct refs_block {
	u32 magic;
	u32 stored;
	u64 number;
	u64 begin;
	u64 end;
	u64 cr3;
	u64 refs[REFS_NR_KINDS];
	u64 drift;
	u32 streams[REFS_NR_STREAMS];
	u32 flags;
	u32 stored_crc;
	u32 crc;
};

_Static_assert(sizeof(struct refs_file) == 24, "as in refs-format.rst");
_Static_assert(sizeof(struct refs_block) == 104, "as in refs-format.rst");

/* What a block is made of: an op is a number with one of these in its low two bits. */
enum refs_op {
	REFS_RUN,	/* so many templates, each the one that came after the last one before */
	REFS_JUMP,	/* the template with this number */
	REFS_NEW,	/* a new template is next in REFS_TEMPLATES, and is executed */
	REFS_EVENT,	/* one of refs_event */
};

enum refs_event {
	REFS_EV_CR3,	/* the new value, in REFS_EVENTS */
	REFS_EV_TIME,	/* the time jumps: 8 bytes in REFS_TIMES */
	REFS_EV_PAGE,	/* virtual page has physical page: two differences in REFS_EVENTS */
};

/* An access of a template: an index of an instruction, and these. */
#define REFS_SHAPE_SIZE		0x7	/* log 2 of the length */
#define REFS_SHAPE_STORE	0x8
#define REFS_SHAPE_INSN		4	/* shift */

static inline u64 refs_zigzag(s64 value)
{
	return (u64)value << 1 ^ (u64)(value >> 63);
}

static inline s64 refs_unzigzag(u64 value)
{
	return (s64)(value >> 1) ^ -(s64)(value & 1);
}

#endif /* OVNIK_REFS_FORMAT_H */
