/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_WORLD_PAGES_H
#define OVNIK_WORLD_PAGES_H

#include <stddef.h>

#include "world/world.h"

/* The records of the page cache and of the buffer cache, read as if they were one. */

#define WORLD_SAME_PLACE(event, field)						\
	_Static_assert(offsetof(struct ovnik_##event, field) ==			\
		       offsetof(struct ovnik_page_add, field), "read as a page_add")

WORLD_SAME_PLACE(page_remove, order);
WORLD_SAME_PLACE(page_remove, dev);
WORLD_SAME_PLACE(page_remove, generation);
WORLD_SAME_PLACE(page_remove, ino);
WORLD_SAME_PLACE(page_remove, offset);
WORLD_SAME_PLACE(buffer_add, order);
WORLD_SAME_PLACE(buffer_remove, order);

/**
 * world_page() - The record of a page_add or page_remove.
 * @it: the item
 *
 * Return: the record, of which pfn is not to be used.
 */
static inline const struct ovnik_page_add *world_page(const struct world_item *it)
{
	return it->rec;
}

/**
 * world_pages() - How many pages came or went.
 * @it: the item, of a page_add, page_remove, buffer_add or buffer_remove
 *
 * Return: pages of world_page_size().
 */
static inline u64 world_pages(const struct world_item *it)
{
	return 1ULL << world_page(it)->order;
}

/* Orders of folios: what a directory of page table entries maps, and at least MAX_PAGE_ORDER. */
#define WORLD_ORDER_LEAST	10

/**
 * world_pages_possible() - Can there be such pages?
 * @w: the world
 * @order: 2^order pages
 * @pfn: frame of the first one; OVNIK_NO_FRAME, too
 *
 * Return: false for a frame that cannot exist, or more pages at once than any folio has.
 */
static inline bool world_pages_possible(const struct world *w, u16 order, u64 pfn)
{
	/* An entry has 8 bytes. */
	u16 directory = w->page_shift - 3;

	return order <= (directory > WORLD_ORDER_LEAST ? directory : WORLD_ORDER_LEAST) &&
	       pfn < world_page_of(w, 1ULL << WORLD_PHYSICAL_BITS);
}

#endif /* OVNIK_WORLD_PAGES_H */
