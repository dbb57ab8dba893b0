// SPDX-License-Identifier: GPL-2.0-only
/* The world: threads that exec, and so take the numbers of their leaders. */
#include "../fixture/worldfix.h"

TEST_F(world, exec_by_a_thread_swaps_numbers)
{
	FEED(0, dump_task, .tid = 100, .tgid = 100, .start = 1);
	FEED(0, dump_task, .tid = 101, .tgid = 100, .start = 2);
	OPEN(1, 100);
	SWITCH(0, 0, 0, 101);
	self->len = 0;
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_EQ(0, task_find(&self->w.tasks, 100)->cpu);
	EXPECT_EQ(1, task_find(&self->w.tasks, 101)->cpu);
	/* The old leader goes, under the thread's number. */
	SWITCH(1, 101, OVNIK_STATE_DEAD, 0);
	SWITCH(0, 100, 1, 0);
	EXPECT_TOLD("task_number:100@0 task_exec:100@0 sched_out:101@1! task_dead:101@1 "
		    "sched_in:0@1 sched_out:100@0 sched_in:0@0 ");
	EXPECT_EQ(0, self->w.stats.switches);
	ASSERT_EQ(0, world_end(&self->w, 100));
	ASSERT_EQ(0, inventory_finish(&self->inventory));
	EXPECT_EQ(2, self->inventory.nr_threads);
	EXPECT_EQ(1, self->inventory.nr_processes);
}

/* A leader on CPU 1 and a thread of its on CPU 0, which is about to exec. Does one know that? */
static void leader_and_thread(struct __test_metadata *_metadata, struct _test_data_world *self,
			      bool known)
{
	static const struct world_rename to_come[] = {
		{ .tsc = 101, .tid = 98, .other = 101 },
		{ .tsc = 1, .tid = 100, .other = 99 },
		{ .tsc = 100, .tid = 100, .other = 101 },
		{ .tsc = 101, .tid = 100, .other = 99 },
	};
	static const struct world_rename by_old[] = {
		{ .tsc = 1, .tid = 99, .other = 100 },
		{ .tsc = 101, .tid = 99, .other = 100 },
		{ .tsc = 100, .tid = 101, .other = 100 },
		{ .tsc = 101, .tid = 101, .other = 98 },
	};

	self->w.renames = to_come;
	self->w.renames_by_old = by_old;
	self->w.nr_renames = known ? ARRAY_SIZE(to_come) : 0;
	FEED(0, dump_task, .tid = 100, .tgid = 100, .start = 1);
	FEED(0, dump_task, .tid = 101, .tgid = 100, .start = 2);
	OPEN(1, 100);
	SWITCH(0, 0, 0, 101);
	self->len = 0;
	self->log[0] = '\0';
}

/* Only these tasks, and each where it was believed to be. */
static void expect_no_other(struct __test_metadata *_metadata, struct _test_data_world *self)
{
	EXPECT_EQ(0, self->w.stats.switches);
	EXPECT_EQ(0, self->w.stats.twice);
	EXPECT_EQ(2, self->w.tasks.next_id);
	EXPECT_EQ(NULL, task_find(&self->w.tasks, 101));
}

/* What the thread does under its new number comes before the record of the exec. */
TEST_F(world, exec_by_a_thread_is_recorded_late)
{
	leader_and_thread(_metadata, self, true);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	FEED(0, task_comm, .tid = 100, .tgid = 100, .comm = "new");
	FEED(0, task_mm, .tid = 100, .tgid = 100, .mm = 5, .pgd = 6);
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	SWITCH(0, 100, 1, 0);
	/* It has begun when its leader did, says the kernel. */
	FEED(0, dump_task, .tid = 100, .tgid = 100, .start = 1, .comm = "new");
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_number:100@0 "
		    "task_exec:100@0 sched_out:100@0 sched_in:0@0 task_dump:100@0 ");
	EXPECT_STREQ("new", task_find(&self->w.tasks, 100)->comm);
	expect_no_other(_metadata, self);
}

/* A statedump may find the leader after its last switch: that is not the thread. */
TEST_F(world, a_leader_is_dumped_when_it_has_ended)
{
	leader_and_thread(_metadata, self, true);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	FEED(1, dump_task, .tid = 100, .tgid = 100, .state = OVNIK_STATE_ZOMBIE);
	FEED(0, page_fault, .tid = 101);
	FEED(1, dump_task, .tid = 100, .tgid = 100);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_number:100@0 "
		    "task_dump:100@1 ");
	expect_no_other(_metadata, self);
}

TEST_F(world, a_thread_sleeps_during_its_exec)
{
	leader_and_thread(_metadata, self, true);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	SWITCH(0, 100, 1, 0);
	SWITCH(0, 0, 0, 100);
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_number:100@0 "
		    "sched_out:100@0 sched_in:0@0 sched_out:0@0 sched_in:100@0 task_exec:100@0 ");
	expect_no_other(_metadata, self);
}

