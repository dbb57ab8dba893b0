// SPDX-License-Identifier: GPL-2.0-only
/* What a tracer gets, and when; tracers that depend on it: tags, unfinished, chain. */
#include <errno.h>
#include <malloc.h>

#include "../fixture/tracerfix.h"
#include "kselftest_harness.h"

#define LOG_MAX	8192

/* Everything a tracer got, as one string. */
static char told[LOG_MAX];
static size_t told_len;

static void __printf_like(1, 2) note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (told_len < LOG_MAX)
		told_len += vsnprintf(told + told_len, LOG_MAX - told_len, fmt, ap);
	va_end(ap);
}

static int spy_start(void *data, const struct trace_task *t)
{
	(void)data;
	note("start:%llu@%llu:%s ", t->id, t->start, t->what);
	return 0;
}

static int spy_end(void *data, const struct trace_task *t)
{
	(void)data;
	note("end:%llu@%llu-%llu ", t->id, t->start, t->end);
	return 0;
}

static int spy_tag(void *data, const struct trace_tag *t)
{
	(void)data;
	note("tag:%llu@%llu:%s ", t->task->id, t->time, t->what);
	return 0;
}

static int spy_milestone(void *data, const struct trace_milestone *m)
{
	(void)data;
	note("milestone:%llu@%llu:%s:%s ", m->task->id, m->time, m->kind, m->what);
	return 0;
}

static int spy_loss(void *data, const struct trace_loss *l)
{
	(void)data;
	note("loss:%llu-%llu ", l->start, l->end);
	return 0;
}

static int spy_oldest(void *data, u64 time)
{
	(void)data;
	note("oldest:%llu ", time);
	return 0;
}

static const struct tracer_class spy = {
	.abi = TRACER_ABI, .name = "spy", .sentence = "tells what it is told",
	.start = spy_start, .end = spy_end, .tag = spy_tag, .milestone = spy_milestone,
	.loss = spy_loss, .oldest = spy_oldest,
};

FIXTURE(told) {
	struct fix f;
};

FIXTURE_SETUP(told)
{
	fix_init(&self->f);
	told[0] = '\0';
	told_len = 0;
}

FIXTURE_TEARDOWN(told)
{
	fix_destroy(&self->f);
}

#define EXPECT_TOLD(text)							\
do {										\
	EXPECT_STREQ(text, told);						\
	told[0] = '\0';								\
	told_len = 0;								\
} while (0)

#define SPY(filter)								\
do {										\
	ASSERT_EQ(0, tracers_add_class(&self->f.ts, &spy, "spy" filter));	\
	ASSERT_EQ(0, fix_run(&self->f, 0, 10000));				\
} while (0)

static u64 begin(struct fix *f, u32 kind, u64 start)
{
	return fix_start(f, &(struct trace_task){ .kind = kind, .start = start });
}

TEST_F(told, as_it_happens)
{
	struct fix *f = &self->f;
	u64 a;

	SPY(",kind=run");
	a = begin(f, TASKS_RUN, 10);
	EXPECT_TOLD("start:1@10:what ");
	fix_tag(f, a, 11, "x");
	fix_milestone(f, a, 12, "queue", "y");
	EXPECT_TOLD("tag:1@11:x milestone:1@12:queue:y ");
	fix_end(f, a, 20);
	EXPECT_TOLD("end:1@10-20 ");
	/* Of another kind: neither it, nor its tags, nor its milestones. */
	a = begin(f, TASKS_WAIT, 20);
	fix_tag(f, a, 21, "x");
	fix_milestone(f, a, 22, "queue", "y");
	fix_end(f, a, 30);
	EXPECT_TOLD("");
	fix_loss(f, &(struct trace_loss){ .start = 5, .end = 6 });
	EXPECT_TOLD("loss:5-6 ");
	EXPECT_EQ(0, f->ts.open.nr);
}

