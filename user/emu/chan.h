/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_CHAN_H
#define OVNIK_EMU_CHAN_H

#include <errno.h>

#include "trace/format.h"
#include "util/types.h"

/*
 * A channel holds the state of one thing (of a thread or of a CPU) at the
 * current instant. Models write channels in the pre phase of an event; each
 * write puts the channel on a list of dirty channels, which the emit phase
 * visits and the post phase clears.
 */

struct prv_out;
struct slot;

/**
 * enum chan_st - What kind of state a value is.
 * @ST_NULL: no state, rendered as 0
 * @ST_INT: an integer
 * @ST_BAD: a CPU follows a thread whose channel is disabled
 * @ST_TOO_MANY_TH: a CPU should follow one thread but has several
 * @ST_UNSET: nothing was ever written (only as memory of an output)
 */
enum chan_st {
	ST_NULL,
	ST_INT,
	ST_BAD,
	ST_TOO_MANY_TH,
	ST_UNSET,
};

/* How the two error states are rendered if the user asks for them. */
#define ST_BAD_SHOWN		666
#define ST_TOO_MANY_TH_SHOWN	777

/**
 * struct chan_value - A state.
 * @st: enum chan_st, as wide as @i to avoid padding
 * @i: the integer of ST_INT, else 0
 */
struct chan_value {
	u64 st;
	s64 i;
};

#define CHAN_NULL	((struct chan_value){ ST_NULL, 0 })
#define CHAN_INT(x)	((struct chan_value){ ST_INT, (x) })

/**
 * enum chan_kind - How a channel is written.
 * @CHAN_SINGLE: chan_set() replaces the state
 * @CHAN_STACK: chan_push() and chan_pop(); the top is the state
 */
enum chan_kind {
	CHAN_SINGLE,
	CHAN_STACK,
};

/**
 * enum chan_dup - What writing the present state again means.
 * @CHAN_DUP_ERROR: refused
 * @CHAN_DUP_ALLOW: a write like any other
 * @CHAN_DUP_IGNORE: not a write at all
 */
enum chan_dup {
	CHAN_DUP_ERROR,
	CHAN_DUP_ALLOW,
	CHAN_DUP_IGNORE,
};

/**
 * struct chan - A channel.
 * @owner: the thread or CPU it belongs to; used when the dirty list is visited
 * @slot: its slot; likewise
 * @out: output rendered as soon as it is written, or NULL; likewise
 * @state: state set last, or top of the stack
 * @ev: punctual state of this event, ST_NULL if there is none
 * @stack: states below and including the top
 * @depth: states on the stack
 * @room: states @stack has room for
 * @kind: enum chan_kind
 * @dup: enum chan_dup
 * @follow: what else is visited after a write; likewise
 * @enabled: shows @state, else null
 * @written: the current event has written it
 * @dirty: on the dirty list
 */
struct chan {
	void *owner;
	struct slot *slot;
	struct prv_out *out;
	struct chan_value state;
	struct chan_value ev;
	s64 *stack;
	u16 depth;
	u16 room;
	u8 kind;
	u8 dup;
	u8 follow;
	bool enabled;
	bool written;
	bool dirty;
};

/**
 * struct chan_dirty - The channels touched by the current event, in order.
 * @list: room for all that one event can touch; a channel is listed once
 * @end: one past the last channel on the list
 * @nr_punctual: not 0 if the next emit phase has to do with punctual states
 */
struct chan_dirty {
	struct chan **list;
	struct chan **end;
	u32 nr_punctual;
};

static inline bool chan_value_eq(struct chan_value a, struct chan_value b)
{
	return a.i == b.i && a.st == b.st;
}

/**
 * chan_read() - The state a channel shows.
 * @c: channel
 */
static inline struct chan_value chan_read(const struct chan *c)
{
	return c->enabled ? c->state : CHAN_NULL;
}

/**
 * chan_dirty_init() - Make room for a number of channels.
 * @d: list
 * @room: most channels one event can write
 *
 * Return: 0 or -ENOMEM.
 */
int __must_check chan_dirty_init(struct chan_dirty *d, u32 room);

