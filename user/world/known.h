/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_KNOWN_H
#define OVNIK_WORLD_KNOWN_H

#include <string.h>

#include <ovnik.h>

#include "util/types.h"

/*
 * A pass that only lists tasks can skip most records: those that only name a task that
 * is already known. A CPU's records then need not wait for those of other CPUs: its
 * cursor runs ahead to the next record that matters.
 *
 * This can fail: the task is known when the cursor skips a record, but a record of another
 * CPU, not fed yet, ends the task before the skipped record's time. So the latest time at
 * which a skipped record named the task is kept. If the task ends before that time, the
 * pass is invalid and must be repeated in order.
 */

#define KNOWN_TID_MAX	(4U << 20)	/* PID_MAX_LIMIT of a 64-bit kernel */
#define KNOWN_DEAD	(1ULL << 63)

/**
 * enum known_kind - What a record may do to a task's existence.
 * @KNOWN_KEEP: may do anything, or has no rule: it is never skipped
 * @KNOWN_NAMES: names tasks, which exist from then on
 * @KNOWN_NOBODY: nothing
 */
enum known_kind {
	KNOWN_KEEP,
	KNOWN_NAMES,
	KNOWN_NOBODY,
};

/**
 * struct known_rule - How the records of an event affect tasks' existence.
 * @kind: enum known_kind
 * @tid: offsets of the tasks that it names; both equal if it names one
 * @bits: offset of 16 bits; if one of @mask is set, the record is kept
 * @mask: 0 if there are none
 */
struct known_rule {
	u8 kind;
	u8 tid[2];
	u8 bits;
	u16 mask;
};

/**
 * struct known - Which tasks are known, for cursors that run ahead.
 * @named: per tid: when a skipped record named it last, at least 1, with KNOWN_DEAD
 *	   if no task has that number now; 0 if none ever had
 * @rules: per event, by our number
 * @clash: a task ended before a skipped record that names it
 */
struct known {
	u64 *named;
	const struct known_rule *rules;
	bool clash;
};

/* A task has that number now. */
static inline void known_add(struct known *k, u32 tid)
{
	k->named[tid] &= ~KNOWN_DEAD;
	k->named[tid] += !k->named[tid];
}

/* No task has that number any more, by all that was fed up to @tsc. */
static inline void known_del(struct known *k, u32 tid, u64 tsc)
{
	k->clash |= k->named[tid] >= tsc;
	k->named[tid] |= KNOWN_DEAD;
}

static inline bool known_is(const struct known *k, u32 tid)
{
	return tid <= KNOWN_TID_MAX && (s64)k->named[tid] > 0;
}

static inline void known_name(struct known *k, u32 tid, u64 tsc)
{
	if (k->named[tid] < tsc)
		k->named[tid] = tsc;
}

/**
 * known_skip() - May a record be skipped?
 * @known: struct known
 * @event: its number in our table
 * @data: the record in our layout
 * @tsc: its time
 *
 * Context: Any.
 * Return: true if it can be skipped.
 */
static inline bool known_skip(void *known, unsigned int event, const void *data, u64 tsc)
{
	struct known *k = known;
	const struct known_rule *rule = &k->rules[event];
	const u8 *rec = data;
	u32 a, b;
	u16 bits;

	if (rule->kind != KNOWN_NAMES)
		return rule->kind == KNOWN_NOBODY;
	memcpy(&a, rec + rule->tid[0], sizeof(a));
	memcpy(&b, rec + rule->tid[1], sizeof(b));
	memcpy(&bits, rec + rule->bits, sizeof(bits));
	if ((bits & rule->mask) || !known_is(k, a) || !known_is(k, b) || (tsc & KNOWN_DEAD))
		return false;
	known_name(k, a, tsc);
	known_name(k, b, tsc);
	return true;
}

#endif /* OVNIK_WORLD_KNOWN_H */
