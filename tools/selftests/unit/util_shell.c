// SPDX-License-Identifier: GPL-2.0-only
/* Words as a shell reads them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/shell.h"
#include "kselftest_harness.h"

#define EXPECT_TEXT(expected, call)					\
do {									\
	char *got = (call);						\
									\
	ASSERT_NE(NULL, got);						\
	EXPECT_STREQ(expected, got);					\
	free(got);							\
} while (0)

TEST(a_word_that_needs_no_quotes)
{
	EXPECT_TEXT("out/demo-1_a.b,c:d@e+f%", shell_word("out/demo-1_a.b,c:d@e+f%"));
}

TEST(a_word_that_does)
{
	EXPECT_TEXT("'my capture'", shell_word("my capture"));
	EXPECT_TEXT("'$HOME'", shell_word("$HOME"));
	EXPECT_TEXT("'~'", shell_word("~"));
	EXPECT_TEXT("''", shell_word(""));
	EXPECT_TEXT("'\xc3\xa9'", shell_word("\xc3\xa9"));
}

TEST(what_is_no_text)
{
	EXPECT_TEXT("$'a\\x1b[1m\\\\\\'\xc3\xa9\\xff'", shell_word("a\x1b[1m\\'\xc3\xa9\xff"));
}

TEST(no_option)
{
	EXPECT_TEXT("./-x", shell_word("-x"));
	EXPECT_TEXT("./'-x y'", shell_word("-x y"));
}

TEST(a_quote)
{
	EXPECT_TEXT("'it'\\''s'", shell_word("it's"));
}

/* What a shell makes of each character, alone and between others. */
TEST(a_shell_reads_what_was_written)
{
	char text[] = "axb", command[96], read[8];
	char *word;
	FILE *f;
	int c;

	for (c = 1; c < 256; c++) {
		text[1] = c;
		word = shell_word(text);
		ASSERT_NE(NULL, word);
		snprintf(command, sizeof(command), "exec bash <<'END'\nprintf %%s %s\nEND\n", word);
		f = popen(command, "r");
		ASSERT_NE(NULL, f);
		EXPECT_EQ(3, fread(read, 1, sizeof(read), f));
		EXPECT_EQ(0, memcmp(text, read, 3)) TH_LOG("character %d: %s", c, word);
		EXPECT_EQ(0, pclose(f));
		free(word);
	}
}

FIXTURE(beside)
{
	char dir[32];
	char program[64];
};

/* A directory with a blank, in which there are this program and another one. */
FIXTURE_SETUP(beside)
{
	char other[64];
	int fd;

	strcpy(self->dir, "/tmp/util shell XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->program, sizeof(self->program), "%s/this", self->dir);
	snprintf(other, sizeof(other), "%s/other", self->dir);
	fd = open(other, O_CREAT | O_WRONLY, 0700);
	ASSERT_GE(fd, 0);
	close(fd);
}

FIXTURE_TEARDOWN(beside)
{
	char other[64];

	snprintf(other, sizeof(other), "%s/other", self->dir);
	unlink(other);
	rmdir(self->dir);
}

TEST_F(beside, found_by_path)
{
	program_invocation_name = (char *)"this";
	EXPECT_TEXT("other", shell_program("other"));
}

TEST_F(beside, named_with_a_directory)
{
	char expected[64];

	program_invocation_name = self->program;
	snprintf(expected, sizeof(expected), "'%s/other'", self->dir);
	EXPECT_TEXT(expected, shell_program("other"));
}

TEST_F(beside, not_there)
{
	program_invocation_name = self->program;
	EXPECT_TEXT("missing", shell_program("missing"));
}

TEST_HARNESS_MAIN
