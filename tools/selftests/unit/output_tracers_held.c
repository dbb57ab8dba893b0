// SPDX-License-Identifier: GPL-2.0-only
/* What tracers get when there is much of something, or when it comes late. */
#include <malloc.h>

#include "../fixture/tracerfix.h"
#include "output/tracers/builtin/groups.h"
#include "output/tracers/builtin/sweep.h"
#include "kselftest_harness.h"

FIXTURE(bounds) {
	struct fix f;
};

FIXTURE_SETUP(bounds)
{
	fix_init(&self->f);
}

FIXTURE_TEARDOWN(bounds)
{
	fix_destroy(&self->f);
}

/* The tags and milestones that a tracer got. */
static char got[256];

static int note(const char *what, u64 time)
{
	size_t len = strlen(got);

	snprintf(got + len, sizeof(got) - len, "%s@%llu ", what, time);
	return 0;
}

static int spy_tag(void *data, const struct trace_tag *tag)
{
	(void)data;
	return note(tag->what, tag->time);
}

static int spy_milestone(void *data, const struct trace_milestone *milestone)
{
	(void)data;
	return note(milestone->what, milestone->time);
}

static const struct tracer_class spy = {
	.abi = TRACER_ABI, .name = "spy", .sentence = "records what it gets",
	.tag = spy_tag, .milestone = spy_milestone,
};

static u64 begin(struct fix *f, u32 kind, u64 start)
{
	return fix_start(f, &(struct trace_task){ .kind = kind, .start = start });
}

/* What begins as long ago as the oldest that waits, as the answer to a wait does. */
TEST_F(bounds, waiting_behind_many)
{
	struct fix *f = &self->f;
	u64 i, nr = 40000;

	ASSERT_EQ(0, tracers_add(&f->ts, "total,min=1ms"));
	ASSERT_EQ(0, fix_run(f, 0, 2000000));
	for (i = 0; i < nr; i++)
		begin(f, TASKS_WAIT, 1 + i);
	/* A list that is gone through from its end takes minutes, more than a test may. */
	for (i = 0; i < 10 * nr; i++, f->nr--)
		fix_end(f, begin(f, TASKS_REQ_IN, 0), nr + i);
	for (i = nr; i; i--)
		fix_end(f, i, 1000000 + nr / 2);
	EXPECT_EQ(nr / 2, fix_number(f, 0, "tasks"));
	EXPECT_EQ(0, f->ts.open.nr);
	EXPECT_EQ(0, f->ts.waiting);
}

/* Tasks whose end may turn out to be long ago; what else the tracer gets does not matter. */
TEST_F(bounds, when_it_ends_long_ago)
{
	static const char *const filters[] = {
		"total,kind=file,min=1us", "total,kind=file,max=1us", "total,kind=file,from=1us",
		"total,kind=call,min=1us", "total,kind=page,from=1us,max=1us",
	};
	struct fix *f = &self->f;
	unsigned int i;
	u64 a, b, c;

	for (i = 0; i < ARRAY_SIZE(filters); i++)
		ASSERT_EQ(0, tracers_add(&f->ts, filters[i]));
	ASSERT_EQ(0, fix_run(f, 0, 10000));
	a = begin(f, TASKS_FILE, 10);
	b = begin(f, TASKS_CALL, 10);
	c = begin(f, TASKS_PAGE, 10);
	fix_end(f, begin(f, TASKS_CALL, 9000), 9001);
	fix_end_flags(f, a, 100, TRACE_UNCERTAIN);
	fix_end_flags(f, b, 100, TRACE_UNCERTAIN);
	fix_end_flags(f, c, 100, TRACE_UNCERTAIN);
	fix_end(f, begin(f, TASKS_FILE, 9000), 10000);
	EXPECT_EQ(1, fix_number(f, 0, "tasks"));
	EXPECT_EQ(1000, fix_number(f, 0, "total_ns"));
	EXPECT_EQ(2, fix_number(f, 1, "tasks"));
	EXPECT_EQ(1, fix_number(f, 2, "tasks"));
	EXPECT_EQ(0, fix_number(f, 3, "tasks"));
	EXPECT_EQ(0, fix_number(f, 4, "tasks"));
}

