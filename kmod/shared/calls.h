/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CALLS_H
#define OVNIK_CALLS_H

/*
 * System calls on files that have not ended, for the module and for BPF. The includer
 * provides u8 to u64, READ_ONCE() and cmpxchg().
 */
#include "ovnik.h"

/*
 * The calls that return a number of bytes of a file; other calls have operation 0.
 *
 *	CALL(number, name, enum ovnik_file_op)
 *
 * Those of x32 have the numbers of 64-bit calls and a bit of their own, but for some that
 * have numbers that no 64-bit call has.
 */
#define OVNIK_CALLS_64(CALL)							\
	CALL(0, read, READ)							\
	CALL(1, write, WRITE)							\
	CALL(17, pread64, PREAD)						\
	CALL(18, pwrite64, PWRITE)						\
	CALL(19, readv, READV)							\
	CALL(20, writev, WRITEV)						\
	CALL(40, sendfile, SENDFILE)						\
	CALL(275, splice, SPLICE)						\
	CALL(295, preadv, PREADV)						\
	CALL(296, pwritev, PWRITEV)						\
	CALL(326, copy_file_range, COPY)					\
	CALL(327, preadv2, PREADV)						\
	CALL(328, pwritev2, PWRITEV)

#define OVNIK_CALLS_X32(CALL)							\
	CALL(515, readv, READV)							\
	CALL(516, writev, WRITEV)						\
	CALL(534, preadv, PREADV)						\
	CALL(535, pwritev, PWRITEV)						\
	CALL(546, preadv2, PREADV)						\
	CALL(547, pwritev2, PWRITEV)

#define OVNIK_CALLS_32(CALL)							\
	CALL(3, read, READ)							\
	CALL(4, write, WRITE)							\
	CALL(145, readv, READV)							\
	CALL(146, writev, WRITEV)						\
	CALL(180, pread64, PREAD)						\
	CALL(181, pwrite64, PWRITE)						\
	CALL(187, sendfile, SENDFILE)						\
	CALL(239, sendfile64, SENDFILE)						\
	CALL(313, splice, SPLICE)						\
	CALL(333, preadv, PREADV)						\
	CALL(334, pwritev, PWRITEV)						\
	CALL(377, copy_file_range, COPY)					\
	CALL(378, preadv2, PREADV)						\
	CALL(379, pwritev2, PWRITEV)

#define OVNIK_CALL_OP(nr, name, op)	[nr] = OVNIK_OP_##op,

#define OVNIK_X32_BIT	0x40000000

static const u8 ovnik_ops_64[] = {
	OVNIK_CALLS_64(OVNIK_CALL_OP)
	OVNIK_CALLS_X32(OVNIK_CALL_OP)
};

static const u8 ovnik_ops_32[] = { OVNIK_CALLS_32(OVNIK_CALL_OP) };

static __always_inline u8 ovnik_call_op(u64 nr, bool is_32)
{
	if (is_32)
		return nr < ARRAY_SIZE(ovnik_ops_32) ? ovnik_ops_32[nr] : 0;
	nr &= ~(u64)OVNIK_X32_BIT;
	return nr < ARRAY_SIZE(ovnik_ops_64) ? ovnik_ops_64[nr] : 0;
}

/**
 * struct ovnik_place - A place in a file.
 * @dev:	of the file; its identity, because the file may be gone at the end
 * @generation:	likewise
 * @ino:	likewise
 * @offset:	first byte
 */
struct ovnik_place {
	u32	dev;
	u32	generation;
	u64	ino;
	u64	offset;
};

enum { READS = 1, WRITES = 2 };

/**
 * struct ovnik_call - A system call on a file that has not ended.
 * @tid:   of its task; 0: the slot is free
 * @op:	   enum ovnik_file_op
 * @has:   READS, WRITES: which of the places are set
 * @read:  where reading began
 * @write: where writing began
 */
struct ovnik_call {
	u32			tid;
	u16			op;
	u16			has;
	struct ovnik_place	read;
	struct ovnik_place	write;
} __attribute__((aligned(64)));

/*
 * Two slots for all tasks whose number ends in the same bits; a task writes only its own. A
 * third task in a call at the same time is rare, and counted as dropped.
 */
struct ovnik_call_set {
	struct ovnik_call	way[2];
};

/* The call that a task is in, or NULL. Context: of that task. */
static __always_inline struct ovnik_call *ovnik_call_find(struct ovnik_call_set *set, u32 tid)
{
	if (READ_ONCE(set->way[0].tid) == tid)
		return &set->way[0];
	return READ_ONCE(set->way[1].tid) == tid ? &set->way[1] : NULL;
}