static void end_late(struct __test_metadata *_metadata, struct _test_data_world *self)
{
	leader_and_thread(_metadata, self, true);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	SWITCH(1, 101, OVNIK_STATE_DEAD, 0);
	FEED(0, page_fault, .tid = 100);
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_number:100@0 "
		    "task_exec:100@0 ");
	expect_no_other(_metadata, self);
}

TEST_F(world, a_leader_ends_under_the_number_of_its_thread)
{
	end_late(_metadata, self);
}

/* That only one process is recorded changes nothing for it. */
TEST_F(world, a_leader_ends_under_the_number_of_its_thread_with_a_filter)
{
	static const u32 pids[] = { 100 };

	self->w.filtered = true;
	self->w.filter = pids;
	self->w.nr_filter = 1;
	end_late(_metadata, self);
}

TEST_F(world, a_thread_is_faster_than_its_leader_ends)
{
	leader_and_thread(_metadata, self, true);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	FEED(0, page_fault, .tid = 100);
	SWITCH(1, 101, OVNIK_STATE_DEAD, 0);
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_number:100@0 "
		    "task_exec:100@0 ");
	expect_no_other(_metadata, self);
}

/* As long as the leader lives, a record with its number is not of the thread. */
TEST_F(world, a_thread_wakes_and_names_its_leader)
{
	leader_and_thread(_metadata, self, true);
	FEED(0, sched_wakeup, .tid = 100, .waker_tid = 101);
	FEED(0, task_comm, .tid = 100, .tgid = 100, .comm = "new");
	FEED(0, page_fault, .tid = 101);
	EXPECT_TOLD("");
}

/* The first record with the new number opens a sub-buffer, whose header has it, too. */
TEST_F(world, a_header_has_the_new_number)
{
	leader_and_thread(_metadata, self, true);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	OPEN(0, 100);
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_number:100@0 "
		    "task_exec:100@0 ");
	EXPECT_EQ(0, self->w.stats.headers);
	expect_no_other(_metadata, self);
}

/* It has begun to end, and waits for a CPU to do so. */
TEST_F(world, a_leader_ends_after_the_exec)
{
	leader_and_thread(_metadata, self, false);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	SWITCH(1, 100, OVNIK_STATE_PREEMPTED, 0);
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	SWITCH(1, 0, 0, 101);
	SWITCH(1, 101, OVNIK_STATE_DEAD, 0);
	EXPECT_TOLD("sched_out:100@1 sched_in:0@1 task_number:100@0 task_exec:100@0 "
		    "sched_out:0@1 sched_in:101@1 sched_out:101@1! task_dead:101@1 sched_in:0@1 ");
	expect_no_other(_metadata, self);
}

TEST_F(world, an_exec_by_a_thread_is_not_known_before)
{
	leader_and_thread(_metadata, self, false);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	FEED(0, task_comm, .tid = 100, .tgid = 100, .comm = "new");
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	SWITCH(0, 100, 1, 0);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_number:100@0 "
		    "task_exec:100@0 sched_out:100@0 sched_in:0@0 ");
	expect_no_other(_metadata, self);
}

TEST_F(world, a_thread_sleeps_during_its_exec_which_is_not_known_before)
{
	leader_and_thread(_metadata, self, false);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	SWITCH(0, 100, 1, 0);
	SWITCH(0, 0, 0, 100);
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_number:100@0 "
		    "sched_out:100@0 sched_in:0@0 sched_out:0@0 sched_in:100@0 task_exec:100@0 ");
	expect_no_other(_metadata, self);
}

/* Who runs on the thread's CPU is not known, so only a made-up task can have the new number. */
TEST_F(world, an_exec_by_a_thread_on_an_unknown_cpu_is_not_known_before)
{
	struct capture_gap gap = { .lost[OVNIK_EV_sched_switch] = 1, .exact = true };

	leader_and_thread(_metadata, self, false);
	ASSERT_EQ(0, feed(self, 0, ITEM_GAP_BEGIN, 0, &gap));
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	FEED(0, task_comm, .tid = 100, .tgid = 100, .comm = "new");
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	SWITCH(0, 100, 1, 0);
	EXPECT_TOLD("sched_out:101@0 sched_out:100@1! task_dead:100@1 sched_in:0@1 "
		    "task_found:100@0 task_dead:100@0 task_number:100@0 task_exec:100@0 "
		    "sched_stray:100@0 sched_in:0@0 ");
	EXPECT_EQ(NULL, task_find(&self->w.tasks, 101));
}

