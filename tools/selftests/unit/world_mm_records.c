// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: what the world makes of records. */
#include <stdio.h>
#include <string.h>

#include "world/world.h"
#include "kselftest_harness.h"

#define LOG_MAX	8192

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
	self->cap.nr_cpus = 1;
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

/* A record followed by a path. */
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
	/* Nor can that of another process be taken over. */
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
	/* Of an address space that is new: the task it names has it. */
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

TEST_F(world, it_ends_after_other_ends_were_lost)
{
	struct capture_gap gap = { .exact = true };

	FEED(dump_task, .tid = 7, .tgid = 7, .mm = 5, .pgd = 0x50);
	gap.lost[OVNIK_EV_mm_exit] = 1;
	ASSERT_EQ(0, feed(self, ITEM_GAP_BEGIN, 0, &gap));
	FEED(mm_exit, .mm = 5, .pgd = 0x50);
	EXPECT_EQ(NULL, mm_lookup(&self->w.mms, 5));
	EXPECT_EQ(0, task_find(&self->w.tasks, 7)->mm);
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

/* The kernel has a record for each range: one of more than MM_PROTECT_MAX is damage. */
TEST_F(world, one_record_of_many_ranges)
{
	u64 i;

	for (i = 1; i <= MM_PROTECT_MAX + 1; i++)
		FEED(mmap_anon, .tid = 8, .mm = 9, .start = i << 13, .length = 0x1000);
	FEED(mprotect, .tid = 8, .mm = 9, .start = 1 << 13, .length = MM_PROTECT_MAX << 13);
	EXPECT_EQ(0, self->w.stats.ranges);
	FEED(mprotect, .tid = 8, .mm = 9, .start = 1 << 13, .length = (MM_PROTECT_MAX + 1) << 13);
	EXPECT_EQ(1, self->w.stats.ranges);
}

TEST_F(world, what_no_kernel_with_large_pages_says)
{
	world_destroy(&self->w);
	self->cap.meta.page_size = 65536;
	ASSERT_EQ(0, world_init(&self->w, &self->cap));
	self->w.clock = NULL;
	world_begin(&self->w, 0);
	EXPECT_EQ(65536, world_page_size(&self->w));
	EXPECT_EQ(3, world_page_of(&self->w, 0x3ffff));
	FEED(mmap_anon, .tid = 8, .mm = 9, .start = 0x1000, .length = 0x10000);
	FEED(munmap, .tid = 8, .mm = 9, .start = 0x10000, .length = 0x1000);
	FEED(page_add, .order = 14, .pfn = 1);
	FEED(buffer_add, .order = 0, .pfn = 1ULL << 36);
	EXPECT_EQ(4, self->w.stats.ranges);
	FEED(mmap_anon, .tid = 8, .mm = 9, .start = 0x10000, .length = 0x20000);
	FEED(page_add, .order = 13, .pfn = 1);
	FEED(buffer_add, .order = 0, .pfn = (1ULL << 36) - 1);
	EXPECT_EQ(4, self->w.stats.ranges);
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
