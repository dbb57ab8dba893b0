/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_XRAY_FORMAT_H
#define OVNIK_XRAY_FORMAT_H

#include "util/types.h"

/*
 * LLVM XRay's flight data recorder (FDR) logs, versions 1 to 5. The document describes
 * version 1; what later ones changed is in llvm/lib/XRay and compiler-rt/lib/xray:
 *
 *	2	BufferExtents before each buffer, no EndOfBuffer; thread ids of 32 bits
 *	3	Pid after WallClockTime
 *	4	custom and typed events have a CPU
 *	5	custom and typed events have a delta in place of TSC and CPU
 *
 * A record is 8 bytes (functions) or 16 (all others, "metadata"); bytes of data may
 * follow a custom or typed event. Nothing is aligned. The first byte, little-endian:
 *
 *	bit 0		0: function, 1: metadata
 *	bits 1 to 3	function: action; bits 4 to 31 of the first 32 are its id
 *	bits 1 to 7	metadata: kind
 *
 * Big-endian, bits are counted from the other end.
 */

#define XRAY_HEADER_SIZE	32
#define XRAY_FUNCTION_SIZE	8
#define XRAY_METADATA_SIZE	16
#define XRAY_TYPE_FDR		1
#define XRAY_VERSION_MAX	5
#define XRAY_MADE_BY		"ovnik"		/* in the header's reserved bytes */
#define XRAY_FUNCTION_MAX	0x0fffffffU	/* largest id */
#define XRAY_NS_PER_SEC		1000000000U

/**
 * enum xray_kind - What a record is, as numbered in metadata.
 * @XRAY_NEW_BUFFER: a thread's buffer begins
 * @XRAY_END_OF_BUFFER: version 1: it has ended
 * @XRAY_NEW_CPU_ID: the thread is on this CPU; TSC
 * @XRAY_TSC_WRAP: TSC
 * @XRAY_WALL_CLOCK: CLOCK_MONOTONIC when the buffer began
 * @XRAY_CUSTOM_EVENT: data of the program's
 * @XRAY_CALL_ARGUMENT: of the function entered before
 * @XRAY_BUFFER_EXTENTS: from version 2: bytes of the buffer after this record
 * @XRAY_TYPED_EVENT: data of the program's, with a type
 * @XRAY_PID: from version 3: process of the thread
 * @XRAY_NR_KINDS: how many there are
 * @XRAY_FUNCTION: no kind of metadata: a function is entered or left
 */
enum xray_kind {
	XRAY_NEW_BUFFER,
	XRAY_END_OF_BUFFER,
	XRAY_NEW_CPU_ID,
	XRAY_TSC_WRAP,
	XRAY_WALL_CLOCK,
	XRAY_CUSTOM_EVENT,
	XRAY_CALL_ARGUMENT,
	XRAY_BUFFER_EXTENTS,
	XRAY_TYPED_EVENT,
	XRAY_PID,
	XRAY_NR_KINDS,
	XRAY_FUNCTION = XRAY_NR_KINDS,
};

/**
 * enum xray_action - What a function's record says.
 * @XRAY_ENTER: it is entered
 * @XRAY_EXIT: it returns
 * @XRAY_TAIL_EXIT: it ends by jumping to another one
 * @XRAY_ENTER_ARGS: it is entered; XRAY_CALL_ARGUMENT records follow
 * @XRAY_NR_ACTIONS: how many there are
 */
enum xray_action {
	XRAY_ENTER,
	XRAY_EXIT,
	XRAY_TAIL_EXIT,
	XRAY_ENTER_ARGS,
	XRAY_NR_ACTIONS,
};

#endif /* OVNIK_XRAY_FORMAT_H */
