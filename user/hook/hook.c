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

static void choose_call(struct hook_list *list)
{
	static const struct hook nothing;

	if (list->nr > 1)
		list->call = (struct hook){ call_each, list };
	else
		list->call = list->nr ? list->hooks[0] : nothing;
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
	list->nr++;
	choose_call(list);
	return 0;
}

int hook_detach(struct hookable *h, unsigned int position, hook_fn fn, void *data)
{
	struct hook_list *list;
	unsigned int i;

	if (position >= h->nr_positions || position >= HOOK_POSITIONS_MAX)
		return -ENOENT;
	list = &h->lists[position];
	for (i = 0; i < list->nr; i++) {
		if (list->hooks[i].fn != fn || list->hooks[i].data != data)
			continue;
		list->nr--;
		memmove(&list->hooks[i], &list->hooks[i + 1], (list->nr - i) * sizeof(struct hook));
		choose_call(list);
		return 0;
	}
	return -ENOENT;
}

void hook_fail(struct hookable *h, int error)
{
	for (; h; h = h->parent) {
		if (!h->error)
			h->error = error;
	}
}