/* Then the process is killed, and no record says that the numbers have changed. */
TEST_F(world, an_exec_by_a_thread_fails_late)
{
	leader_and_thread(_metadata, self, false);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	FEED(0, task_mm, .tid = 100, .tgid = 100, .mm = 5, .pgd = 6);
	FEED(0, task_exit, .tid = 100, .tgid = 100);
	SWITCH(0, 100, OVNIK_STATE_ZOMBIE, 0);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_number:100@0 "
		    "sched_out:100@0! task_dead:100@0 sched_in:0@0 ");
	EXPECT_EQ(NULL, task_find(&self->w.tasks, 100));
	expect_no_other(_metadata, self);
}

/* The thread has its new address space before its leader leaves the CPU. */
TEST_F(world, a_thread_gets_its_image_before_its_leader_is_gone)
{
	leader_and_thread(_metadata, self, false);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	FEED(0, task_mm, .tid = 100, .tgid = 100, .mm = 5, .pgd = 6);
	SWITCH(1, 101, OVNIK_STATE_DEAD, 0);
	EXPECT_TOLD("task_number:100@0 sched_out:101@1! task_dead:101@1 sched_in:0@1 ");
	EXPECT_EQ(5, task_find(&self->w.tasks, 100)->mm);
	expect_no_other(_metadata, self);
}

/* As always: nobody has taken a number. */
TEST_F(world, threads_end_with_their_process)
{
	leader_and_thread(_metadata, self, false);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	FEED(0, task_exit, .tid = 101, .tgid = 100);
	SWITCH(0, 101, OVNIK_STATE_DEAD, 0);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	EXPECT_TOLD("sched_out:101@0! task_dead:101@0 sched_in:0@0 "
		    "sched_out:100@1! task_dead:100@1 sched_in:0@1 ");
	expect_no_other(_metadata, self);
}

/* The leader has ended. A name does not bring it back, and the thread has not taken its number. */
TEST_F(world, a_thread_names_its_leader_which_has_ended)
{
	leader_and_thread(_metadata, self, false);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	FEED(0, task_comm, .tid = 100, .tgid = 100, .comm = "ending");
	EXPECT_STREQ("ending", task_find(&self->w.tasks, 100)->comm);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	FEED(0, task_comm, .tid = 100, .tgid = 100, .comm = "ended");
	FEED(0, page_fault, .tid = 101);
	SWITCH(0, 101, 1, 0);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 sched_out:101@0 sched_in:0@0 ");
	EXPECT_EQ(0, self->w.stats.switches);
	EXPECT_EQ(2, self->w.tasks.next_id);
}

/* Or it execs later, which a pass before has seen. */
TEST_F(world, a_thread_names_its_leader_and_execs_later)
{
	leader_and_thread(_metadata, self, true);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	FEED(0, task_comm, .tid = 100, .tgid = 100, .comm = "ended");
	SWITCH(0, 101, 1, 0);
	SWITCH(0, 0, 0, 101);
	FEED(0, task_mm, .tid = 100, .tgid = 100, .mm = 5);
	EXPECT_STREQ("ended", task_find(&self->w.tasks, 100)->comm);
	FEED(0, task_comm, .tid = 100, .tgid = 100, .comm = "new");
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_STREQ("new", task_find(&self->w.tasks, 100)->comm);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 sched_out:101@0 sched_in:0@0 "
		    "sched_out:0@0 sched_in:101@0 task_number:100@0 task_exec:100@0 ");
	expect_no_other(_metadata, self);
}

/* Only a thread that surely runs is known to name its own leader. */
TEST_F(world, others_name_who_has_the_number_now)
{
	leader_and_thread(_metadata, self, false);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 7);
	FEED(1, task_comm, .tid = 100, .tgid = 100, .comm = "again");
	EXPECT_STREQ("again", task_find(&self->w.tasks, 100)->comm);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	OPEN(1, 100);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 7);
	self->w.cpus[0].sure = false;
	FEED(0, task_comm, .tid = 100, .tgid = 100, .comm = "anew");
	EXPECT_STREQ("anew", task_find(&self->w.tasks, 100)->comm);
}

/* What ends on the leader's CPU has begun to end itself: it is no number of the leader's. */
TEST_F(world, a_thread_ends_where_its_leader_was_believed)
{
	leader_and_thread(_metadata, self, false);
	FEED(1, task_exit, .tid = 100, .tgid = 100);
	FEED(0, task_exit, .tid = 101, .tgid = 100);
	SWITCH(1, 101, OVNIK_STATE_DEAD, 0);
	EXPECT_NE(NULL, task_find(&self->w.tasks, 100));
	EXPECT_EQ(NULL, task_find(&self->w.tasks, 101));
	EXPECT_EQ(1, self->w.stats.switches);
}

