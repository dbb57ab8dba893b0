/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_GAP_H
#define OVNIK_CAPTURE_GAP_H

#include "capture/cursor.h"

/* What a cursor finds missing; used by cursor.c only. */

/**
 * gap_note() - Something may be missing here.
 * @c: the cursor
 * @cause: enum gap_cause
 *
 * gap_before() or gap_at_end() determines how much.
 *
 * Context: Any.
 */
void gap_note(struct cursor *c, u32 cause);

/**
 * gap_unread() - Count the records of a sub-buffer that were not read.
 * @c: the cursor; @c->decoded counts what was read of @sb
 * @sb: the sub-buffer
 *
 * Context: Any.
 */
void gap_unread(struct cursor *c, const struct subbuf *sb);

/**
 * gap_before() - Count what is missing before a sub-buffer.
 * @c: the cursor, with its state from the one before
 * @sb: a sub-buffer that is accepted
 * @intact: its CRC does not contradict its header
 *
 * Context: Any.
 */
void gap_before(struct cursor *c, const struct subbuf *sb, bool intact);

/**
 * gap_at_end() - Count what is missing after the last sub-buffer.
 * @c: the cursor
 *
 * Context: Any.
 */
void gap_at_end(struct cursor *c);

/**
 * gap_close() - End the open gap, if there is one.
 * @c: the cursor
 * @to: TSC of the first known moment after it
 *
 * Adds its beginning and end to the pending items.
 *
 * Context: Any.
 */
void gap_close(struct cursor *c, u64 to);

#endif /* OVNIK_CAPTURE_GAP_H */
