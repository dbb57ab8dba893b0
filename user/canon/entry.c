// SPDX-License-Identifier: GPL-2.0-only
/* Where an address space keeps the canonical pages of its virtual ones. */
#include <stdlib.h>

#include "canon/space.h"

u64 *canon_entry(struct canon_space *s, u64 page)
{
	struct idmap_slot *slot = idmap_put(&s->leaves, page / CANON_LEAF + 1);
	struct canon_leaf *leaf;

	if (!slot)
		return NULL;
	if (!slot->ptr) {
		leaf = calloc(1, sizeof(*leaf));
		if (!leaf) {
			idmap_del(&s->leaves, slot);
			return NULL;
		}
		leaf->key = page / CANON_LEAF;
		slot->ptr = leaf;
	}
	leaf = slot->ptr;
	return &leaf->entries[page % CANON_LEAF];
}

u64 *canon_known(const struct canon_space *s, u64 page)
{
	struct canon_leaf *leaf = idmap_ptr(&s->leaves, page / CANON_LEAF + 1);

	return leaf ? &leaf->entries[page % CANON_LEAF] : NULL;
}

void canon_leaves_free(struct canon_space *s)
{
	struct idmap_slot *slot = NULL;

	while ((slot = idmap_next(&s->leaves, slot)))
		free(slot->ptr);
	idmap_free(&s->leaves);
}
