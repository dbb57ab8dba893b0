// SPDX-License-Identifier: GPL-2.0-only
/*
 * A canonical page: its number, who uses it, and its frame, which the kernel refers to by its
 * linear mapping of all frames.
 */
#include <stdlib.h>

#include "canon/canon_priv.h"

/* The linear mapping shows another page there. */
static void forget_linear(struct canon *c, u64 frame)
{
	u64 page = c->linear + frame;
	u64 *entry = c->linear ? canon_known(&c->kernel, page) : NULL;

	if (entry)
		*entry = 0;
	c->near[page % CANON_NEAR].page = ~0ULL;
}

void canon_bind(struct canon *c, u64 nr, u64 frame)
{
	struct idmap_slot *slot;

	if (!nr || c->pages[nr].frame == frame + 1)
		return;
	canon_unbind(c, nr);
	slot = idmap_get(&c->kernel_frames, frame + 1);
	if (slot)
		idmap_del(&c->kernel_frames, slot);
	slot = idmap_put(&c->frames, frame + 1);
	if (!slot) {
		c->no_memory = true;
		return;
	}
	if (slot->bits)
		c->pages[slot->bits].frame = 0;
	slot->bits = nr;
	c->pages[nr].frame = frame + 1;
	forget_linear(c, frame);
}

void canon_unbind(struct canon *c, u64 nr)
{
	u64 key = c->pages[nr].frame;
	struct idmap_slot *slot;

	if (!key)
		return;
	slot = idmap_get(&c->frames, key);
	if (slot)
		idmap_del(&c->frames, slot);
	c->pages[nr].frame = 0;
	forget_linear(c, key - 1);
}

/*
 * What the kernel has done with the frame of the reference through its linear mapping, it has done
 * for the page that begins now. Returns that page's number, or 0.
 */
static u64 adopt(struct canon *c)
{
	struct idmap_slot *slot = c->fresh_frame ? idmap_get(&c->kernel_frames, c->fresh_frame)
						 : NULL;
	u64 nr = slot ? slot->bits : 0;

	if (slot)
		idmap_del(&c->kernel_frames, slot);
	return nr;
}

/* Returns a number that no page has, or 0. */
static u64 next_number(struct canon *c)
{
	u64 room = c->room ? 2 * c->room : 4096;
	struct canon_page *pages;

	if (c->nr == c->room) {
		pages = realloc(c->pages, room * sizeof(*pages));
		if (!pages) {
			c->no_memory = true;
			return 0;
		}
		c->pages = pages;
		c->room = room;
	}
	/* Number 0 is none. */
	if (!c->nr)
		c->pages[c->nr++] = (struct canon_page){ 0 };
	return c->nr++;
}

u64 canon_new(struct canon *c, enum canon_kind kind, u32 file, u64 space, u64 page)
{
	/* What was counted as no file's must not become one's. */
	u64 nr = kind == CANON_ANON ? adopt(c) : 0;

	nr = nr ?: next_number(c);
	if (nr)
		c->pages[nr] = (struct canon_page){
			.kind = kind, .file = file, .space = space, .page = page,
		};
	return nr;
}

void canon_set(struct canon *c, u64 *entry, u64 value)
{
	u64 before = *entry & CANON_NR, after = value & CANON_NR;

	*entry = value;
	if (after)
		c->pages[after].users++;
	/* A file's page stays in the page cache. */
	if (before && !--c->pages[before].users && c->pages[before].kind == CANON_ANON)
		canon_unbind(c, before);
}

u64 canon_frame_of(const struct canon *c, u64 cr3, u64 page)
{
	const struct canon_seen *seen = &c->seen[page % CANON_SEEN];

	return seen->page == page && seen->cr3 == cr3 && seen->turn == c->turn ? seen->frame + 1
									       : 0;
}

/* A second page that agrees makes sure: vmalloc() has frames in any order. */
static void find_linear(struct canon *c, u64 page, u64 frame)
{
	u64 linear = (page | 0xffffULL << 36) - frame;

	if (c->linear || linear % CANON_LINEAR_ALIGN || linear < CANON_LINEAR_FIRST ||
	    linear >= CANON_LINEAR_END)
		return;
	if (linear == c->maybe)
		c->linear = linear;
	c->maybe = linear;
}

void canon_frame(struct canon *c, u64 cr3, u64 page, u64 frame)
{
	if (page >> 35 & 1) {
		find_linear(c, page, frame);
		return;
	}
	c->seen[page % CANON_SEEN] = (struct canon_seen){
		.cr3 = cr3, .page = page, .frame = frame, .turn = c->turn,
	};
	/* So that the next reference is looked at. */
	if (c->near[page % CANON_NEAR].page == page)
		c->near[page % CANON_NEAR].page = ~0ULL;
}