/* The request is the leader's. A thread runs where it ends. */
TEST_F(world, a_request_ends_where_a_thread_runs)
{
	leader_and_thread(_metadata, self, false);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	FEED(0, file_read, .tid = 100, .op = OVNIK_OP_URING);
	SWITCH(0, 101, 1, 0);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_found:100@0 "
		    "sched_out:101@0 sched_in:0@0 ");
	EXPECT_EQ(0, self->w.stats.switches);
}

/* When the thread comes, only a pass before can know that it is a member. */
TEST_F(world, each_pass_is_sure_at_the_same_time)
{
	static const u32 of_all[] = { 100, 100 }, filter[] = { 100 };
	unsigned int pass;

	for (pass = 0; pass < 2; pass++) {
		struct world w;

		ASSERT_EQ(0, world_init(&w, &self->cap));
		w.filtered = true;
		w.filter = filter;
		w.nr_filter = 1;
		w.pids = of_all;
		w.nr_pids = pass * ARRAY_SIZE(of_all);
		world_destroy(&self->w);
		self->w = w;
		FEED(0, sched_wakeup, .tid = 100);
		EXPECT_EQ(pass, task_find(&self->w.tasks, 100)->member);
		FEED(0, dump_task, .tid = 100, .tgid = 100, .start = 1);
		SWITCH(0, 0, 0, 101);
		EXPECT_EQ(pass, !!self->w.cpus[0].running);
		OPEN(0, 101);
		EXPECT_FALSE(self->w.cpus[0].running && self->w.cpus[0].sure);
		FEED(0, task_comm, .tid = 101, .tgid = 100, .comm = "told");
		OPEN(0, 101);
		EXPECT_EQ(101, self->w.cpus[0].running->tid);
		EXPECT_TRUE(self->w.cpus[0].sure);
		/* Its children are members, too, if that was asked for. */
		self->w.filter_children = true;
		FEED(0, task_fork, .parent_tid = 101, .parent_tgid = 100, .child_tid = 102,
		     .child_tgid = 102);
		SWITCH(0, 101, 0, 102);
		EXPECT_TRUE(self->w.cpus[0].sure);
		/* Whoever comes from outside comes unrecorded. */
		OPEN(0, 300);
		EXPECT_FALSE(self->w.cpus[0].sure);
	}
}

/* The leader's end is older than the first record of the thread. */
TEST_F(world, a_thread_appears_after_its_leader_has_ended)
{
	leader_and_thread(_metadata, self, true);
	SWITCH(0, 101, OVNIK_STATE_DEAD, 0);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	SWITCH(0, 0, 0, 101);
	self->len = 0;
	FEED(0, page_fault, .tid = 100);
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_TOLD("task_number:100@0 task_exec:100@0 ");
	EXPECT_EQ(3, self->w.tasks.next_id);
}

/* It has ended before the capture, and the statedump shows what is left of it. */
TEST_F(world, a_leader_is_a_zombie_from_the_beginning)
{
	static const struct world_rename to_come = { .tsc = 100, .tid = 100, .other = 101 };
	static const struct world_rename by_old = { .tsc = 100, .tid = 101, .other = 100 };

	self->w.renames = &to_come;
	self->w.renames_by_old = &by_old;
	self->w.nr_renames = 1;
	FEED(0, dump_task, .tid = 100, .tgid = 100, .state = OVNIK_STATE_ZOMBIE);
	FEED(0, page_fault, .tid = 101);
	FEED(0, page_fault, .tid = 100);
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_TOLD("task_found:101@0 task_number:100@0 task_exec:100@0 ");
	EXPECT_EQ(1, self->w.tasks.next_id);
}

/* The statedump calls a process by its leader's number, whether the thread has it or not. */
TEST_F(world, a_process_is_dumped_whose_leader_has_ended)
{
	leader_and_thread(_metadata, self, true);
	SWITCH(1, 100, OVNIK_STATE_ZOMBIE, 0);
	FEED(1, dump_mm, .tid = 100, .mm = 5);
	FEED(1, dump_vma, .tid = 100, .mm = 5, .start = 4096, .length = 4096);
	FEED(1, dump_file, .tid = 100);
	FEED(0, page_fault, .tid = 101);
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 ");
	EXPECT_EQ(5, task_find(&self->w.tasks, 101)->mm);
	EXPECT_EQ(2, self->w.tasks.next_id);
}

/* By the exec at the latest, the leader has ended. */
TEST_F(world, the_end_of_a_leader_is_lost_before_the_exec)
{
	leader_and_thread(_metadata, self, false);
	SWITCH(1, 100, 1, 0);
	FEED(0, task_exec, .tid = 100, .old_tid = 101, .tgid = 100);
	EXPECT_TOLD("sched_out:100@1 sched_in:0@1 task_dead:100@0 task_number:100@0 "
		    "task_exec:100@0 ");
	expect_no_other(_metadata, self);
}

TEST_HARNESS_MAIN
