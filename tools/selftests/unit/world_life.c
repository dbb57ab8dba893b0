// SPDX-License-Identifier: GPL-2.0-only
/* The world: what it believes after records that are odd, late or missing. */
#include "../fixture/worldfix.h"

TEST_F(world, a_life)
{
	OPEN(0, 7);
	EXPECT_TOLD("task_found:7@0 sched_in:7@0 ");
	FEED(0, task_fork, .parent_tid = 7, .parent_tgid = 7, .child_tid = 8, .child_tgid = 8);
	EXPECT_TOLD("task_new:8@0 ");
	SWITCH(0, 7, 1, 8);
	EXPECT_TOLD("sched_out:7@0 sched_in:8@0 ");
	FEED(0, task_exit, .tid = 8, .tgid = 8);
	SWITCH(0, 8, OVNIK_STATE_ZOMBIE, 0);
	EXPECT_TOLD("sched_out:8@0! task_dead:8@0 sched_in:0@0 ");
	ASSERT_EQ(0, world_end(&self->w, 100));
	EXPECT_EQ(NULL, task_find(&self->w.tasks, 8));
	EXPECT_EQ(7, task_find(&self->w.tasks, 7)->tgid);
	EXPECT_EQ(0, self->w.stats.switches + self->w.stats.headers + self->w.stats.twice);
}

TEST_F(world, a_switch_from_somebody_else)
{
	OPEN(0, 7);
	EXPECT_TOLD("task_found:7@0 sched_in:7@0 ");
	SWITCH(0, 9, 1, 10);
	EXPECT_TOLD("task_found:9@0 sched_out:7@0 sched_stray:9@0 task_found:10@0 sched_in:10@0 ");
	EXPECT_EQ(1, self->w.stats.switches);
	EXPECT_EQ(WORLD_STATE_UNKNOWN, self->state);
}

TEST_F(world, on_two_cpus)
{
	OPEN(0, 7);
	OPEN(1, 0);
	EXPECT_TOLD("task_found:7@0 sched_in:7@0 sched_in:0@1 ");
	SWITCH(1, 0, 0, 7);
	EXPECT_TOLD("sched_out:0@1 sched_out:7@0 sched_in:7@1 ");
	EXPECT_EQ(1, self->w.stats.twice);
	/* CPU 0 then reports that a task left; no task is taken off twice. */
	SWITCH(0, 3, 1, 4);
	EXPECT_TOLD("task_found:3@0 sched_stray:3@0 task_found:4@0 sched_in:4@0 ");
}

TEST_F(world, a_gap_makes_who_runs_unknown)
{
	struct capture_gap gap = { .exact = true };

	OPEN(0, 7);
	gap.lost[OVNIK_EV_sched_wakeup] = 4;
	ASSERT_EQ(0, feed(self, 0, ITEM_GAP_BEGIN, 0, &gap));
	EXPECT_TOLD("task_found:7@0 sched_in:7@0 ");
	gap.lost[OVNIK_EV_sched_switch] = 1;
	ASSERT_EQ(0, feed(self, 0, ITEM_GAP_BEGIN, 0, &gap));
	EXPECT_TOLD("sched_out:7@0 ");
	EXPECT_EQ(WORLD_STATE_LOST, self->state);
	ASSERT_EQ(0, feed(self, 0, ITEM_GAP_END, 0, &gap));
	OPEN(0, 9);
	EXPECT_TOLD("task_found:9@0 sched_in:9@0 ");
	EXPECT_EQ(0, self->w.stats.headers);
}

/* The first switch says so before anybody is told who has left the CPU. */
TEST_F(world, the_first_switch)
{
	ASSERT_EQ(0, hook_attach(&self->w.hooks, WORLD_SWITCHING, note, self));
	SWITCH(0, 9, 1, 10);
	EXPECT_TOLD("task_found:9@0 switching:0@0 sched_stray:9@0 task_found:10@0 sched_in:10@0 ");
	SWITCH(0, 10, 1, 9);
	EXPECT_TOLD("sched_out:10@0 sched_in:9@0 ");
}

