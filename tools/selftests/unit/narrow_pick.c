// SPDX-License-Identifier: GPL-2.0-only
/* Which process's are the records that name a task before anything has said so. */
#include <stdlib.h>
#include <string.h>

#include "narrow/pick.h"
#include "kselftest_harness.h"

#define FEED(w, time, name, ...)						\
	ASSERT_EQ(0, world_feed(w, &(struct capture_item){			\
		.tsc = time, .kind = ITEM_RECORD, .event = OVNIK_EV_##name,	\
		.data = &(struct ovnik_##name){ __VA_ARGS__ },			\
	}))

/* Only the exec's record names the thread's process. From then on the thread has another number. */
TEST(thread_that_execs)
{
	const struct narrow_options opt = { 0 };
	struct narrow n = { .opt = &opt, .reached = true };
	struct capture_file files[1] = { 0 };
	struct capture cap = { .files = files, .nr_files = 1, .nr_cpus = 1 };
	struct world w;

	ASSERT_EQ(0, world_init(&w, &cap));
	w.clock = NULL;
	n.parents = calloc(TASK_TID_MAX + 1, sizeof(*n.parents));
	ASSERT_NE(NULL, n.parents);
	ASSERT_EQ(0, pick_prepare(&n));
	ASSERT_EQ(0, pick_watch(&n, &w));
	world_begin(&w, 0);
	FEED(&w, 1, page_fault, .tid = 101);
	FEED(&w, 2, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_EQ(100, n.owners[101]);
	/* Whoever has it next comes later. */
	FEED(&w, 3, task_fork, .parent_tid = 7, .parent_tgid = 7,
	     .child_tid = 101, .child_tgid = 7);
	ASSERT_EQ(0, world_end(&w, 4));
	pick_named(&n, &w);
	EXPECT_EQ(100, n.owners[101]);
	EXPECT_EQ(100, n.owners[100]);
	free(n.parents);
	free(n.picked);
	free(n.owners);
	world_destroy(&w);
}

TEST_HARNESS_MAIN
