// SPDX-License-Identifier: GPL-2.0-only
/* Channels: a state, which writes are allowed, and the list of written channels. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emu/chan.h"

#define CHAN_STACK_FIRST 8

int chan_dirty_init(struct chan_dirty *d, u32 room)
{
	memset(d, 0, sizeof(*d));
	d->list = calloc(room ? room : 1, sizeof(*d->list));
	d->end = d->list;
	return d->list ? 0 : -ENOMEM;
}

void chan_dirty_free(struct chan_dirty *d)
{
	free(d->list);
	memset(d, 0, sizeof(*d));
}

void chan_init(struct chan *c, enum chan_kind kind, enum chan_dup dup,
	       struct slot *slot, void *owner)
{
	memset(c, 0, sizeof(*c));
	c->owner = owner;
	c->slot = slot;
	c->kind = kind;
	c->dup = dup;
	c->enabled = true;
}

void chan_free(struct chan *c)
{
	free(c->stack);
	c->stack = NULL;
	c->depth = 0;
	c->room = 0;
}

static int chan_stack_grow(struct chan *c)
{
	u16 room = c->room ? 2 * c->room : CHAN_STACK_FIRST;
	s64 *stack;

	if (c->depth == OVNI_STACK_MAX)
		return -ENOSPC;
	stack = realloc(c->stack, room * sizeof(*stack));
	if (!stack)
		return -ENOMEM;
	c->stack = stack;
	c->room = room;
	return 0;
}

int chan_push(struct chan_dirty *d, struct chan *c, s64 st)
{
	int ret;

	ret = chan_check(c, CHAN_STACK, CHAN_INT(st));
	if (ret)
		return ret < 0 ? ret : 0;
	if (unlikely(c->depth == c->room)) {
		ret = chan_stack_grow(c);
		if (ret)
			return ret;
	}
	chan_write(d, c, CHAN_INT(st));
	c->stack[c->depth++] = st;
	return 0;
}

int chan_pop(struct chan_dirty *d, struct chan *c, s64 st)
{
	struct chan_value below = CHAN_NULL;

	if (unlikely(c->kind != CHAN_STACK))
		return -EPERM;
	if (unlikely(c->written))
		return -EBUSY;
	if (unlikely(!c->depth))
		return -ENOENT;
	if (unlikely(c->stack[c->depth - 1] != st))
		return -ESTALE;
	if (c->depth > 1)
		below = CHAN_INT(c->stack[c->depth - 2]);
	chan_write(d, c, below);
	c->depth--;
	return 0;
}

int chan_ev(struct chan_dirty *d, struct chan *c, s64 st)
{
	if (!c->enabled)
		return -EACCES;
	if (!st)
		return -EINVAL;
	if (c->written)
		return -EBUSY;
	chan_mark(d, c);
	c->written = true;
	c->ev = CHAN_INT(st);
	d->nr_punctual++;
	return 0;
}

const char *chan_strerror(int err)
{
	switch (err) {
	case -EPERM:
		return "set on a stack, or push or pop on a single channel";
	case -EBUSY:
		return "written twice by one event";
	case -EEXIST:
		return "has this state already";
	case -ENOSPC:
		return "stack is full";
	case -ENOENT:
		return "stack is empty";
	case -ESTALE:
		return "another state is on top of the stack";
	case -EACCES:
		return "punctual state on a disabled channel";
	case -EINVAL:
		return "state 0 is not a state";
	default:
		return strerror(-err);
	}
}
