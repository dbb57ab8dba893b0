/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
#ifndef _UAPI_OVNIK_H
#define _UAPI_OVNIK_H

#include <linux/types.h>

#include "ovnik_events.h"

/*
 * The record ABI: the format of the ring, of cpuN.ovk and of the map of
 * /dev/ovnik/cpuN. Little endian, as x86-64, the only supported machine.
 *
 * A stream is a sequence of sub-buffers. Each can be read alone:
 *
 *	+----------------------+ 0
 *	| struct ovnik_subbuf  |
 *	| lost[nr_events]      |   u64 each
 *	| count[nr_events]     |   u32 each, then to a multiple of 8
 *	+----------------------+ header_size
 *	| record | record | …  |   each at a multiple of 8
 *	+----------------------+ used
 *	|       not used       |   not in a file
 *	+----------------------+ size
 *
 * A record:
 *
 *	 0         4      5       6
 *	+---------+------+-------+--------------------------
 *	|delta u32| type | words | fields, naturally aligned
 *	+---------+------+-------+--------------------------
 *
 * delta  ticks since the base: the sub-buffer's tsc, or that of the last anchor
 *	  record before this one. Never decreases within a stream. 0 in an anchor,
 *	  whose field tsc is its time.
 * type	  number of the event in the table; 0 is none.
 * words  length of the record in 8-byte words, this header included; 0: the
 *	  first field is u16 size, the length in bytes without the padding to a
 *	  multiple of 8. With OVNIK_REC_AGAIN in it, the text at the end is that of an
 *	  earlier record of the sub-buffer: where the text would begin, there is a u32,
 *	  how many bytes before this record that one begins. It has a text of its own.
 */

#define OVNIK_FORMAT_VERSION	2
#define OVNIK_FORMAT_OLDEST	1	/* without OVNIK_REC_AGAIN */
#define OVNIK_SUBBUF_MAGIC	0x42534b494e564f89ULL	/* "\x89OVNIKSB" in memory */

#define OVNIK_COMM_LEN		16
#define OVNIK_REC_HEADER	6
#define OVNIK_REC_ALIGN		8
#define OVNIK_REC_MAX		(4096 + 128)	/* a path and what goes with it */
#define OVNIK_REC_AGAIN		0x8000		/* in size, see above */

#define OVNIK_SUBBUF_MIN	4096U
#define OVNIK_SUBBUF_MAX	(16U << 20)
#define OVNIK_SUBBUF_DEFAULT	(256U << 10)
#define OVNIK_SUBBUFS_LEAST	8U
#define OVNIK_BUFFER_MAX	(1ULL << 30)	/* per CPU */

/**
 * ovnik_subbuf_size() - The sub-buffer size for a buffer of the module.
 * @buffer_size: bytes per CPU
 *
 * With fewer than OVNIK_SUBBUFS_LEAST sub-buffers much is dropped at once; with more than
 * needed, headers and readers cost more.
 *
 * Return: the largest size up to the default that leaves OVNIK_SUBBUFS_LEAST of them;
 * OVNIK_SUBBUF_MIN if none does.
 */
static inline __u32 ovnik_subbuf_size(__u64 buffer_size)
{
	__u32 size = OVNIK_SUBBUF_DEFAULT;

	while (size > OVNIK_SUBBUF_MIN && (__u64)size * OVNIK_SUBBUFS_LEAST > buffer_size)
		size /= 2;
	return size;
}

/**
 * enum ovnik_subbuf_flags - Clock and mode of a sub-buffer.
 * @OVNIK_SB_CONSTANT_TSC:	the TSC does not change its rate (CPUID)
 * @OVNIK_SB_NONSTOP_TSC:	the TSC does not stop in idle (CPUID)
 * @OVNIK_SB_TSC_TRUSTED:	the kernel had not marked the TSC as unstable
 * @OVNIK_SB_OVERWRITE:		recorded in overwrite mode
 * @OVNIK_SB_CRC:		crc is set, by the writer of the file
 */
enum ovnik_subbuf_flags {
	OVNIK_SB_CONSTANT_TSC	= 1 << 0,
	OVNIK_SB_NONSTOP_TSC	= 1 << 1,
	OVNIK_SB_TSC_TRUSTED	= 1 << 2,
	OVNIK_SB_OVERWRITE	= 1 << 3,
	OVNIK_SB_CRC		= 1 << 4,
};

