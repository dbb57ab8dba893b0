// SPDX-License-Identifier: GPL-2.0-only
/* Tracers that add up: against what is known, and against adding up the simple way. */
#include "../fixture/tracerfix.h"
#include "util/json_compat.h"
#include "kselftest_harness.h"

#define TASKS	3000
#define SPAN	20000

FIXTURE(sums) {
	struct fix f;
};

FIXTURE_SETUP(sums)
{
	fix_init(&self->f);
}

FIXTURE_TEARDOWN(sums)
{
	fix_destroy(&self->f);
}

#define TRACER(spec)	ASSERT_EQ(0, tracers_add(&self->f.ts, spec))
#define RUN(begin, end)	ASSERT_EQ(0, fix_run(&self->f, begin, end))

static u64 run_at(struct fix *f, u64 start)
{
	return fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .start = start });
}

/* A overlaps B, B overlaps C, but A does not overlap C. */
TEST_F(sums, chain_of_overlaps)
{
	struct fix *f = &self->f;
	u64 a, b, c;

	TRACER("busy");
	TRACER("total");
	TRACER("concurrency");
	RUN(0, 1000);
	a = run_at(f, 100);
	b = run_at(f, 150);
	fix_end(f, a, 200);
	c = run_at(f, 250);
	fix_end(f, b, 300);
	fix_end(f, c, 400);
	EXPECT_EQ(300, fix_number(f, 0, "busy_ns"));
	EXPECT_EQ(3, fix_number(f, 0, "tasks"));
	EXPECT_EQ(2, fix_number(f, 0, "most_at_once"));
	EXPECT_EQ(100 + 150 + 150, fix_number(f, 1, "total_ns"));
	EXPECT_EQ(2, fix_number(f, 2, "max"));
	EXPECT_EQ(0, fix_number(f, 2, "min"));
	EXPECT_EQ(700, fix_cell(f, 2, "levels", 0, "time_ns"));
	EXPECT_EQ(200, fix_cell(f, 2, "levels", 1, "time_ns"));
	EXPECT_EQ(100, fix_cell(f, 2, "levels", 2, "time_ns"));
}

/* Levels above 16 are together up to 32, and up to 64. */
TEST_F(sums, levels_of_many)
{
	struct fix *f = &self->f;
	u64 ids[33];
	u32 i;

	TRACER("concurrency");
	RUN(0, 1000);
	for (i = 0; i < 33; i++)
		ids[i] = run_at(f, i < 32 ? 100 : 150);
	for (i = 33; i--;)
		fix_end(f, ids[i], i < 32 ? 300 : 160);
	ASSERT_EQ(3, fix_rows(f, 0, "levels"));
	EXPECT_EQ(17, fix_cell(f, 0, "levels", 1, "from"));
	EXPECT_EQ(32, fix_cell(f, 0, "levels", 1, "to"));
	EXPECT_EQ(190, fix_cell(f, 0, "levels", 1, "time_ns"));
	EXPECT_EQ(10, fix_cell(f, 0, "levels", 2, "time_ns"));
}

/* One within another, two that touch, one alone, one without length. */
TEST_F(sums, union_of_intervals)
{
	struct fix *f = &self->f;
	u64 a, b;

	TRACER("busy");
	RUN(0, 1000);
	a = run_at(f, 100);
	b = run_at(f, 120);
	fix_end(f, b, 130);
	fix_end(f, a, 200);
	a = run_at(f, 200);
	fix_end(f, a, 210);
	a = run_at(f, 300);
	fix_end(f, a, 310);
	a = run_at(f, 500);
	fix_end(f, a, 500);
	EXPECT_EQ(120, fix_number(f, 0, "busy_ns"));
	EXPECT_EQ(5, fix_number(f, 0, "tasks"));
}

/* A task that is reported late counts at the time at which it began. */
TEST_F(sums, told_late)
{
	struct fix *f = &self->f;
	u64 a, b;

	TRACER("busy");
	RUN(0, 1000);
	a = run_at(f, 500);
	b = run_at(f, 100);
	fix_end(f, a, 600);
	fix_end(f, b, 620);
	EXPECT_EQ(520, fix_number(f, 0, "busy_ns"));
	EXPECT_EQ(-1, fix_number(f, 0, "reported_too_late"));
}

