// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: see mm_tree.h. */
#include <errno.h>
#include <stdlib.h>

#include "world/mm_tree.h"

/* An AA tree: only a higher child may have its parent's level, and not two in a row. */

static struct mm_vma *skew(struct mm_vma *t)
{
	struct mm_vma *low = t->child[0];

	if (!low || low->level != t->level)
		return t;
	t->child[0] = low->child[1];
	low->child[1] = t;
	return low;
}

static struct mm_vma *split(struct mm_vma *t)
{
	struct mm_vma *high = t->child[1];

	if (!high || !high->child[1] || high->child[1]->level != t->level)
		return t;
	t->child[1] = high->child[0];
	high->child[0] = t;
	high->level++;
	return high;
}

static struct mm_vma *insert(struct mm_vma *t, struct mm_vma *vma)
{
	unsigned int side;

	if (!t)
		return vma;
	side = vma->start > t->start;
	t->child[side] = insert(t->child[side], vma);
	return split(skew(t));
}

static u32 level_of(const struct mm_vma *t)
{
	return t ? t->level : 0;
}

/* A node was removed below @t. */
static struct mm_vma *rebalance(struct mm_vma *t)
{
	u32 low = level_of(t->child[0]), high = level_of(t->child[1]);
	u32 level = (low < high ? low : high) + 1;

	if (level < t->level) {
		t->level = level;
		if (high > level)
			t->child[1]->level = level;
	}
	t = skew(t);
	if (t->child[1]) {
		t->child[1] = skew(t->child[1]);
		if (t->child[1]->child[1])
			t->child[1]->child[1] = skew(t->child[1]->child[1]);
	}
	t = split(t);
	if (t->child[1])
		t->child[1] = split(t->child[1]);
	return t;
}

static struct mm_vma *take_lowest(struct mm_vma *t, struct mm_vma **lowest)
{
	if (!t->child[0]) {
		*lowest = t;
		return t->child[1];
	}
	t->child[0] = take_lowest(t->child[0], lowest);
	return rebalance(t);
}

static struct mm_vma *take_out(struct mm_vma *t, const struct mm_vma *vma)
{
	struct mm_vma *next;

	if (t != vma) {
		unsigned int side = vma->start > t->start;

		t->child[side] = take_out(t->child[side], vma);
		return rebalance(t);
	}
	if (!t->child[1])
		return t->child[0];
	t->child[1] = take_lowest(t->child[1], &next);
	next->child[0] = t->child[0];
	next->child[1] = t->child[1];
	next->level = t->level;
	return rebalance(next);
}

static struct mm_vma *find(const struct world_mm *mm, u64 address)
{
	struct mm_vma *t = mm->root, *found = NULL;

	while (t) {
		if (t->end > address) {
			found = t;
			t = t->child[0];
		} else {
			t = t->child[1];
		}
	}
	return found;
}

const struct mm_vma *mm_find(const struct world_mm *mm, u64 address)
{
	return find(mm, address);
}

static int add(struct world_mm *mm, u64 start, u64 end, const struct mm_attrs *what)
{
	/* Not calloc(), which is slower: these come and go all the time. */
	struct mm_vma *vma = malloc(sizeof(*vma));

	if (!vma)
		return -ENOMEM;
	*vma = (struct mm_vma){ .start = start, .end = end, .what = *what, .level = 1 };
	mm->root = insert(mm->root, vma);
	mm->bytes += end - start;
	mm->nr_vmas++;
	return 0;
}

static void del(struct world_mm *mm, struct mm_vma *vma)
{
	mm->root = take_out(mm->root, vma);
	mm->bytes -= vma->end - vma->start;
	mm->nr_vmas--;
	free(vma);
}

/* Split the range that contains an address, if any. */
static int cut(struct world_mm *mm, u64 at)
{
	struct mm_vma *vma = find(mm, at);
	struct mm_attrs what;
	u64 end;
	int ret;

	if (!vma || vma->start >= at)
		return 0;
	what = vma->what;
	if (mm_has_file(&what))
		what.offset += at - vma->start;
	end = vma->end;
	vma->end = at;
	mm->bytes -= end - at;
	ret = add(mm, at, end, &what);
	if (ret) {
		vma->end = end;
		mm->bytes += end - at;
	}
	return ret;
}

