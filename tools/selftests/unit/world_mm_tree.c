// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: ranges against a model of pages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/mm_tree.h"
#include "kselftest_harness.h"

#define PAGE		0x1000ULL
#define MODEL_PAGES	512
#define STEPS		60000
#define LOG_MAX		8192

static char text[LOG_MAX];

/* "1000-3000 f1 i40+0 " for each range: flags, inode, offset. */
static const char *ranges(const struct world_mm *mm)
{
	const struct mm_vma *vma;
	size_t len = 0;

	text[0] = '\0';
	for (vma = mm_find(mm, 0); vma; vma = mm_find(mm, vma->end))
		len += snprintf(text + len, LOG_MAX - len, "%llx-%llx f%x i%llx+%llx ", vma->start,
				vma->end, vma->what.flags, vma->what.ino, vma->what.offset);
	return text;
}

FIXTURE(mm) {
	struct hash_table table;
	struct world_mm *mm;
	struct world_mm *other;
};

FIXTURE_SETUP(mm)
{
	ASSERT_EQ(0, hash_init(&self->table));
	self->mm = mm_get(&self->table, 1);
	self->other = mm_get(&self->table, 2);
	ASSERT_NE(NULL, self->mm);
	ASSERT_NE(NULL, self->other);
}

FIXTURE_TEARDOWN(mm)
{
	mm_free_all(&self->table);
}

static int map(struct world_mm *mm, u64 start, u64 end, u32 flags, u64 ino, u64 offset)
{
	struct mm_attrs what = { .flags = flags, .ino = ino, .offset = offset };

	return mm_map(mm, start, end, &what);
}

TEST_F(mm, unmap_splits)
{
	ASSERT_EQ(0, map(self->mm, 0x1000, 0x9000, 3, 0x40, 0x2000));
	ASSERT_EQ(0, mm_unmap(self->mm, 0x3000, 0x5000));
	EXPECT_STREQ("1000-3000 f3 i40+2000 5000-9000 f3 i40+6000 ", ranges(self->mm));
	EXPECT_EQ(0x6000, self->mm->bytes);
	ASSERT_EQ(0, mm_unmap(self->mm, 0x2000, 0x6000));
	EXPECT_STREQ("1000-2000 f3 i40+2000 6000-9000 f3 i40+7000 ", ranges(self->mm));
	/* What is not mapped can be unmapped, as in the kernel. */
	ASSERT_EQ(0, mm_unmap(self->mm, 0x20000, 0x30000));
	ASSERT_EQ(0, mm_unmap(self->mm, 0, ~0ULL));
	EXPECT_STREQ("", ranges(self->mm));
	EXPECT_EQ(0, self->mm->bytes);
	EXPECT_EQ(0, self->mm->nr_vmas);
}

/* Those above the limit keep what they have. */
TEST_F(mm, protect_changes_so_many)
{
	u64 i, nr = MM_PROTECT_MAX;

	for (i = 1; i <= nr + 1; i++)
		ASSERT_EQ(0, map(self->mm, i << 12, (i + 1) << 12, 1 + i % 2, 0, 0));
	ASSERT_EQ(nr + 1, self->mm->nr_vmas);
	ASSERT_EQ(-E2BIG, mm_protect(self->mm, 1 << 12, (nr + 2) << 12, 7));
	EXPECT_EQ(2, self->mm->nr_vmas);
	EXPECT_EQ(7, mm_find(self->mm, nr << 12)->what.flags);
	EXPECT_EQ(2, mm_find(self->mm, (nr + 1) << 12)->what.flags);
}

TEST_F(mm, map_replaces)
{
	ASSERT_EQ(0, map(self->mm, 0x1000, 0x9000, 3, 0, 0));
	ASSERT_EQ(0, map(self->mm, 0x4000, 0x5000, 1, 0x40, 0));
	EXPECT_STREQ("1000-4000 f3 i0+0 4000-5000 f1 i40+0 5000-9000 f3 i0+0 ", ranges(self->mm));
	ASSERT_EQ(0, map(self->mm, 0, 0x6000, 5, 0, 0));
	EXPECT_STREQ("0-6000 f5 i0+0 6000-9000 f3 i0+0 ", ranges(self->mm));
	EXPECT_EQ(0x9000, self->mm->bytes);
}

