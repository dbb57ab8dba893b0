// SPDX-License-Identifier: GPL-2.0-only
/* What a thread waited for, and what that waited for. */
#include <malloc.h>

#include "../fixture/tracerfix.h"
#include "kselftest_harness.h"

FIXTURE(chain) {
	struct fix f;
};

FIXTURE_SETUP(chain)
{
	fix_init(&self->f);
}

FIXTURE_TEARDOWN(chain)
{
	fix_destroy(&self->f);
}

/* The task of a thread, of the first or the second one that has its number. */
static u64 first(u32 tid)
{
	return tid;
}

static u64 second(u32 tid)
{
	return 100 + tid;
}

/* Threads that do things, for the chain. */
static void doing_of(struct fix *f, u64 thread, u32 tid, u32 kind, u32 wait, u64 start, u64 end)
{
	fix_end(f, fix_start(f, &(struct trace_task){ .kind = kind, .code = wait, .tid = tid,
			     .tgid_task = tid, .thread_task = thread, .start = start }), end);
}

static void doing(struct fix *f, u32 tid, u32 kind, u32 wait, u64 start, u64 end)
{
	doing_of(f, first(tid), tid, kind, wait, start, end);
}

/* A sleep that @waker ends; 0: an interrupt. Begins and ends it if @id is 0. */
static void woken(struct fix *f, u64 id, u32 sleeper, u64 since, u32 waker, u64 at)
{
	if (!id)
		id = fix_start(f, &(struct trace_task){ .kind = TASKS_WAIT, .tid = sleeper,
			       .tgid_task = sleeper, .thread_task = first(sleeper),
			       .code = TASKS_WAIT_DISK, .start = since });
	f->all[id].waker.tid = waker;
	f->all[id].waker.thread = waker ? first(waker) : 0;
	f->all[id].waker.kind = waker ? TRACE_WAKER_THREAD : TRACE_WAKER_INTERRUPT;
	fix_end(f, id, at);
}

