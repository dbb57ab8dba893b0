// SPDX-License-Identifier: GPL-2.0-only
/* Hooks: see hook.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hook/hook.h"

void hookable_init(struct hookable *h, const struct hook_position *positions, unsigned int nr,
		   struct hookable *parent)
{
	memset(h, 0, sizeof(*h));
	h->positions = positions;
	h->nr_positions = nr;
	h->parent = parent;
}

void hookable_destroy(struct hookable *h)
{
	unsigned int i;

	for (i = 0; i < HOOK_POSITIONS_MAX; i++)
		free(h->lists[i].hooks);
	memset(h->lists, 0, sizeof(h->lists));
}

/* More than one is attached. */
static void call_each(void *data, const struct hook_ctx *ctx)
{
	const struct hook_list *list = data;
	unsigned int i;

	for (i = 0; i < list->nr; i++)
		list->hooks[i].fn(list->hooks[i].data, ctx);
}

int hook_attach(struct hookable *h, unsigned int position, hook_fn fn, void *data)
{
	struct hook_list *list;
	struct hook *hooks;

	if (position >= h->nr_positions || position >= HOOK_POSITIONS_MAX)
		return -EINVAL;
	list = &h->lists[position];
	hooks = realloc(list->hooks, (list->nr + 1) * sizeof(*hooks));
	if (!hooks)
		return -ENOMEM;
	hooks[list->nr].fn = fn;
	hooks[list->nr].data = data;
	list->hooks = hooks;
	list->call = list->nr++ ? (struct hook){ call_each, list } : hooks[0];
	return 0;
}

int hook_attach_all(struct hookable *h, const struct hook_use *uses, unsigned int nr, void *data)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < nr && !ret; i++)
		ret = hook_attach(h, uses[i].position, uses[i].fn, data);
	return ret;
}

void hook_fail(struct hookable *h, int error)
{
	for (; h; h = h->parent) {
		if (!h->error)
			h->error = error;
	}
}
