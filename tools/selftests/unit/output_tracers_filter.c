// SPDX-License-Identifier: GPL-2.0-only
/* Filters: each key accepts and rejects; what is wrong is refused. */
#include <errno.h>

#include "../fixture/tracerfix.h"
#include "kselftest_harness.h"

FIXTURE(filter) {
	struct fix f;
};

FIXTURE_SETUP(filter)
{
	fix_init(&self->f);
}

FIXTURE_TEARDOWN(filter)
{
	fix_destroy(&self->f);
}

/* A task from 100 to 200, or as @task says. Returns whether it was counted. */
static bool passes(const char *filter, struct trace_task task)
{
	char spec[256];
	struct fix f;
	s64 nr;

	fix_init(&f);
	snprintf(spec, sizeof(spec), "total,%s", filter);
	task.start = task.start ? task.start : 1100;
	if (tracers_add(&f.ts, spec) || fix_run(&f, 1000, 2000))
		return false;
	fix_start(&f, &task);
	fix_end(&f, 1, task.end ? task.end : 1200);
	nr = fix_number(&f, 0, "tasks");
	fix_destroy(&f);
	return nr == 1;
}

#define PASSES(filter, ...) \
	EXPECT_TRUE(passes(filter, (struct trace_task){ __VA_ARGS__ }))
#define FAILS(filter, ...) \
	EXPECT_FALSE(passes(filter, (struct trace_task){ __VA_ARGS__ }))

TEST(kind)
{
	PASSES("kind=wait", .kind = TASKS_WAIT);
	FAILS("kind=wait", .kind = TASKS_RUN);
	PASSES("kind=wait|run", .kind = TASKS_RUN);
	PASSES("kind=req_in", .kind = TASKS_REQ_IN);
	FAILS("kind=req_in", .kind = TASKS_REQ_OUT);
}

TEST(what)
{
	PASSES("what=/usr/*.so", .what = "/usr/lib/libc.so");
	FAILS("what=/usr/*.so", .what = "/usr/lib/libc.so.6");
	PASSES("what=run queue: woken", .what = "run queue: woken");
	FAILS("what=run queue: woken", .what = "run queue: new");
	PASSES("what=a\\,b", .what = "a,b");
	FAILS("what=a\\,b", .what = "a");
	PASSES("what=[ab]?", .what = "bz");
	PASSES("what=[]a]", .what = "]");
	PASSES("what=[!]a[]", .what = "b");
	PASSES("what=[[:alpha:]x]", .what = "y");
	PASSES("what=a\\[b", .what = "a[b");
	PASSES("what=a]b", .what = "a]b");
}

TEST(where)
{
	PASSES("where=proc.7.*", .where = "proc.7.thread.8.run", .where_id = 1000);
	FAILS("where=proc.7.*", .where = "proc.70.thread.8.run", .where_id = 3);
	PASSES("where=pagecache.8:1", .where = "pagecache.8:1", .where_id = 1);
}

/* What is known of a place stays, and does not get mixed up with another's. */
TEST_F(filter, places)
{
	struct fix *f = &self->f;
	u64 i;

	ASSERT_EQ(0, tracers_add(&f->ts, "total,where=a*"));
	ASSERT_EQ(0, fix_run(f, 0, 100));
	for (i = 0; i < 1000; i++) {
		fix_start(f, &(struct trace_task){ .where = i % 3 ? "b" : "a", .where_id = i });
		fix_end(f, f->nr, 1);
		fix_start(f, &(struct trace_task){ .where = i % 3 ? "b" : "a", .where_id = i });
		fix_end(f, f->nr, 1);
	}
	EXPECT_EQ(2 * 334, fix_number(f, 0, "tasks"));
}

TEST(pid_and_tid)
{
	PASSES("pid=5", .pid = 5, .tid = 6);
	FAILS("pid=6", .pid = 5, .tid = 6);
	PASSES("tid=6", .pid = 5, .tid = 6);
	FAILS("tid=5", .pid = 5, .tid = 6);
	FAILS("pid=5", .pid = 0);
	PASSES("pid=5,tid=6", .pid = 5, .tid = 6);
	FAILS("pid=5,tid=5", .pid = 5, .tid = 6);
}

