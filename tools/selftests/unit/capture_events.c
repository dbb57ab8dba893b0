// SPDX-License-Identifier: GPL-2.0-only
/* Layouts of records: older ones are translated, impossible ones refused. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "capture/events.h"
#include "kselftest_harness.h"

TEST(older_layouts_are_translated)
{
	struct event_meta meta = {
		.name = "sched_switch", .number = 9, .size = 24, .nr_fields = 3,
		.fields = {
			{ "next_tid", "u64", 8, 8 },
			{ "gone", "u32", 16, 4 },
			{ "prev_state", "u16", 20, 2 },
		},
	};
	struct {
		u32 delta;
		u8 type, words;
		u16 hole;
		u64 next_tid;
		u32 gone;
		u16 prev_state, hole2;
	} old = { .delta = 7, .type = 9, .words = 3, .next_tid = 77, .gone = 1, .prev_state = 2 };
	union {
		struct ovnik_sched_switch rec;
		u8 room[OVNIK_REC_MAX];
	} now;
	static struct event_layouts layouts;
	const char *why = NULL;

	ASSERT_EQ(0, event_layouts_add(&layouts, &meta, &why));
	EXPECT_EQ(OVNIK_EV_sched_switch, layouts.by_number[9].event);
	EXPECT_FALSE(layouts.by_number[9].same);
	event_translate(&layouts.by_number[9], &old, sizeof(old), &now);
	EXPECT_EQ(77, now.rec.next_tid);
	EXPECT_EQ(2, now.rec.prev_state);
	EXPECT_EQ(0, now.rec.prev_tid);
	EXPECT_EQ(7, now.rec.delta);
	EXPECT_EQ(OVNIK_EV_sched_switch, now.rec.type);
}

TEST(an_older_string_record_is_translated)
{
	struct event_meta meta = {
		.name = "task_exec", .number = 7, .size = 14, .nr_fields = 3,
		.fields = {
			{ "size", "u16", 6, 2 },
			{ "tid", "u32", 8, 4 },
			{ "filename", "str", 12, 0 },
		},
	};
	u8 old[24] = "\1\0\0\0\7\0\24\0\52\0\0\0/bin/sh";
	union {
		struct ovnik_task_exec rec;
		u8 room[OVNIK_REC_MAX];
	} now;
	static struct event_layouts layouts;
	const char *why = NULL;

	ASSERT_EQ(0, event_layouts_add(&layouts, &meta, &why));
	event_translate(&layouts.by_number[7], old, 20, &now);
	EXPECT_EQ(42, now.rec.tid);
	EXPECT_STREQ("/bin/sh", now.rec.filename);
}

TEST(a_text_that_is_not_described_is_empty)
{
	struct event_meta meta = {
		.name = "task_exec", .number = 7, .size = 16, .nr_fields = 3,
		.fields = {
			{ "size", "u16", 6, 2 },
			{ "tid", "u32", 8, 4 },
			{ "path", "str", 12, 0 },
		},
	};
	u8 old[24] = "\1\0\0\0\7\0\24\0\52\0\0\0/bin/sh";
	u32 length = offsetof(struct ovnik_task_exec, filename) + 1;
	union {
		struct ovnik_task_exec rec;
		u8 room[OVNIK_REC_MAX];
	} now;
	const char *why = NULL;

	/* It has another name, and then there is none at all. */
	for (; meta.nr_fields >= 2; meta.nr_fields--) {
		struct event_layouts *layouts = calloc(1, sizeof(*layouts));

		ASSERT_NE(NULL, layouts);
		ASSERT_EQ(0, event_layouts_add(layouts, &meta, &why));
		event_translate(&layouts->by_number[7], old, 20, &now);
		EXPECT_EQ(0, now.rec.words);
		EXPECT_EQ(length, now.rec.size);
		EXPECT_STREQ("", now.rec.filename);
		free(layouts);
	}
}

TEST(our_own_description_is_the_same_layout)
{
	static struct event_layouts layouts;
	unsigned int i;

	event_layouts_builtin(&layouts);
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		EXPECT_TRUE(layouts.by_number[i].same);
		EXPECT_EQ(i, layouts.by_number[i].event);
	}
}

TEST(descriptions_that_cannot_be_true_are_refused)
{
	static const struct event_meta bad[] = {
		{ .name = "a", .number = 0, .size = 16 },
		{ .name = "a", .number = 1, .size = 0 },
		{ .name = "a", .number = 1, .size = 60000 },
		{ .name = "a", .number = 1, .size = 16, .nr_fields = 1,
		  .fields = { { "f", "u64", 12, 8 } } },
		{ .name = "a", .number = 1, .size = 16, .nr_fields = 1,
		  .fields = { { "f", "u32", 2, 4 } } },
		{ .name = "a", .number = 1, .size = 16, .nr_fields = 1,
		  .fields = { { "f", "float", 8, 4 } } },
		{ .name = "a", .number = 1, .size = 16, .nr_fields = 2,
		  .fields = { { "f", "str", 8, 0 }, { "g", "u16", 6, 2 } } },
	};
	static struct event_layouts layouts;
	const char *why;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		why = NULL;
		EXPECT_EQ(-EINVAL, event_layouts_add(&layouts, &bad[i], &why));
		EXPECT_NE(NULL, why);
	}
}