TEST_F(mm, neighbours_are_one_range)
{
	ASSERT_EQ(0, map(self->mm, 0x1000, 0x2000, 3, 0, 0));
	ASSERT_EQ(0, map(self->mm, 0x3000, 0x4000, 3, 0, 0));
	ASSERT_EQ(0, map(self->mm, 0x2000, 0x3000, 3, 0, 0x7000));
	EXPECT_STREQ("1000-4000 f3 i0+0 ", ranges(self->mm));
	/* Of a file only if it goes on there. */
	ASSERT_EQ(0, map(self->mm, 0x4000, 0x5000, 1, 0x40, 0x1000));
	ASSERT_EQ(0, map(self->mm, 0x5000, 0x6000, 1, 0x40, 0x2000));
	ASSERT_EQ(0, map(self->mm, 0x6000, 0x7000, 1, 0x40, 0x2000));
	ASSERT_EQ(0, map(self->mm, 0x7000, 0x8000, 1, 0x41, 0x3000));
	EXPECT_STREQ("1000-4000 f3 i0+0 4000-6000 f1 i40+1000 6000-7000 f1 i40+2000 "
		     "7000-8000 f1 i41+3000 ", ranges(self->mm));
}

TEST_F(mm, protect_splits_and_joins)
{
	ASSERT_EQ(0, map(self->mm, 0x1000, 0x5000, 3, 0x40, 0));
	ASSERT_EQ(0, map(self->mm, 0x7000, 0x9000, 3, 0, 0));
	ASSERT_EQ(0, mm_protect(self->mm, 0x2000, 0x8000, 1));
	EXPECT_STREQ("1000-2000 f3 i40+0 2000-5000 f1 i40+1000 7000-8000 f1 i0+0 "
		     "8000-9000 f3 i0+0 ", ranges(self->mm));
	ASSERT_EQ(0, mm_protect(self->mm, 0, 0x10000, 3));
	EXPECT_STREQ("1000-5000 f3 i40+0 7000-9000 f3 i0+0 ", ranges(self->mm));
	ASSERT_EQ(0, mm_protect(self->mm, 0x100000, 0x200000, 3));
	EXPECT_EQ(0x6000, self->mm->bytes);
}

TEST_F(mm, many_ranges_at_once)
{
	u64 i;

	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, map(self->other, 2 * i * PAGE, (2 * i + 1) * PAGE, 3, 1 + i, 0));
	ASSERT_EQ(-E2BIG, mm_protect(self->other, 0, 2000 * PAGE, 1));
	EXPECT_EQ(1, mm_find(self->other, 126 * PAGE)->what.flags);
	EXPECT_EQ(3, mm_find(self->other, 128 * PAGE)->what.flags);
	EXPECT_EQ(1000, self->other->nr_vmas);
}

TEST_F(mm, the_ends_of_the_address_space)
{
	ASSERT_EQ(0, map(self->mm, 0, ~0ULL & ~0xfffULL, 3, 0, 0));
	ASSERT_EQ(0, mm_unmap(self->mm, 0, PAGE));
	ASSERT_EQ(0, mm_protect(self->mm, ~0ULL << 13, ~0ULL << 12, 1));
	EXPECT_STREQ("1000-ffffffffffffe000 f3 i0+0 ffffffffffffe000-fffffffffffff000 f1 i0+0 ",
		     ranges(self->mm));
	EXPECT_EQ(NULL, mm_find(self->mm, ~0ULL));
}

static u64 seed = 1;

static u32 draw(u32 n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 16) % n;
}

struct page {
	bool mapped;
	u32 flags;
	u64 ino;
	u64 offset;
};