/**
 * struct ovnik_subbuf - Header of a sub-buffer.
 * @magic:	OVNIK_SUBBUF_MAGIC
 * @version:	OVNIK_FORMAT_VERSION of the writer
 * @header_size: bytes before the first record
 * @cpu:	the CPU that wrote it
 * @nr_events:	length of the arrays after this structure
 * @session:	number of the capture: CLOCK_REALTIME ns at its start
 * @seq:	number of the sub-buffer in the capture and CPU, from 0
 * @tsc:	when it was opened; base of the records' stamps
 * @ns:		CLOCK_MONOTONIC, read between two TSC reads, the first being @tsc
 * @width:	ticks between the two: @ns belongs to @tsc + @width / 2, +- @width / 2
 * @tid:	task that ran when it was opened (0: idle)
 * @tsc_end:	when it was closed: all events of this CPU from @tsc to @tsc_end are
 *		here or in lost[] of the next sub-buffer
 * @size:	bytes that a sub-buffer has in the ring
 * @flags:	enum ovnik_subbuf_flags
 * @used:	bytes in use, this header included; 0 while open
 * @committed:	bytes written completely; readable when it equals @used
 * @crc:	CRC-32 (zlib) of the @used bytes with @crc taken as 0, see OVNIK_SB_CRC
 * @reserved:	0
 * @lost:	per event: lost on this CPU since the start of the capture, and before
 *		this sub-buffer was opened; overwritten events included.
 *
 * __u32 count[@nr_events] follows @lost: the records of each event here.
 */
struct ovnik_subbuf {
	__u64 magic;
	__u16 version;
	__u16 header_size;
	__u16 cpu;
	__u16 nr_events;
	__u64 session;
	__u64 seq;
	__u64 tsc;
	__u64 ns;
	__u32 width;
	__u32 tid;
	__u64 tsc_end;
	__u32 size;
	__u32 flags;
	__u32 used;
	__u32 committed;
	__u32 crc;
	__u32 reserved;
	__u64 lost[];
};

/**
 * struct ovnik_control - First page of the map of /dev/ovnik/cpuN.
 * @head:	sub-buffers closed so far; written by the kernel
 * @tail:	sub-buffers consumed so far; written by the reader
 * @nr_subbufs:	sub-buffers in the ring
 * @subbuf_size: bytes of each
 *
 * Sub-buffer n lies at OVNIK_MAP_DATA + (n % nr_subbufs) * subbuf_size. It may be
 * read if n < head and its committed equals its used; setting @tail to n + 1 releases
 * it. The map is for discard mode; use read() in overwrite mode.
 */
struct ovnik_control {
	__u64 head;
	__u64 tail;
	__u32 nr_subbufs;
	__u32 subbuf_size;
};

#define OVNIK_MAP_DATA		4096U

/**
 * enum ovnik_mm_reason - Why a task got an address space.
 * @OVNIK_MM_FORK: it was made with a copy of its parent's
 * @OVNIK_MM_EXEC: it runs a new image
 */
enum ovnik_mm_reason {
	OVNIK_MM_FORK	= 1,
	OVNIK_MM_EXEC	= 2,
};

/**
 * enum ovnik_task_flags - What kind of task.
 * @OVNIK_TASK_KTHREAD: kernel thread
 */
enum ovnik_task_flags {
	OVNIK_TASK_KTHREAD	= 1 << 0,
};

/*
 * A device number in a record, unit dev: 12 bits of major and, low, 20 of minor number, as
 * inside the kernel (MKDEV()).
 */
#define OVNIK_DEV_MAJOR(dev)	((dev) >> 20)
#define OVNIK_DEV_MINOR(dev)	((dev) & 0xfffff)

/*
 * In a private capture: an address of another user's process, unit address, and any frame, unit
 * pfn. The first is not canonical: no access to it is a page fault. The second is the firmware's.
 */
#define OVNIK_NO_ADDRESS	(1ULL << 63)
#define OVNIK_NO_FRAME		0ULL

/**
 * enum ovnik_vma_flags - Permissions and kind of a mapping.
 * @OVNIK_VMA_READ:	may be read
 * @OVNIK_VMA_WRITE:	may be written
 * @OVNIK_VMA_EXEC:	may be executed
 * @OVNIK_VMA_SHARED:	writes are visible to others: never copied
 * @OVNIK_VMA_GROWSDOWN: a stack
 * @OVNIK_VMA_HUGETLB:	of hugetlb pages
 * @OVNIK_VMA_WIPEONFORK: a child finds it empty
 */
enum ovnik_vma_flags {
	OVNIK_VMA_READ		= 1 << 0,
	OVNIK_VMA_WRITE		= 1 << 1,
	OVNIK_VMA_EXEC		= 1 << 2,
	OVNIK_VMA_SHARED	= 1 << 3,
	OVNIK_VMA_GROWSDOWN	= 1 << 4,
	OVNIK_VMA_HUGETLB	= 1 << 5,
	OVNIK_VMA_WIPEONFORK	= 1 << 6,
};