TEST_F(world, a_number_is_used_again)
{
	FEED(0, task_fork, .parent_tid = 7, .parent_tgid = 7, .child_tid = 8, .child_tgid = 8,
	     .child_start = 100);
	FEED(0, task_fork, .parent_tid = 7, .parent_tgid = 7, .child_tid = 8, .child_tgid = 8,
	     .child_start = 200);
	EXPECT_TOLD("task_found:7@0 task_new:8@0 task_dead:8@0 task_new:8@0 ");
	EXPECT_EQ(1, self->w.stats.replaced);
}

TEST_F(world, the_statedump_knows_what_the_fork_says_later)
{
	FEED(0, dump_task, .tid = 8, .tgid = 8, .start = 100, .mm = 5, .pgd = 6);
	FEED(0, task_fork, .parent_tid = 7, .parent_tgid = 7, .child_tid = 8, .child_tgid = 8,
	     .child_start = 100);
	EXPECT_TOLD("task_dump:8@0 task_found:7@0 task_new:8@0 ");
	EXPECT_EQ(0, self->w.stats.replaced);
	/* A second statedump: another task by then. */
	FEED(0, dump_task, .tid = 8, .tgid = 8, .start = 300);
	EXPECT_TOLD("task_dead:8@0 task_dump:8@0 ");
}

TEST_F(world, a_statedump_at_the_end_names_the_process)
{
	SWITCH(0, 0, 0, 9);
	FEED(0, dump_task, .tid = 9, .tgid = 5, .start = 1, .comm = "late");
	ASSERT_EQ(0, world_end(&self->w, 100));
	ASSERT_EQ(0, inventory_finish(&self->inventory));
	EXPECT_EQ(0, self->inventory.orphans);
	ASSERT_EQ(1, self->inventory.nr_threads);
	EXPECT_EQ(5, self->inventory.threads[0].pid);
	EXPECT_STREQ("late", self->inventory.threads[0].comm);
	EXPECT_EQ(0, inventory_find(&self->inventory, 5, 9));
}

TEST_F(world, a_number_has_its_last_name)
{
	FEED(0, dump_task, .tid = 9, .tgid = 5, .start = 1, .comm = "old");
	SWITCH(0, 0, 0, 9);
	SWITCH(0, 9, OVNIK_STATE_DEAD, 0);
	FEED(0, dump_task, .tid = 9, .tgid = 5, .start = 2, .comm = "new");
	ASSERT_EQ(0, world_end(&self->w, 100));
	ASSERT_EQ(0, inventory_finish(&self->inventory));
	ASSERT_EQ(1, self->inventory.nr_threads);
	EXPECT_STREQ("new", self->inventory.threads[0].comm);
}

TEST_F(world, an_orphan_is_its_own_process)
{
	SWITCH(0, 0, 0, 9);
	ASSERT_EQ(0, world_end(&self->w, 100));
	ASSERT_EQ(0, inventory_finish(&self->inventory));
	EXPECT_EQ(1, self->inventory.orphans);
	EXPECT_EQ(0, inventory_find(&self->inventory, 9, 9));
}

/* The recorder of a flight: what ends is recorded once more, and not as another task. */
TEST_F(world, dumped_right_before_the_exit)
{
	SWITCH(0, 0, 0, 8);
	FEED(0, dump_task, .tid = 8, .tgid = 5, .start = 7, .comm = "named");
	EXPECT_STREQ("named", task_find(&self->w.tasks, 8)->comm);
	FEED(0, task_exit, .tid = 8, .tgid = 5);
	SWITCH(0, 8, OVNIK_STATE_DEAD, 0);
	EXPECT_EQ(NULL, task_find(&self->w.tasks, 8));
	EXPECT_TOLD("sched_stray:0@0 task_found:8@0 sched_in:8@0 task_dump:8@0 sched_out:8@0! "
		    "task_dead:8@0 sched_in:0@0 ");
	/* The statedump of the start knew it; it gave up its address space. */
	FEED(0, dump_task, .tid = 9, .tgid = 9, .start = 8, .mm = 5, .pgd = 6);
	FEED(0, dump_task, .tid = 9, .tgid = 9, .start = 8, .comm = "other");
	EXPECT_EQ(0, task_find(&self->w.tasks, 9)->mm);
	FEED(0, task_exit, .tid = 9, .tgid = 9);
	SWITCH(0, 0, 0, 9);
	SWITCH(0, 9, OVNIK_STATE_DEAD, 0);
	EXPECT_EQ(0, self->w.stats.replaced);
	EXPECT_EQ(2, self->w.tasks.next_id);
}