/**
 * chan_dirty_free() - Free the list, not the channels on it.
 * @d: list
 */
void chan_dirty_free(struct chan_dirty *d);

/**
 * chan_init() - Make an enabled channel without state.
 * @c: channel
 * @kind: how it is written
 * @dup: whether a state may follow itself
 * @slot: its slot
 * @owner: thread or CPU
 */
void chan_init(struct chan *c, enum chan_kind kind, enum chan_dup dup,
	       struct slot *slot, void *owner);

/**
 * chan_free() - Free what a channel owns.
 * @c: channel
 */
void chan_free(struct chan *c);

/* Put a channel on the dirty list. */
static inline void chan_mark(struct chan_dirty *d, struct chan *c)
{
	if (c->dirty)
		return;
	*d->end++ = c;
	c->dirty = true;
}

/* May the current event write this state? 1 means there is nothing to do. */
static inline int chan_check(const struct chan *c, enum chan_kind kind, struct chan_value v)
{
	if (unlikely(c->kind != kind))
		return -EPERM;
	if (unlikely(c->written))
		return -EBUSY;
	if (!chan_value_eq(c->state, v) || c->dup == CHAN_DUP_ALLOW)
		return 0;
	return c->dup == CHAN_DUP_IGNORE ? 1 : -EEXIST;
}

/* The post phase of one channel that is no longer on the list. */
static inline void chan_clear(struct chan *c)
{
	c->written = false;
	c->dirty = false;
}

static inline void chan_write(struct chan_dirty *d, struct chan *c, struct chan_value v)
{
	chan_mark(d, c);
	c->written = true;
	c->state = v;
}

/**
 * chan_set() - Replace the state of a single channel.
 * @d: dirty list
 * @c: channel
 * @v: new state
 *
 * Return: 0, -EPERM on a stack, -EBUSY if this event has already written the channel,
 * -EEXIST if it has this state already and duplicates are refused.
 */
static inline int __must_check chan_set(struct chan_dirty *d, struct chan *c, struct chan_value v)
{
	int ret;

	ret = chan_check(c, CHAN_SINGLE, v);
	if (unlikely(ret))
		return ret < 0 ? ret : 0;
	chan_write(d, c, v);
	return 0;
}

/**
 * chan_update() - chan_set() for single channels that ignore the same state.
 * @d: dirty list
 * @c: channel, which may be written several times by one event
 * @v: new state
 */
static inline void chan_update(struct chan_dirty *d, struct chan *c, struct chan_value v)
{
	if (chan_value_eq(c->state, v))
		return;
	c->state = v;
	chan_mark(d, c);
}

/**
 * chan_push() - Enter a state.
 * @d: dirty list
 * @c: stack channel
 * @st: state
 *
 * Return: 0, -EPERM on a single channel, -EBUSY, -EEXIST (see chan_set()),
 * -ENOSPC when the stack is full, -ENOMEM.
 */
int __must_check chan_push(struct chan_dirty *d, struct chan *c, s64 st);

/**
 * chan_pop() - Leave a state.
 * @d: dirty list
 * @c: stack channel
 * @st: the state that must be on top
 *
 * Return: 0, -EPERM on a single channel, -EBUSY, -ENOENT when the stack is
 * empty, -ESTALE when another state is on top.
 */
int __must_check chan_pop(struct chan_dirty *d, struct chan *c, s64 st);

/**
 * chan_ev() - Show a state for one nanosecond.
 * @d: dirty list
 * @c: channel of any kind
 * @st: state, not 0
 *
 * The emit phase writes @st one nanosecond before the current instant and the
 * channel's own state, which does not change, at the current instant. Where the current
 * instant may have lines already, both come a nanosecond later, and what a row shows in one
 * instant adds up.
 *
 * Return: 0, -EACCES on a disabled channel, -EINVAL when @st is 0, -EBUSY.
 */
int __must_check chan_ev(struct chan_dirty *d, struct chan *c, s64 st);

/**
 * chan_strerror() - Describe why a write was refused.
 * @err: negative errno from one of the functions above
 */
const char *chan_strerror(int err);

#endif /* OVNIK_EMU_CHAN_H */