/* What is added twice, and what the refusal says. */
static const char *refusal(const struct event_meta *meta, unsigned int nr)
{
	static struct event_layouts layouts;
	const char *why = NULL;
	unsigned int i;

	memset(&layouts, 0, sizeof(layouts));
	for (i = 0; i < nr; i++) {
		if (event_layouts_add(&layouts, &meta[i], &why))
			return why;
	}
	return NULL;
}

TEST(names_are_given_once)
{
	/* Listed twice, so that the number of fields is right without the string. */
	static const struct event_meta field = {
		.name = "task_exec", .number = 7, .size = 48, .nr_fields = 3,
		.fields = {
			{ "tid", "u32", 8, 4 },
			{ "tgid", "u32", 16, 4 },
			{ "tid", "u32", 12, 4 },
		},
	};
	static const struct event_meta event[] = {
		{ .name = "dump_end", .number = 1, .size = 16 },
		{ .name = "dump_end", .number = 2, .size = 16 },
	};

	EXPECT_STREQ("two fields have the same name", refusal(&field, 1));
	EXPECT_EQ(NULL, refusal(event, 1));
	EXPECT_STREQ("two events have the same name", refusal(event, 2));
}

TEST(fields_do_not_overlap)
{
	static const struct event_meta bad = {
		.name = "sched_switch", .number = 2, .size = 16, .nr_fields = 3,
		.fields = {
			{ "prev_state", "u16", 6, 2 },
			{ "prev_tid", "u32", 8, 4 },
			{ "next_tid", "u32", 10, 4 },
		},
	};

	EXPECT_STREQ("two fields overlap", refusal(&bad, 1));
}

TEST(a_string_lies_behind_everything_else)
{
	/* 16 bytes would be enough for it, and too few for the address. */
	static const struct event_meta bad[] = {
		{ .name = "mmap_file", .number = 15, .size = 64, .nr_fields = 2,
		  .fields = { { "start", "u64", 56, 8 }, { "path", "str", 8, 0 } } },
		{ .name = "mmap_file", .number = 15, .size = 64, .nr_fields = 2,
		  .fields = { { "more", "str", 8, 0 }, { "path", "str", 8, 0 } } },
	};

	EXPECT_STREQ("two fields overlap", refusal(&bad[0], 1));
	EXPECT_STREQ("a string is not the last field", refusal(&bad[1], 1));
}

TEST(every_task_name_is_known)
{
	static const struct event_meta meta = {
		.name = "task_comm", .number = 9, .size = 49, .nr_fields = 4,
		.fields = {
			{ "tid", "u32", 8, 4 },
			{ "old", "comm", 12, 16 },
			{ "comm", "comm", 28, 16 },
			{ "more", "str", 48, 0 },
		},
	};
	static struct event_layouts layouts;
	const struct event_layout *layout = &layouts.by_number[9];
	const char *why = NULL;

	ASSERT_EQ(0, event_layouts_add(&layouts, &meta, &why));
	ASSERT_EQ(2, layout->nr_comms);
	EXPECT_EQ(12, layout->comms[0]);
	EXPECT_EQ(28, layout->comms[1]);
	EXPECT_EQ(48, layout->str);
}

TEST(what_a_description_lacks)
{
	static struct event_layouts layouts;
	struct event_meta meta = {
		.name = "sched_switch", .number = 2, .size = 16, .nr_fields = 2,
		.fields = { { "prev_tid", "u32", 8, 4 }, { "next_tix", "u32", 12, 4 } },
	};
	const char *why = NULL;
	char text[256];

	event_layouts_builtin(&layouts);
	EXPECT_FALSE(event_layouts_lack(&layouts, text, sizeof(text)));
	memset(&layouts, 0, sizeof(layouts));
	ASSERT_EQ(0, event_layouts_add(&layouts, &meta, &why));
	EXPECT_TRUE(event_layouts_lack(&layouts, text, sizeof(text)));
	EXPECT_EQ(&text[0], strstr(text, "anchor, sched_switch.prev_state, "
				   "sched_switch.next_tid, sched_wakeup, "));
	/* Too long, but whole words and an end. */
	EXPECT_EQ(0, strcmp(text + strlen(text) - 5, ", ..."));
}

TEST_HARNESS_MAIN