TEST(window)
{
	PASSES("from=100ns", .start = 1050, .end = 1101);
	FAILS("from=100ns", .start = 1050, .end = 1100);
	PASSES("from=100ns", .start = 1100, .end = 1100);
	PASSES("to=100ns", .start = 1099, .end = 1300);
	FAILS("to=100ns", .start = 1100, .end = 1300);
	PASSES("from=0.0001ms,to=0.2us", .start = 1020, .end = 1900);
	PASSES("from=100ns,to=200ns", .start = 1100, .end = 1200);
}

TEST(duration)
{
	PASSES("min=100ns", .start = 1100, .end = 1200);
	FAILS("min=100ns", .start = 1100, .end = 1199);
	PASSES("max=100ns", .start = 1100, .end = 1200);
	FAILS("max=100ns", .start = 1100, .end = 1201);
	PASSES("max=0ns", .start = 1100, .end = 1100);
	PASSES("min=50ns,max=60ns", .start = 1100, .end = 1155);
	/* All of it counts, not what lies in the window. */
	PASSES("min=500ns,from=600ns", .start = 1101, .end = 1601);
	FAILS("max=499ns,from=600ns", .start = 1101, .end = 1601);
}

/* Of a thread in a tree's process: its own tasks and those of what it made. */
TEST_F(filter, tree)
{
	struct fix *f = &self->f;
	u64 shell, child, grandchild, other, thread;

	ASSERT_EQ(0, tracers_add(&f->ts, "top,by=pid,kind=run,tree=10"));
	ASSERT_EQ(0, tracers_add(&f->ts, "total,tree=11"));
	EXPECT_EQ(1U << TASKS_PROCESS, tracers_kinds(&f->ts) & (1U << TASKS_PROCESS));
	ASSERT_EQ(0, fix_run(f, 0, 100));
#define PROCESS(p, of) \
	fix_start(f, &(struct trace_task){ .kind = TASKS_PROCESS, .pid = p, .parent = of })
#define RAN(p, task)								\
do {										\
	fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .pid = p, .tgid_task = task }); \
	fix_end(f, f->nr, 10);							\
} while (0)
	shell = PROCESS(10, 0);
	other = PROCESS(20, 0);
	child = PROCESS(11, shell);
	thread = fix_start(f, &(struct trace_task){ .kind = TASKS_THREAD, .pid = 11,
			   .tgid_task = child, .parent = child });
	grandchild = PROCESS(12, thread);
	fix_end(f, thread, 5);
	RAN(10, shell);
	RAN(20, other);
	RAN(11, child);
	fix_end(f, child, 11);
	RAN(12, grandchild);
	RAN(20, other);
	EXPECT_EQ(3, fix_number(f, 0, "groups"));
	EXPECT_EQ(10, fix_cell(f, 0, "top", 0, "pid"));
	EXPECT_EQ(11, fix_cell(f, 0, "top", 1, "pid"));
	EXPECT_EQ(12, fix_cell(f, 0, "top", 2, "pid"));
	/* 11, its thread and two runs; 12 has not ended. */
	EXPECT_EQ(4, fix_number(f, 1, "tasks"));
}

/* Tasks that have ended are forgotten: a family is as large as it is now. */
TEST_F(filter, families_end)
{
	struct fix *f = &self->f;
	u64 shell, child;
	u32 i;

	ASSERT_EQ(0, tracers_add(&f->ts, "total,kind=run,tree=10"));
	ASSERT_EQ(0, fix_run(f, 0, 100));
	shell = PROCESS(10, 0);
	for (i = 0; i < 100; i++) {
		child = PROCESS(11 + i, shell);
		RAN(11 + i, child);
		fix_end(f, child, 10);
	}
	EXPECT_EQ(1, f->ts.list[0].filter.family.nr);
	fix_end(f, shell, 20);
	EXPECT_EQ(0, f->ts.list[0].filter.family.nr);
	EXPECT_EQ(100, fix_number(f, 0, "tasks"));
}