/* Far more tasks than moments there is room for, and one that goes on all the time. */
TEST_F(sums, many_moments)
{
	struct fix *f = &self->f;
	u64 i, id, all;

	TRACER("busy,what=what");
	TRACER("concurrency,steps=4");
	RUN(0, 1000000);
	all = fix_start(f, &(struct trace_task){ .kind = TASKS_RUN, .what = "other" });
	for (i = 0; i < 90000; i++) {
		id = run_at(f, 10 * i);
		fix_end(f, id, 10 * i + 4);
	}
	fix_end(f, all, 1000000);
	EXPECT_EQ(360000, fix_number(f, 0, "busy_ns"));
	EXPECT_EQ(-1, fix_number(f, 0, "reported_too_late"));
	EXPECT_EQ(2, fix_number(f, 1, "max"));
	EXPECT_EQ(1, fix_number(f, 1, "min"));
	EXPECT_EQ(640000, fix_cell(f, 1, "levels", 0, "time_ns"));
	EXPECT_EQ(4, fix_rows(f, 1, "curve"));
	EXPECT_EQ(250000, fix_cell(f, 1, "curve", 1, "from_ns"));
	EXPECT_LT(self->f.ts.open.nr, 2);
}

/* One task waits for its filter while more moments follow than there is room for otherwise. */
TEST_F(sums, waits_behind_many)
{
	struct fix *f = &self->f;
	u64 i, first;

	TRACER("busy,max=1ms");
	TRACER("concurrency,max=1ms,steps=1");
	RUN(0, 2000000);
	first = run_at(f, 5);
	for (i = 0; i < 90000; i++)
		fix_end(f, run_at(f, 10 * i), 10 * i + 4);
	fix_end(f, first, 900000);
	EXPECT_EQ(4 + 900000 - 5, fix_number(f, 0, "busy_ns"));
	EXPECT_EQ(-1, fix_number(f, 0, "reported_too_late"));
	EXPECT_EQ(2, fix_number(f, 1, "max"));
}

/* Too late to be sorted: it counts from where the sum is, and the answer says so. */
TEST_F(sums, too_late)
{
	struct fix *f = &self->f;
	u64 i, first;

	TRACER("busy");
	RUN(0, 2000000);
	for (i = 0; i < 90000; i++)
		fix_end(f, run_at(f, 10 * i), 10 * i + 4);
	first = run_at(f, 5);
	fix_end(f, first, 900000);
	EXPECT_LT(0, fix_number(f, 0, "reported_too_late"));
	EXPECT_GT(900000, fix_number(f, 0, "busy_ns"));
	EXPECT_LT(360000, fix_number(f, 0, "busy_ns"));
}

/* The part within the window counts; an average is that of whole tasks. */
TEST_F(sums, window)
{
	struct fix *f = &self->f;
	u64 a, b, c;

	TRACER("busy,from=100ns,to=200ns");
	TRACER("total,from=100ns,to=200ns");
	TRACER("average,from=100ns,to=200ns");
	TRACER("concurrency,from=100ns,to=200ns");
	TRACER("top,by=what,from=100ns,to=200ns");
	RUN(1000, 2000);
	a = run_at(f, 1010);
	b = run_at(f, 1050);
	fix_end(f, a, 1100);		/* ends as the window begins */
	c = run_at(f, 1180);
	fix_end(f, b, 1150);
	fix_end(f, c, 1300);
	a = run_at(f, 1200);		/* begins as the window ends */
	fix_end(f, a, 1210);
	EXPECT_EQ(70, fix_number(f, 0, "busy_ns"));
	EXPECT_EQ(100, fix_number(f, 0, "window_ns"));
	EXPECT_EQ(2, fix_number(f, 1, "tasks"));
	EXPECT_EQ(70, fix_number(f, 1, "total_ns"));
	EXPECT_EQ(2, fix_number(f, 2, "tasks"));
	EXPECT_EQ((100 + 120) / 2, fix_number(f, 2, "average_ns"));
	EXPECT_EQ(120, fix_number(f, 2, "max_ns"));
	EXPECT_EQ(100, fix_number(f, 3, "window_ns"));
	EXPECT_EQ(30, fix_cell(f, 3, "levels", 0, "time_ns"));
	EXPECT_EQ(70, fix_cell(f, 4, "top", 0, "total_ns"));
}

