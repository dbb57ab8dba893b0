// SPDX-License-Identifier: GPL-2.0-only
/* Texts that are made to deceive, in each form that files have. */
#include "util/out.h"
#include "util/utf8.h"
#include "kselftest_harness.h"

#define C1	"\xc2\x9b"		/* as ESC [ */
#define RTL	"\xe2\x80\xae"		/* what follows runs to the left */
#define HARM	"a" C1 RTL "\x7f\377b\xc3\xa9"

static char *written;

static FILE *begin(void)
{
	static size_t size;

	free(written);
	return open_memstream(&written, &size);
}

TEST(harmful_characters)
{
	EXPECT_EQ(0, utf8_shown(C1));
	EXPECT_EQ(0, utf8_shown(RTL));
	EXPECT_EQ(0, utf8_shown("\xe2\x81\xa9"));
	EXPECT_EQ(0, utf8_shown("\xd8\x9c"));
	EXPECT_EQ(0, utf8_shown("\x1b"));
	EXPECT_EQ(0, utf8_shown(""));
	EXPECT_EQ(1, utf8_shown("a"));
	EXPECT_EQ(2, utf8_shown("\xc2\xa0"));
	EXPECT_EQ(3, utf8_shown("\xe2\x80\xa6"));
	EXPECT_EQ(4, utf8_shown("\xf0\x9f\x90\xa7"));
	EXPECT_EQ(0x202e, utf8_code(RTL));
	EXPECT_EQ(0x1f427, utf8_code("\xf0\x9f\x90\xa7"));
}

TEST(escaped)
{
	FILE *f = begin();

	utf8_put_escaped(f, HARM);
	fclose(f);
	EXPECT_STREQ("a\\xc2\\x9b\\xe2\\x80\\xae\\x7f\\xffb\xc3\xa9", written);
}

TEST(json)
{
	FILE *f = begin();

	utf8_put_json(f, "{\n\t\"" C1 RTL "\x7f\": \"\xc3\xa9\"}");
	fclose(f);
	EXPECT_STREQ("{\n\t\"\\u009b\\u202e\\u007f\": \"\xc3\xa9\"}", written);
}

TEST(replaced)
{
	const char *text = HARM;
	FILE *f = begin();

	while (*text)
		text += utf8_put(f, text);
	fclose(f);
	EXPECT_STREQ("a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\275b\xc3\xa9", written);
}

TEST(label)
{
	struct out out = { .f = begin() };

	out_label(&out, HARM);
	fclose(out.f);
	EXPECT_STREQ("a   ?b\xc3\xa9", written);
}

TEST_HARNESS_MAIN
