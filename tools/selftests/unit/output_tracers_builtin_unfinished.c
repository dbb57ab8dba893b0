// SPDX-License-Identifier: GPL-2.0-only
/* Tasks that are open at the end, or may have ended in a gap. */

#include "../fixture/tracerfix.h"
#include "kselftest_harness.h"

FIXTURE(unfinished) {
	struct fix f;
};

FIXTURE_SETUP(unfinished)
{
	fix_init(&self->f);
}

FIXTURE_TEARDOWN(unfinished)
{
	fix_destroy(&self->f);
}

/* What is open at the end, and what may have ended in a gap, within what. */
TEST_F(unfinished, open_and_in_doubt)
{
	struct fix *f = &self->f;
	u64 process, thread, wait, run;

	ASSERT_EQ(0, tracers_add(&f->ts, "unfinished"));
	ASSERT_EQ(0, tracers_add(&f->ts, "unfinished,rows=1,kind=wait|run"));
	ASSERT_EQ(0, fix_run(f, 1000, 2000));
	process = fix_start(f, &(struct trace_task){ .kind = TASKS_PROCESS, .start = 1000,
			    .what = "sh", .where = "proc.7", .where_id = 1 });
	thread = fix_start(f, &(struct trace_task){ .kind = TASKS_THREAD, .start = 1100,
			   .what = "worker", .where = "proc.7.thread.8", .where_id = 2,
			   .parent = process });
	run = fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .start = 1150,
			.what = "run", .where = "proc.7.thread.8.run", .where_id = 3,
			.parent = thread });
	fix_end_flags(f, run, 1160, TRACE_UNCERTAIN);
	fix_end(f, fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .start = 1170 }), 1180);
	wait = fix_start(f, &(struct trace_task){ .kind = TASKS_WAIT, .start = 1200,
			 .what = "disk sleep", .where = "proc.7.thread.8.wait", .where_id = 4,
			 .parent = thread });
	fix_end_flags(f, wait, 2000, TRACE_OPEN);
	fix_end_flags(f, thread, 2000, TRACE_OPEN);
	fix_end_flags(f, process, 2000, TRACE_OPEN);
	EXPECT_EQ(3, fix_number(f, 0, "open"));
	EXPECT_EQ(1, fix_number(f, 0, "in_doubt"));
	ASSERT_EQ(4, fix_rows(f, 0, "oldest"));
	EXPECT_STREQ("sh", fix_cell_text(f, 0, "oldest", 0, "what"));
	EXPECT_EQ(0, fix_cell(f, 0, "oldest", 0, "since_ns"));
	EXPECT_STREQ("in doubt", fix_cell_text(f, 0, "oldest", 2, "end"));
	EXPECT_STREQ("disk sleep", fix_cell_text(f, 0, "oldest", 3, "what"));
	EXPECT_EQ(200, fix_cell(f, 0, "oldest", 3, "since_ns"));
	EXPECT_EQ(800, fix_cell(f, 0, "oldest", 3, "for_ns"));
	EXPECT_STREQ("thread worker at proc.7.thread.8, process sh at proc.7",
		     fix_cell_text(f, 0, "oldest", 3, "in"));
	/* The one that began first has the row; its parents are there without passing. */
	ASSERT_EQ(1, fix_rows(f, 1, "oldest"));
	EXPECT_EQ(150, fix_cell(f, 1, "oldest", 0, "since_ns"));
	EXPECT_STREQ("thread worker at proc.7.thread.8, process sh at proc.7",
		     fix_cell_text(f, 1, "oldest", 0, "in"));
	EXPECT_EQ(1, fix_number(f, 1, "open"));
}

TEST_HARNESS_MAIN