/* Of the tags and milestones those in the window. */
TEST_F(bounds, notes_of_a_window)
{
	struct fix *f = &self->f;
	unsigned int i;
	u64 a;

	ASSERT_EQ(0, tracers_add(&f->ts, "tags,from=1us,to=2us"));
	ASSERT_EQ(0, tracers_add_class(&f->ts, &spy, "spy,from=1us,to=2us"));
	ASSERT_EQ(0, fix_run(f, 0, 10000));
	a = begin(f, TASKS_RUN, 10);
	/* These need no room. */
	for (i = 0; i <= TRACER_NOTES_MAX; i++)
		fix_tag(f, a, 20, "early");
	fix_milestone(f, a, 1000, "work", "early");
	fix_tag(f, a, 1000, "x");
	fix_milestone(f, a, 1010, "work", "y");
	fix_milestone(f, a, 2000, "queue", "z");
	fix_tag(f, a, 2000, "late");
	fix_milestone(f, a, 2001, "queue", "late");
	fix_end(f, a, 3000);
	EXPECT_STREQ("x@1000 y@1010 z@2000 ", got);
	EXPECT_EQ(1, fix_rows(f, 0, "tags"));
	EXPECT_EQ(-1, fix_number(f, 0, "tags_and_milestones_left_out"));
}

/* Each of many tags counts once for a task that has it, in whatever order they come. */
TEST_F(bounds, tags_of_each_task)
{
	struct fix *f = &self->f;
	unsigned int i, round, nr = 150000;
	char tag[16];

	ASSERT_EQ(0, tracers_add(&f->ts, "tags"));
	ASSERT_EQ(0, fix_run(f, 0, 1000));
	begin(f, TASKS_THREAD, 1);
	begin(f, TASKS_THREAD, 1);
	/* Comparing each with all before takes minutes, more than a test may. */
	for (round = 0; round < 2; round++) {
		for (i = 0; i < nr; i++) {
			snprintf(tag, sizeof(tag), "%u", i);
			fix_tag(f, 1, 2, tag);
			fix_tag(f, 2, 2, tag);
		}
	}
	fix_end(f, 1, 3);
	fix_end(f, 2, 3);
	ASSERT_EQ(nr, fix_rows(f, 0, "tags"));
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(4, fix_cell(f, 0, "tags", i, "tags"));
		ASSERT_EQ(2, fix_cell(f, 0, "tags", i, "tasks"));
	}
}

/* The oldest ones, in the order in which they began, whatever the order of reports. */
TEST_F(bounds, unfinished_oldest)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	struct fix *f = &self->f;
	unsigned int i, nr = 1000;

	ASSERT_EQ(0, tracers_add(&f->ts, "unfinished,rows=100"));
	ASSERT_EQ(0, tracers_add(&f->ts, "unfinished,rows=1000"));
	ASSERT_EQ(0, fix_run(f, 0, nr));
	/* Four at a time. */
	for (i = 0; i < nr; i++)
		fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .start = i / 4,
			  .what = names[i % 4] });
	for (i = 0; i < nr; i++)
		fix_end_flags(f, 1 + i * 617 % nr, nr, TRACE_OPEN);
	EXPECT_EQ(nr, fix_number(f, 0, "open"));
	ASSERT_EQ(100, fix_rows(f, 0, "oldest"));
	ASSERT_EQ(nr, fix_rows(f, 1, "oldest"));
	for (i = 0; i < nr; i++) {
		ASSERT_EQ(i / 4, fix_cell(f, 1, "oldest", i, "since_ns"));
		ASSERT_EQ('a' + i % 4, fix_cell_text(f, 1, "oldest", i, "what")[0]);
		if (i >= 100)
			continue;
		ASSERT_EQ(i / 4, fix_cell(f, 0, "oldest", i, "since_ns"));
		ASSERT_EQ('a' + i % 4, fix_cell_text(f, 0, "oldest", i, "what")[0]);
	}
}

static size_t memory_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* A process is undecided all the time: memory has a limit, and nothing is wrong by that. */
TEST_F(bounds, undecided_all_the_time)
{
	struct fix *f = &self->f;
	u64 i, nr = 2 * SWEEP_MOST;
	size_t before;

	ASSERT_EQ(0, tracers_add(&f->ts, "busy,what=run"));
	ASSERT_EQ(0, fix_run(f, 0, 10 * nr));
	fix_start(f, &(struct trace_task){ .kind = TASKS_PROCESS });
	before = memory_in_use();
	for (i = 0; i < nr; i++, f->nr--) {
		fix_end(f, fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .what = "run",
				     .start = 10 * i }), 10 * i + 4);
	}
	EXPECT_LT(memory_in_use() - before, 2 * 16 * SWEEP_MOST);
	fix_end(f, 1, 10 * nr);
	EXPECT_EQ(nr, fix_number(f, 0, "tasks"));
	EXPECT_EQ(4 * nr, fix_number(f, 0, "busy_ns"));
	EXPECT_EQ(-1, fix_number(f, 0, "told_too_late"));
}

