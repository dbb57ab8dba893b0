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
 * How much is said by what comes next: see gap_before() and gap_at_end().
 *
 * Context: Any.
 */
void gap_note(struct cursor *c, u32 cause);

/**
 * gap_unread() - Count what a sub-buffer holds and was not read.
 * @c: the cursor; @c->decoded says what was read of @sb
 * @sb: the sub-buffer
 *
 * Context: Any.
 */
void gap_unread(struct cursor *c, const struct subbuf *sb);

/**
 * gap_before() - Count what is missing before a sub-buffer.
 * @c: the cursor, with what it knows of the one before
 * @sb: a sub-buffer that is accepted
 * @intact: its CRC does not deny its header
 *
 * Context: Any.
 */
void gap_before(struct cursor *c, const struct subbuf *sb, bool intact);

/**
 * gap_at_end() - Count what is missing behind the last sub-buffer.
 * @c: the cursor
 *
 * Context: Any.
 */
void gap_at_end(struct cursor *c);

/**
 * gap_close() - End the gap that was collected, if there is one.
 * @c: the cursor
 * @to: TSC of the first moment that is known again
 *
 * Puts its beginning and end among the pending items.
 *
 * Context: Any.
 */
void gap_close(struct cursor *c, u64 to);

#endif /* OVNIK_CAPTURE_GAP_H */
