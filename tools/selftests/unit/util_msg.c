// SPDX-License-Identifier: GPL-2.0-only
/* Messages with names that are made to deceive. */
#include <unistd.h>

#include "util/msg.h"
#include "kselftest_harness.h"

/* What a message with @name becomes. */
static void say(const char *name, char *said, size_t size)
{
	int old = dup(STDERR_FILENO), fds[2];
	ssize_t got;

	if (pipe(fds))
		abort();
	dup2(fds[1], STDERR_FILENO);
	msg_warn("%s: cannot read", name);
	dup2(old, STDERR_FILENO);
	close(fds[1]);
	got = read(fds[0], said, size - 1);
	said[got > 0 ? got : 0] = '\0';
	close(fds[0]);
	close(old);
}

#define EXPECT_SAID(name, said)						\
do {									\
	char text[512];							\
									\
	say(name, text, sizeof(text));					\
	EXPECT_STREQ("ovnik: warning: " said ": cannot read\n", text);	\
} while (0)

TEST(names_are_as_they_are)
{
	EXPECT_SAID("/lib/x y.so", "/lib/x y.so");
	EXPECT_SAID("/h\xc3\xa9/\xe2\x82\xac/\xf0\x9f\x90\xa7", "/h\xc3\xa9/\xe2\x82\xac/\xf0\x9f\x90\xa7");
}

TEST(control_characters_are_not_obeyed)
{
	EXPECT_SAID("a\x1b[2Jb\nc\x7f", "a\\x1b[2Jb\\x0ac\\x7f");
	EXPECT_SAID("a\rb\tc", "a\\x0db\\x09c");
	EXPECT_SAID("\xc2\23331m", "\\xc2\\x9b31m");
}

TEST(what_is_no_character_is_not_written)
{
	EXPECT_SAID("\23331m\xff", "\\x9b31m\\xff");
	EXPECT_SAID("cut \xe2\x82", "cut \\xe2\\x82");
}

TEST(nothing_is_reordered)
{
	EXPECT_SAID("a\xe2\x80\256b", "a\\xe2\\x80\\xaeb");
	EXPECT_SAID("\xe2\x81\xa6\xd8\x9c\xe2\x80\xa8", "\\xe2\\x81\\xa6\\xd8\\x9c\\xe2\\x80\\xa8");
}

TEST_HARNESS_MAIN