/* What is open when a window begins is in it, though more follows than can wait. */
TEST_F(bounds, open_before_the_window)
{
	struct fix *f = &self->f;
	u64 i, a, b, nr = SWEEP_MOST;

	ASSERT_EQ(0, tracers_add(&f->ts, "concurrency,kind=file,from=100ns"));
	ASSERT_EQ(0, fix_run(f, 0, 10 * nr));
	a = begin(f, TASKS_FILE, 10);
	b = begin(f, TASKS_FILE, 20);
	/* One had ended: that is reported while it can be taken back. */
	fix_end(f, begin(f, TASKS_FILE, 200), 204);
	fix_end_flags(f, b, 90, TRACE_UNCERTAIN);
	for (i = 30; i < nr; i++, f->nr--)
		fix_end(f, begin(f, TASKS_FILE, 10 * i), 10 * i + 4);
	fix_end_flags(f, a, 10 * nr, TRACE_OPEN);
	EXPECT_EQ(1, fix_number(f, 0, "min"));
	EXPECT_EQ(2, fix_number(f, 0, "max"));
	EXPECT_EQ(-1, fix_number(f, 0, "told_too_late"));
	EXPECT_EQ(2, fix_rows(f, 0, "levels"));
	EXPECT_EQ(4 * (nr - 29), fix_cell(f, 0, "levels", 1, "time_ns"));
}

/* More at once than there are threads: pages. The levels' borders are where they are said. */
TEST_F(bounds, many_at_once)
{
	static const u64 levels[] = { 16, 17, 32, 33, 64, 65, 5000000 };
	struct fix *f = &self->f;
	struct trace_task page = { .kind = TASKS_PAGE };
	struct tracer *tr = &f->ts.list[0];
	u64 i, nr = 0, from;

	ASSERT_EQ(0, tracers_add(&f->ts, "concurrency"));
	ASSERT_EQ(0, fix_run(f, 0, 700));
	/* Reported without a place to remember all of them. */
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		page.start = 100 * i;
		for (; nr < levels[i]; nr++)
			ASSERT_EQ(0, tr->class->start(tr->data, &page));
	}
	EXPECT_EQ(16, fix_number(f, 0, "min"));
	EXPECT_EQ(5000000, fix_number(f, 0, "max"));
	ASSERT_EQ(5, fix_rows(f, 0, "levels"));
	for (i = 0, from = 16; i < 4; i++, from = from < 17 ? 17 : 2 * from - 1) {
		EXPECT_EQ(from, (u64)fix_cell(f, 0, "levels", i, "from"));
		EXPECT_EQ(i ? 2 * (from - 1) : 16, (u64)fix_cell(f, 0, "levels", i, "to"));
		EXPECT_EQ(!i || i == 3 ? 100 : 200, fix_cell(f, 0, "levels", i, "time_ns"));
	}
	EXPECT_EQ((1 << 22) + 1, fix_cell(f, 0, "levels", 4, "from"));
	EXPECT_EQ(1 << 23, fix_cell(f, 0, "levels", 4, "to"));
}

/* More names than there are rows: the rest is one row. */
TEST_F(bounds, all_others)
{
	struct fix *f = &self->f;
	u64 i, nr = GROUPS_MAX + 10;
	char what[16];

	ASSERT_EQ(0, tracers_add(&f->ts, "top,by=what,rows=2"));
	ASSERT_EQ(0, fix_run(f, 0, nr));
	for (i = 0; i < nr; i++, f->nr--) {
		snprintf(what, sizeof(what), "%llu", i);
		fix_end(f, fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .what = what }),
			i < 2 ? 100 - i : 1);
	}
	EXPECT_EQ(GROUPS_MAX, fix_number(f, 0, "groups"));
	ASSERT_EQ(3, fix_rows(f, 0, "top"));
	EXPECT_STREQ("0", fix_cell_text(f, 0, "top", 0, "what"));
	EXPECT_STREQ("1", fix_cell_text(f, 0, "top", 1, "what"));
	EXPECT_STREQ("all others", fix_cell_text(f, 0, "top", 2, "what"));
	EXPECT_EQ(10, fix_cell(f, 0, "top", 2, "tasks"));
	EXPECT_EQ(10, fix_cell(f, 0, "top", 2, "total_ns"));
}

TEST_HARNESS_MAIN
