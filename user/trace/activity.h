/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_TRACE_ACTIVITY_H
#define OVNIK_TRACE_ACTIVITY_H

#include "trace/label.h"
#include "util/types.h"

/*
 * Activities in ovnik's traces: memory, page cache and files, and functions of programs
 * whose logs were merged. Upstream has no model for them, so they are written as marks,
 * which upstream renders as PRV type 100 + mark. ovnik-emu renders a mark that names one
 * of these keys with a type of its own instead:
 *
 *	row(name, mark, PRV type, shape, key, title of the mark, label of our type)
 *
 *	STATE	OM[ and OM]: lasts from one to the other. Our type shows it while the
 *		thread is off the CPU, too.
 *	COUNT	OM=: the thread's total so far. Our type shows by how much it grew,
 *		for the nanosecond before.
 *	LEVEL	OM=: the value from now on. Our type ends with the thread.
 *	CALLS	a STATE not reported by the kernel: its values have the mark's labels
 *
 * The numbers and keys are stored in traces: add new ones at the end, never change one.
 */
#define OVNI_ACTIVITY_TABLE(row)						\
	row(FAULT, 80, 302, STATE, "page_fault",				\
	    "Page fault", "Page fault")						\
	row(FAULTS_MINOR, 81, 303, COUNT, "page_faults_minor",			\
	    "Minor page faults so far", "Minor page faults")			\
	row(FAULTS_MAJOR, 82, 304, COUNT, "page_faults_major",			\
	    "Major page faults so far", "Major page faults")			\
	row(FAULTS_FAILED, 83, 305, COUNT, "page_faults_failed",		\
	    "Failed page faults so far", "Failed page faults")			\
	row(FILE_CALL, 84, 306, STATE, "file_call",				\
	    "System call on a file", "System call on a file")			\
	row(BYTES_READ, 85, 307, COUNT, "bytes_read",				\
	    "Bytes read so far", "Bytes read")					\
	row(BYTES_WRITTEN, 86, 308, COUNT, "bytes_written",			\
	    "Bytes written so far", "Bytes written")				\
	row(COW_BREAKS, 87, 309, COUNT, "cow_breaks",				\
	    "COW breaks so far", "COW breaks")					\
	row(CACHE_ADDS, 88, 310, COUNT, "cache_adds",				\
	    "Pages added to the page cache so far", "Pages added to the page cache") \
	row(CACHE_REMOVES, 89, 311, COUNT, "cache_removes",			\
	    "Pages removed from the page cache so far",				\
	    "Pages removed from the page cache")				\
	row(MAPPED, 90, 312, LEVEL, "mapped_memory",				\
	    "Mapped memory of the process (KiB)", "Mapped memory of the process (KiB)") \
	row(FUNCTION, 91, 315, CALLS, "function",				\
	    "XRay function", "Function (XRay)")

/**
 * enum ovni_activity - Activities; see OVNI_ACTIVITY_TABLE.
 */
enum ovni_activity {
#define OVNI_ACTIVITY_ENUM(name, ...) OVNI_ACTIVITY_##name,
	OVNI_ACTIVITY_TABLE(OVNI_ACTIVITY_ENUM)
#undef OVNI_ACTIVITY_ENUM
	OVNI_NR_ACTIVITIES
};

/* The numbers of the marks. */
enum ovni_activity_mark {
#define OVNI_ACTIVITY_MARK(name, mark, ...) OVNI_MARK_##name = mark,
	OVNI_ACTIVITY_TABLE(OVNI_ACTIVITY_MARK)
#undef OVNI_ACTIVITY_MARK
};

/**
 * enum ovni_shape - What the events of an activity mean; see OVNI_ACTIVITY_TABLE.
 */
enum ovni_shape {
	OVNI_SHAPE_STATE,
	OVNI_SHAPE_COUNT,
	OVNI_SHAPE_LEVEL,
	OVNI_SHAPE_CALLS,
};

/* Values of FAULT: the access that faulted. */
#define OVNI_FAULT_TABLE(row)							\
	row(READ,	  1, "Read")						\
	row(WRITE,	  2, "Write")						\
	row(FETCH,	  3, "Instruction fetch")				\
	row(KERNEL_READ,  4, "Read by the kernel")				\
	row(KERNEL_WRITE, 5, "Write by the kernel")

/* Values of FILE_CALL: enum ovnik_file_op of the capture, and OTHER. */
#define OVNI_FILE_CALL_TABLE(row)						\
	row(READ,	 1, "read")						\
	row(WRITE,	 2, "write")						\
	row(PREAD,	 3, "pread64")						\
	row(PWRITE,	 4, "pwrite64")						\
	row(READV,	 5, "readv")						\
	row(WRITEV,	 6, "writev")						\
	row(PREADV,	 7, "preadv/preadv2")					\
	row(PWRITEV,	 8, "pwritev/pwritev2")				\
	row(SENDFILE,	 9, "sendfile")						\
	row(SPLICE,	10, "splice")						\
	row(COPY,	11, "copy_file_range")					\
	row(OTHER,	99, "Another call")

/**
 * enum ovni_fault - The access that caused a page fault.
 */
enum ovni_fault {
#define OVNI_FAULT_ENUM(name, number, label) OVNI_FAULT_##name = number,
	OVNI_FAULT_TABLE(OVNI_FAULT_ENUM)
#undef OVNI_FAULT_ENUM
};

/**
 * enum ovni_file_call - System calls on files.
 */
enum ovni_file_call {
#define OVNI_FILE_CALL_ENUM(name, number, label) OVNI_FILE_CALL_##name = number,
	OVNI_FILE_CALL_TABLE(OVNI_FILE_CALL_ENUM)
#undef OVNI_FILE_CALL_ENUM
};

/**
 * struct ovni_activity_desc - A row of OVNI_ACTIVITY_TABLE.
 * @mark: number of the mark
 * @shape: enum ovni_shape
 * @key: name in metadata
 * @title: of the mark
 * @labels: labels of its values
 * @nlabels: how many
 */
struct ovni_activity_desc {
	s32 mark;
	u8 shape;
	const char *key;
	const char *title;
	const struct ovni_label *labels;
	u32 nlabels;
};

/* By enum ovni_activity. */
extern const struct ovni_activity_desc ovni_activities[OVNI_NR_ACTIVITIES];

/**
 * ovni_activity_find() - Find an activity by its key.
 * @key: name in metadata
 *
 * Return: its row, or NULL.
 */
const struct ovni_activity_desc *ovni_activity_find(const char *key);

#endif /* OVNIK_TRACE_ACTIVITY_H */
