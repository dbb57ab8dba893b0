// SPDX-License-Identifier: GPL-2.0-only
/* Tags of tasks, and how many tasks have them. */

#include "../fixture/tracerfix.h"
#include "kselftest_harness.h"

FIXTURE(tags) {
	struct fix f;
};

FIXTURE_SETUP(tags)
{
	fix_init(&self->f);
}

FIXTURE_TEARDOWN(tags)
{
	fix_destroy(&self->f);
}

static u64 begin(struct fix *f, u32 kind, u64 start)
{
	return fix_start(f, &(struct trace_task){ .kind = kind, .start = start });
}

/* Akita counts the tags of tasks that its filter has refused. */
TEST_F(tags, of_others)
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
TEST_F(tags, many)
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

TEST_HARNESS_MAIN
