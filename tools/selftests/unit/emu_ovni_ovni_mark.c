// SPDX-License-Identifier: GPL-2.0-only
/* Marks, ours of memory, page cache and files among them: accepted, refused, rendered. */
#define _GNU_SOURCE	/* for the harness */
#include "../fixture/feedfix.h"
#include "trace/activity.h"

TEST_F(feed, marks)
{
	struct emu *emu = self->emu;

	ASSERT_EQ(0, emu_mark_add(emu, 7, "faults", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_mark_add(emu, 3, "calls", EMU_MARK_STACK));
	ASSERT_EQ(0, emu_mark_add(emu, 3, "calls", EMU_MARK_STACK));
	EXPECT_NE(0, emu_mark_add(emu, 3, "calls", EMU_MARK_SINGLE));
	EXPECT_NE(0, emu_mark_add(emu, 3, "others", EMU_MARK_STACK));
	EXPECT_NE(0, emu_mark_add(emu, 100, "too large", EMU_MARK_STACK));
	EXPECT_NE(0, emu_mark_label(emu, 4, 1, "undeclared"));
	ASSERT_EQ(0, emu_mark_label(emu, 7, 5, "five"));
	ASSERT_EQ(0, emu_mark_label(emu, 7, 5, "five"));
	EXPECT_NE(0, emu_mark_label(emu, 7, 5, "six"));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, self->th[0], 0, 0));
	ASSERT_EQ(0, mark(emu, self->th[0], 1, "OM=", 5, 7));
	ASSERT_EQ(0, mark(emu, self->th[0], 2, "OM=", 5, 7));
	ASSERT_EQ(0, mark(emu, self->th[0], 3, "OM[", 1, 3));
	ASSERT_NE(0, mark(emu, self->th[0], 4, "OM]", 2, 3));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "another state"));
	EXPECT_NE(0, emu_finish(emu));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "another state"));
	slurp(self->dir, "thread.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, ":0:107:0\n2:0:1:1:1:0:103:0\n2:0:1:1:1:1:107:5\n"
			       "2:0:1:1:1:2:107:5\n2:0:1:1:1:3:103:1\n"));
}

/* Lines never go back in time, punctual states or not. */
static void expect_sorted(struct __test_metadata *_metadata, const char *text)
{
	unsigned long long time, before = 0;

	while ((text = strchr(text, '\n')) && text[1]) {
		text++;
		ASSERT_EQ(1, sscanf(text, "2:0:1:1:%*u:%llu:", &time));
		EXPECT_LE(before, time);
		before = time;
	}
}

static int activity_add(struct emu *emu, enum ovni_activity which)
{
	const struct ovni_activity_desc *what = &ovni_activities[which];
	int ret;

	ret = emu_mark_add(emu, what->mark, what->title,
			   what->shape == OVNI_SHAPE_STATE ? EMU_MARK_STACK : EMU_MARK_SINGLE);
	return ret ? ret : emu_mark_activity(emu, what->mark, what->key);
}