static bool goes_on(const struct mm_vma *low, const struct mm_vma *high)
{
	const struct mm_attrs *a = &low->what, *b = &high->what;

	if (low->end != high->start || a->flags != b->flags || a->ino != b->ino ||
	    a->dev != b->dev)
		return false;
	if (!mm_has_file(a))
		return true;
	return a->kind == b->kind && a->generation == b->generation &&
	       a->offset + (low->end - low->start) == b->offset;
}

/* Merge the two ranges that meet at an address, if possible. */
static void join(struct world_mm *mm, u64 at)
{
	struct mm_vma *low = at ? find(mm, at - 1) : NULL, *high = find(mm, at);
	u64 end;

	if (!low || !high || low == high || !goes_on(low, high))
		return;
	end = high->end;
	del(mm, high);
	mm->bytes += end - low->end;
	low->end = end;
}

int mm_unmap(struct world_mm *mm, u64 start, u64 end)
{
	struct mm_vma *vma = find(mm, start);
	int ret;

	if (!vma || vma->start >= end)
		return 0;
	ret = cut(mm, start);
	if (!ret)
		ret = cut(mm, end);
	if (ret) {
		join(mm, start);
		return ret;
	}
	while ((vma = find(mm, start)) && vma->start < end)
		del(mm, vma);
	return 0;
}

int mm_map(struct world_mm *mm, u64 start, u64 end, const struct mm_attrs *what)
{
	struct mm_attrs stored = *what;
	int ret;

	if (!mm_has_file(&stored))
		stored.offset = 0;
	ret = mm_unmap(mm, start, end);
	if (!ret)
		ret = add(mm, start, end, &stored);
	if (ret)
		return ret;
	join(mm, start);
	join(mm, end);
	return 0;
}

int mm_protect(struct world_mm *mm, u64 start, u64 end, u32 flags)
{
	unsigned int left = MM_PROTECT_MAX;
	struct mm_vma *vma;
	u64 at = start;
	bool more;
	int ret;

	ret = cut(mm, start);
	if (!ret)
		ret = cut(mm, end);
	if (ret) {
		join(mm, start);
		return ret;
	}
	while (left-- && (vma = find(mm, at)) && vma->start < end) {
		at = vma->end;
		vma->what.flags = flags;
		join(mm, vma->start);
	}
	vma = find(mm, at);
	more = vma && vma->start < end;
	/* Ranges may be mergeable at either end now. */
	join(mm, at);
	join(mm, end);
	return more ? -E2BIG : 0;
}

/* Recurses as deep as the tree. */
static void free_all(struct mm_vma *t)
{
	if (!t)
		return;
	free_all(t->child[0]);
	free_all(t->child[1]);
	free(t);
}

void mm_clear(struct world_mm *mm)
{
	free_all(mm->root);
	mm->root = NULL;
	mm->bytes = 0;
	mm->nr_vmas = 0;
}

/* The table. */

struct world_mm *mm_lookup(const struct hash_table *t, u64 id)
{
	struct hash_node *node;

	for (node = hash_first(t, hash_of(t, id, 0)); node; node = hash_next(node)) {
		struct world_mm *mm = container_of(node, struct world_mm, node);

		if (mm->id == id)
			return mm;
	}
	return NULL;
}

/* Out of line: most lookups find one. */
static __attribute__((noinline)) struct world_mm *make(struct hash_table *t, u64 id)
{
	struct world_mm *mm = calloc(1, sizeof(*mm));

	if (!mm)
		return NULL;
	mm->id = id;
	hash_add(t, &mm->node, hash_of(t, id, 0));
	return mm;
}

struct world_mm *mm_get(struct hash_table *t, u64 id)
{
	struct world_mm *mm = mm_lookup(t, id);

	return mm ? mm : make(t, id);
}

static void free_node(struct hash_node *node)
{
	struct world_mm *mm = container_of(node, struct world_mm, node);

	mm_clear(mm);
	free(mm);
}

void mm_free(struct hash_table *t, struct world_mm *mm)
{
	hash_del(t, &mm->node);
	free_node(&mm->node);
}

void mm_free_all(struct hash_table *t)
{
	hash_destroy(t, free_node);
}