/* As soon as it is known, with all that was before, and once only. */
TEST_F(told, when_it_lasts_long_enough)
{
	struct fix *f = &self->f;
	u64 a, b, c;

	SPY(",min=100ns");
	a = begin(f, TASKS_RUN, 1000);
	fix_tag(f, a, 1001, "x");
	b = begin(f, TASKS_RUN, 1050);
	fix_tag(f, b, 1051, "of b");
	fix_milestone(f, a, 1060, "data", "y");
	fix_end(f, b, 1099);
	EXPECT_TOLD("");
	c = begin(f, TASKS_RUN, 1100);
	EXPECT_TOLD("start:1@1000:what tag:1@1001:x milestone:1@1060:data:y ");
	fix_tag(f, a, 1101, "z");
	EXPECT_TOLD("tag:1@1101:z ");
	fix_end(f, a, 1150);
	EXPECT_TOLD("end:1@1000-1150 ");
	fix_tag(f, c, 1160, "q");
	fix_end(f, c, 1200);
	EXPECT_TOLD("start:3@1100:what tag:3@1160:q end:3@1100-1200 ");
	EXPECT_EQ(0, f->ts.open.nr);
	EXPECT_EQ(0, f->ts.waiting);
}

/* What lasts too long is forgotten at once, not at its end. */
TEST_F(told, when_it_lasts_too_long)
{
	struct fix *f = &self->f;
	u64 a, b;

	SPY(",max=100ns");
	a = begin(f, TASKS_RUN, 1000);
	b = begin(f, TASKS_RUN, 1100);
	EXPECT_EQ(2, f->ts.open.nr);
	fix_end(f, b, 1101);
	EXPECT_EQ(0, f->ts.open.nr);
	EXPECT_TOLD("start:2@1100:what end:2@1100-1101 ");
	fix_tag(f, a, 1102, "x");
	fix_end(f, a, 1200);
	EXPECT_TOLD("");
}

/* Begun before the window: reported at the window's start, and only the part within. */
TEST_F(told, of_a_window)
{
	struct fix *f = &self->f;
	u64 a, b;

	SPY(",from=1us,to=2us");
	a = begin(f, TASKS_RUN, 900);
	b = begin(f, TASKS_RUN, 950);
	fix_end(f, b, 1000);
	EXPECT_TOLD("");
	fix_tag(f, a, 1001, "x");
	EXPECT_TOLD("start:1@1000:what tag:1@1001:x ");
	b = begin(f, TASKS_RUN, 1500);
	fix_end(f, a, 2100);
	EXPECT_TOLD("start:3@1500:what end:1@1000-2000 ");
	begin(f, TASKS_RUN, 2000);
	fix_end(f, b, 2000);
	EXPECT_TOLD("end:3@1500-2000 ");
	fix_loss(f, &(struct trace_loss){ .start = 2000, .end = 3000 });
	fix_loss(f, &(struct trace_loss){ .start = 0, .end = 999 });
	fix_loss(f, &(struct trace_loss){ .start = 999, .end = 1000 });
	EXPECT_TOLD("loss:999-1000 ");
}

/* What a task does is not known at first, or it is a process that becomes another one. */
TEST_F(told, what_comes_late)
{
	struct fix *f = &self->f;
	u64 a, b, c;

	SPY(",what=gcc");
	a = fix_start(f, &(struct trace_task){ .kind = TASKS_PROCESS, .what = "sh", .start = 1 });
	b = fix_start(f, &(struct trace_task){ .kind = TASKS_THREAD, .what = "", .start = 2 });
	c = fix_start(f, &(struct trace_task){ .kind = TASKS_PROCESS, .what = "gcc",
		      .start = 3 });
	fix_end(f, fix_start(f, &(struct trace_task){ .kind = TASKS_THREAD, .what = "gcc",
			     .start = 4 }), 5);
	EXPECT_TOLD("start:4@4:gcc end:4@4-5 ");
	f->all[a].what = "gcc";
	f->all[b].what = "gcc";
	f->all[c].what = "ld";
	fix_end(f, a, 10);
	fix_end(f, b, 11);
	fix_end(f, c, 12);
	EXPECT_TOLD("start:1@1:gcc end:1@1-10 start:2@2:gcc end:2@2-11 ");
	EXPECT_EQ(0, f->ts.open.nr);
}

/* Waiting tasks are in the order of their starts, whatever the order of the reports. */
TEST_F(told, waiting_out_of_order)
{
	struct fix *f = &self->f;

	SPY(",min=100ns");
	begin(f, TASKS_RUN, 1000);
	begin(f, TASKS_RUN, 950);
	begin(f, TASKS_RUN, 980);
	fix_tag(f, 1, 1050, "x");
	EXPECT_TOLD("start:2@950:what ");
	fix_tag(f, 1, 1080, "y");
	EXPECT_TOLD("start:3@980:what ");
	fix_tag(f, 1, 1100, "z");
	EXPECT_TOLD("start:1@1000:what tag:1@1050:x tag:1@1080:y tag:1@1100:z ");
}