TEST_F(feed, activities)
{
	static const char thread[] =
		"2:0:1:1:1:10:302:2\n"
		"2:0:1:1:1:20:4:2\n"
		"2:0:1:1:1:20:2:0\n"
		"2:0:1:1:1:20:45:3\n"
		"2:0:1:1:1:30:45:0\n"
		"2:0:1:1:1:30:4:1\n"
		"2:0:1:1:1:30:2:101\n"
		"2:0:1:1:1:39:307:4096\n"
		"2:0:1:1:1:40:307:0\n"
		"2:0:1:1:1:40:302:0\n"
		"2:0:1:1:1:49:307:904\n"
		"2:0:1:1:1:50:307:0\n"
		"2:0:1:1:1:60:312:100\n";
	static const char cpu[] =
		"2:0:1:1:2:10:302:2\n"
		"2:0:1:1:2:20:2:0\n"
		"2:0:1:1:2:20:1:0\n"
		"2:0:1:1:2:20:3:0\n"
		"2:0:1:1:2:20:302:0\n"
		"2:0:1:1:2:30:2:101\n"
		"2:0:1:1:2:30:1:100\n"
		"2:0:1:1:2:30:3:1\n"
		"2:0:1:1:2:30:302:2\n"
		"2:0:1:1:2:39:307:4096\n"
		"2:0:1:1:2:40:307:0\n"
		"2:0:1:1:2:40:302:0\n"
		"2:0:1:1:2:49:307:904\n"
		"2:0:1:1:2:50:307:0\n";
	struct emu *emu = self->emu;
	struct emu_thread *th = self->th[0];

	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_FAULT));
	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_BYTES_READ));
	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_MAPPED));
	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_COW_BREAKS));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, th, 1000, 0));
	ASSERT_EQ(0, mark(emu, th, 1010, "OM[", OVNI_FAULT_WRITE, OVNI_MARK_FAULT));
	/* It waits for its page: its row says why, the CPU's is free for others. */
	ASSERT_EQ(0, event(emu, th, 1020, "OHp", NULL, 0));
	ASSERT_EQ(0, event(emu, th, 1020, "KCO", NULL, 0));
	ASSERT_EQ(0, event(emu, th, 1030, "KCI", NULL, 0));
	ASSERT_EQ(0, event(emu, th, 1030, "OHr", NULL, 0));
	ASSERT_EQ(0, mark(emu, th, 1040, "OM=", 4096, OVNI_MARK_BYTES_READ));
	ASSERT_EQ(0, mark(emu, th, 1040, "OM]", OVNI_FAULT_WRITE, OVNI_MARK_FAULT));
	ASSERT_EQ(0, mark(emu, th, 1050, "OM=", 5000, OVNI_MARK_BYTES_READ));
	ASSERT_EQ(0, mark(emu, th, 1060, "OM=", 5000, OVNI_MARK_BYTES_READ));
	ASSERT_EQ(0, mark(emu, th, 1060, "OM=", 100, OVNI_MARK_MAPPED));
	/* No room before, in an instant that has lines: a step takes the time behind it. */
	ASSERT_EQ(0, mark(emu, th, 1060, "OM=", 5001, OVNI_MARK_BYTES_READ));
	ASSERT_EQ(0, event(emu, th, 1070, "OHe", NULL, 0));
	ASSERT_EQ(0, execute(emu, self->th[1], 1080, 1));
	ASSERT_EQ(0, event(emu, self->th[1], 1090, "OHe", NULL, 0));
	ASSERT_EQ(0, emu_finish(emu));

	slurp(self->dir, "thread.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, thread));
	EXPECT_NE(NULL, strstr(self->text, "\n2:0:1:1:1:60:307:1\n2:0:1:1:1:61:307:0\n"));
	EXPECT_NE(NULL, strstr(self->text, "\n2:0:1:1:1:70:312:0\n"));
	EXPECT_EQ(NULL, strstr(self->text, ":18"));
	EXPECT_EQ(NULL, strstr(self->text, ":309:"));
	expect_sorted(_metadata, self->text);
	slurp(self->dir, "thread.pcf", self->text);
	EXPECT_NE(NULL, strstr(self->text, "0 302        Page fault\nVALUES\n1    Read\n"));
	EXPECT_EQ(NULL, strstr(self->text, "309"));
	slurp(self->dir, "cpu.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, cpu));
	EXPECT_EQ(NULL, strstr(self->text, ":312:"));
	expect_sorted(_metadata, self->text);
}

TEST_F(feed, views_of_what_is_drawn)
{
	struct emu *emu = self->emu;

	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_BYTES_READ));
	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_BYTES_WRITTEN));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, self->th[0], 0, 0));
	ASSERT_EQ(0, mark(emu, self->th[0], 10, "OM=", 1, OVNI_MARK_BYTES_READ));
	ASSERT_NE(0, emu_finish(emu));
	slurp(self->dir, "cfg/cpu/bytes_read.cfg", self->text);
	EXPECT_EQ(0, strncmp(self->text, "#ParaverCFG\n", 12));
	EXPECT_NE(NULL, strstr(self->text, "\nwindow_filter_module evt_type 1 307\n"));
	slurp(self->dir, "cfg/thread/bytes_read.cfg", self->text);
	EXPECT_NE(NULL, strstr(self->text, "\nwindow_filter_module evt_type 1 307\n"));
	EXPECT_STREQ("", slurp(self->dir, "cfg/cpu/bytes_written.cfg", self->text));
	EXPECT_EQ(0, clear_in(self->dir, cfg_check));
	EXPECT_EQ(0, clear_in(self->dir, cfg_clear));
	EXPECT_STREQ("", slurp(self->dir, "cfg/cpu/bytes_read.cfg", self->text));
	EXPECT_EQ(0, clear_in(self->dir, cfg_clear));
}