/* All that a process did counts by its last name, and processes of a name together. */
TEST_F(sums, by_name_of_the_process)
{
	struct fix *f = &self->f;
	u64 i, process;

	TRACER("top,by=process,kind=run");
	RUN(0, 1000);
	for (i = 0; i < 3; i++) {
		process = fix_start(f, &(struct trace_task){ .kind = TASKS_PROCESS, .what = "sh" });
		fix_end(f, fix_start(f, &(struct trace_task){ .kind = TASKS_RUN,
				     .tgid_task = process, .start = 10 }), 20 + i);
		if (i)
			f->all[process].what = "cc";
		fix_end(f, process, 100);
	}
	fix_end(f, run_at(f, 0), 7);
	EXPECT_EQ(3, fix_number(f, 0, "groups"));
	EXPECT_STREQ("cc", fix_cell_text(f, 0, "top", 0, "process"));
	EXPECT_EQ(2, fix_cell(f, 0, "top", 0, "tasks"));
	EXPECT_EQ(23, fix_cell(f, 0, "top", 0, "total_ns"));
	EXPECT_EQ(12, fix_cell(f, 0, "top", 0, "max_ns"));
	EXPECT_STREQ("sh", fix_cell_text(f, 0, "top", 1, "process"));
	EXPECT_STREQ("no process", fix_cell_text(f, 0, "top", 2, "process"));
}

/* Times of a curve are since the capture's begin, as all are. */
TEST_F(sums, curve_of_a_window)
{
	struct fix *f = &self->f;

	TRACER("concurrency,from=100ns,to=500ns,steps=4");
	RUN(1000, 2000);
	fix_end(f, run_at(f, 1250), 1300);
	EXPECT_EQ(4, fix_rows(f, 0, "curve"));
	EXPECT_EQ(100, fix_cell(f, 0, "curve", 0, "from_ns"));
	EXPECT_EQ(400, fix_cell(f, 0, "curve", 3, "from_ns"));
	EXPECT_EQ(0, fix_cell(f, 0, "curve", 0, "max"));
	EXPECT_EQ(1, fix_cell(f, 0, "curve", 1, "max"));
}

/* A terminal gets no byte that is no character, either. */
TEST_F(sums, names_that_are_no_text)
{
	struct fix *f = &self->f;

	TRACER("top,by=what");
	RUN(0, 1000);
	fix_end(f, fix_start(f, &(struct trace_task){ .what = "na\xff\xc3\xa9\x01*" }), 10);
	ASSERT_EQ(0, fix_answer(f, false));
	EXPECT_NE(NULL, strstr(f->text, "\n    na\\xff\xc3\xa9\\x01*      1 "));
}

/* Of unfinished tasks what was seen counts, and they are counted. */
TEST_F(sums, unfinished_count)
{
	struct fix *f = &self->f;
	unsigned int i;
	u64 a;

	TRACER("busy");
	TRACER("total");
	TRACER("average");
	TRACER("unfinished");
	RUN(0, 1000);
	a = run_at(f, 400);
	fix_end_flags(f, a, 1000, TRACE_OPEN);
	for (i = 0; i < 2; i++)
		fix_end_flags(f, run_at(f, 500), 600, TRACE_UNCERTAIN);
	EXPECT_EQ(600, fix_number(f, 0, "busy_ns"));
	EXPECT_EQ(800, fix_number(f, 1, "total_ns"));
	for (i = 1; i <= 3; i++) {
		EXPECT_EQ(1, fix_number(f, i, "open"));
		EXPECT_EQ(2, fix_number(f, i, "in_doubt"));
	}
}

/* Sums of more than 64 bits do not wrap. */
TEST_F(sums, large)
{
	struct fix *f = &self->f;
	u64 i, id, end = 0x7000000000000000;

	TRACER("total");
	TRACER("average");
	TRACER("top,by=pid");
	RUN(0, end);
	for (i = 0; i < 4; i++)
		run_at(f, 0);
	for (id = 1; id <= 4; id++)
		fix_end(f, id, end);
	EXPECT_EQ((u64)-1, json_to_u64(fix_value(f, 0, NULL, 0, "total_ns")));
	EXPECT_EQ(end, (u64)fix_number(f, 1, "average_ns"));
	EXPECT_EQ(end, (u64)fix_number(f, 1, "p99_ns"));
	EXPECT_EQ(end, (u64)fix_cell(f, 2, "top", 0, "average_ns"));
}

