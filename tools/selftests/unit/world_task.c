// SPDX-License-Identifier: GPL-2.0-only
/* The world: the table of the live tasks. */
#include "world/world.h"
#include "kselftest_harness.h"

TEST(task_table)
{
	struct world_task *task;
	struct task_table t;
	u32 i, nr = 0;

	ASSERT_EQ(0, task_table_init(&t));
	for (i = 1; i <= 20000; i++)
		ASSERT_NE(NULL, task_new(&t, i * 7 % 32003 + 1));
	for (i = 1; i <= 20000; i += 2) {
		task = task_find(&t, i * 7 % 32003 + 1);
		ASSERT_NE(NULL, task);
		task_remove(&t, task, 0);
		free(task);
	}
	for (i = 1; i <= 20000; i++) {
		task = task_find(&t, i * 7 % 32003 + 1);
		EXPECT_EQ(i % 2 == 0, !!task);
	}
	for (task = task_next(&t, NULL); task; task = task_next(&t, task))
		nr++;
	EXPECT_EQ(10000, nr);
	task_table_destroy(&t);
}

/* In the order of the numbers, at both ends of a block, of a word of blocks and of the table. */
TEST(task_table_goes_on)
{
	static const u32 tids[] = {
		1, TASK_BLOCK - 1, TASK_BLOCK, 5 * TASK_BLOCK + 3, TASK_WORD - 1, TASK_WORD,
		7 * TASK_WORD + 2 * TASK_BLOCK - 1, TASK_TID_MAX - 1, TASK_TID_MAX,
	};
	struct world_task *task = NULL;
	struct task_table t;
	u32 i;

	ASSERT_EQ(0, task_table_init(&t));
	for (i = ARRAY_SIZE(tids); i > 0; i--)
		ASSERT_NE(NULL, task_new(&t, tids[i - 1]));
	for (i = 0; i < ARRAY_SIZE(tids); i++) {
		task = task_next(&t, task);
		ASSERT_NE(NULL, task);
		EXPECT_EQ(tids[i], task->tid);
	}
	EXPECT_EQ(NULL, task_next(&t, task));
	task_table_destroy(&t);
}

TEST_HARNESS_MAIN