static __always_inline struct ovnik_call *ovnik_call_take(struct ovnik_call_set *set, u32 tid)
{
	if (!READ_ONCE(set->way[0].tid) && !cmpxchg(&set->way[0].tid, 0, tid))
		return &set->way[0];
	return cmpxchg(&set->way[1].tid, 0, tid) ? NULL : &set->way[1];
}

/**
 * struct ovnik_request - A request of AIO or io_uring on a file that has not ended.
 * @pos:     address of the place in its kiocb, which is its own until it ends; 0: the slot is
 *	     free; OVNIK_REQUEST_BUSY: it is being written
 * @offset:  first byte, when it was submitted; OVNIK_OFFSET_UNKNOWN if it has come by again
 *	     elsewhere, because there was less than it wants, or as another request
 * @tid:     of the task that has submitted it
 * @capture: that has seen it
 */
struct ovnik_request {
	u64	pos;
	u64	offset;
	u32	tid;
	u32	capture;
};

#define OVNIK_REQUEST_BUSY	1

/*
 * Two slots for all requests whose addresses have the same hash. A third one takes the place of
 * one of them, of which it is not known then who submitted it: of 1,000 at a time, seldom one.
 */
struct ovnik_request_set {
	struct ovnik_request	way[2];
};

#define OVNIK_REQUEST_SETS	16384

/* A kiocb is larger than 64 bytes. */
static __always_inline u32 ovnik_request_hash(u64 pos)
{
	return (u32)(pos >> 6) * 0x61c88647U >> 18;
}

/* Return: false if a request is not known any more, perhaps: this one, or another. */
static __always_inline bool ovnik_request_note(struct ovnik_request_set *set, u64 pos,
					       struct ovnik_request new)
{
	struct ovnik_request *slot = &set->way[1];
	bool known;
	u64 old;

	if (READ_ONCE(slot->pos) != pos &&
	    (!READ_ONCE(set->way[0].pos) || READ_ONCE(set->way[0].pos) == pos ||
	     READ_ONCE(slot->pos)))
		slot = &set->way[0];
	old = READ_ONCE(slot->pos);
	if (old == OVNIK_REQUEST_BUSY || cmpxchg(&slot->pos, old, OVNIK_REQUEST_BUSY) != old)
		return false;
	known = !old || old == pos || slot->capture != new.capture;
	if (old == pos && slot->capture == new.capture && slot->offset != new.offset)
		new.offset = OVNIK_OFFSET_UNKNOWN;
	slot->offset = new.offset;
	slot->tid = new.tid;
	slot->capture = new.capture;
	/* x86 makes stores visible in program order. */
	barrier();
	WRITE_ONCE(slot->pos, pos);
	return known;
}

/* A request has ended. Return: is it known? Then @found is what was noted of it. */
static __always_inline bool ovnik_request_take(struct ovnik_request_set *set, u64 pos, u32 capture,
					       struct ovnik_request *found)
{
	struct ovnik_request *slot = &set->way[0];

	if (READ_ONCE(slot->pos) != pos)
		slot = &set->way[1];
	if (READ_ONCE(slot->pos) != pos)
		return false;
	*found = *slot;
	/* Another request may have taken its place meanwhile. */
	return cmpxchg(&slot->pos, pos, 0) == pos && found->capture == capture;
}

/* What a request of io_uring does with a file. */
enum ovnik_uring {
	OVNIK_URING_OTHER,
	OVNIK_URING_READ,
	OVNIK_URING_WRITE,
	OVNIK_URING_UNKNOWN,	/* not known when this was written */
};

/*
 * By enum io_uring_op, by number: headers of older kernels lack some. A kernel without an opcode
 * completes no request that has it.
 */
static __always_inline enum ovnik_uring ovnik_uring_of(u8 opcode)
{
	switch (opcode) {
	case 1:		/* IORING_OP_READV */
	case 4:		/* IORING_OP_READ_FIXED */
	case 22:	/* IORING_OP_READ */
	case 60:	/* IORING_OP_READV_FIXED, 6.15 */
		return OVNIK_URING_READ;
	case 2:		/* IORING_OP_WRITEV */
	case 5:		/* IORING_OP_WRITE_FIXED */
	case 23:	/* IORING_OP_WRITE */
	case 61:	/* IORING_OP_WRITEV_FIXED, 6.15 */
		return OVNIK_URING_WRITE;
	}
	/* The last one of Linux 7.2 is IORING_OP_URING_CMD128. */
	return opcode > 64 ? OVNIK_URING_UNKNOWN : OVNIK_URING_OTHER;
}

#endif /* OVNIK_CALLS_H */
