// SPDX-License-Identifier: GPL-2.0-only
/* Canonical pages: what records say of address spaces, files and the page cache. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "canon/canon_priv.h"
#include "world/pages.h"

#define PAGE_BYTES	(1ULL << REFS_PAGE_SHIFT)
#define SPECIAL_MAX	16	/* pages that the kernel maps for everyone, in one piece */

static struct canon_file *find_file(const struct canon *c, const struct mm_attrs *what)
{
	struct hash_node *node;

	for (node = hash_first(&c->files, hash_of(&c->files, what->ino, what->dev)); node;
	     node = hash_next(node)) {
		struct canon_file *file = container_of(node, struct canon_file, node);

		if (file->ino == what->ino && file->dev == what->dev &&
		    (file->generation == what->generation || file->shm))
			return file;
	}
	return NULL;
}

static struct canon_file *new_file(struct canon *c, const struct mm_attrs *what)
{
	u32 nr = (u32)c->files.nr, room = c->room_files ? 2 * c->room_files : 64;
	struct canon_file *file = calloc(1, sizeof(*file));
	struct canon_file **list = c->file_list;

	if (file && nr == c->room_files)
		list = realloc(list, room * sizeof(struct canon_file *));
	if (!file || !list) {
		free(file);
		return NULL;
	}
	if (nr == c->room_files)
		c->room_files = room;
	c->file_list = list;
	list[nr] = file;
	file->nr = nr;
	file->dev = what->dev;
	file->generation = what->generation;
	file->ino = what->ino;
	file->shm = what->kind == MM_KIND_SHM;
	hash_add(&c->files, &file->node, hash_of(&c->files, what->ino, what->dev));
	return file;
}

struct canon_file *canon_file_get(struct canon *c, const struct mm_attrs *what, const char *path)
{
	struct canon_file *file = find_file(c, what);

	if (!file)
		file = new_file(c, what);
	/* Without memory for its name, a file has none. */
	if (file && !file->path && path && *path)
		file->path = strdup(path);
	c->no_memory |= !file;
	return file;
}

void canon_note_copy(struct canon *c, const struct mm_attrs *what)
{
	struct canon_file *file = mm_has_file(what) ? canon_file_get(c, what, NULL) : NULL;

	if (file)
		file->copied = true;
}

struct canon_space *canon_space_new(struct canon *c, u64 id)
{
	struct canon_space *s = calloc(1, sizeof(*s));

	if (!s || (id && idmap_set(&c->spaces, id, s))) {
		free(s);
		c->no_memory = true;
		return NULL;
	}
	s->id = id;
	s->next = c->nodes;
	c->nodes = s;
	return s;
}

/* Where pages were found is not true any more. */
static void forget_near(struct canon *c)
{
	memset(c->near, 0xff, sizeof(c->near));
	c->turn++;
	c->space = NULL;
}

static void unlink_key(struct idmap *map, u64 key, const struct canon_space *s)
{
	struct idmap_slot *slot = idmap_get(map, key);

	if (slot && slot->ptr == s)
		idmap_del(map, slot);
}

void canon_space_free(struct canon *c, struct canon_space *s)
{
	struct canon_space **link = &c->nodes;

	while (*link != s)
		link = &(*link)->next;
	*link = s->next;
	if (s->id)
		unlink_key(&c->spaces, s->id, s);
	unlink_key(&c->by_pgd, s->pgd + 1, s);
	canon_drop(c, s, 0, ~0ULL);
	canon_leaves_free(s);
	mm_clear(&s->fresh);
	free(s);
	forget_near(c);
}

/* The address space that a record names; its page directory may become known. */
static struct canon_space *space_of(struct canon *c, const struct world_mm *mm)
{
	struct canon_space *s = idmap_ptr(&c->spaces, mm->id);
	struct canon_space *other;

	if (s && (s->pgd || !mm->pgd))
		return s;
	other = mm->pgd ? idmap_ptr(&c->by_pgd, mm->pgd + 1) : NULL;
	/* What was referenced before the record belongs to it; the frame's last user is gone. */
	if (!s && other && !other->id) {
		other->id = mm->id;
		c->stats.spaces--;
		c->no_memory |= !!idmap_set(&c->spaces, mm->id, other);
		return other;
	}
	if (!s)
		s = canon_space_new(c, mm->id);
	if (!s || !mm->pgd)
		return s;
	s->pgd = mm->pgd;
	c->no_memory |= !!idmap_set(&c->by_pgd, mm->pgd + 1, s);
	c->space = NULL;
	return s;
}

static void on_mm(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	/* A task may have given up the one that it had. */
	if (it->mm)
		space_of(data, it->mm);
}