/**
 * enum ovnik_map_kind - How anonymous memory was mapped.
 * @OVNIK_MAP_MMAP:	mmap(); with OVNIK_VMA_SHARED, ino and dev are those of its
 *			unnamed file
 * @OVNIK_MAP_BRK:	brk(), or the bss of an image
 * @OVNIK_MAP_STACK:	the stack of a new image, before it is moved to its place
 * @OVNIK_MAP_GROWTH:	a stack grew downwards
 * @OVNIK_MAP_SPECIAL:	the kernel's own: vdso, vvar, uprobes
 */
enum ovnik_map_kind {
	OVNIK_MAP_MMAP		= 1,
	OVNIK_MAP_BRK		= 2,
	OVNIK_MAP_STACK		= 3,
	OVNIK_MAP_GROWTH	= 4,
	OVNIK_MAP_SPECIAL	= 5,
};

/**
 * enum ovnik_cow_kind - What was copied.
 * @OVNIK_COW_ANON:	an anonymous page, shared since a fork
 * @OVNIK_COW_FILE:	a page of a file that was mapped read-only
 * @OVNIK_COW_FILE_NEW:	a page of a file that was not mapped yet
 */
enum ovnik_cow_kind {
	OVNIK_COW_ANON		= 1,
	OVNIK_COW_FILE		= 2,
	OVNIK_COW_FILE_NEW	= 3,
};

/**
 * enum ovnik_fault_error - The error code of a page fault.
 * @OVNIK_FAULT_PROT:	the page is there, but this is not allowed
 * @OVNIK_FAULT_WRITE:	it was a write
 * @OVNIK_FAULT_USER:	in user mode; otherwise the kernel on the user's behalf
 * @OVNIK_FAULT_INSTR:	it was an instruction fetch
 */
enum ovnik_fault_error {
	OVNIK_FAULT_PROT	= 1 << 0,
	OVNIK_FAULT_WRITE	= 1 << 1,
	OVNIK_FAULT_USER	= 1 << 2,
	OVNIK_FAULT_INSTR	= 1 << 4,
};

/**
 * enum ovnik_fault_result - How a page fault ended.
 * @OVNIK_FAULT_MINOR:	without waiting for a disk
 * @OVNIK_FAULT_MAJOR:	by reading from a disk
 * @OVNIK_FAULT_FAILED:	the access is not possible, or there was no memory
 */
enum ovnik_fault_result {
	OVNIK_FAULT_MINOR	= 0,
	OVNIK_FAULT_MAJOR	= 1,
	OVNIK_FAULT_FAILED	= 2,
};

/*
 * Offset of an AIO or io_uring request that has read or written where is not known: one that began
 * before the capture on a file system like FUSE or NFS, or appended there. In a private capture
 * any offset in a file of proc or a character device, too.
 */
#define OVNIK_OFFSET_UNKNOWN	(~0ULL)

/**
 * enum ovnik_file_op - How a file is read or written.
 * @OVNIK_OP_READ: read()
 * @OVNIK_OP_WRITE: write()
 * @OVNIK_OP_PREAD: pread64()
 * @OVNIK_OP_PWRITE: pwrite64()
 * @OVNIK_OP_READV: readv()
 * @OVNIK_OP_WRITEV: writev()
 * @OVNIK_OP_PREADV: preadv(), preadv2()
 * @OVNIK_OP_PWRITEV: pwritev(), pwritev2()
 * @OVNIK_OP_SENDFILE: sendfile(): a read, and a write if to a file
 * @OVNIK_OP_SPLICE: splice()
 * @OVNIK_OP_COPY: copy_file_range()
 * @OVNIK_OP_AIO: io_submit(), on completion, of the task that submitted
 * @OVNIK_OP_URING: io_uring, on completion
 */
enum ovnik_file_op {
	OVNIK_OP_READ		= 1,
	OVNIK_OP_WRITE		= 2,
	OVNIK_OP_PREAD		= 3,
	OVNIK_OP_PWRITE		= 4,
	OVNIK_OP_READV		= 5,
	OVNIK_OP_WRITEV		= 6,
	OVNIK_OP_PREADV		= 7,
	OVNIK_OP_PWRITEV	= 8,
	OVNIK_OP_SENDFILE	= 9,
	OVNIK_OP_SPLICE		= 10,
	OVNIK_OP_COPY		= 11,
	OVNIK_OP_AIO		= 12,
	OVNIK_OP_URING		= 13,
};

/*
 * Task states as sched:sched_switch prints them, the same on every kernel we
 * support (fs/proc/array.c, "task_state_array").
 */