/* Equal, ordered, and as few ranges as there can be. */
static bool agrees(const struct world_mm *mm, const struct page *pages)
{
	const struct mm_vma *vma = mm_find(mm, 0), *before = NULL;
	u64 i, bytes = 0, nr = 0;

	for (i = 0; i < MODEL_PAGES; i++) {
		const struct page *p = &pages[i];

		if (!p->mapped) {
			if (vma && vma->start <= i * PAGE)
				return false;
			continue;
		}
		if (!vma || vma->start > i * PAGE || vma->what.flags != p->flags ||
		    vma->what.ino != p->ino ||
		    (p->ino && vma->what.offset + i * PAGE - vma->start != p->offset))
			return false;
		bytes += PAGE;
		if (vma->end > (i + 1) * PAGE)
			continue;
		before = vma;
		nr++;
		vma = mm_find(mm, vma->end);
		if (vma && vma->start == before->end && vma->what.flags == before->what.flags &&
		    vma->what.ino == before->what.ino &&
		    (!vma->what.ino || before->what.offset + before->end - before->start ==
		     vma->what.offset))
			return false;
	}
	return !vma && mm->bytes == bytes && mm->nr_vmas == nr;
}

static int step(struct world_mm *mm, struct page *pages)
{
	u64 first = draw(MODEL_PAGES), nr = 1 + draw(draw(4) ? 8 : MM_PROTECT_MAX), i;
	struct page p = { .mapped = true, .flags = draw(4), .ino = draw(3) };
	u32 what = draw(9);

	if (nr > MODEL_PAGES - first)
		nr = MODEL_PAGES - first;
	p.offset = p.ino ? (first + 7 * draw(2)) * PAGE : 0;
	for (i = first; i < first + nr; i++) {
		if (what < 5) {
			pages[i] = p;
			pages[i].offset += p.ino ? (i - first) * PAGE : 0;
		} else if (what < 7) {
			pages[i].mapped = false;
		} else {
			pages[i].flags = p.flags;
		}
	}
	first *= PAGE;
	nr *= PAGE;
	if (what < 5)
		return map(mm, first, first + nr, p.flags, p.ino, p.offset);
	if (what < 7)
		return mm_unmap(mm, first, first + nr);
	return mm_protect(mm, first, first + nr, p.flags);
}

static u32 depth(const struct mm_vma *t)
{
	u32 low, high;

	if (!t)
		return 0;
	low = depth(t->child[0]);
	high = depth(t->child[1]);
	return 1 + (low > high ? low : high);
}

TEST_F(mm, the_same_as_page_by_page)
{
	static struct page pages[2][MODEL_PAGES];
	struct world_mm *mms[] = { self->mm, self->other };
	unsigned int i;

	for (i = 0; i < STEPS; i++) {
		unsigned int n = i % 2;

		ASSERT_EQ(0, step(mms[n], pages[n]));
		if (i % 16 < 2)
			ASSERT_TRUE(agrees(mms[n], pages[n]));
	}
}

TEST_F(mm, the_tree_stays_flat)
{
	u64 i;

	for (i = 0; i < 100000; i++)
		ASSERT_EQ(0, map(self->mm, 2 * i * PAGE, (2 * i + 1) * PAGE, 1, 0, 0));
	EXPECT_EQ(100000, self->mm->nr_vmas);
	EXPECT_LT(depth(self->mm->root), 36);
	for (i = 0; i < 100000; i += 3)
		ASSERT_EQ(0, mm_unmap(self->mm, 2 * i * PAGE, (2 * i + 1) * PAGE));
	EXPECT_LT(depth(self->mm->root), 36);
	EXPECT_EQ(66666, self->mm->nr_vmas);
}

TEST_F(mm, many_address_spaces)
{
	u64 i;

	for (i = 3; i < 30000; i++)
		ASSERT_NE(NULL, mm_get(&self->table, i << 40));
	for (i = 3; i < 30000; i += 2)
		mm_free(&self->table, mm_lookup(&self->table, i << 40));
	for (i = 3; i < 30000; i++) {
		const struct world_mm *mm = mm_lookup(&self->table, i << 40);

		ASSERT_EQ(i % 2 == 0, !!mm);
		ASSERT_TRUE(!mm || mm->id == i << 40);
	}
	EXPECT_EQ(self->mm, mm_lookup(&self->table, 1));
}

TEST_HARNESS_MAIN
