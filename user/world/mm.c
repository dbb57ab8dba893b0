// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: see mm.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "world/mm.h"

#define SLOTS_BITS	8	/* of a table that is empty */
#define KEY		0x9e3779b97f4a7c15ULL

/* An AA tree: only a higher child may have its parent's level, and only one in a row. */

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

/* Something has gone from below @t. */
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
	struct mm_vma *vma = calloc(1, sizeof(*vma));

	if (!vma)
		return -ENOMEM;
	vma->start = start;
	vma->end = end;
	vma->what = *what;
	vma->level = 1;
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

/* Have no range lie on both sides of an address. */
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

/* Make the two ranges that meet at an address one, if they can be. */
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
	struct mm_vma *vma;
	int ret;

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
	/* It may have been left at any of these. */
	join(mm, at);
	join(mm, end);
	return 0;
}

/* The depth is that of the tree. */
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

static u64 hash(const struct mm_table *t, u64 id)
{
	return (id * t->key) >> t->shift;
}

int mm_table_init(struct mm_table *t)
{
	memset(t, 0, sizeof(*t));
	t->slots = calloc(1U << SLOTS_BITS, sizeof(struct world_mm *));
	if (!t->slots)
		return -ENOMEM;
	t->mask = (1U << SLOTS_BITS) - 1;
	t->shift = 64 - SLOTS_BITS;
	if (getrandom(&t->key, sizeof(t->key), 0) != sizeof(t->key))
		t->key = KEY;
	t->key |= 1;
	return 0;
}

void mm_table_destroy(struct mm_table *t)
{
	u64 i;

	for (i = 0; t->slots && i <= t->mask; i++) {
		if (!t->slots[i])
			continue;
		mm_clear(t->slots[i]);
		free(t->slots[i]);
	}
	free(t->slots);
	t->slots = NULL;
}

/* Where it is, or where it would be. */
static u64 slot_of(const struct mm_table *t, u64 id)
{
	u64 i = hash(t, id);

	while (t->slots[i] && t->slots[i]->id != id)
		i = (i + 1) & t->mask;
	return i;
}

struct world_mm *mm_lookup(const struct mm_table *t, u64 id)
{
	return t->slots[slot_of(t, id)];
}

static int grow(struct mm_table *t)
{
	struct mm_table larger = {
		.mask = 2 * t->mask + 1, .shift = t->shift - 1, .key = t->key, .nr = t->nr,
	};
	u64 i;

	larger.slots = calloc(larger.mask + 1, sizeof(struct world_mm *));
	if (!larger.slots)
		return -ENOMEM;
	for (i = 0; i <= t->mask; i++) {
		if (t->slots[i])
			larger.slots[slot_of(&larger, t->slots[i]->id)] = t->slots[i];
	}
	free(t->slots);
	*t = larger;
	return 0;
}

struct world_mm *mm_get(struct mm_table *t, u64 id)
{
	struct world_mm *mm = mm_lookup(t, id);

	if (mm)
		return mm;
	/* Half full at most: chains stay short. */
	if (t->nr > t->mask / 2 && grow(t))
		return NULL;
	mm = calloc(1, sizeof(*mm));
	if (!mm)
		return NULL;
	mm->id = id;
	t->slots[slot_of(t, id)] = mm;
	t->nr++;
	return mm;
}

/* No marks for removed slots: what follows in the chain moves up. */
void mm_free(struct mm_table *t, struct world_mm *mm)
{
	u64 hole = slot_of(t, mm->id), i;

	t->nr--;
	for (i = (hole + 1) & t->mask; t->slots[i]; i = (i + 1) & t->mask) {
		u64 home = hash(t, t->slots[i]->id);

		if (((i - home) & t->mask) < ((i - hole) & t->mask))
			continue;
		t->slots[hole] = t->slots[i];
		hole = i;
	}
	t->slots[hole] = NULL;
	mm_clear(mm);
	free(mm);
}