/* Nothing was reported: zeros, and no division by zero. */
TEST_F(sums, nothing)
{
	struct fix *f = &self->f;

	TRACER("busy");
	TRACER("total");
	TRACER("average");
	TRACER("concurrency");
	TRACER("top,by=what");
	RUN(5, 5);
	EXPECT_EQ(0, fix_number(f, 0, "busy_ns"));
	EXPECT_EQ(0, fix_number(f, 1, "total_ns"));
	EXPECT_EQ(0, fix_number(f, 2, "tasks"));
	EXPECT_EQ(-1, fix_number(f, 2, "p50_ns"));	/* it has none */
	EXPECT_EQ(0, fix_number(f, 3, "max"));
	EXPECT_EQ(0, fix_number(f, 4, "groups"));
}

/* Random tasks, and what they add up to when one simply counts every ns. */

struct plan {
	u64 start;
	u64 end;
	u32 pid;
};

static struct plan plan[TASKS];
static u32 level[SPAN];

static u32 draw(u32 n)
{
	static u64 seed = 1;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 16) % n;
}

static void make_plan(u32 longest)
{
	unsigned int i;

	for (i = 0; i < TASKS; i++) {
		plan[i].start = draw(SPAN - longest);
		plan[i].end = plan[i].start + draw(longest);
		plan[i].pid = 1 + draw(7);
	}
}

/* All starts and ends in order of time, an end before a start at the same moment. */
static void tell_plan(struct fix *f, u64 *ids)
{
	unsigned int i;
	u64 now;

	for (now = 0; now < SPAN; now++) {
		for (i = 0; i < TASKS; i++) {
			if (plan[i].end == now && plan[i].start < now)
				fix_end(f, ids[i], now);
		}
		for (i = 0; i < TASKS; i++) {
			if (plan[i].start != now)
				continue;
			ids[i] = fix_start(f, &(struct trace_task){ .kind = TASKS_RUN,
					   .start = now, .pid = plan[i].pid });
			if (plan[i].end == now)
				fix_end(f, ids[i], now);
		}
	}
}