enum ovnik_task_state {
	OVNIK_STATE_RUNNING		= 0x0000,
	OVNIK_STATE_INTERRUPTIBLE	= 0x0001,
	OVNIK_STATE_UNINTERRUPTIBLE	= 0x0002,
	OVNIK_STATE_STOPPED		= 0x0004,
	OVNIK_STATE_TRACED		= 0x0008,
	OVNIK_STATE_DEAD		= 0x0010,
	OVNIK_STATE_ZOMBIE		= 0x0020,
	OVNIK_STATE_PARKED		= 0x0040,
	OVNIK_STATE_IDLE		= 0x0080,
	OVNIK_STATE_PREEMPTED		= 0x0100,
};

/* Made from the table: numbers, layouts, and a check of every length. */

#define OVNIK_DECL_u16(name)	__u16 name;
#define OVNIK_DECL_u32(name)	__u32 name;
#define OVNIK_DECL_u64(name)	__u64 name;
#define OVNIK_DECL_comm(name)	char name[OVNIK_COMM_LEN];
#define OVNIK_DECL_str(name)	char name[];

#define OVNIK_NO_FIELD(ev, type, name, unit)
#define OVNIK_FIELD_DECL(ev, type, name, unit)	OVNIK_DECL_##type(name)

#define OVNIK_EVENT_NUMBER(nr, name, ...)	OVNIK_EV_##name = nr,
#define OVNIK_EVENT_STRUCT(nr, name, family, changes, letter, mcv, sentence, hook, misses, fields) \
	struct ovnik_##name {						\
		__u32 delta;						\
		__u8 type;						\
		__u8 words;						\
		fields							\
	} __attribute__((aligned(OVNIK_REC_ALIGN)));

enum ovnik_event {
	OVNIK_EVENT_TABLE(OVNIK_EVENT_NUMBER, OVNIK_NO_FIELD)
	OVNIK_NR_EVENTS		/* one more than the last number */
};

OVNIK_EVENT_TABLE(OVNIK_EVENT_STRUCT, OVNIK_FIELD_DECL)

#define OVNIK_FAMILY_INTERNAL(name, internal)	OVNIK_INTERNAL_##name = internal,

enum ovnik_internal {
	OVNIK_FAMILIES(OVNIK_FAMILY_INTERNAL)
};

/* A bit for each event of an internal family. */
#define OVNIK_EVENT_INTERNAL(nr, name, family, ...)	| (__u64)OVNIK_INTERNAL_##family << (nr)
#define OVNIK_EVENTS_INTERNAL	(0 OVNIK_EVENT_TABLE(OVNIK_EVENT_INTERNAL, OVNIK_NO_FIELD))

/**
 * enum ovnik_kept - What an event changes, of that which is there before a capture.
 * @OVNIK_KEPT_nothing: nothing, or what is recorded of each task anyway
 * @OVNIK_KEPT_mappings: of a process
 * @OVNIK_KEPT_files: that a process has open
 */
enum ovnik_kept {
	OVNIK_KEPT_nothing,
	OVNIK_KEPT_mappings,
	OVNIK_KEPT_files,
};

/* A bit for each event that changes mappings, or open files. */
#define OVNIK_EVENT_MAPPINGS(nr, name, family, changes, ...) \
	| (__u64)(OVNIK_KEPT_##changes == OVNIK_KEPT_mappings) << (nr)
#define OVNIK_EVENTS_MAPPINGS	(0 OVNIK_EVENT_TABLE(OVNIK_EVENT_MAPPINGS, OVNIK_NO_FIELD))
#define OVNIK_EVENT_FILES(nr, name, family, changes, ...) \
	| (__u64)(OVNIK_KEPT_##changes == OVNIK_KEPT_files) << (nr)
#define OVNIK_EVENTS_FILES	(0 OVNIK_EVENT_TABLE(OVNIK_EVENT_FILES, OVNIK_NO_FIELD))

/* What every record begins with. */
struct ovnik_record {
	__u32 delta;
	__u8 type;
	__u8 words;
	__u16 size;		/* only where words is 0 */
};

/**
 * ovnik_record_size() - The length that a record says in its field size.
 * @rec: the record; its words is 0
 *
 * Return: the bytes without the padding.
 */
static inline __u32 ovnik_record_size(const struct ovnik_record *rec)
{
	return rec->size & ~OVNIK_REC_AGAIN;
}

#define OVNIK_HEADER_SIZE(nr_events) \
	((sizeof(struct ovnik_subbuf) + (nr_events) * (8U + 4U) + 7U) & ~7U)

#endif /* _UAPI_OVNIK_H */
