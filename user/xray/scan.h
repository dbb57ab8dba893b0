/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_XRAY_SCAN_H
#define OVNIK_XRAY_SCAN_H

#include "xray/log.h"

/*
 * The order of records, as a state machine:
 *
 *	Log	 := Header Buffer* EOF
 *	Buffer	 := Head Body* [EndOfBuffer]		the last one in version 1 only
 *	Head	 := NewBuffer WallClockTime NewCPUId			version 1
 *		  | BufferExtents NewBuffer WallClockTime NewCPUId	version 2
 *		  | BufferExtents NewBuffer WallClockTime [Pid] NewCPUId	from version 3
 *	Body	 := NewCPUId | TSCWrap | CustomEvent | TypedEvent | Call
 *	Call	 := Function CallArgument*
 */

/**
 * enum xray_state - What was read last.
 * @XRAY_BETWEEN: no buffer's record
 * @XRAY_AFTER_EXTENTS: BufferExtents
 * @XRAY_AFTER_NEW_BUFFER: NewBuffer
 * @XRAY_AFTER_CLOCK: WallClockTime
 * @XRAY_AFTER_PID: Pid
 * @XRAY_BODY: a record of the buffer's body, or the head's NewCPUId
 * @XRAY_ARGS: a function, or an argument: in versions 1 to 3 also one of a plain Entry
 * @XRAY_NR_STATES: how many there are
 */
enum xray_state {
	XRAY_BETWEEN,
	XRAY_AFTER_EXTENTS,
	XRAY_AFTER_NEW_BUFFER,
	XRAY_AFTER_CLOCK,
	XRAY_AFTER_PID,
	XRAY_BODY,
	XRAY_ARGS,
	XRAY_NR_STATES,
};

/**
 * struct xray_found - A buffer that the scan has found.
 * @buffer: where it is
 * @tsc: of its last record
 * @pid: its process, or 0
 * @tid: its thread
 */
struct xray_found {
	struct xray_buffer buffer;
	u64 tsc;
	s32 pid;
	s32 tid;
};

/**
 * struct xray_scan - The state of a scan.
 * @log: the log; its header is known
 * @window: what was read of the file
 * @peek: what was read beside the window
 * @version: of the log
 * @big: it is big-endian
 * @offset: of the next record
 * @head: of the buffer's first record
 * @begin: of its NewBuffer
 * @end: past its last sound record
 * @limit: past the buffer, as far as is known
 * @sized: BufferExtents gives @limit
 * @cut: more than the file holds
 * @trial: version 1: it is not known yet where the buffer ends, and nothing is reported
 * @doubt: in a buffer that is read so, where the data of an event look like a head; 0: nowhere
 * @vain: bytes of buffers that were read so and turned out to be damaged
 * @packed: version 1: buffers follow one another, they are not all of one size
 * @state: what was read last
 * @tsc: that deltas are added to
 * @back: where the TSC went back first
 * @now: the buffer
 * @found: all buffers
 * @nr_found: how many
 * @room: entries allocated
 */
struct xray_scan {
	struct xray_log *log;
	struct xray_window window;
	u8 peek[4 * XRAY_METADATA_SIZE];
	unsigned int version;
	bool big;
	u64 offset;
	u64 head;
	u64 begin;
	u64 end;
	u64 limit;
	bool sized;
	bool cut;
	bool trial;
	u64 doubt;
	u64 vain;
	bool packed;
	enum xray_state state;
	u64 tsc;
	u64 back;
	struct xray_found now;
	struct xray_found *found;
	u32 nr_found;
	u32 room;
};

/**
 * xray_scan() - Scan a log: find its buffers, report violations of the grammar.
 * @s: @s->log, @s->version and @s->big are set, all else is zero; the caller frees
 *     @s->found and @s->window.buf
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int xray_scan(struct xray_scan *s) __must_check;

/**
 * xray_resume() - After a violation, go to the next buffer.
 * @s: the scan; @s->offset is the break and becomes the buffer, or the file's end
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int xray_resume(struct xray_scan *s) __must_check;

/**
 * xray_is_head() - Does a buffer begin here?
 * @s: the scan
 * @offset: in the file
 *
 * Context: Any.
 * Return: true if the records with which a buffer begins are here, in their order.
 */
bool xray_is_head(struct xray_scan *s, u64 offset);

/**
 * xray_is_next() - Can a buffer end here?
 * @s: the scan
 * @offset: in the file
 *
 * Context: Any.
 * Return: true if another buffer, or the file's end, is here; or in version 1 the header.
 */
bool xray_is_next(struct xray_scan *s, u64 offset);

/**
 * xray_next_head() - Search for a buffer.
 * @s: the scan; @s->offset stays
 * @from: in the file
 * @end: where not to begin any more
 *
 * Context: Any.
 * Return: where the next one begins; @end if there is none.
 */
u64 xray_next_head(struct xray_scan *s, u64 from, u64 end);

/**
 * xray_after_end() - Of version 1: after EndOfBuffer, go to the next buffer.
 * @s: the scan; @s->offset is past EndOfBuffer
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int xray_after_end(struct xray_scan *s) __must_check;

/**
 * xray_skip_gap() - Skip what can come before a buffer.
 * @s: the scan
 *
 * That is the log's header once more in version 1, zeros in later ones.
 *
 * Context: Any.
 * Return: 0, a negative errno (reported).
 */
int xray_skip_gap(struct xray_scan *s) __must_check;

/**
 * xray_scan_at() - Have bytes of the file in the scan's window.
 * @s: the scan
 * @need: how many from @s->offset; the file has them by its size
 *
 * Context: Any.
 * Return: the bytes; NULL on an error (reported).
 */
const u8 *xray_scan_at(struct xray_scan *s, u32 need);

#endif /* OVNIK_XRAY_SCAN_H */
