// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: ranges against a model of pages, and what the world makes of records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "world/world.h"
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
	ASSERT_EQ(0, mm_protect(self->other, 0, 2000 * PAGE, 1));
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

/* Records. */

FIXTURE(world) {
	struct capture cap;
	struct capture_file file;
	struct world w;
	u64 now;
	char log[LOG_MAX];
	size_t len;
};

/* "mm_map:7(7):5:3000 " for a hook: task, owner, address space, bytes mapped. */
static void note(void *data, const struct hook_ctx *ctx)
{
	struct _test_data_world *self = data;
	const struct world_item *it = ctx->item;

	self->len += snprintf(self->log + self->len, LOG_MAX - self->len, "%s:%u(%u)%s%s",
			      ctx->domain->positions[ctx->position].name,
			      it->task ? it->task->tid : 0, it->owner ? it->owner->tid : 0,
			      it->fresh ? "!" : "", it->moved ? "^" : "");
	self->len += snprintf(self->log + self->len, LOG_MAX - self->len, ":%llx:%llx ",
			      it->mm ? it->mm->id : 0, it->mm ? it->mm->bytes : 0);
}

FIXTURE_SETUP(world)
{
	static const enum world_position noted[] = {
		WORLD_MM_ASSIGN, WORLD_MM_EXIT, WORLD_MM_MAP, WORLD_MM_UNMAP, WORLD_MM_PROTECT,
		WORLD_MM_REMAP, WORLD_MM_DONTNEED, WORLD_MM_DUP, WORLD_MM_DUMP, WORLD_VMA_DUMP,
		WORLD_COW_BREAK, WORLD_FAULT_BEGIN, WORLD_FAULT_END, WORLD_PAGE_ADD,
		WORLD_PAGE_REMOVE, WORLD_BUFFER_ADD, WORLD_BUFFER_REMOVE, WORLD_FILE_OPEN,
		WORLD_FILE_CLOSE, WORLD_FILE_DUMP, WORLD_IO_BEGIN, WORLD_IO_READ, WORLD_IO_WRITE,
		WORLD_FILE_DELETE, WORLD_FILE_TRUNCATE, WORLD_FILE_RENAME,
	};
	unsigned int i;

	memset(self, 0, sizeof(*self));
	self->cap.files = &self->file;
	self->cap.nr_files = 1;
	ASSERT_EQ(0, world_init(&self->w, &self->cap));
	self->w.clock = NULL;
	for (i = 0; i < ARRAY_SIZE(noted); i++)
		ASSERT_EQ(0, hook_attach(&self->w.hooks, noted[i], note, self));
	world_begin(&self->w, 0);
}

FIXTURE_TEARDOWN(world)
{
	world_destroy(&self->w);
}

static int feed(struct _test_data_world *self, u8 kind, u8 event, const void *data)
{
	struct capture_item item = {
		.tsc = ++self->now, .kind = kind, .event = event, .data = data,
	};

	return world_feed(&self->w, &item);
}

