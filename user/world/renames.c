// SPDX-License-Identifier: GPL-2.0-only
/* Threads that take the numbers of their leaders: see renames.h. */
#include <errno.h>
#include <stdlib.h>

#include "world/renames.h"

static int compare(const void *a, const void *b)
{
	const struct world_rename *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return (x->tsc > y->tsc) - (x->tsc < y->tsc);
}

static int make_room(struct renames *r)
{
	u32 room = r->room ? 2 * r->room : 64;
	struct world_rename *all;

	if (r->nr < r->room)
		return 0;
	all = room > r->room ? realloc(r->all, room * sizeof(*all)) : NULL;
	if (!all)
		return -ENOMEM;
	r->all = all;
	r->room = room;
	return 0;
}

static void on_exec(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exec *rec = it->rec;
	struct renames *r = data;

	if (!rec->old_tid || rec->old_tid == rec->tid)
		return;
	if (make_room(r)) {
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	r->all[r->nr++] = (struct world_rename){ it->tsc, rec->tid, rec->old_tid };
}

int renames_watch(struct renames *r, struct world *w)
{
	return hook_attach(&w->hooks, WORLD_TASK_EXEC, on_exec, r);
}

int renames_sort(struct renames *r)
{
	u32 i;

	if (!r->nr)
		return 0;
	r->by_old = calloc(r->nr, sizeof(*r->by_old));
	if (!r->by_old)
		return -ENOMEM;
	for (i = 0; i < r->nr; i++) {
		const struct world_rename *at = &r->all[i];

		r->by_old[i] = (struct world_rename){ at->tsc, at->other, at->tid };
	}
	qsort(r->all, r->nr, sizeof(*r->all), compare);
	qsort(r->by_old, r->nr, sizeof(*r->by_old), compare);
	return 0;
}

void renames_tell(const struct renames *r, struct world *w)
{
	w->renames = r->all;
	w->renames_by_old = r->by_old;
	w->nr_renames = r->nr;
}

void renames_free(struct renames *r)
{
	free(r->all);
	free(r->by_old);
	r->all = NULL;
	r->by_old = NULL;
	r->nr = 0;
	r->room = 0;
}