/* One waits, another does not. Their tags do not get mixed up. */
TEST_F(told, two_tracers)
{
	struct fix *f = &self->f;
	u64 a;

	ASSERT_EQ(0, tracers_add_class(&f->ts, &spy, "spy"));
	ASSERT_EQ(0, tracers_add_class(&f->ts, &spy, "spy,min=1us"));
	ASSERT_EQ(0, tracers_add_class(&f->ts, &spy, "spy,min=2us"));
	ASSERT_EQ(0, fix_run(f, 0, 10000));
	a = begin(f, TASKS_RUN, 100);
	fix_tag(f, a, 200, "x");
	EXPECT_TOLD("start:1@100:what tag:1@200:x ");
	fix_tag(f, a, 1100, "y");
	EXPECT_TOLD("start:1@100:what tag:1@200:x tag:1@1100:y tag:1@1100:y ");
	fix_end(f, a, 2000);
	EXPECT_TOLD("end:1@100-2000 end:1@100-2000 ");
	EXPECT_EQ(0, f->ts.open.nr);
}

/* A task that waits keeps so many; the rest is counted. */
TEST_F(told, notes_are_bounded)
{
	struct fix *f = &self->f;
	unsigned int i;
	u64 a;

	ASSERT_EQ(0, tracers_add(&f->ts, "tags,max=1us"));
	ASSERT_EQ(0, tracers_add(&f->ts, "total,max=1us"));
	ASSERT_EQ(0, fix_run(f, 0, 10000));
	a = begin(f, TASKS_RUN, 0);
	for (i = 0; i < TRACER_NOTES_MAX + 7; i++)
		fix_tag(f, a, i, "x");
	fix_end(f, a, 1000);
	EXPECT_EQ(TRACER_NOTES_MAX, fix_cell(f, 0, "tags", 0, "tags"));
	EXPECT_EQ(7, fix_number(f, 0, "tags_and_milestones_left_out"));
	EXPECT_EQ(-1, fix_number(f, 1, "tags_and_milestones_left_out"));
}

/* Until when nothing will be reported late. */
TEST_F(told, oldest)
{
	struct fix *f = &self->f;
	char *last;
	u64 i;

	SPY(",max=5us");
	begin(f, TASKS_RUN, 10);
	for (i = 0; i < 4096; i++) {
		told_len = 0;
		fix_end(f, begin(f, TASKS_RUN, 20), 21);
	}
	last = strstr(told, "oldest");
	ASSERT_NE(NULL, last);
	EXPECT_STREQ("oldest:10 ", last);
	for (i = 0; i < 4096; i++) {
		told_len = 0;
		fix_end(f, begin(f, TASKS_RUN, 6000), 6001);
	}
	last = strstr(told, "oldest");
	ASSERT_NE(NULL, last);
	EXPECT_STREQ("oldest:6001 ", last);
}

/* Akita counts the tags of tasks that its filter has refused. */
TEST_F(told, tags_of_others)
{
	struct fix *f = &self->f;
	u64 a, b;

	ASSERT_EQ(0, tracers_add(&f->ts, "tags,kind=fault"));
	ASSERT_EQ(0, fix_run(f, 0, 1000));
	a = begin(f, TASKS_FAULT, 1);
	b = begin(f, TASKS_CALL, 1);
	fix_tag(f, a, 2, "major");
	fix_tag(f, b, 2, "major");
	fix_tag(f, b, 3, "other");
	fix_tag(f, a, 3, "major");
	fix_tag(f, a, 4, "retry");
	fix_end(f, a, 5);
	fix_end(f, b, 5);
	a = begin(f, TASKS_FAULT, 6);
	fix_tag(f, a, 7, "retry");
	fix_end(f, a, 8);
	fix_end(f, begin(f, TASKS_FAULT, 9), 9);
	EXPECT_EQ(3, fix_number(f, 0, "tasks"));
	EXPECT_EQ(2, fix_number(f, 0, "with_a_tag"));
	EXPECT_EQ(2, fix_rows(f, 0, "tags"));
	EXPECT_STREQ("major", fix_cell_text(f, 0, "tags", 0, "tag"));
	EXPECT_EQ(2, fix_cell(f, 0, "tags", 0, "tags"));
	EXPECT_EQ(1, fix_cell(f, 0, "tags", 0, "tasks"));
	EXPECT_EQ(2, fix_cell(f, 0, "tags", 1, "tags"));
	EXPECT_EQ(2, fix_cell(f, 0, "tags", 1, "tasks"));
}