/* The statedump: an address space that no record has named before is older than the capture. */
static void on_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct canon *c = data;
	bool known = idmap_ptr(&c->spaces, it->mm->id);
	struct canon_space *s = space_of(c, it->mm);

	if (s && !known)
		s->old = it->mm->id;
}

static void on_mm_exit(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct canon *c = data;
	struct canon_space *s = it->mm ? idmap_ptr(&c->spaces, it->mm->id) : NULL;

	if (s)
		canon_space_free(c, s);
}

static void learn_path(struct canon *c, const struct world_range *range)
{
	if (mm_has_file(&range->what))
		canon_file_get(c, &range->what, range->path);
}

/* Pages of a range are gone; what comes there is new. */
static void replace(struct canon *c, struct canon_space *s, u64 start, u64 end)
{
	static const struct mm_attrs nothing;

	canon_drop(c, s, start >> REFS_PAGE_SHIFT, end >> REFS_PAGE_SHIFT);
	if (s->old && mm_map(&s->fresh, start, end, &nothing))
		c->no_memory = true;
	forget_near(c);
}

static void on_map(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct canon *c = data;
	struct canon_space *s = space_of(c, it->mm);

	learn_path(c, it->range);
	if (s)
		replace(c, s, it->range->start, it->range->end);
}

static void on_vma_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	learn_path(data, it->range);
}

static void on_unmap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct canon *c = data;
	struct canon_space *s = space_of(c, it->mm);

	if (s)
		replace(c, s, it->range->start, it->range->end);
}

static void on_dontneed(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_madvise_dontneed *rec = it->rec;
	struct canon *c = data;
	struct canon_space *s = space_of(c, it->mm);
	u64 end = rec->start + rec->length;

	if (s && end > rec->start && rec->start % PAGE_BYTES == 0 && end % PAGE_BYTES == 0)
		replace(c, s, rec->start, end);
}

/* What is old stays old only where it is: there is no room for more than that. */
static void on_remap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_mremap *rec = it->rec;
	struct canon *c = data;
	struct canon_space *s = space_of(c, it->mm);
	u64 length = rec->old_length < rec->length ? rec->old_length : rec->length;
	u64 first = rec->old_start >> REFS_PAGE_SHIFT, at = rec->start >> REFS_PAGE_SHIFT;

	learn_path(c, it->range);
	if (!s || rec->old_start == rec->start)
		return;
	replace(c, s, it->range->start, it->range->end);
	c->no_memory |= !!canon_copy(c, s, at, s, first, first + (length >> REFS_PAGE_SHIFT));
	replace(c, s, rec->old_start, rec->old_start + length);
}

/* The child's range is as old as the parent's. */
static int copy_age(struct canon_space *to, const struct canon_space *from, u64 start, u64 end)
{
	const struct mm_vma *vma;
	int ret = 0;

	for (vma = mm_find(&from->fresh, start); vma && vma->start < end && !ret;
	     vma = mm_find(&from->fresh, vma->end))
		ret = mm_map(&to->fresh, vma->start < start ? start : vma->start,
			     vma->end > end ? end : vma->end, &vma->what);
	return ret;
}

/* The child's record does not say that a range is the kernel's. */
static void share_special(struct canon *c, struct canon_space *s, const struct world_mm *source,
			  const struct world_range *range)
{
	const struct mm_vma *vma = mm_find(source, range->start);
	u64 first = range->start >> REFS_PAGE_SHIFT, end = range->end >> REFS_PAGE_SHIFT;

	if (!vma || vma->start > range->start || vma->what.kind != OVNIK_MAP_SPECIAL ||
	    end - first > SPECIAL_MAX)
		return;
	for (; first < end; first++)
		canon_touch(c, s, vma, first);
}

static void on_dup(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct world_range *range = it->range;
	u64 first = range->start >> REFS_PAGE_SHIFT;
	struct canon *c = data;
	struct canon_space *from = space_of(c, it->source);
	struct canon_space *to = space_of(c, it->mm);

	if (!from || !to)
		return;
	to->old = from->old;
	if (range->what.flags & OVNIK_VMA_WIPEONFORK) {
		replace(c, to, range->start, range->end);
		return;
	}
	share_special(c, from, it->source, range);
	c->no_memory |= !!canon_copy(c, to, first, from, first, range->end >> REFS_PAGE_SHIFT);
	c->no_memory |= !!copy_age(to, from, range->start, range->end);
	forget_near(c);
}

static void on_cow_break(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_cow_break *rec = it->rec;
	struct canon *c = data;
	struct canon_space *s = space_of(c, it->mm);
	u64 page = rec->address >> REFS_PAGE_SHIFT;
	u64 *entry = s && !(rec->address >> 63) ? canon_entry(s, page) : NULL;
	const struct mm_vma *vma = entry ? mm_find(it->mm, rec->address) : NULL;

	if (!entry)
		return;
	if (vma && vma->start <= rec->address)
		canon_note_copy(c, &vma->what);
	canon_set(c, entry, CANON_COPY);
	forget_near(c);
}