static int by_number(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The value of that rank, and what the bound on the error allows. */
static bool near(u64 answer, const u64 *sorted, u64 nr, double share)
{
	u64 rank = (u64)(share * nr + 0.9999), value = sorted[rank ? rank - 1 : 0];

	return answer >= value && answer - value <= value / 128;
}

static void check_curve(struct __test_metadata *_metadata, struct fix *f, u64 to)
{
	u64 row, rows = fix_rows(f, 3, "curve"), begin, end, t, area, most;
	double average;

	ASSERT_EQ(7, rows);
	for (row = 0; row < rows; row++) {
		begin = fix_cell(f, 3, "curve", row, "from_ns");
		end = row + 1 < rows ? (u64)fix_cell(f, 3, "curve", row + 1, "from_ns") : to;
		for (area = 0, most = 0, t = begin; t < end && t < SPAN; t++) {
			area += level[t];
			most = level[t] > most ? level[t] : most;
		}
		average = json_object_get_double(fix_value(f, 3, "curve", row, "average"));
		EXPECT_LT(average * (end - begin), area + 0.5);
		EXPECT_GT(average * (end - begin), area - 0.5);
		EXPECT_EQ(most, (u64)fix_cell(f, 3, "curve", row, "max"));
	}
}

static void check_plan(struct __test_metadata *_metadata, struct fix *f, u64 from, u64 to, u64 min,
		       u64 max)
{
	u64 busy = 0, total = 0, nr = 0, most = 0, durations[TASKS], i, t, whole = 0;
	u64 at_level[64] = { 0 }, by_pid[8] = { 0 };
	unsigned int row;

	memset(level, 0, sizeof(level));
	for (i = 0; i < TASKS; i++) {
		u64 lasts = plan[i].end - plan[i].start;

		if (plan[i].start >= to || lasts < min || lasts > max ||
		    !(plan[i].end > from || plan[i].start >= from))
			continue;
		durations[nr++] = lasts;
		whole += lasts;
		for (t = plan[i].start; t < plan[i].end; t++) {
			if (t < from || t >= to)
				continue;
			level[t]++;
			total++;
			by_pid[plan[i].pid]++;
		}
	}
	for (t = from; t < to && t < SPAN; t++) {
		busy += level[t] > 0;
		most = level[t] > most ? level[t] : most;
		if (level[t] < 64)
			at_level[level[t]]++;
	}
	qsort(durations, nr, sizeof(durations[0]), by_number);
	ASSERT_LT(100, nr);
	EXPECT_EQ(busy, (u64)fix_number(f, 0, "busy_ns"));
	EXPECT_EQ(nr, (u64)fix_number(f, 0, "tasks"));
	EXPECT_EQ(total, (u64)fix_number(f, 1, "total_ns"));
	EXPECT_EQ(whole / nr, (u64)fix_number(f, 2, "average_ns"));
	EXPECT_EQ(durations[0], (u64)fix_number(f, 2, "min_ns"));
	EXPECT_EQ(durations[nr - 1], (u64)fix_number(f, 2, "max_ns"));
	EXPECT_TRUE(near(fix_number(f, 2, "p50_ns"), durations, nr, 0.5));
	EXPECT_TRUE(near(fix_number(f, 2, "p90_ns"), durations, nr, 0.9));
	EXPECT_TRUE(near(fix_number(f, 2, "p99_ns"), durations, nr, 0.99));
	EXPECT_TRUE(near(fix_number(f, 2, "p99.9_ns"), durations, nr, 0.999));
	EXPECT_EQ(most, (u64)fix_number(f, 3, "max"));
	for (row = 0; row < fix_rows(f, 3, "levels"); row++) {
		t = fix_cell(f, 3, "levels", row, "from");
		if (t <= 16)
			EXPECT_EQ(at_level[t], (u64)fix_cell(f, 3, "levels", row, "time_ns"));
	}
	for (row = 0; row < fix_rows(f, 4, "top"); row++) {
		t = fix_cell(f, 4, "top", row, "pid");
		EXPECT_EQ(by_pid[t], (u64)fix_cell(f, 4, "top", row, "total_ns"));
		if (row)
			EXPECT_LE(fix_cell(f, 4, "top", row, "total_ns"),
				  fix_cell(f, 4, "top", row - 1, "total_ns"));
	}
	EXPECT_EQ(-1, fix_number(f, 0, "reported_too_late"));
	check_curve(_metadata, f, to);
}

static const char *const asked[] = { "busy", "total", "average", "concurrency,steps=7",
				     "top,by=pid" };

static int add_all(struct fix *f, const char *filter)
{
	unsigned int i;
	char spec[128];
	int ret = 0;

	for (i = 0; !ret && i < ARRAY_SIZE(asked); i++) {
		snprintf(spec, sizeof(spec), "%s%s", asked[i], filter);
		ret = tracers_add(&f->ts, spec);
	}
	return ret;
}

static u64 ids[TASKS];

#define PLAN_TEST(name, longest, filter, from, to, min, max)			\
TEST_F(sums, name)								\
{										\
	make_plan(longest);							\
	ASSERT_EQ(0, add_all(&self->f, filter));				\
	RUN(0, SPAN);								\
	tell_plan(&self->f, ids);						\
	check_plan(_metadata, &self->f, from, to, min, max);			\
	EXPECT_EQ(0, self->f.ts.open.nr);					\
	EXPECT_EQ(0, self->f.ts.waiting);					\
}

PLAN_TEST(random_short, 20, "", 0, SPAN, 0, -1ULL)
PLAN_TEST(random_long, 300, "", 0, SPAN, 0, -1ULL)
PLAN_TEST(random_window, 300, ",from=3us,to=9.5us", 3000, 9500, 0, -1ULL)
PLAN_TEST(random_min, 300, ",min=120ns", 0, SPAN, 120, -1ULL)
PLAN_TEST(random_max, 300, ",max=120ns", 0, SPAN, 0, 120)
PLAN_TEST(random_all, 900, ",min=50ns,max=700ns,from=5us,to=15us", 5000, 15000, 50, 700)

TEST_HARNESS_MAIN
