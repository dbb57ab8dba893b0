// SPDX-License-Identifier: GPL-2.0-only
/* Whose process is a thread that logs, where its number changes. */
#include <string.h>

#include "merge/who.h"
#include "kselftest_harness.h"

#define FEED(w, time, name, ...)						\
	ASSERT_EQ(0, world_feed(w, &(struct capture_item){			\
		.tsc = time, .kind = ITEM_RECORD, .event = OVNIK_EV_##name,	\
		.data = &(struct ovnik_##name){ __VA_ARGS__ },			\
	}))

/* It has logged before an exec, which gave it the number of its leader. */
TEST(thread_that_execs)
{
	static const u32 tids[] = { 100, 101 };
	struct xray_who who = { .tids = tids, .nr_tids = 2 };
	struct capture_file files[1] = { 0 };
	struct capture cap = { .files = files, .nr_files = 1, .nr_cpus = 1 };
	struct world w;

	ASSERT_EQ(0, world_init(&w, &cap));
	w.clock = NULL;
	ASSERT_EQ(0, xray_who_attach(&who, &w));
	world_begin(&w, 0);
	FEED(&w, 1, dump_task, .tid = 100, .tgid = 100, .start = 1);
	FEED(&w, 2, dump_task, .tid = 101, .tgid = 100, .start = 2);
	FEED(&w, 3, sched_switch, .prev_tid = 100, .prev_state = OVNIK_STATE_ZOMBIE);
	FEED(&w, 4, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	FEED(&w, 5, task_fork, .parent_tid = 7, .parent_tgid = 7,
	     .child_tid = 101, .child_tgid = 7);
	ASSERT_EQ(0, world_end(&w, 6));
	EXPECT_EQ(100, xray_who_pid(&who, 101, 2));
	EXPECT_EQ(7, xray_who_pid(&who, 101, 5));
	EXPECT_EQ(100, xray_who_pid(&who, 100, 2));
	EXPECT_EQ(100, xray_who_pid(&who, 100, 5));
	xray_who_free(&who);
	world_destroy(&w);
}

/* Its log is as one of its parent's until it runs another program. */
TEST(child_that_is_forked)
{
	struct xray_who who = { 0 };
	struct capture_file files[1] = { 0 };
	struct capture cap = { .files = files, .nr_files = 1, .nr_cpus = 1 };
	struct world w;

	ASSERT_EQ(0, world_init(&w, &cap));
	w.clock = NULL;
	ASSERT_EQ(0, xray_who_attach(&who, &w));
	world_begin(&w, 0);
	FEED(&w, 1, dump_task, .tid = 100, .tgid = 100, .start = 1);
	FEED(&w, 3, task_fork, .parent_tid = 100, .parent_tgid = 100,
	     .child_tid = 101, .child_tgid = 100);
	FEED(&w, 4, task_fork, .parent_tid = 100, .parent_tgid = 100,
	     .child_tid = 200, .child_tgid = 200);
	FEED(&w, 6, task_exec, .tid = 200, .old_tid = 200, .tgid = 200);
	FEED(&w, 7, task_exec, .tid = 200, .old_tid = 200, .tgid = 200);
	FEED(&w, 8, task_fork, .parent_tid = 101, .parent_tgid = 100,
	     .child_tid = 300, .child_tgid = 300);
	ASSERT_EQ(0, world_end(&w, 9));
	EXPECT_EQ(0, xray_who_twin(&who, 100, 4));
	EXPECT_EQ(200, xray_who_twin(&who, 100, 5));
	EXPECT_EQ(0, xray_who_twin(&who, 100, 6));
	EXPECT_EQ(300, xray_who_twin(&who, 100, 9));
	EXPECT_EQ(0, xray_who_twin(&who, 200, 9));
	xray_who_free(&who);
	world_destroy(&w);
}

/* What a later process of its number does is none of its doing. */
TEST(child_whose_number_is_reused)
{
	struct xray_who who = { 0 };
	struct capture_file files[1] = { 0 };
	struct capture cap = { .files = files, .nr_files = 1, .nr_cpus = 1 };
	struct world w;

	ASSERT_EQ(0, world_init(&w, &cap));
	w.clock = NULL;
	ASSERT_EQ(0, xray_who_attach(&who, &w));
	world_begin(&w, 0);
	FEED(&w, 1, dump_task, .tid = 100, .tgid = 100, .start = 1);
	FEED(&w, 2, dump_task, .tid = 400, .tgid = 400, .start = 1);
	FEED(&w, 3, task_fork, .parent_tid = 100, .parent_tgid = 100,
	     .child_tid = 200, .child_tgid = 200);
	FEED(&w, 4, task_exit, .tid = 200, .tgid = 200);
	FEED(&w, 5, task_fork, .parent_tid = 400, .parent_tgid = 400,
	     .child_tid = 200, .child_tgid = 200);
	FEED(&w, 6, task_exec, .tid = 200, .old_tid = 200, .tgid = 200);
	ASSERT_EQ(0, world_end(&w, 9));
	EXPECT_EQ(200, xray_who_twin(&who, 100, 8));
	EXPECT_EQ(0, xray_who_twin(&who, 400, 8));
	xray_who_free(&who);
	world_destroy(&w);
}

TEST_HARNESS_MAIN
