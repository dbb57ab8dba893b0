/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_HOOK_HOOK_H
#define OVNIK_HOOK_HOOK_H

#include "util/types.h"

/*
 * Code in which something happens invokes hooks; other code attaches functions to them. Neither
 * depends on the other:
 *
 *	domain the object that has the hooks
 *	position	where in the domain's code, one of the domain's table
 *	item		what it happened with; its type belongs to the position
 */

#define HOOK_POSITIONS_MAX	64

struct hookable;

/**
 * struct hook_position - A place in a domain's code where hooks are invoked.
 * @name: short and unique in its domain
 * @sentence: what has happened when the hooks of this position are invoked
 */
struct hook_position {
	const char *name;
	const char *sentence;
};

/**
 * struct hook_ctx - What a hook is passed.
 * @domain: the hookable that invokes
 * @position: index in the domain's table of positions
 * @item: what happened; valid only during the call
 */
struct hook_ctx {
	struct hookable *domain;
	unsigned int position;
	const void *item;
};

typedef void (*hook_fn)(void *data, const struct hook_ctx *ctx);

struct hook {
	hook_fn fn;
	void *data;
};

/**
 * struct hook_list - The hooks of one position.
 * @call: what to call when something happens there: the only hook, or a function that
 *	  calls them all if there are more; its fn is NULL if there is none
 * @nr: length of @hooks
 * @hooks: all of them
 */
struct hook_list {
	struct hook call;
	unsigned int nr;
	struct hook *hooks;
};

/**
 * struct hookable - An object that accepts hooks; to be embedded.
 * @positions: table of its positions
 * @nr_positions: length of @positions, at most HOOK_POSITIONS_MAX
 * @parent: what it is derived from, or NULL; receives its errors as well
 * @error: negative errno of the first hook that failed, 0 if none did
 * @lists: the attached hooks, per position
 */
struct hookable {
	const struct hook_position *positions;
	unsigned int nr_positions;
	struct hookable *parent;
	int error;
	struct hook_list lists[HOOK_POSITIONS_MAX];
};

/**
 * hookable_init() - Initialise an object that accepts hooks.
 * @h: the object
 * @positions: table of its positions; must outlive @h
 * @nr: length of @positions
 * @parent: what it is derived from, or NULL; must outlive @h
 *
 * Context: Any.
 */
void hookable_init(struct hookable *h, const struct hook_position *positions, unsigned int nr,
		   struct hookable *parent);

/**
 * hookable_destroy() - Detach every hook.
 * @h: as hookable_init() left it
 *
 * Context: No hook of @h may be running.
 */
void hookable_destroy(struct hookable *h);

/**
 * hook_attach() - Have a function called at a position.
 * @h: domain
 * @position: index in the domain's table
 * @fn: the function
 * @data: passed to @fn
 *
 * Hooks of one position are called in the order in which they were attached.
 *
 * Context: Not from a hook of the same position.
 * Return: 0, -EINVAL for an unknown position, -ENOMEM.
 */
int hook_attach(struct hookable *h, unsigned int position, hook_fn fn, void *data) __must_check;

/**
 * struct hook_use - A function and the position it is to be called at.
 * @position: index in the domain's table
 * @fn: the function
 */
struct hook_use {
	unsigned int position;
	hook_fn fn;
};

/**
 * hook_attach_all() - hook_attach() for each entry of a table.
 * @h: domain
 * @uses: the table
 * @nr: its length
 * @data: passed to each function
 *
 * Context: as for hook_attach().
 * Return: 0 or the first error of hook_attach().
 */
int hook_attach_all(struct hookable *h, const struct hook_use *uses, unsigned int nr, void *data)
	__must_check;

/**
 * hook_fail() - Report to the domain that a hook failed.
 * @h: domain
 * @error: negative errno; only the first one is kept
 *
 * Everything @h is derived from receives the error. Hooks are still invoked until the
 * driver of the outermost one checks its error.
 *
 * Context: From a hook.
 */
void hook_fail(struct hookable *h, int error);

/**
 * hook_wanted() - Is a hook attached to a position?
 * @h: domain
 * @position: index in the domain's table
 *
 * For items that are expensive to make.
 *
 * Context: Any.
 * Return: true if hook_invoke() would call a hook.
 */
static inline bool hook_wanted(const struct hookable *h, unsigned int position)
{
	return h->lists[position].call.fn;
}

/**
 * hook_invoke() - Call every hook attached to a position.
 * @h: domain
 * @position: index in the domain's table
 * @item: what happened
 *
 * Costs one test if no hook is attached, and one call if one is.
 *
 * Context: Any; hooks run before it returns.
 */
static inline void hook_invoke(struct hookable *h, unsigned int position, const void *item)
{
	const struct hook *call = &h->lists[position].call;

	if (call->fn)
		call->fn(call->data, &(struct hook_ctx){ h, position, item });
}

#endif /* OVNIK_HOOK_HOOK_H */
