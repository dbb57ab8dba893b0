// SPDX-License-Identifier: GPL-2.0-only
/* The nearest name to a word that is none. */
#include "util/suggest.h"
#include "kselftest_harness.h"

static const char *nearest(const char *word)
{
	static const char *const names[] = {
		"record", "report", "start", "status", "stop", "snapshot",
	};
	struct suggestion near = { .word = word };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		suggest_offer(&near, names[i]);
	return near.name ? near.name : "";
}

TEST(a_letter_too_many_too_few_another_or_swapped)
{
	EXPECT_STREQ("report", nearest("reprot"));
	EXPECT_STREQ("report", nearest("repport"));
	EXPECT_STREQ("report", nearest("repot"));
	EXPECT_STREQ("record", nearest("recort"));
	EXPECT_STREQ("status", nearest("statsu"));
}

TEST(the_first_of_those_that_are_as_near)
{
	EXPECT_STREQ("record", nearest("recor"));
	EXPECT_STREQ("start", nearest("stat"));
}

TEST(the_beginning_of_a_name)
{
	EXPECT_STREQ("snapshot", nearest("snap"));
	EXPECT_STREQ("", nearest("sn"));
}

TEST(what_is_far_away)
{
	EXPECT_STREQ("", nearest("capture"));
	EXPECT_STREQ("", nearest(""));
	EXPECT_STREQ("", nearest("x"));
	EXPECT_STREQ("", nearest("recordrecordrecordrecordrecordrecord"));
}

TEST(half_of_the_letters_are_too_many_if_the_first_is_another)
{
	struct suggestion rows = { .word = "rows" }, gipz = { .word = "gipz" };

	suggest_offer(&rows, "jobs");
	EXPECT_EQ(NULL, rows.name);
	suggest_offer(&rows, "orws");
	EXPECT_STREQ("orws", rows.name);
	suggest_offer(&gipz, "gzip");
	EXPECT_STREQ("gzip", gipz.name);
}

TEST(a_message_ends_with_it)
{
	struct suggestion none = { .word = "x" }, one = { .word = "x", .name = "record" };
	char text[64] = "before";

	EXPECT_STREQ("", suggest_text(&none, text, sizeof(text)));
	EXPECT_STREQ("; did you mean \"record\"?", suggest_text(&one, text, sizeof(text)));
}

TEST_HARNESS_MAIN
