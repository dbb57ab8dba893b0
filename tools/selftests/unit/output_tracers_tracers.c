// SPDX-License-Identifier: GPL-2.0-only
/* What a tracer gets, and when. */
#include <errno.h>

#include "../fixture/tracerfix.h"
#include "kselftest_harness.h"

#define LOG_MAX	8192

/* Everything a tracer got, as one string. */
static char got[LOG_MAX];
static size_t got_len;

static void __printf_like(1, 2) note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (got_len < LOG_MAX)
		got_len += vsnprintf(got + got_len, LOG_MAX - got_len, fmt, ap);
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
	.abi = TRACER_ABI, .name = "spy", .sentence = "records what it gets",
	.start = spy_start, .end = spy_end, .tag = spy_tag, .milestone = spy_milestone,
	.loss = spy_loss, .oldest = spy_oldest,
};

FIXTURE(reports) {
	struct fix f;
};

FIXTURE_SETUP(reports)
{
	fix_init(&self->f);
	got[0] = '\0';
	got_len = 0;
}

FIXTURE_TEARDOWN(reports)
{
	fix_destroy(&self->f);
}

#define EXPECT_GOT(text)							\
do {										\
	EXPECT_STREQ(text, got);						\
	got[0] = '\0';								\
	got_len = 0;								\
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

TEST_F(reports, as_it_happens)
{
	struct fix *f = &self->f;
	u64 a;

	SPY(",kind=run");
	a = begin(f, TASKS_RUN, 10);
	EXPECT_GOT("start:1@10:what ");
	fix_tag(f, a, 11, "x");
	fix_milestone(f, a, 12, "queue", "y");
	EXPECT_GOT("tag:1@11:x milestone:1@12:queue:y ");
	fix_end(f, a, 20);
	EXPECT_GOT("end:1@10-20 ");
	/* Of another kind: neither it, nor its tags, nor its milestones. */
	a = begin(f, TASKS_WAIT, 20);
	fix_tag(f, a, 21, "x");
	fix_milestone(f, a, 22, "queue", "y");
	fix_end(f, a, 30);
	EXPECT_GOT("");
	fix_loss(f, &(struct trace_loss){ .start = 5, .end = 6 });
	EXPECT_GOT("loss:5-6 ");
	EXPECT_EQ(0, f->ts.open.nr);
}

/* As soon as it is known, with all that was before, and once only. */
TEST_F(reports, when_it_lasts_long_enough)
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
	EXPECT_GOT("");
	c = begin(f, TASKS_RUN, 1100);
	EXPECT_GOT("start:1@1000:what tag:1@1001:x milestone:1@1060:data:y ");
	fix_tag(f, a, 1101, "z");
	EXPECT_GOT("tag:1@1101:z ");
	fix_end(f, a, 1150);
	EXPECT_GOT("end:1@1000-1150 ");
	fix_tag(f, c, 1160, "q");
	fix_end(f, c, 1200);
	EXPECT_GOT("start:3@1100:what tag:3@1160:q end:3@1100-1200 ");
	EXPECT_EQ(0, f->ts.open.nr);
	EXPECT_EQ(0, f->ts.waiting);
}

/* What lasts too long is forgotten at once, not at its end. */
TEST_F(reports, when_it_lasts_too_long)
{
	struct fix *f = &self->f;
	u64 a, b;

	SPY(",max=100ns");
	a = begin(f, TASKS_RUN, 1000);
	b = begin(f, TASKS_RUN, 1100);
	EXPECT_EQ(2, f->ts.open.nr);
	fix_end(f, b, 1101);
	EXPECT_EQ(0, f->ts.open.nr);
	EXPECT_GOT("start:2@1100:what end:2@1100-1101 ");
	fix_tag(f, a, 1102, "x");
	fix_end(f, a, 1200);
	EXPECT_GOT("");
}