static void set_frames(struct canon *c, const struct mm_attrs *what, u64 pfn, u16 order, bool add)
{
	const bool known = pfn != OVNIK_NO_FRAME && world_pages_possible(c->w, order, pfn);
	struct canon_file *file = known ? canon_file_get(c, what, NULL) : NULL;
	u64 page = what->offset >> REFS_PAGE_SHIFT;
	struct idmap_slot *slot;
	u64 i;

	for (i = 0; file && i < 1ULL << order; i++) {
		slot = add ? NULL : idmap_get(&c->frames, pfn + i + 1);
		if (add)
			canon_bind(c, canon_of_file(c, file, page + i), pfn + i);
		else if (slot)
			canon_unbind(c, slot->bits);
	}
}

#define PAGE_FILE(rec) {					\
	.ino = (rec)->ino, .dev = (rec)->dev, .generation = (rec)->generation,	\
	.offset = (rec)->offset,				\
}

static void on_page_add(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_add *rec = it->rec;
	const struct mm_attrs what = PAGE_FILE(rec);

	set_frames(data, &what, rec->pfn, rec->order, true);
}

static void on_page_remove(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_remove *rec = it->rec;
	const struct mm_attrs what = PAGE_FILE(rec);

	set_frames(data, &what, rec->pfn, rec->order, false);
}

static void on_open(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_open *rec = it->rec;
	const struct mm_attrs what = {
		.ino = rec->ino, .dev = rec->dev, .generation = rec->generation,
	};

	canon_file_get(data, &what, rec->path);
}

static void on_file_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_dump_file *rec = it->rec;
	const struct mm_attrs what = {
		.ino = rec->ino, .dev = rec->dev, .generation = rec->generation,
	};

	canon_file_get(data, &what, rec->path);
}

/* Of a file that is cut, a process loses its copies of pages behind the new end, too. */
static void cut_copies(struct canon *c, struct canon_space *s, const struct mm_attrs *file,
		       u64 kept)
{
	const struct world_mm *mm = s->id ? mm_lookup(&c->w->mms, s->id) : NULL;
	const struct mm_vma *vma = mm ? mm_find(mm, 0) : NULL;
	u64 first;

	for (; vma; vma = mm_find(mm, vma->end)) {
		const struct mm_attrs *what = &vma->what;

		if (what->flags & OVNIK_VMA_SHARED || !mm_has_file(what) ||
		    what->ino != file->ino || what->dev != file->dev ||
		    what->generation != file->generation)
			continue;
		first = vma->start + (kept > what->offset ? kept - what->offset : 0);
		if (first >= vma->start && first < vma->end)
			replace(c, s, first, vma->end);
	}
}

/* Pages that are left out by fallocate() or MADV_REMOVE leave the copies where they are. */
static void on_truncate(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_truncate *rec = it->rec;
	const struct mm_attrs file = {
		.ino = rec->ino, .dev = rec->dev, .generation = rec->generation,
	};
	struct canon *c = data;
	const struct canon_file *known = find_file(c, &file);
	struct canon_space *s;

	/* Most files that are cut are nobody's mapping: do not look at all of them. */
	if (rec->length >> 63 || !known || !known->copied)
		return;
	for (s = c->nodes; s; s = s->next)
		cut_copies(c, s, &file, (rec->length + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1));
}

static int attach(struct canon *c)
{
	static const struct hook_use hooks[] = {
		{ WORLD_MM_ASSIGN, on_mm },
		{ WORLD_MM_DUMP, on_dump },
		{ WORLD_MM_EXIT, on_mm_exit },
		{ WORLD_MM_MAP, on_map },
		{ WORLD_VMA_DUMP, on_vma_dump },
		{ WORLD_MM_UNMAP, on_unmap },
		{ WORLD_MM_DONTNEED, on_dontneed },
		{ WORLD_MM_REMAP, on_remap },
		{ WORLD_MM_DUP, on_dup },
		{ WORLD_COW_BREAK, on_cow_break },
		{ WORLD_PAGE_ADD, on_page_add },
		{ WORLD_PAGE_REMOVE, on_page_remove },
		{ WORLD_FILE_OPEN, on_open },
		{ WORLD_FILE_TRUNCATE, on_truncate },
		{ WORLD_FILE_DUMP, on_file_dump },
	};

	return hook_attach_all(&c->w->hooks, hooks, ARRAY_SIZE(hooks), c);
}

int canon_init(struct canon *c, struct world *w)
{
	int ret;

	memset(c, 0, sizeof(*c));
	c->w = w;
	forget_near(c);
	ret = hash_init(&c->files);
	return ret ? ret : attach(c);
}
