// SPDX-License-Identifier: GPL-2.0-only
/* A Laplace trace for each CPU, and what is missing in which of them. */
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

static void start(struct __test_metadata *_metadata, struct _test_data_laplace *self)
{
	static const struct output *const table[] = { &laplace_output, NULL };

	ASSERT_EQ(0, world_init(&self->w, &self->cap));
	self->w.clock = NULL;
	ASSERT_EQ(0, outputs_init(&self->outs, table));
	self->outs.uses[0].wanted = true;
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
		"laplace.txt.lost", "laplace.cpu0.txt", "laplace.cpu5.txt",
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

TEST_F(laplace, a_trace_a_cpu)
{
	struct capture_gap gap = { .cpu = 5, .exact = true };

	start(_metadata, self);
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

	start(_metadata, self);
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

	start(_metadata, self);
	FEED(0, sched_switch, .prev_tid = 0, .next_tid = 7);
	ASSERT_EQ(0, feed(self, 1, ITEM_GAP_BEGIN, 0, &gap));
	FINISH();
	EXPECT_STREQ("s 1 7\n", content(self, "laplace.cpu0.txt"));
}

TEST_HARNESS_MAIN
