// SPDX-License-Identifier: GPL-2.0-only
/* The world: what it believes after records that are odd, late or missing. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "world/inventory.h"
#include "world/world.h"
#include "kselftest_harness.h"

#define LOG_MAX	4096

FIXTURE(world) {
	struct capture cap;
	struct capture_file files[2];
	struct world w;
	struct inventory inventory;
	u64 now;
	char log[LOG_MAX];
	size_t len;
	u16 state;
};

/* "sched_in:7@0 " for every hook, so that a whole story is one string. */
static void note(void *data, const struct hook_ctx *ctx)
{
	struct _test_data_world *self = data;
	const struct world_item *it = ctx->item;
	const char *name = ctx->domain->positions[ctx->position].name;

	self->len += snprintf(self->log + self->len, LOG_MAX - self->len, "%s:%u@%u%s ", name,
			      it->task ? it->task->tid : 0, it->cpu, it->final ? "!" : "");
	if (ctx->position == WORLD_SCHED_OUT)
		self->state = it->state;
}

FIXTURE_SETUP(world)
{
	static const enum world_position noted[] = {
		WORLD_TASK_NEW, WORLD_TASK_DUMP, WORLD_TASK_FOUND, WORLD_TASK_NUMBER,
		WORLD_TASK_EXEC, WORLD_TASK_DEAD, WORLD_SCHED_STRAY, WORLD_SCHED_OUT,
		WORLD_SCHED_IN,
	};
	unsigned int i;

	memset(self, 0, sizeof(*self));
	self->files[1].cpu = 1;
	self->cap.files = self->files;
	self->cap.nr_files = 2;
	self->cap.nr_cpus = 2;
	ASSERT_EQ(0, clock_init(&self->cap.clock, CLOCK_SOURCE_TSC, 1000000));
	ASSERT_EQ(0, clock_fit(&self->cap.clock));
	ASSERT_EQ(0, world_init(&self->w, &self->cap));
	ASSERT_EQ(0, inventory_attach(&self->inventory, &self->w));
	for (i = 0; i < ARRAY_SIZE(noted); i++)
		ASSERT_EQ(0, hook_attach(&self->w.hooks, noted[i], note, self));
	world_begin(&self->w, 0);
}

FIXTURE_TEARDOWN(world)
{
	world_destroy(&self->w);
	inventory_free(&self->inventory);
	clock_destroy(&self->cap.clock);
}

static int feed(struct _test_data_world *self, u32 cpu, u8 kind, u8 event, const void *data)
{
	struct capture_item item = {
		.tsc = ++self->now, .cpu = cpu, .kind = kind, .event = event, .data = data,
	};

	return world_feed(&self->w, &item);
}

#define FEED(cpu, name, ...)						\
	ASSERT_EQ(0, feed(self, cpu, ITEM_RECORD, OVNIK_EV_##name,	\
			  &(struct ovnik_##name){ __VA_ARGS__ }))

#define OPEN(cpu, task)							\
	ASSERT_EQ(0, feed(self, cpu, ITEM_OPEN, 0, &(struct ovnik_subbuf){ .tid = task }))

#define SWITCH(cpu, prev, state, next)					\
	FEED(cpu, sched_switch, .prev_state = state, .prev_tid = prev, .next_tid = next)

/* What was reported since the last look. */
#define EXPECT_TOLD(text)						\
do {									\
	EXPECT_STREQ(text, self->log);					\
	self->log[0] = '\0';						\
	self->len = 0;							\
} while (0)

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
	EXPECT_TOLD("sched_out:100@1! task_dead:100@1 sched_in:0@1 task_number:100@0 "
		    "task_exec:100@0 sched_out:100@0 sched_in:0@0 ");
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

/* What has ended keeps its number, whoever names it, and the thread its own. */
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

/* It is its leader's, of which it is the last trace. */
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
		FEED(0, dump_task, .tid = 100, .tgid = 100, .start = 1);
		SWITCH(0, 0, 0, 101);
		EXPECT_EQ(pass, !!self->w.cpus[0].running);
		EXPECT_FALSE(self->w.cpus[0].running && self->w.cpus[0].sure);
		FEED(0, task_comm, .tid = 101, .tgid = 100, .comm = "told");
		OPEN(0, 101);
		EXPECT_EQ(101, self->w.cpus[0].running->tid);
		EXPECT_TRUE(self->w.cpus[0].sure);
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
	EXPECT_TOLD("task_dump:50@0 task_found:7@0 sched_stray:7@0 sched_in:50@0 task_found:8@0 "
		    "sched_out:50@0 task_found:9@0 sched_stray:9@0 sched_in:50@0 ");
	EXPECT_EQ(0, self->w.stats.switches);
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