TEST_F(world, a_filter_leaves_others_out)
{
	static const u32 pids[] = { 50 };

	self->w.filtered = true;
	self->w.filter = pids;
	self->w.nr_filter = 1;
	FEED(0, dump_task, .tid = 50, .tgid = 50, .start = 1);
	SWITCH(0, 7, 1, 50);
	SWITCH(0, 50, 1, 8);
	SWITCH(0, 9, 1, 50);
	SWITCH(0, 50, 1, 0);
	EXPECT_TOLD("task_dump:50@0 task_found:7@0 sched_stray:7@0 sched_in:50@0 task_found:8@0 "
		    "sched_out:50@0 task_found:9@0 sched_stray:9@0 sched_in:50@0 sched_out:50@0 "
		    "sched_in:0@0 ");
	EXPECT_EQ(0, self->w.stats.switches);
}

TEST_F(world, a_gap_with_a_filter)
{
	static const u32 pids[] = { 50 };
	struct capture_gap gap = { .exact = true };

	self->w.filtered = true;
	self->w.filter = pids;
	self->w.nr_filter = 1;
	FEED(0, dump_task, .tid = 50, .tgid = 50, .start = 1);
	SWITCH(0, 7, 1, 50);
	SWITCH(0, 50, 1, 8);
	gap.lost[OVNIK_EV_sched_wakeup] = 1;
	ASSERT_EQ(0, feed(self, 0, ITEM_GAP_BEGIN, 0, &gap));
	EXPECT_TRUE(self->w.cpus[0].outsider);
	/* Now 50 may be there again. */
	gap.lost[OVNIK_EV_sched_switch] = 1;
	ASSERT_EQ(0, feed(self, 0, ITEM_GAP_BEGIN, 0, &gap));
	EXPECT_FALSE(self->w.cpus[0].outsider);
}

TEST_F(world, impossible_numbers_make_no_tasks)
{
	SWITCH(0, 0xffffffff, 1, 0x7fffffff);
	FEED(0, task_fork, .parent_tid = 1, .child_tid = 0xfffffff0);
	FEED(0, dump_task, .tid = 0x80000000);
	FEED(0, task_exit, .tid = 0);
	EXPECT_TOLD("");
	EXPECT_EQ(4, self->w.stats.impossible);
}

TEST(positions_have_names)
{
	unsigned int i;

	for (i = 0; i < WORLD_NR_POSITIONS; i++) {
		EXPECT_NE(NULL, world_positions[i].name);
		EXPECT_NE(NULL, world_positions[i].sentence);
	}
}

static void count(void *data, const struct hook_ctx *ctx)
{
	*(int *)data += *(const int *)ctx->item;
}

TEST(hooks)
{
	static const struct hook_position positions[] = { { "a", "A." }, { "b", "B." } };
	struct hookable h;
	int first = 0, second = 0, item = 3;

	hookable_init(&h, positions, ARRAY_SIZE(positions), NULL);
	hook_invoke(&h, 0, &item);
	EXPECT_EQ(-EINVAL, hook_attach(&h, 2, count, &first));
	EXPECT_EQ(0, hook_attach(&h, 0, count, &first));
	EXPECT_EQ(0, hook_attach(&h, 0, count, &second));
	hook_invoke(&h, 0, &item);
	hook_invoke(&h, 1, &item);
	EXPECT_EQ(3, first);
	EXPECT_EQ(3, second);
	EXPECT_TRUE(hook_wanted(&h, 0));
	EXPECT_FALSE(hook_wanted(&h, 1));
	hookable_destroy(&h);
}

TEST_HARNESS_MAIN