/* Each of these is no filter. */
TEST_F(filter, refused)
{
	static const char *const wrong[] = {
		"busy,kind=runn", "busy,kind=", "busy,kind=run|", "busy,kind=run|wait|x",
		"busy,what=", "busy,where=", "busy,pid=0", "busy,pid=x", "busy,pid=-1",
		"busy,pid=4294967296", "busy,tid=1x", "busy,tree=", "busy,from=5", "busy,to=5m",
		"busy,min=.5s", "busy,min=5.s", "busy,min=-5s", "busy,max=1.5ns",
		"busy,max=99999999999999999999s", "busy,max=9300000000s",
		"busy,from=2s,to=1s", "busy,from=1s,to=1s",
		"busy,min=2s,max=1s", "nobody", "", "average,", "./none.so",
		"busy,what=[", "busy,what=a[b", "busy,where=[!]", "busy,what=[a\\]",
		"busy,what=[[:alpha:", "busy,what=[[:foo:]]", "busy,what=a\\",
		"busy,kind=run,kind=wait", "busy,pid=1,tid=2,pid=1", "top,by=pid,by=tid",
		"chain,tid=1,kind=run", "chain,tid=1,from=1s", "chain,tid=1,min=1s",
		"chain,tid=1,tid=2",
	};
	struct fix *f = &self->f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_NE(0, tracers_add(&f->ts, wrong[i])) {
			TH_LOG("\"%s\" is accepted", wrong[i]);
		}
		fix_destroy(f);
		fix_init(f);
	}
}

/* Arguments that tracers themselves have to refuse, before there is a capture. */
TEST_F(filter, refused_by_tracers)
{
	static const char *const wrong[] = {
		"busy,foo=1", "busy,knd=run", "busy,kind", "busy,foo", "total,foo=1", "tags,x=y",
		"concurrency,steps=0",
		"concurrency,steps=x", "concurrency,steps=1000000", "top", "top,by=name",
		"top,by=pid,rows=0", "chain", "chain,tid=x", "chain,tid=0", "chain,tid=1,at=3",
		"unfinished,rows=-1", "csv", "csv,file=", "jsonl", "database", "csv,file=-",
		"database,file=-", "busy,rows=5", "top,by=foo", "top,by=pid,rows=x",
	};
	struct fix *f = &self->f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_GT(0, tracers_add(&f->ts, wrong[i])) {
			TH_LOG("\"%s\" is accepted", wrong[i]);
		}
	}
	EXPECT_EQ(0, f->ts.nr);
}

/* Files that cannot be made. */
TEST_F(filter, refused_at_the_capture)
{
	static const char *const wrong[] = {
		"csv,file=/nonexistent/x", "database,file=/nonexistent/x", "csv,file=/",
	};
	struct fix *f = &self->f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		EXPECT_EQ(0, tracers_add(&f->ts, wrong[i]));
		EXPECT_GT(0, fix_run(f, 0, 1)) {
			TH_LOG("\"%s\" is accepted", wrong[i]);
		}
		fix_destroy(f);
		fix_init(f);
	}
}

TEST_F(filter, at_most_64)
{
	struct fix *f = &self->f;
	unsigned int i;

	for (i = 0; i < TRACERS_MAX; i++)
		ASSERT_EQ(0, tracers_add(&f->ts, "total"));
	EXPECT_EQ(-EINVAL, tracers_add(&f->ts, "total"));
	ASSERT_EQ(0, fix_run(f, 0, 10));
	fix_start(f, &(struct trace_task){ .start = 1 });
	fix_end(f, 1, 2);
	EXPECT_EQ(1, fix_number(f, 63, "total_ns"));
}

/* A kind that the user names replaces those the tracer has by itself. */
TEST_F(filter, kinds_by_default)
{
	struct fix *f = &self->f;

	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=1"));
	EXPECT_EQ(0, tracers_kinds(&f->ts) & (1U << TASKS_FILE));
	EXPECT_NE(0, tracers_kinds(&f->ts) & (1U << TASKS_WAIT));
	ASSERT_EQ(0, tracers_add(&f->ts, "busy,kind=file"));
	EXPECT_NE(0, tracers_kinds(&f->ts) & (1U << TASKS_FILE));
	/* tid= is the chain's, not its filter's. */
	EXPECT_EQ(0, f->ts.list[0].filter.tid);
}

TEST_HARNESS_MAIN
