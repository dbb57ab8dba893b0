/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_KNOWN_H
#define OVNIK_WORLD_KNOWN_H

#include <string.h>

#include <ovnik.h>

#include "util/types.h"

/*
 * Who wants to know only which tasks there were can pass by most records: those that
 * do nothing to a task's existence but name it, while it is known. Then a CPU's records
 * need not wait for the other CPUs' either: its cursor runs ahead to the next record
 * that matters.
 *
 * It may go wrong: the task is known when the cursor passes by, but a record of another
 * CPU, not fed yet, ends it before the time of the one that was passed by. So the latest
 * time at which a task was named and passed by is kept; if the task ends before that,
 * the pass is worth nothing and must be done again, in order.
 */

#define KNOWN_TID_MAX	(4U << 20)	/* PID_MAX_LIMIT of a 64-bit kernel */
#define KNOWN_DEAD	(1ULL << 63)

/**
 * enum known_kind - What a record may do to a task's existence.
 * @KNOWN_KEEP: may be anything, or is not said: it is never passed by
 * @KNOWN_NAMES: it names tasks, which exist from then on
 * @KNOWN_NOBODY: nothing
 */
enum known_kind {
	KNOWN_KEEP,
	KNOWN_NAMES,
	KNOWN_NOBODY,
};

/**
 * struct known_rule - What the records of an event do to tasks' existence.
 * @kind: enum known_kind
 * @tid: where the tasks that it names stand in the record; twice the same if it is one
 * @bits: where 16 bits stand that may say more; they do if one of @mask is set
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
 * @named: per tid: when it was named last by a record that was passed by, at least 1,
 *	   and with KNOWN_DEAD if no task has that number now; 0 if none ever had
 * @rules: per event, by our number
 * @clash: a task has ended before a record that names it and was passed by
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

/* No task has that number any more, for all that was fed up to @tsc. */
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
 * known_skip() - May a record be passed by?
 * @known: struct known
 * @event: our number of it
 * @data: the record in our layout
 * @tsc: its time
 *
 * Context: Any.
 * Return: true if it can be left out.
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
