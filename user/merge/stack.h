/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_MERGE_STACK_H
#define OVNIK_MERGE_STACK_H

#include "util/types.h"
#include "xray/format.h"

/*
 * The functions a thread is in, as far as its log shows. Entries and exits may be missing:
 *
 *	exit of the top function	popped
 *	exit of one further below	all above it are popped, too: their exits are missing
 *	exit of one not on the stack	nothing: its entry is missing
 *
 * Memory is bounded: beyond XRAY_STACK_MAX only the depth is known, and functions are
 * left out once there are too many different ones.
 */

#define XRAY_STACK_MAX		(1U << 20)
#define XRAY_SEEN_MAX		(1U << 18)	/* functions */
#define XRAY_SEEN_PAGES		(1U << 12)	/* of the table */
#define XRAY_SEEN_PAGE		(1U << 10)	/* functions per page */
#define XRAY_SEEN_ROOM		((XRAY_FUNCTION_MAX + 1) / XRAY_SEEN_PAGE)

/**
 * struct xray_seen - Which functions were ever entered.
 * @page: by function / XRAY_SEEN_PAGE: NULL, or by function % XRAY_SEEN_PAGE: how often it is
 *	  on the stack, plus one; 0 if it was never entered
 * @pages: how many there are
 * @end: one past the last one
 * @nr: functions
 */
struct xray_seen {
	u32 **page;
	u32 pages;
	u32 end;
	u32 nr;
};

/**
 * struct xray_stack - See the top of this file.
 * @function: the functions, outermost first
 * @depth: how many
 * @room: entries allocated at @function
 * @beyond: how many more there are above them
 * @seen: those that were ever entered
 */
struct xray_stack {
	u32 *function;
	u32 depth;
	u32 room;
	u64 beyond;
	struct xray_seen seen;
};

/**
 * xray_stack_enter() - A function is entered.
 * @s: the stack
 * @function: its number
 *
 * Return: 1 if it is on the stack now, 0 if it is left out, -ENOMEM (reported).
 */
int xray_stack_enter(struct xray_stack *s, u32 function) __must_check;

/**
 * enum xray_leave - What an exit does.
 * @XRAY_LEAVE_POPS: call xray_stack_pop() until it returns the function
 * @XRAY_LEAVE_BEYOND: it was beyond XRAY_STACK_MAX; do nothing more
 * @XRAY_LEAVE_UNKNOWN: the function is not on the stack
 */
enum xray_leave {
	XRAY_LEAVE_POPS,
	XRAY_LEAVE_BEYOND,
	XRAY_LEAVE_UNKNOWN,
};

/**
 * xray_stack_leave() - A function is left.
 * @s: the stack
 * @function: its number
 *
 * Return: what is to be done.
 */
enum xray_leave xray_stack_leave(struct xray_stack *s, u32 function);

/**
 * xray_stack_pop() - Pop one function.
 * @s: the stack, which is not empty
 *
 * Return: its number.
 */
u32 xray_stack_pop(struct xray_stack *s);

/**
 * xray_stack_next() - The functions that were ever entered, by their numbers.
 * @s: the stack
 * @function: where to begin; is set to the first one from there on
 *
 * Return: true if there is one.
 */
bool xray_stack_next(const struct xray_stack *s, u32 *function);

/**
 * xray_stack_free() - Free a stack's memory.
 * @s: the stack, or zeroes
 */
void xray_stack_free(struct xray_stack *s);

#endif /* OVNIK_MERGE_STACK_H */