TEST_F(feed, refused_activities)
{
	struct emu *emu = self->emu;

	ASSERT_EQ(0, emu_mark_add(emu, 1, "single", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_mark_add(emu, 2, "stack", EMU_MARK_STACK));
	EXPECT_EQ(0, emu_mark_activity(emu, 1, "of a later ovnik"));
	EXPECT_NE(0, emu_mark_activity(emu, 3, "bytes_read"));
	EXPECT_NE(0, emu_mark_activity(emu, 2, "bytes_read"));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "chan_type is not that of \"bytes_read\""));
	EXPECT_NE(0, emu_mark_activity(emu, 1, "page_fault"));
	EXPECT_EQ(0, emu_mark_activity(emu, 1, "bytes_read"));
	EXPECT_EQ(0, emu_mark_activity(emu, 1, "bytes_read"));
	EXPECT_NE(0, emu_mark_activity(emu, 1, "bytes_written"));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	EXPECT_NE(0, emu_mark_activity(emu, 2, "page_fault"));
	ASSERT_EQ(0, execute(emu, self->th[0], 0, 0));
	expect_refused(_metadata, emu, mark(emu, self->th[0], 1, "OM=", 0, 1), "0 is not a value");
	expect_refused(_metadata, emu, mark(emu, self->th[0], 1, "OM[", 5, 1), "single");
	/* A count that goes back begins again; one that stays is not reported. */
	ASSERT_EQ(0, mark(emu, self->th[0], 10, "OM=", 70, 1));
	ASSERT_EQ(0, mark(emu, self->th[0], 20, "OM=", 7, 1));
	ASSERT_EQ(0, mark(emu, self->th[0], 30, "OM=", 7, 1));
	EXPECT_NE(0, emu_finish(emu));
	slurp(self->dir, "thread.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, "\n2:0:1:1:1:9:307:70\n2:0:1:1:1:10:307:0\n"
			       "2:0:1:1:1:19:307:7\n2:0:1:1:1:20:307:0\n"));
	EXPECT_EQ(NULL, strstr(self->text, ":30:307"));
}

/* Of what is counted, nothing can be taken away; of a single that is none of ours it can. */
TEST_F(feed, refused_negative_activities)
{
	struct emu *emu = self->emu;
	struct emu_thread *th = self->th[0];

	/* A merged trace has it where the application left room. */
	ASSERT_EQ(0, emu_mark_add(emu, 11, "single", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_mark_activity(emu, 11, "bytes_read"));
	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_MAPPED));
	ASSERT_EQ(0, emu_mark_add(emu, 1, "single", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, th, 0, 0));
	expect_refused(_metadata, emu, mark(emu, th, 1, "OM=", -1, 11), "negative");
	expect_refused(_metadata, emu, mark(emu, th, 1, "OM=", -1, 11), "mark 11:");
	expect_refused(_metadata, emu, mark(emu, th, 1, "OM=", INT64_MIN, OVNI_MARK_MAPPED),
		       "negative");
	EXPECT_EQ(0, mark(emu, th, 1, "OM=", -1, 1));
}

TEST_F(feed, refused_activity_of_two_marks)
{
	struct emu *emu = self->emu;

	ASSERT_EQ(0, emu_mark_add(emu, 11, "single", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_mark_add(emu, 12, "another", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_mark_activity(emu, 11, "bytes_read"));
	EXPECT_NE(0, emu_mark_activity(emu, 12, "bytes_read"));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "bytes_read"));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "11"));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "12"));
	EXPECT_EQ(0, emu_mark_activity(emu, 12, "bytes_written"));
}

TEST_HARNESS_MAIN