#define FEED(name, ...)							\
	ASSERT_EQ(0, feed(self, ITEM_RECORD, OVNIK_EV_##name,		\
			  &(struct ovnik_##name){ __VA_ARGS__ }))

/* A record with a path behind it. */
#define FEED_PATH(name, text, ...)					\
do {									\
	union {								\
		struct ovnik_##name rec;				\
		char bytes[sizeof(struct ovnik_##name) + 64];		\
	} u = { .rec = { __VA_ARGS__ } };				\
									\
	strcpy(u.bytes + offsetof(struct ovnik_##name, path), text);	\
	ASSERT_EQ(0, feed(self, ITEM_RECORD, OVNIK_EV_##name, &u));	\
} while (0)

#define EXPECT_TOLD(what)						\
do {									\
	EXPECT_STREQ(what, self->log);					\
	self->log[0] = '\0';						\
	self->len = 0;							\
} while (0)

#define EXPECT_RANGES(id, what)						\
	EXPECT_STREQ(what, ranges(mm_lookup(&self->w.mms, id)))

TEST_F(world, a_life)
{
	FEED(dump_task, .tid = 7, .tgid = 7, .mm = 5, .pgd = 0x50);
	FEED(dump_mm, .tid = 7, .vmas = 2, .mm = 5, .pgd = 0x50);
	FEED_PATH(dump_vma, "/bin/sh", .tid = 7, .mm = 5, .start = 0x1000, .length = 0x2000,
		  .flags = 5, .ino = 0x40, .offset = 0x1000);
	FEED_PATH(dump_vma, "", .tid = 7, .mm = 5, .start = 0x9000, .length = 0x1000, .flags = 3);
	EXPECT_TOLD("mm_dump:7(7):5:0 vma_dump:7(7):5:2000 vma_dump:7(7):5:3000 ");
	/* It forks; the child gets a copy, and replaces it by exec. */
	FEED(task_fork, .parent_tid = 7, .parent_tgid = 7, .child_tid = 8, .child_tgid = 8);
	EXPECT_EQ(2, mm_lookup(&self->w.mms, 5)->nr_users);
	FEED(task_mm, .reason = OVNIK_MM_FORK, .tid = 8, .tgid = 8, .mm = 6, .pgd = 0x60);
	FEED(vma_dup, .tid = 7, .source_mm = 5, .mm = 6, .start = 0x1000, .length = 0x2000,
	     .flags = 5, .ino = 0x40, .offset = 0x1000);
	FEED(vma_dup, .tid = 7, .source_mm = 5, .mm = 6, .start = 0x9000, .length = 0x1000,
	     .flags = 3);
	EXPECT_TOLD("mm_assign:8(0)!:6:0 mm_dup:7(8):6:2000 mm_dup:7(8):6:3000 ");
	EXPECT_RANGES(6, "1000-3000 f5 i40+1000 9000-a000 f3 i0+0 ");
	EXPECT_EQ(1, mm_lookup(&self->w.mms, 5)->nr_users);
	FEED(mmap_anon, .kind = OVNIK_MAP_STACK, .tid = 8, .mm = 9, .start = 0xf000,
	     .length = 0x1000, .flags = 0x13);
	FEED(mmap_anon, .kind = OVNIK_MAP_GROWTH, .tid = 8, .mm = 9, .start = 0xd000,
	     .length = 0x2000, .flags = 0x13);
	FEED(mm_exit, .mm = 6, .pgd = 0x60);
	FEED(task_mm, .reason = OVNIK_MM_EXEC, .tid = 8, .tgid = 8, .mm = 9, .pgd = 0x90);
	EXPECT_TOLD("mm_map:8(0):9:1000 mm_map:8(0):9:3000 mm_exit:0(0):6:3000 "
		    "mm_assign:8(0)!:9:3000 ");
	EXPECT_RANGES(9, "d000-10000 f13 i0+0 ");
	/* The stack is moved to its place. */
	FEED(munmap, .tid = 8, .mm = 9, .start = 0xe000, .length = 0x2000);
	FEED_PATH(mremap, "", .tid = 8, .mm = 9, .old_start = 0xd000, .old_length = 0x3000,
		  .start = 0xb000, .length = 0x3000, .flags = 0x13);
	EXPECT_TOLD("mm_unmap:8(8):9:1000 mm_remap:8(8):9:3000 ");
	EXPECT_RANGES(9, "b000-e000 f13 i0+0 ");
	FEED(mmap_anon, .kind = OVNIK_MAP_GROWTH, .tid = 8, .mm = 9, .start = 0xa000,
	     .length = 0x1000, .flags = 0x13);
	EXPECT_RANGES(9, "a000-e000 f13 i0+0 ");
	FEED(mm_exit, .mm = 9, .pgd = 0x90);
	FEED(task_exit, .tid = 8, .tgid = 8);
	EXPECT_TOLD("mm_map:8(8):9:4000 mm_exit:0(0):9:4000 ");
	EXPECT_EQ(1, self->w.mms.nr);
	EXPECT_EQ(0, task_find(&self->w.tasks, 8)->mm);
	EXPECT_EQ(0, self->w.stats.ranges);
}

TEST_F(world, mremap_grows_moves_and_shrinks)
{
	FEED(task_mm, .reason = OVNIK_MM_EXEC, .tid = 8, .tgid = 8, .mm = 9, .pgd = 0x90);
	FEED_PATH(mmap_file, "/a", .tid = 8, .mm = 9, .start = 0x1000, .length = 0x2000,
		  .flags = 1, .ino = 0x40, .offset = 0x8000);
	FEED_PATH(mremap, "/a", .tid = 8, .mm = 9, .old_start = 0x1000, .old_length = 0x2000,
		  .start = 0x1000, .length = 0x4000, .flags = 1, .ino = 0x40, .offset = 0x8000);
	EXPECT_RANGES(9, "1000-5000 f1 i40+8000 ");
	FEED(munmap, .tid = 8, .mm = 9, .start = 0x1000, .length = 0x4000);
	FEED_PATH(mremap, "/a", .tid = 8, .mm = 9, .old_start = 0x1000, .old_length = 0x4000,
		  .start = 0x20000, .length = 0x6000, .flags = 1, .ino = 0x40, .offset = 0x8000);
	EXPECT_RANGES(9, "20000-26000 f1 i40+8000 ");
	FEED(munmap, .tid = 8, .mm = 9, .start = 0x22000, .length = 0x4000);
	EXPECT_RANGES(9, "20000-22000 f1 i40+8000 ");
	FEED(mprotect, .tid = 8, .mm = 9, .start = 0x21000, .length = 0x1000, .flags = 3);
	EXPECT_RANGES(9, "20000-21000 f1 i40+8000 21000-22000 f3 i40+9000 ");
	FEED(madvise_dontneed, .tid = 8, .mm = 9, .start = 0x21000, .length = 0x7ff);
	EXPECT_RANGES(9, "20000-21000 f1 i40+8000 21000-22000 f3 i40+9000 ");
	FEED(shm_attach, .tid = 8, .mm = 9, .start = 0x30000, .length = 0x1000, .flags = 0xb,
	     .shmid = 0x77, .dev = 1);
	EXPECT_RANGES(9, "20000-21000 f1 i40+8000 21000-22000 f3 i40+9000 "
		      "30000-31000 fb i77+0 ");
}

TEST_F(world, who_has_no_address_space_gets_the_one_it_maps_in)
{
	FEED(mmap_anon, .kind = OVNIK_MAP_BRK, .tid = 8, .mm = 9, .start = 0x1000,
	     .length = 0x1000);
	EXPECT_TOLD("mm_map:8(8):9:1000 ");
	/* But not with an image's stack, which is in the next one. */
	FEED(mmap_anon, .kind = OVNIK_MAP_STACK, .tid = 4, .mm = 10, .start = 0x1000,
	     .length = 0x1000);
	EXPECT_TOLD("mm_map:4(0):a:1000 ");
	/* Nor can somebody else's be taken over. */
	FEED(munmap, .tid = 8, .mm = 10, .start = 0x1000, .length = 0x1000);
	FEED(munmap, .tid = 4, .mm = 10, .start = 0x1000, .length = 0x1000);
	EXPECT_TOLD("mm_unmap:8(8):a:0 mm_unmap:4(4):a:0 ");
	FEED(cow_break, .tid = 8, .mm = 10, .address = 0x1000);
	FEED(dump_task, .tid = 4, .tgid = 4, .start = 1, .mm = 10, .pgd = 0xa0);
	EXPECT_TOLD("cow_break:8(8):a:0 ");
	EXPECT_EQ(0xa0, mm_lookup(&self->w.mms, 10)->pgd);
	EXPECT_EQ(2, mm_lookup(&self->w.mms, 10)->nr_users);
}

TEST_F(world, a_foreigner_owns_nothing)
{
	FEED(task_mm, .reason = OVNIK_MM_EXEC, .tid = 8, .tgid = 8, .mm = 9, .pgd = 0x90);
	FEED(task_mm, .reason = OVNIK_MM_EXEC, .tid = 7, .tgid = 7, .mm = 5, .pgd = 0x50);
	self->len = 0;
	FEED(cow_break, .tid = 7, .mm = 9, .address = 0x1000);
	FEED(madvise_dontneed, .tid = 7, .mm = 9, .start = 0x1000, .length = 0x1000);
	EXPECT_TOLD("cow_break:7(8):9:0 mm_dontneed:7(8):9:0 ");
}

TEST_F(world, a_statedump_begins_anew)
{
	FEED(mmap_anon, .kind = OVNIK_MAP_MMAP, .tid = 8, .mm = 9, .start = 0x1000,
	     .length = 0x9000, .flags = 3);
	FEED(dump_mm, .tid = 8, .vmas = 1, .mm = 9, .pgd = 0x90);
	FEED_PATH(dump_vma, "/SYSV00000000 (deleted)", .tid = 8, .mm = 9, .start = 0x5000,
		  .length = 0x1000, .flags = 3, .ino = 7, .dev = 1);
	EXPECT_RANGES(9, "5000-6000 f3 i7+0 ");
	EXPECT_EQ(MM_KIND_SHM, mm_find(mm_lookup(&self->w.mms, 9), 0)->what.kind);
	/* Of an address space nobody spoke of before: who is named there has it. */
	self->len = 0;
	FEED(dump_mm, .tid = 3, .vmas = 0, .mm = 4, .pgd = 0x40);
	EXPECT_TOLD("mm_dump:3(3)^:4:0 ");
	EXPECT_EQ(0x40, task_find(&self->w.tasks, 3)->pgd);
}

/* As the statedump does, which was at the old address space when its task called exec. */
TEST_F(world, a_statedump_is_late)
{
	struct capture_gap gap = { .exact = true };

	FEED(task_mm, .reason = OVNIK_MM_EXEC, .tid = 8, .tgid = 8, .mm = 9, .pgd = 0x90);
	FEED(task_mm, .reason = OVNIK_MM_EXEC, .tid = 8, .tgid = 8, .mm = 10, .pgd = 0xa0);
	self->len = 0;
	FEED(dump_mm, .tid = 8, .vmas = 1, .mm = 9, .pgd = 0x90);
	FEED_PATH(dump_vma, "", .tid = 8, .mm = 9, .start = 0x5000, .length = 0x1000);
	EXPECT_TOLD("mm_dump:8(0):9:0 vma_dump:8(0):9:1000 ");
	EXPECT_EQ(10, task_find(&self->w.tasks, 8)->mm);
	/* It is believed where the record of the exec may be missing. */
	gap.lost[OVNIK_EV_task_mm] = 1;
	ASSERT_EQ(0, feed(self, ITEM_GAP_BEGIN, 0, &gap));
	self->len = 0;
	FEED(dump_mm, .tid = 8, .vmas = 0, .mm = 11, .pgd = 0xb0);
	EXPECT_TOLD("mm_dump:8(8)^:b:0 ");
	EXPECT_EQ(11, task_find(&self->w.tasks, 8)->mm);
}

TEST_F(world, threads_and_vfork_share)
{
	FEED(task_mm, .reason = OVNIK_MM_EXEC, .tid = 8, .tgid = 8, .mm = 9, .pgd = 0x90);
	FEED(task_fork, .parent_tid = 8, .parent_tgid = 8, .child_tid = 10, .child_tgid = 8);
	FEED(task_fork, .parent_tid = 8, .parent_tgid = 8, .child_tid = 11, .child_tgid = 11);
	EXPECT_EQ(3, mm_lookup(&self->w.mms, 9)->nr_users);
	EXPECT_EQ(9, task_find(&self->w.tasks, 11)->mm);
	FEED(sched_switch, .prev_tid = 0, .next_tid = 10);
	FEED(sched_switch, .prev_tid = 10, .next_tid = 0, .prev_state = OVNIK_STATE_DEAD);
	FEED(task_exit, .tid = 8, .tgid = 8);
	EXPECT_EQ(1, mm_lookup(&self->w.mms, 9)->nr_users);
	EXPECT_EQ(11, mm_lookup(&self->w.mms, 9)->users->tid);
}

TEST_F(world, without_its_end_an_address_space_goes_with_its_last_task)
{
	struct capture_gap gap = { .exact = true };

	gap.lost[OVNIK_EV_mm_exit] = 1;
	FEED(task_mm, .reason = OVNIK_MM_EXEC, .tid = 8, .tgid = 8, .mm = 9, .pgd = 0x90);
	FEED(mm_exit, .mm = 77);
	FEED(task_exit, .tid = 8, .tgid = 8);
	EXPECT_NE(NULL, mm_lookup(&self->w.mms, 9));
	ASSERT_EQ(0, feed(self, ITEM_GAP_BEGIN, 0, &gap));
	FEED(task_mm, .reason = OVNIK_MM_EXEC, .tid = 7, .tgid = 7, .mm = 5, .pgd = 0x50);
	FEED(task_exit, .tid = 7, .tgid = 7);
	EXPECT_EQ(NULL, mm_lookup(&self->w.mms, 5));
}

TEST_F(world, what_no_kernel_says)
{
	/* Empty, over the end, between pages, without an address space. */
	FEED(munmap, .tid = 8, .mm = 9, .start = 0x1000, .length = 0);
	FEED(munmap, .tid = 8, .mm = 9, .start = 0x1000, .length = ~0ULL & ~0xfffULL);
	FEED(mmap_anon, .tid = 8, .mm = 9, .start = 0x1001, .length = 0x1000);
	FEED(mprotect, .tid = 8, .mm = 9, .start = 0x1000, .length = 0x1001);
	FEED(munmap, .tid = 8, .mm = 0, .start = 0x1000, .length = 0x1000);
	FEED(vma_dup, .tid = 8, .mm = 9, .source_mm = 0, .start = 0x1000, .length = 0x1000);
	FEED(page_add, .order = 60, .pfn = 1);
	FEED(page_remove, .order = 11, .pfn = 1);
	FEED(buffer_add, .order = 0, .pfn = 1ULL << 52);
	EXPECT_TOLD("");
	EXPECT_EQ(9, self->w.stats.ranges);
	FEED(vma_dup, .tid = 8, .mm = 9, .source_mm = 9, .start = 0x1000, .length = 0x1000);
	FEED(munmap, .tid = 0xffffffff, .mm = 9, .start = 0x1000, .length = 0x1000);
	EXPECT_EQ(1, self->w.stats.impossible);
	FEED(mm_exit, .mm = 9);
	FEED(mm_exit, .mm = 9);
	FEED(mm_exit, .mm = 0);
}

TEST_F(world, who_runs_there_did_it)
{
	FEED(sched_switch, .prev_tid = 0, .next_tid = 10);
	FEED(page_add, .order = 2, .pfn = 1);
	FEED(page_remove, .pfn = 1);
	FEED(buffer_add, .pfn = 1);
	FEED(buffer_remove, .pfn = 1);
	FEED(file_delete, .ino = 1);
	EXPECT_TOLD("page_add:10(0):0:0 page_remove:10(0):0:0 buffer_add:10(0):0:0 "
		    "buffer_remove:10(0):0:0 file_delete:10(0):0:0 ");
	FEED_PATH(file_open, "/a", .tid = 7);
	FEED_PATH(dump_file, "/a", .tid = 7);
	FEED_PATH(file_rename, "/a", .tid = 7);
	FEED(file_close, .tid = 7);
	FEED(file_begin, .tid = 7);
	FEED(file_read, .tid = 7);
	FEED(file_write, .tid = 7);
	FEED(file_truncate, .tid = 7);
	FEED(page_fault, .tid = 7);
	FEED(page_fault_end, .tid = 7);
	EXPECT_TOLD("file_open:7(0):0:0 file_dump:7(0):0:0 file_rename:7(0):0:0 "
		    "file_close:7(0):0:0 io_begin:7(0):0:0 io_read:7(0):0:0 io_write:7(0):0:0 "
		    "file_truncate:7(0):0:0 fault_begin:7(0):0:0 fault_end:7(0):0:0 ");
}

TEST_HARNESS_MAIN
