// SPDX-License-Identifier: GPL-2.0-only
/* Every letter of the Laplace trace: from a record to its line. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/laplace/laplace.h"
#include "output/output.h"
#include "world/world.h"
#include "kselftest_harness.h"

#define CPUS	2
#define DEV	(0x103 << 20 | 2)

FIXTURE(laplace) {
	struct capture cap;
	struct capture_file files[CPUS];
	struct world w;
	struct outputs outs;
	struct output_env env;
	char dir[32];
	u64 now;
	char text[65536];
};

static void start(struct __test_metadata *_metadata, struct _test_data_laplace *self, bool split)
{
	static const struct output *const table[] = { &laplace_output, NULL };

	ASSERT_EQ(0, world_init(&self->w, &self->cap));
	self->w.clock = NULL;
	ASSERT_EQ(0, outputs_init(&self->outs, table));
	self->outs.uses[0].wanted = true;
	if (split)
		outputs_parse(&self->outs.uses[0], laplace_output.options[0].key, "cpu", NULL);
	self->env.cap = &self->cap;
	self->env.world = &self->w;
	self->env.out = self->dir;
	ASSERT_EQ(0, outputs_attach(&self->outs, &self->env));
	world_begin(&self->w, 0);
}

FIXTURE_SETUP(laplace)
{
	memset(self, 0, sizeof(*self));
	self->files[1].cpu = 5;
	self->cap.files = self->files;
	self->cap.nr_files = CPUS;
	self->cap.nr_cpus = CPUS;
	strcpy(self->dir, "/tmp/ovnik-laplace.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
}

FIXTURE_TEARDOWN(laplace)
{
	static const char * const names[] = {
		"laplace.txt", "laplace.txt.lost", "laplace.cpu0.txt", "laplace.cpu5.txt",
	};
	char path[64];
	unsigned int i;

	outputs_close(&self->outs);
	outputs_destroy(&self->outs);
	world_destroy(&self->w);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", self->dir, names[i]);
		unlink(path);
	}
	rmdir(self->dir);
}

static const char *content(struct _test_data_laplace *self, const char *name)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", self->dir, name);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, self->text, sizeof(self->text) - 1);
	if (fd >= 0)
		close(fd);
	if (n < 0)
		return "(cannot be read)";
	self->text[n] = '\0';
	return self->text;
}

static int feed(struct _test_data_laplace *self, u32 cpu, u8 kind, u8 event, const void *data)
{
	struct capture_item item = {
		.tsc = ++self->now, .cpu = cpu, .kind = kind, .event = event, .data = data,
	};

	return world_feed(&self->w, &item);
}

#define FEED(cpu, name, ...)						\
	ASSERT_EQ(0, feed(self, cpu, ITEM_RECORD, OVNIK_EV_##name,	\
			  &(struct ovnik_##name){ __VA_ARGS__ }))

/* A record followed by a path. */
#define FEED_PATH(cpu, name, text, ...)					\
do {									\
	union {								\
		struct ovnik_##name rec;				\
		char bytes[sizeof(struct ovnik_##name) + 64];		\
	} u = { .rec = { __VA_ARGS__ } };				\
									\
	strcpy(u.bytes + offsetof(struct ovnik_##name, path), text);	\
	ASSERT_EQ(0, feed(self, cpu, ITEM_RECORD, OVNIK_EV_##name, &u));\
} while (0)

#define FINISH()							\
do {									\
	ASSERT_EQ(0, world_end(&self->w, self->now));			\
	ASSERT_EQ(0, outputs_finish(&self->outs, &self->env));			\
} while (0)

TEST_F(laplace, address_spaces)
{
	start(_metadata, self, false);
	FEED(0, dump_task, .tid = 7, .tgid = 7, .mm = 5, .pgd = 0x1a2b3);
	FEED(0, dump_mm, .tid = 7, .vmas = 4, .mm = 5, .pgd = 0x1a2b3);
	FEED_PATH(0, dump_vma, "/bin/a b\n", .tid = 7, .mm = 5, .start = 0x400000,
		  .length = 0x2000, .ino = 0x1b, .dev = DEV, .offset = 0x3000);
	FEED_PATH(0, dump_vma, "", .tid = 7, .mm = 5, .start = 0x500000, .length = 0x1000);
	FEED_PATH(0, dump_vma, "/SYSV0000002a (deleted)", .tid = 7, .mm = 5, .start = 0x600000,
		  .length = 0x1000, .ino = 0x8912, .dev = 1);
	FEED_PATH(0, dump_vma, "/dev/zero (deleted)", .tid = 7, .mm = 5, .start = 0x700000,
		  .length = 0x1000, .ino = 3, .dev = 1, .flags = OVNIK_VMA_SHARED);
	FEED(0, mmap_anon, .kind = OVNIK_MAP_BRK, .tid = 7, .mm = 5, .start = 0x501000,
	     .length = 0x9000);
	FEED_PATH(0, mmap_file, "/lib/c", .tid = 7, .mm = 5, .start = 0x7f0000000000,
		  .length = 0x1000, .ino = 0x1029384756afbecd, .dev = DEV);
	FEED(0, shm_attach, .tid = 7, .mm = 5, .start = 0x800000, .length = 0x1000, .shmid = 0x2b);
	FEED(0, munmap, .tid = 7, .mm = 5, .start = 0x501000, .length = 0x1000);
	FEED(0, mprotect, .tid = 7, .mm = 5, .start = 0x502000, .length = 0x1000);
	FEED(0, madvise_dontneed, .tid = 7, .mm = 5, .start = 0x502000, .length = 0x1000);
	FEED(0, cow_break, .tid = 7, .mm = 5, .address = 0x502345);
	FEED(0, mm_exit, .mm = 5, .pgd = 0x1a2b3);
	FINISH();
	EXPECT_STREQ("A 1 7 1a2b3\n"
		     "M 3 7 400000 2000 1b 103 2 3000 /bin/a b\\x0a\n"
		     "m 4 7 500000 1000\n"
		     "S 5 7 600000 1000 8912\n"
		     "m 6 7 700000 1000\n"
		     "m 7 7 501000 9000\n"
		     "M 8 7 7f0000000000 1000 1029384756afbecd 103 2 0 /lib/c\n"
		     "S 9 7 800000 1000 2b\n"
		     "U a 7 501000 1000\n"
		     "C d 7 502000\n"
		     "u e 1a2b3\n"
		     "c\n", content(self, "laplace.txt"));
}

TEST_F(laplace, fork_and_exec)
{
	start(_metadata, self, false);
	FEED(0, task_mm, .reason = OVNIK_MM_EXEC, .tid = 7, .tgid = 7, .mm = 5, .pgd = 0x50);
	FEED(0, task_fork, .parent_tid = 7, .parent_tgid = 7, .child_tid = 8, .child_tgid = 8);
	FEED(0, task_mm, .reason = OVNIK_MM_FORK, .tid = 8, .tgid = 8, .mm = 6, .pgd = 0x60);
	FEED(0, vma_dup, .tid = 7, .source_mm = 5, .mm = 6, .start = 0x1000, .length = 0x2000);
	FEED(0, vma_dup, .tid = 7, .source_mm = 5, .mm = 6, .start = 0x4000, .length = 0x1000,
	     .flags = OVNIK_VMA_WIPEONFORK);
	/* The new image's stack, while the child has its parent's copy yet. */
	FEED(1, mmap_anon, .kind = OVNIK_MAP_STACK, .tid = 8, .mm = 9, .start = 0x7000,
	     .length = 0x1000);
	FEED(1, mmap_anon, .kind = OVNIK_MAP_GROWTH, .tid = 8, .mm = 9, .start = 0x6000,
	     .length = 0x1000);
	FEED(1, mm_exit, .mm = 6, .pgd = 0x60);
	FEED(1, task_mm, .reason = OVNIK_MM_EXEC, .tid = 8, .tgid = 8, .mm = 9, .pgd = 0x90);
	FEED(1, munmap, .tid = 8, .mm = 9, .start = 0x7000, .length = 0x1000);
	FEED_PATH(1, mremap, "", .tid = 8, .mm = 9, .old_start = 0x6000, .old_length = 0x2000,
		  .start = 0x5000, .length = 0x2000);
	/* An exec that fails. */
	FEED(0, mmap_anon, .kind = OVNIK_MAP_STACK, .tid = 7, .mm = 10, .start = 0x7000,
	     .length = 0x1000);
	FEED(0, mm_exit, .mm = 10, .pgd = 0xa0);
	FEED(1, mm_exit, .mm = 9, .pgd = 0x90);
	FEED(1, task_exit, .tid = 8, .tgid = 8);
	FINISH();
	EXPECT_STREQ("A 1 7 50\n"
		     "F 2 7 8\n"
		     "A 3 8 60\n"
		     "D 4 50 60 1000 3000\n"
		     "m 5 8 4000 1000\n"
		     "u 8 60\n"
		     "A 9 8 90\n"
		     "m 9 8 6000 2000\n"
		     "U a 8 7000 1000\n"
		     "m b 8 5000 2000\n"
		     "u d a0\n"
		     "u e 90\n"
		     "T f 8\n"
		     "c\n", content(self, "laplace.txt"));
	EXPECT_EQ(0, ((struct laplace *)self->outs.uses[0].data)->unplaced);
}

/* An address of another user's process, and any frame: in a private capture none is known. */
TEST_F(laplace, hidden)
{
	start(_metadata, self, false);
	FEED(0, dump_task, .tid = 7, .tgid = 7, .mm = 5, .pgd = OVNIK_NO_FRAME);
	FEED(0, task_mm, .reason = OVNIK_MM_FORK, .tid = 8, .tgid = 8, .mm = 6,
	     .pgd = OVNIK_NO_FRAME);
	FEED(0, mmap_anon, .tid = 7, .mm = 5, .start = 0x500000, .length = 0x1000);
	FEED(0, cow_break, .tid = 8, .mm = 6, .address = OVNIK_NO_ADDRESS);
	FEED(0, cow_break, .tid = 7, .mm = 5, .address = 0x500000);
	FEED(0, page_add, .pfn = OVNIK_NO_FRAME, .ino = 0x1b, .dev = DEV);
	FEED(0, page_remove, .pfn = OVNIK_NO_FRAME, .ino = 0x1b, .dev = DEV);
	FEED(0, buffer_add, .pfn = OVNIK_NO_FRAME, .dev = DEV);
	FEED(0, mm_exit, .mm = 6, .pgd = OVNIK_NO_FRAME);
	FINISH();
	EXPECT_STREQ("m 3 7 500000 1000\n"
		     "C 5 7 500000\n"
		     "c\n", content(self, "laplace.txt"));
}

TEST_F(laplace, mremap)
{
	start(_metadata, self, false);
	FEED(0, task_mm, .reason = OVNIK_MM_EXEC, .tid = 7, .tgid = 7, .mm = 5, .pgd = 0x50);
	FEED_PATH(0, mremap, "/f", .tid = 7, .mm = 5, .old_start = 0x6000, .old_length = 0x2000,
		  .start = 0x6000, .length = 0x5000, .ino = 1, .dev = DEV, .offset = 0x1000);
	FEED_PATH(0, mremap, "", .tid = 7, .mm = 5, .old_start = 0x6000, .old_length = 0x2000,
		  .start = 0x6000, .length = 0x3000);
	FEED_PATH(0, mremap, "", .tid = 7, .mm = 5, .old_start = 0x6000, .old_length = 0x2000,
		  .start = 0x6000, .length = 0x2000);
	FEED_PATH(0, mremap, "/SYSV0 (deleted)", .tid = 7, .mm = 5, .old_start = 0x6000,
		  .old_length = 0x2000, .start = 0x9000, .length = 0x2000, .ino = 4);
	FEED_PATH(0, mremap, "/f", .tid = 7, .mm = 5, .old_start = 0x6000, .old_length = ~0ULL,
		  .start = 0x6000, .length = 0x1000, .ino = 4);
	FINISH();
	EXPECT_STREQ("A 1 7 50\n"
		     "M 2 7 8000 3000 1 103 2 3000 /f\n"
		     "m 3 7 8000 1000\n"
		     "S 5 7 9000 2000 4\n"
		     "c\n", content(self, "laplace.txt"));
}

TEST_F(laplace, pages_and_files)
{
	start(_metadata, self, false);
	FEED(0, page_add, .order = 1, .pfn = 0xdc102, .ino = 0x1b, .dev = DEV, .offset = 0x4000);
	FEED(0, page_remove, .order = 2, .pfn = 0xdc104, .ino = 0x1b, .dev = DEV);
	FEED(0, buffer_add, .pfn = 0xc1234, .dev = DEV);
	FEED(0, buffer_remove, .order = 1, .pfn = 0xd9898, .dev = DEV);
	FEED(0, page_add, .order = 63, .pfn = 1);
	FEED_PATH(0, file_open, "baz\\\xc2\x9b", .tid = 0x100, .ino = 0x1b, .dev = DEV);
	FEED(0, file_begin, .tid = 0x100);
	FEED(0, file_read, .tid = 0x100, .ino = 0x1b, .dev = DEV, .offset = 0x1029384756afbecd,
	     .result = 0xe012);
	FEED(0, file_read, .tid = 0x100, .ino = 0x1b, .dev = DEV, .result = 0);
	FEED(0, file_read, .tid = 0x100, .ino = 0x1b, .dev = DEV, .result = -9);
	FEED(0, file_write, .tid = 0x105, .ino = 0x1b, .dev = DEV, .offset = 1, .result = 0x1b1b);
	FEED(0, file_close, .tid = 0x100, .ino = 0x1b, .dev = DEV);
	FEED(0, file_truncate, .tid = 0x100, .ino = 0x1b, .dev = DEV);
	FEED_PATH(0, file_rename, "/b", .tid = 0x100, .ino = 0x1b, .dev = DEV);
	FEED_PATH(0, dump_file, "/etc/x", .tid = 0x100, .ino = 0x1c, .dev = DEV);
	FEED(0, file_delete, .ino = 0x1b, .dev = DEV);
	FEED(0, page_fault, .tid = 0x100);
	FEED(0, page_fault_end, .tid = 0x100);
	FINISH();
	EXPECT_STREQ("P 1 dc102000 1b 103 2 4000\n"
		     "P 1 dc103000 1b 103 2 5000\n"
		     "p 2 dc104000\np 2 dc105000\np 2 dc106000\np 2 dc107000\n"
		     "B 3 c1234000\n"
		     "b 4 d9898000\nb 4 d9899000\n"
		     "( 6 100 1b 103 2 baz\\x5c\\xc2\\x9b\n"
		     "< 8 100 1b 103 2 1029384756afbecd e012\n"
		     "> b 105 1b 103 2 1 1b1b\n"
		     ") c 100 1b 103 2\n"
		     "( f 100 1c 103 2 /etc/x\n"
		     "- 10 1b 103 2\n"
		     "c\n", content(self, "laplace.txt"));
}

TEST_F(laplace, a_foreigner_is_not_named)
{
	start(_metadata, self, false);
	FEED(0, task_mm, .reason = OVNIK_MM_EXEC, .tid = 7, .tgid = 7, .mm = 5, .pgd = 0x50);
	FEED(0, task_mm, .reason = OVNIK_MM_EXEC, .tid = 8, .tgid = 8, .mm = 6, .pgd = 0x60);
	FEED(0, cow_break, .tid = 8, .mm = 5, .address = 0x1000);
	FEED(0, task_exit, .tid = 7, .tgid = 7);
	FEED(0, mm_exit, .mm = 0x77, .pgd = 0x70);
	FEED(0, cow_break, .tid = 8, .mm = 5, .address = 0x1000);
	FINISH();
	EXPECT_STREQ("A 1 7 50\nA 2 8 60\nC 3 7 1000\nT 4 7\nu 5 70\nc\n",
		     content(self, "laplace.txt"));
}

TEST_F(laplace, a_trace_a_cpu)
{
	struct capture_gap gap = { .cpu = 5, .exact = true };

	start(_metadata, self, true);
	FEED(0, task_mm, .reason = OVNIK_MM_EXEC, .tid = 7, .tgid = 7, .mm = 5, .pgd = 0x50);
	FEED(0, sched_switch, .prev_tid = 0, .next_tid = 7);
	FEED(1, sched_switch, .prev_tid = 0, .next_tid = 8);
	FEED_PATH(1, file_open, "x", .tid = 8, .ino = 1);
	FEED(1, page_add, .pfn = 1, .ino = 1);
	FEED(0, munmap, .tid = 7, .mm = 5, .start = 0x1000, .length = 0x1000);
	gap.lost[OVNIK_EV_sched_switch] = 1;
	ASSERT_EQ(0, feed(self, 1, ITEM_GAP_BEGIN, 0, &gap));
	FINISH();
	EXPECT_STREQ("A 1 7 50\ns 2 7\nP 5 1000 1 0 0 0\nU 6 7 1000 1000\nc\n",
		     content(self, "laplace.cpu0.txt"));
	EXPECT_STREQ("A 1 7 50\ns 3 8\n( 4 8 1 0 0 x\nP 5 1000 1 0 0 0\nU 6 7 1000 1000\n",
		     content(self, "laplace.cpu5.txt"));
	EXPECT_STREQ("5 0 0  sched_switch=1\n", content(self, "laplace.txt.lost"));
}

TEST_F(laplace, what_all_share_is_missed_by_all)
{
	struct capture_gap gap = { .cpu = 5, .exact = true };

	start(_metadata, self, true);
	FEED(0, sched_switch, .prev_tid = 0, .next_tid = 7);
	gap.lost[OVNIK_EV_mmap_file] = 1;
	ASSERT_EQ(0, feed(self, 1, ITEM_GAP_BEGIN, 0, &gap));
	FINISH();
	EXPECT_STREQ("s 1 7\n", content(self, "laplace.cpu0.txt"));
	EXPECT_STREQ("", content(self, "laplace.cpu5.txt"));
}

/* What has no name may concern all. */
TEST_F(laplace, what_nobody_knows_is_missed_by_all)
{
	struct capture_gap gap = { .cpu = 5, .exact = true, .other = 1 };

	start(_metadata, self, true);
	FEED(0, sched_switch, .prev_tid = 0, .next_tid = 7);
	ASSERT_EQ(0, feed(self, 1, ITEM_GAP_BEGIN, 0, &gap));
	FINISH();
	EXPECT_STREQ("s 1 7\n", content(self, "laplace.cpu0.txt"));
}

TEST_HARNESS_MAIN
