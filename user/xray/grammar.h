/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_XRAY_GRAMMAR_H
#define OVNIK_XRAY_GRAMMAR_H

#include "util/types.h"
#include "xray/format.h"

/*
 * The order of records, as a state machine:
 *
 *	Log	 := Header Buffer* EOF
 *	Buffer	 := Head Body* [EndOfBuffer]		the last one in version 1 only
 *	Head	 := NewBuffer WallClockTime NewCPUId			version 1
 *		  | BufferExtents NewBuffer WallClockTime NewCPUId	version 2
 *		  | BufferExtents NewBuffer WallClockTime [Pid] NewCPUId	from version 3
 *	Body	 := NewCPUId | TSCWrap | CustomEvent | TypedEvent | Call
 *	Call	 := Entry_Args CallArgument* | another action
 */

/**
 * enum xray_state - What was read last.
 * @XRAY_BETWEEN: no buffer's record
 * @XRAY_AFTER_EXTENTS: BufferExtents
 * @XRAY_AFTER_NEW_BUFFER: NewBuffer
 * @XRAY_AFTER_CLOCK: WallClockTime
 * @XRAY_AFTER_PID: Pid
 * @XRAY_BODY: a record of the buffer's body, or the head's NewCPUId
 * @XRAY_ARGS: Entry_Args, or an argument
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
 * xray_grammar() - Is a record allowed here?
 * @version: of the log
 * @state: what was read before; set to what follows from the record
 * @kind: of the record: enum xray_kind, or unknown
 *
 * For functions, @state shows only what does not depend on their action: the caller sets
 * XRAY_ARGS after Entry_Args.
 *
 * Context: Any.
 * Return: NULL if it may; the rule that it breaks, a sentence, otherwise.
 */
const char *xray_grammar(unsigned int version, enum xray_state *state, unsigned int kind);

/**
 * xray_grammar_end() - May a buffer end here?
 * @state: what was read last
 *
 * Context: Any.
 * Return: NULL if it may; the rule that is broken otherwise.
 */
const char *xray_grammar_end(enum xray_state state);

#endif /* OVNIK_XRAY_GRAMMAR_H */