/* 3 wakes 2, 2 wakes 1; a timer woke 2 once meanwhile. */
TEST_F(chain, wakeups)
{
	struct fix *f = &self->f;
	u64 total = 0, i, sleep;

	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=1"));
	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=1,at=450ns"));
	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=1,steps=2"));
	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=9"));
	ASSERT_EQ(0, fix_run(f, 1000, 2000));
	/* Processes 1 and 2; 3 is of none that is known. */
	ASSERT_EQ(1, fix_start(f, &(struct trace_task){ .kind = TASKS_PROCESS, .what = "client" }));
	ASSERT_EQ(2, fix_start(f, &(struct trace_task){ .kind = TASKS_PROCESS, .what = "server" }));
	doing(f, 3, TASKS_RUN, 0, 1000, 1100);
	woken(f, 0, 2, 1000, 3, 1100);
	doing(f, 2, TASKS_WAIT, TASKS_WAIT_WOKEN, 1100, 1130);
	doing(f, 2, TASKS_RUN, 0, 1130, 1200);
	woken(f, 0, 2, 1200, 0, 1300);
	doing(f, 2, TASKS_WAIT, TASKS_WAIT_WOKEN, 1300, 1310);
	doing(f, 1, TASKS_RUN, 0, 1000, 1050);
	sleep = fix_start(f, &(struct trace_task){ .kind = TASKS_WAIT, .tid = 1, .start = 1050,
			  .tgid_task = 1, .thread_task = first(1), .code = TASKS_WAIT_DISK });
	/* 2 runs on while it wakes. */
	i = fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .tid = 2, .start = 1310,
		      .tgid_task = 2, .thread_task = first(2) });
	woken(f, sleep, 1, 1050, 2, 1400);
	doing(f, 1, TASKS_WAIT, TASKS_WAIT_WOKEN, 1400, 1420);
	fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .tid = 1, .start = 1420,
		  .tgid_task = 1, .thread_task = first(1) });
	fix_end(f, i, 1500);
	fix_end_flags(f, f->nr, 2000, TRACE_OPEN);
	fix_end(f, 2, 2000);
	fix_end_flags(f, 1, 2000, TRACE_OPEN);
	ASSERT_EQ(3, fix_rows(f, 0, "chain"));
	EXPECT_EQ(1, fix_cell(f, 0, "chain", 0, "tid"));
	EXPECT_STREQ("client", fix_cell_text(f, 0, "chain", 0, "process"));
	EXPECT_STREQ("server", fix_cell_text(f, 0, "chain", 1, "process"));
	EXPECT_STREQ("", fix_cell_text(f, 0, "chain", 2, "process"));
	EXPECT_STREQ("disk sleep", fix_cell_text(f, 0, "chain", 0, "woken_from"));
	EXPECT_STREQ("", fix_cell_text(f, 0, "chain", 2, "woken_from"));
	EXPECT_EQ(400, fix_cell(f, 0, "chain", 0, "from_ns"));
	EXPECT_EQ(1000, fix_cell(f, 0, "chain", 0, "to_ns"));
	EXPECT_EQ(580, fix_cell(f, 0, "chain", 0, "run_ns"));
	EXPECT_EQ(20, fix_cell(f, 0, "chain", 0, "run_queue_ns"));
	EXPECT_EQ(2, fix_cell(f, 0, "chain", 1, "tid"));
	EXPECT_EQ(100, fix_cell(f, 0, "chain", 1, "from_ns"));
	EXPECT_EQ(400, fix_cell(f, 0, "chain", 1, "to_ns"));
	EXPECT_EQ(70 + 90, fix_cell(f, 0, "chain", 1, "run_ns"));
	EXPECT_EQ(40, fix_cell(f, 0, "chain", 1, "run_queue_ns"));
	EXPECT_EQ(100, fix_cell(f, 0, "chain", 1, "wait_ns"));
	EXPECT_EQ(3, fix_cell(f, 0, "chain", 2, "tid"));
	EXPECT_EQ(100, fix_cell(f, 0, "chain", 2, "run_ns"));
	for (i = 0; i < 3; i++)
		total += fix_cell(f, 0, "chain", i, "run_ns") +
			 fix_cell(f, 0, "chain", i, "run_queue_ns") +
			 fix_cell(f, 0, "chain", i, "wait_ns");
	EXPECT_EQ(1000, total);
	/* At an earlier time: the same chain, cut there. */
	EXPECT_EQ(450, fix_number(f, 1, "at_ns"));
	EXPECT_EQ(30, fix_cell(f, 1, "chain", 0, "run_ns"));
	EXPECT_EQ(2, fix_rows(f, 2, "chain"));
	EXPECT_STREQ("yes", json_object_get_string(fix_value(f, 2, NULL, 0, "stretches_before")));
	EXPECT_STREQ("no", json_object_get_string(fix_value(f, 0, NULL, 0, "stretches_before")));
	EXPECT_EQ(0, fix_rows(f, 3, "chain"));
}

/* Another CPU reports a wakeup by a thread that has ended. By then its number is another's. */
TEST_F(chain, a_waker_that_has_ended)
{
	struct fix *f = &self->f;
	u64 thread, sleep;

	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=1"));
	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=2"));
	ASSERT_EQ(0, fix_run(f, 1000, 2000));
	thread = fix_start(f, &(struct trace_task){ .kind = TASKS_THREAD, .tid = 2,
			   .tgid_task = 2, .thread_task = first(2), .start = 1000 });
	sleep = fix_start(f, &(struct trace_task){ .kind = TASKS_WAIT, .tid = 1, .start = 1000,
			  .tgid_task = 1, .thread_task = first(1), .code = TASKS_WAIT_DISK });
	doing(f, 2, TASKS_RUN, 0, 1000, 1400);
	fix_end(f, thread, 1400);
	/* Being made, it has the number already. */
	doing_of(f, second(2), 2, TASKS_WAIT, TASKS_WAIT_BORN, 1450, 1600);
	woken(f, sleep, 1, 1000, 2, 1500);
	doing(f, 1, TASKS_RUN, 0, 1500, 2000);
	doing_of(f, second(2), 2, TASKS_RUN, 0, 1600, 1700);
	ASSERT_EQ(2, fix_rows(f, 0, "chain"));
	EXPECT_EQ(500, fix_cell(f, 0, "chain", 0, "from_ns"));
	EXPECT_EQ(2, fix_cell(f, 0, "chain", 1, "tid"));
	EXPECT_EQ(400, fix_cell(f, 0, "chain", 1, "run_ns"));
	EXPECT_EQ(100, fix_cell(f, 0, "chain", 1, "unknown_ns"));
	ASSERT_EQ(1, fix_rows(f, 1, "chain"));
	EXPECT_EQ(450, fix_cell(f, 1, "chain", 0, "from_ns"));
}

