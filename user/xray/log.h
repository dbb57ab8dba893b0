/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_XRAY_LOG_H
#define OVNIK_XRAY_LOG_H

#include "util/types.h"
#include "xray/format.h"
#include "xray/window.h"

/*
 * Reading FDR logs.
 *
 * xray_log_open() goes through the whole file once: it checks every buffer against the grammar,
 * reports violations, and records where the buffers are. The valid records before a violation are
 * kept. Cursors then read the records of one thread, in
 * the order of its buffers' clocks, whatever their order in the file:
 *
 *	ret = xray_log_open(&log, path);
 *	for (i = 0; !ret && i < log.nr_threads; i++) {
 *		ret = xray_cursor_open(&cursor, &log, i);
 *		while (!ret && (ret = xray_cursor_next(&cursor)) > 0)
 *			use(&cursor.rec);
 *		xray_cursor_close(&cursor);
 *	}
 *	xray_log_close(&log);
 *
 * The file is read, not mapped: one that shrinks meanwhile is an error, not a signal. The
 * cursors share the log's file descriptor; each holds a window of at most 64 KiB, or of
 * what its largest event needs.
 */

/**
 * struct xray_header - The contents of the first 32 bytes.
 * @version: 1 to XRAY_VERSION_MAX
 * @big_endian: byte order and order of bits
 * @constant_tsc: the TSC has a constant rate
 * @nonstop_tsc: the TSC goes on in idle states
 * @frequency: ticks per second; 0: unknown
 * @buffer_size: version 1: bytes of a buffer; else meaningless
 * @ours: ovnik-decode wrote it
 */
struct xray_header {
	u16 version;
	bool big_endian;
	bool constant_tsc;
	bool nonstop_tsc;
	u64 frequency;
	u64 buffer_size;
	bool ours;
};

/**
 * struct xray_buffer - A buffer of a thread.
 * @offset: of its first record after NewBuffer, WallClockTime and Pid in the file: a
 *	    NewCPUId
 * @end: past its last sound record in the file
 * @tsc: of that NewCPUId
 * @ns: CLOCK_MONOTONIC of its WallClockTime, ns; XRay's runtime writes whole microseconds
 */
struct xray_buffer {
	u64 offset;
	u64 end;
	u64 tsc;
	u64 ns;
};

/**
 * struct xray_thread - A thread of a log.
 * @pid: its process; 0: the log does not say
 * @tid: its number
 * @first: index of its first buffer
 * @nr: how many buffers it has; they follow one another, by their clocks
 */
struct xray_thread {
	s32 pid;
	s32 tid;
	u32 first;
	u32 nr;
};

/**
 * struct xray_log - A log.
 * @path: file name, for messages; must outlive the log
 * @fd: the file
 * @size: bytes in it
 * @header: its header
 * @threads: by pid, then tid
 * @nr_threads: length of @threads
 * @buffers: by thread, then by clock
 * @nr_buffers: length of @buffers
 * @breaks: how often the grammar was broken (reported, the first ones one by one)
 * @lost_bytes: bytes that belong to no sound record because of that
 * @doubts: buffers of version 1 with data of an event that look like a buffer (reported so, too)
 * @backwards: how often the TSC goes back within a thread (reported): another CPU's may
 */
struct xray_log {
	const char *path;
	int fd;
	u64 size;
	struct xray_header header;
	struct xray_thread *threads;
	u32 nr_threads;
	struct xray_buffer *buffers;
	u32 nr_buffers;
	u64 breaks;
	u64 lost_bytes;
	u64 doubts;
	u64 backwards;
};

/**
 * struct xray_record - A record, decoded.
 * @offset: where it begins in the file
 * @kind: XRAY_FUNCTION, XRAY_CUSTOM_EVENT, XRAY_TYPED_EVENT, XRAY_CALL_ARGUMENT,
 *	  XRAY_NEW_CPU_ID or XRAY_TSC_WRAP
 * @action: of a function: enum xray_action
 * @cpu: on which the thread is; XRay's runtime keeps its lower 8 bits only
 * @event_type: of a typed event
 * @function: id of a function; with an argument: of that it belongs to
 * @tsc: when
 * @argument: of XRAY_CALL_ARGUMENT
 * @data: of an event; valid until the next record is read; NULL if @size is more than
 *	  XRAY_DATA_MAX
 * @size: bytes of data
 *
 * Fields that a kind does not have are undefined.
 */
struct xray_record {
	u64 offset;
	u8 kind;
	u8 action;
	u16 cpu;
	u16 event_type;
	u32 function;
	u64 tsc;
	u64 argument;
	const u8 *data;
	u32 size;
};

#define XRAY_DATA_MAX	(1U << 20)	/* of one event; larger data are skipped */

/**
 * struct xray_cursor - Reads the records of a thread.
 * @log: the log
 * @rec: the present record
 * @buffer: index of the buffer
 * @last: one past the thread's last buffer
 * @offset: of the next record in the file
 * @end: past the buffer's last record in the file
 * @cpu: that NewCPUId named last
 * @tsc: the next delta is added to it
 * @function: entered last
 * @window: what was read of the file
 */
struct xray_cursor {
	const struct xray_log *log;
	struct xray_record rec;
	u32 buffer;
	u32 last;
	u64 offset;
	u64 end;
	u16 cpu;
	u64 tsc;
	u32 function;
	struct xray_window window;
};

/**
 * xray_log_open() - Read header and structure of a log.
 * @log: is set; call xray_log_close() in any case
 * @path: file name; must outlive @log
 *
 * Violations of the grammar are reported with offset and rule, and counted; reading continues with
 * the next buffer that is found.
 *
 * Context: Any.
 * Return: 0; -EINVAL if it is no log (reported), -ENODATA if there are buffers, and not one
 * is sound (reported), another negative errno (reported).
 */
int xray_log_open(struct xray_log *log, const char *path) __must_check;

/**
 * xray_log_close() - Free what xray_log_open() read.
 * @log: as xray_log_open() left it, or zeroed
 *
 * Context: No cursor of it is open.
 */
void xray_log_close(struct xray_log *log);

/**
 * xray_cursor_open() - Begin to read a thread's records.
 * @c: is set; call xray_cursor_close() in any case
 * @log: the log
 * @thread: index of the thread
 *
 * Context: Any; any number may be open.
 * Return: 0, a negative errno (reported).
 */
int xray_cursor_open(struct xray_cursor *c, const struct xray_log *log, u32 thread) __must_check;

/**
 * xray_cursor_next() - Go to the next record.
 * @c: the cursor
 *
 * Context: Any.
 * Return: 1 with the record in @c->rec; 0 at the end; a negative errno (reported).
 */
int xray_cursor_next(struct xray_cursor *c) __must_check;

/**
 * xray_cursor_close() - Free a cursor.
 * @c: as xray_cursor_open() left it, or zeroed
 *
 * Context: Any.
 */
void xray_cursor_close(struct xray_cursor *c);

#endif /* OVNIK_XRAY_LOG_H */
