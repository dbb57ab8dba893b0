// SPDX-License-Identifier: GPL-2.0-only
/* The canonical pages of an address space, by virtual page. */
#include <errno.h>
#include <stdlib.h>

#include "canon/canon_priv.h"

static void drop_part(struct canon *c, struct canon_leaf *leaf, u64 first, u64 end)
{
	u64 page = leaf->key * CANON_LEAF;
	u32 i;

	for (i = 0; i < CANON_LEAF; i++, page++)
		if (page >= first && page < end && leaf->entries[i])
			canon_set(c, &leaf->entries[i], 0);
}

/* Is it cheaper to look at each leaf of the address space than at each of the range? */
static bool is_wide(const struct canon_space *s, u64 first, u64 end)
{
	return (end - first) / CANON_LEAF > s->leaves.nr;
}

void canon_drop(struct canon *c, struct canon_space *s, u64 first, u64 end)
{
	struct idmap_slot *slot = NULL;
	struct canon_leaf *leaf;
	u64 key;

	if (is_wide(s, first, end)) {
		while ((slot = idmap_next(&s->leaves, slot)))
			drop_part(c, slot->ptr, first, end);
		return;
	}
	for (key = first / CANON_LEAF; key * CANON_LEAF < end; key++) {
		leaf = idmap_ptr(&s->leaves, key + 1);
		if (leaf)
			drop_part(c, leaf, first, end);
	}
}

static int copy_part(struct canon *c, struct canon_space *to, u64 shift, struct canon_leaf *leaf,
		     u64 first, u64 end)
{
	u64 page = leaf->key * CANON_LEAF;
	u64 *entry;
	u32 i;

	for (i = 0; i < CANON_LEAF; i++, page++) {
		if (page < first || page >= end || !leaf->entries[i])
			continue;
		entry = canon_entry(to, page + shift);
		if (!entry)
			return -ENOMEM;
		/* The copy is shared, so it needs its number. */
		if (leaf->entries[i] == CANON_COPY)
			canon_set(c, &leaf->entries[i], canon_new(c, CANON_ANON, 0, to->id, page));
		canon_set(c, entry, leaf->entries[i]);
	}
	return 0;
}

int canon_copy(struct canon *c, struct canon_space *to, u64 at, const struct canon_space *from,
	       u64 first, u64 end)
{
	struct canon_leaf *leaf;
	u64 key, nr = from->leaves.nr;
	struct canon_leaf **list;
	struct idmap_slot *slot = NULL;
	int ret = 0;
	u64 i = 0;

	if (!is_wide(from, first, end)) {
		for (key = first / CANON_LEAF; key * CANON_LEAF < end && !ret; key++) {
			leaf = idmap_ptr(&from->leaves, key + 1);
			if (leaf)
				ret = copy_part(c, to, at - first, leaf, first, end);
		}
		return ret;
	}
	/* A map must not change while it is walked, and @to may be @from. */
	list = calloc(nr + 1, sizeof(*list));
	if (!list)
		return -ENOMEM;
	while ((slot = idmap_next(&from->leaves, slot)))
		list[i++] = slot->ptr;
	for (i = 0; i < nr && !ret; i++)
		ret = copy_part(c, to, at - first, list[i], first, end);
	free(list);
	return ret;
}