/* Who waits for pages of a file waits for a device, whoever wakes it when they are there. */
TEST_F(chain, a_wait_for_pages)
{
	struct fix *f = &self->f;
	u64 sleep;

	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=1"));
	ASSERT_EQ(0, fix_run(f, 1000, 2000));
	doing(f, 2, TASKS_RUN, 0, 1000, 2000);
	doing(f, 1, TASKS_RUN, 0, 1000, 1100);
	sleep = fix_start(f, &(struct trace_task){ .kind = TASKS_WAIT, .tid = 1, .start = 1100,
			  .tgid_task = 1, .thread_task = first(1), .code = TASKS_WAIT_DISK,
			  .cache = TRACE_CACHE_MISS });
	woken(f, sleep, 1, 1100, 2, 1500);
	doing(f, 1, TASKS_RUN, 0, 1500, 2000);
	ASSERT_EQ(1, fix_rows(f, 0, "chain"));
	EXPECT_EQ(400, fix_cell(f, 0, "chain", 0, "wait_ns"));
}

/* Nothing is unknown of a thread that has ended: it is not there. */
TEST_F(chain, a_thread_that_has_ended)
{
	struct fix *f = &self->f;
	u64 thread;

	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=2"));
	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=2,at=300ns"));
	ASSERT_EQ(0, fix_run(f, 1000, 2000));
	thread = fix_start(f, &(struct trace_task){ .kind = TASKS_THREAD, .tid = 2,
			   .tgid_task = 2, .thread_task = first(2), .start = 1000 });
	doing(f, 2, TASKS_RUN, 0, 1000, 1400);
	fix_end(f, thread, 1400);
	doing(f, 1, TASKS_RUN, 0, 1500, 2000);
	ASSERT_EQ(1, fix_rows(f, 0, "chain"));
	EXPECT_EQ(400, fix_number(f, 0, "at_ns"));
	EXPECT_EQ(400, fix_cell(f, 0, "chain", 0, "run_ns"));
	EXPECT_EQ(0, fix_cell(f, 0, "chain", 0, "unknown_ns"));
	EXPECT_STREQ("has ended by then",
		     json_object_get_string(fix_value(f, 0, NULL, 0, "the_thread")));
	EXPECT_EQ(300, fix_cell(f, 1, "chain", 0, "run_ns"));
	EXPECT_EQ(300, fix_number(f, 1, "at_ns"));
}

/* A game of ping-pong: the chain is as long as it is, but memory is not. */
TEST_F(chain, ping_pong)
{
	struct fix *f = &self->f;
	size_t before;
	u64 i;

	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=2,steps=10"));
	ASSERT_EQ(0, fix_run(f, 0, 20000));
	before = mallinfo2().uordblks;
	for (i = 0; i < 5000; i++) {
		doing(f, 1 + i % 2, TASKS_RUN, 0, 2 * i, 2 * i + 2);
		woken(f, 0, 2 - i % 2, 2 * i, 1 + i % 2, 2 * i + 2);
	}
	EXPECT_LT(mallinfo2().uordblks - before, 100000);
	ASSERT_EQ(10, fix_rows(f, 0, "chain"));
	for (i = 1; i < 10; i++) {
		EXPECT_EQ(2, fix_cell(f, 0, "chain", i, "lasted_ns"));
		EXPECT_EQ(2, fix_cell(f, 0, "chain", i, "run_ns"));
		EXPECT_EQ(1 + i % 2, 3 - fix_cell(f, 0, "chain", i, "tid"));
	}
	EXPECT_STREQ("yes", json_object_get_string(fix_value(f, 0, NULL, 0, "stretches_before")));
}

TEST_HARNESS_MAIN