/* Begun before the window: reported at the window's start, and only the part within. */
TEST_F(reports, of_a_window)
{
	struct fix *f = &self->f;
	u64 a, b;

	SPY(",from=1us,to=2us");
	a = begin(f, TASKS_RUN, 900);
	b = begin(f, TASKS_RUN, 950);
	fix_end(f, b, 1000);
	EXPECT_GOT("");
	fix_tag(f, a, 1001, "x");
	EXPECT_GOT("start:1@1000:what tag:1@1001:x ");
	b = begin(f, TASKS_RUN, 1500);
	fix_end(f, a, 2100);
	EXPECT_GOT("start:3@1500:what end:1@1000-2000 ");
	begin(f, TASKS_RUN, 2000);
	fix_end(f, b, 2000);
	EXPECT_GOT("end:3@1500-2000 ");
	fix_loss(f, &(struct trace_loss){ .start = 2000, .end = 3000 });
	fix_loss(f, &(struct trace_loss){ .start = 0, .end = 999 });
	fix_loss(f, &(struct trace_loss){ .start = 999, .end = 1000 });
	fix_loss(f, &(struct trace_loss){ .start = 5, .end = 5, .cpu = TRACE_NO_CPU });
	EXPECT_GOT("loss:999-1000 loss:5-5 ");
}

/* What a task does is not known at first, or it is a process that becomes another one. */
TEST_F(reports, what_comes_late)
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
	EXPECT_GOT("start:4@4:gcc end:4@4-5 ");
	f->all[a].what = "gcc";
	f->all[b].what = "gcc";
	f->all[c].what = "ld";
	fix_end(f, a, 10);
	fix_end(f, b, 11);
	fix_end(f, c, 12);
	EXPECT_GOT("start:1@1:gcc end:1@1-10 start:2@2:gcc end:2@2-11 ");
	EXPECT_EQ(0, f->ts.open.nr);
}

/* Waiting tasks are in the order of their starts, whatever the order of the reports. */
TEST_F(reports, waiting_out_of_order)
{
	struct fix *f = &self->f;

	SPY(",min=100ns");
	begin(f, TASKS_RUN, 1000);
	begin(f, TASKS_RUN, 950);
	begin(f, TASKS_RUN, 980);
	fix_tag(f, 1, 1050, "x");
	EXPECT_GOT("start:2@950:what ");
	fix_tag(f, 1, 1080, "y");
	EXPECT_GOT("start:3@980:what ");
	fix_tag(f, 1, 1100, "z");
	EXPECT_GOT("start:1@1000:what tag:1@1050:x tag:1@1080:y tag:1@1100:z ");
}

/* One waits, another does not. Their tags do not get mixed up. */
TEST_F(reports, two_tracers)
{
	struct fix *f = &self->f;
	u64 a;

	ASSERT_EQ(0, tracers_add_class(&f->ts, &spy, "spy"));
	ASSERT_EQ(0, tracers_add_class(&f->ts, &spy, "spy,min=1us"));
	ASSERT_EQ(0, tracers_add_class(&f->ts, &spy, "spy,min=2us"));
	ASSERT_EQ(0, fix_run(f, 0, 10000));
	a = begin(f, TASKS_RUN, 100);
	fix_tag(f, a, 200, "x");
	EXPECT_GOT("start:1@100:what tag:1@200:x ");
	fix_tag(f, a, 1100, "y");
	EXPECT_GOT("start:1@100:what tag:1@200:x tag:1@1100:y tag:1@1100:y ");
	fix_end(f, a, 2000);
	EXPECT_GOT("end:1@100-2000 end:1@100-2000 ");
	EXPECT_EQ(0, f->ts.open.nr);
}

/* A task that waits keeps so many; the rest is counted. */
TEST_F(reports, notes_are_bounded)
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
TEST_F(reports, oldest)
{
	struct fix *f = &self->f;
	char *last;
	u64 i;

	SPY(",max=5us");
	begin(f, TASKS_RUN, 10);
	for (i = 0; i < 4096; i++) {
		got_len = 0;
		fix_end(f, begin(f, TASKS_RUN, 20), 21);
	}
	last = strstr(got, "oldest");
	ASSERT_NE(NULL, last);
	EXPECT_STREQ("oldest:10 ", last);
	for (i = 0; i < 4096; i++) {
		got_len = 0;
		fix_end(f, begin(f, TASKS_RUN, 6000), 6001);
	}
	last = strstr(got, "oldest");
	ASSERT_NE(NULL, last);
	EXPECT_STREQ("oldest:6001 ", last);
}

TEST_HARNESS_MAIN
