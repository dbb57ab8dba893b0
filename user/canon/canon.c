// SPDX-License-Identifier: GPL-2.0-only
/* Canonical pages: the number of a reference's page. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "canon/canon.h"
#include "canon/canon_priv.h"

/* The page with a key, which is made if it is not there. */
static u64 of_key(struct canon *c, struct idmap *map, u64 key, enum canon_kind kind, u32 file,
		  u64 space, u64 page)
{
	struct idmap_slot *slot = idmap_put(map, key);

	if (!slot) {
		c->no_memory = true;
		return 0;
	}
	if (!slot->bits)
		slot->bits = canon_new(c, kind, file, space, page);
	return slot->bits;
}

u64 canon_of_file(struct canon *c, struct canon_file *file, u64 page)
{
	return of_key(c, &file->pages, page + 1, CANON_FILE, file->nr, 0, page);
}

static u64 of_kernel(struct canon *c, u64 page)
{
	const struct idmap_slot *slot;
	u64 frame;

	if (!c->linear || page < c->linear || page - c->linear >= CANON_LINEAR_PAGES)
		return canon_new(c, CANON_KERNEL, 0, 0, page);
	frame = page - c->linear;
	slot = idmap_get(&c->frames, frame + 1);
	return slot ? slot->bits
		    : of_key(c, &c->kernel_frames, frame + 1, CANON_FRAME, 0, 0, frame);
}

/* What the kernel maps for everyone: vvar is not code, vdso is. */
static u64 of_special(struct canon *c, const struct mm_vma *vma, u64 page)
{
	u64 nr = page - (vma->start >> REFS_PAGE_SHIFT);

	nr = nr << 1 | !!(vma->what.flags & OVNIK_VMA_EXEC);
	return of_key(c, &c->special, nr + 1, CANON_SPECIAL, 0, 0, nr);
}

void canon_touch(struct canon *c, struct canon_space *s, const struct mm_vma *vma, u64 page)
{
	u64 *entry = canon_entry(s, page);

	if (entry && !*entry)
		canon_set(c, entry, of_special(c, vma, page));
	c->no_memory |= !entry;
}

/* Pages that are older than the capture are shared by those that are forked. */
static u64 of_anon(struct canon *c, struct canon_space *s, u64 page)
{
	const struct mm_vma *fresh;

	if (!s->old)
		return canon_new(c, CANON_ANON, 0, s->id, page);
	fresh = mm_find(&s->fresh, page << REFS_PAGE_SHIFT);
	if (fresh && fresh->start <= page << REFS_PAGE_SHIFT)
		return canon_new(c, CANON_ANON, 0, s->id, page);
	return of_key(c, &c->old, ((s->old << 36 ^ page) + 1) ?: 1, CANON_ANON, 0, s->old, page);
}

static u64 of_mapping(struct canon *c, struct canon_space *s, const struct mm_vma *vma, u64 page,
		      bool store)
{
	struct canon_file *file;
	u64 entry, offset;

	if (vma->what.kind == OVNIK_MAP_SPECIAL)
		return of_special(c, vma, page);
	if (!mm_has_file(&vma->what)) {
		/* What is only loaded may be the kernel's page of zeroes, a huge one perhaps. */
		if (!store)
			c->fresh_frame = 0;
		return of_anon(c, s, page);
	}
	if (store && !(vma->what.flags & OVNIK_VMA_SHARED)) {
		/* Of what is older than the capture, the copy may be, too. */
		c->stats.unrecorded += !s->old;
		canon_note_copy(c, &vma->what);
		return of_anon(c, s, page);
	}
	file = canon_file_get(c, &vma->what, NULL);
	if (!file)
		return 0;
	offset = vma->what.offset + (page << REFS_PAGE_SHIFT) - vma->start;
	entry = canon_of_file(c, file, offset >> REFS_PAGE_SHIFT);
	return vma->what.flags & OVNIK_VMA_SHARED || !entry ? entry : entry | CANON_PRIVATE;
}

static u64 of_user(struct canon *c, struct canon_space *s, u64 page, bool store)
{
	const struct world_mm *mm = mm_lookup(&c->w->mms, s->id);
	const struct mm_vma *vma = mm ? mm_find(mm, page << REFS_PAGE_SHIFT) : NULL;

	if (vma && vma->start <= page << REFS_PAGE_SHIFT)
		return of_mapping(c, s, vma, page, store);
	c->stats.unmapped++;
	return canon_new(c, CANON_ANON, 0, s->id, page);
}

/* The entry of a page in an address space other than the kernel's. */
static void look_up(struct canon *c, struct canon_space *s, u64 *entry, u64 page, bool store)
{
	u64 frame = canon_frame_of(c, c->cr3, page);

	c->fresh_frame = frame;
	if (*entry == CANON_COPY)
		canon_set(c, entry, canon_new(c, CANON_ANON, 0, s->id, page));
	else if (!*entry || (store && *entry & CANON_PRIVATE))
		canon_set(c, entry, of_user(c, s, page, store));
	c->fresh_frame = 0;
	if (frame)
		canon_bind(c, *entry & CANON_NR, frame - 1);
}

/* An address space that no record has named yet. */
static struct canon_space *unknown_space(struct canon *c, u64 pgd)
{
	struct canon_space *s = canon_space_new(c, 0);

	if (!s || idmap_set(&c->by_pgd, pgd + 1, s)) {
		c->no_memory = true;
		return NULL;
	}
	s->pgd = pgd;
	c->stats.spaces++;
	return s;
}

static struct canon_space *space_of(struct canon *c, u64 cr3, u64 address)
{
	if (address >> 63)
		return &c->kernel;
	if (c->space && c->cr3 == cr3)
		return c->space;
	c->cr3 = cr3;
	c->space = idmap_ptr(&c->by_pgd, (cr3 >> REFS_PAGE_SHIFT) + 1);
	if (!c->space)
		c->space = unknown_space(c, cr3 >> REFS_PAGE_SHIFT);
	return c->space;
}

/**
 * canon_slow() - canon_page() for a page that was not referenced lately.
 * @c: canonical pages
 * @cr3: address space
 * @address: virtual
 * @store: it is a store
 *
 * Return: as canon_page().
 */
u64 canon_slow(struct canon *c, u64 cr3, u64 address, bool store)
{
	struct canon_space *s = space_of(c, cr3, address);
	u64 page = address >> REFS_PAGE_SHIFT;
	u64 *entry = s ? canon_entry(s, page) : NULL;

	if (!entry) {
		c->no_memory = true;
		return 0;
	}
	if (s != &c->kernel)
		look_up(c, s, entry, page, store);
	else if (!*entry)
		*entry = of_kernel(c, page);
	c->near[page % CANON_NEAR] = (struct canon_near){
		.cr3 = cr3, .page = page, .entry = *entry,
	};
	return *entry & ~CANON_PRIVATE;
}

static void free_file(struct hash_node *node)
{
	struct canon_file *file = container_of(node, struct canon_file, node);

	idmap_free(&file->pages);
	free(file->path);
	free(file);
}

void canon_destroy(struct canon *c)
{
	while (c->nodes)
		canon_space_free(c, c->nodes);
	canon_leaves_free(&c->kernel);
	idmap_free(&c->spaces);
	idmap_free(&c->by_pgd);
	idmap_free(&c->old);
	idmap_free(&c->special);
	idmap_free(&c->frames);
	idmap_free(&c->kernel_frames);
	hash_destroy(&c->files, free_file);
	free(c->file_list);
	free(c->pages);
	memset(c, 0, sizeof(*c));
}