/* More different tags on a task than there is room for at first. */
TEST_F(told, many_tags)
{
	struct fix *f = &self->f;
	char name[16];
	u64 a, i;

	ASSERT_EQ(0, tracers_add(&f->ts, "tags"));
	ASSERT_EQ(0, fix_run(f, 0, 1000));
	a = begin(f, TASKS_FAULT, 1);
	for (i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "tag%03llu", i % 100);
		fix_tag(f, a, 2, name);
	}
	fix_end(f, a, 5);
	EXPECT_EQ(100, fix_rows(f, 0, "tags"));
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(2, fix_cell(f, 0, "tags", i, "tags"));
		EXPECT_EQ(1, fix_cell(f, 0, "tags", i, "tasks"));
	}
}

/* What is open at the end, and what may have ended in a gap, within what. */
TEST_F(told, unfinished)
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

/* Threads that do things, for the chain. */
static void doing(struct fix *f, u32 tid, u32 kind, u32 wait, u64 start, u64 end)
{
	fix_end(f, fix_start(f, &(struct trace_task){ .kind = kind, .code = wait, .tid = tid,
			     .start = start }), end);
}

static void woken(struct fix *f, u32 sleeper, u64 since, u32 waker, u64 at)
{
	u64 out = fix_start(f, &(struct trace_task){ .kind = TASKS_REQ_OUT, .tid = sleeper,
			    .start = since });
	u64 in = fix_start(f, &(struct trace_task){ .kind = TASKS_REQ_IN, .tid = waker,
			   .parent = out, .start = since });

	fix_end(f, in, at);
	fix_end(f, out, at);
}

/* 3 wakes 2, 2 wakes 1; a timer woke 2 once meanwhile. */
TEST_F(told, chain)
{
	struct fix *f = &self->f;
	u64 total = 0, i, sleep;

	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=1"));
	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=1,at=450ns"));
	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=1,steps=2"));
	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=9"));
	ASSERT_EQ(0, fix_run(f, 1000, 2000));
	doing(f, 3, TASKS_RUN, 0, 1000, 1100);
	doing(f, 2, TASKS_WAIT, TASKS_WAIT_SLEEP, 1000, 1100);
	woken(f, 2, 1000, 3, 1100);
	doing(f, 2, TASKS_WAIT, TASKS_WAIT_WOKEN, 1100, 1130);
	doing(f, 2, TASKS_RUN, 0, 1130, 1200);
	doing(f, 2, TASKS_WAIT, TASKS_WAIT_SLEEP, 1200, 1300);
	doing(f, 2, TASKS_WAIT, TASKS_WAIT_WOKEN, 1300, 1310);
	doing(f, 1, TASKS_RUN, 0, 1000, 1050);
	sleep = fix_start(f, &(struct trace_task){ .kind = TASKS_WAIT, .tid = 1, .start = 1050,
			  .code = TASKS_WAIT_SLEEP });
	/* 2 runs on while it wakes, and only then is the sleep of 1 reported. */
	i = fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .tid = 2, .start = 1310 });
	woken(f, 1, 1050, 2, 1400);
	fix_end(f, sleep, 1400);
	doing(f, 1, TASKS_WAIT, TASKS_WAIT_WOKEN, 1400, 1420);
	fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .tid = 1, .start = 1420 });
	fix_end(f, i, 1500);
	fix_end_flags(f, f->nr, 2000, TRACE_OPEN);
	ASSERT_EQ(3, fix_rows(f, 0, "chain"));
	EXPECT_EQ(1, fix_cell(f, 0, "chain", 0, "tid"));
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

/* A game of ping-pong: the chain is as long as it is, but memory is not. */
TEST_F(told, long_chain)
{
	struct fix *f = &self->f;
	size_t before;
	u64 i;

	ASSERT_EQ(0, tracers_add(&f->ts, "chain,tid=2,steps=10"));
	ASSERT_EQ(0, fix_run(f, 0, 20000));
	before = mallinfo2().uordblks;
	for (i = 0; i < 5000; i++) {
		doing(f, 1 + i % 2, TASKS_RUN, 0, 2 * i, 2 * i + 2);
		woken(f, 2 - i % 2, 0, 1 + i % 2, 2 * i + 2);
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
