// SPDX-License-Identifier: GPL-2.0-only
/* Numbers in hex, as printf() prints them, but faster. */
#include <stdio.h>
#include <string.h>

#include "util/hex.h"
#include "kselftest_harness.h"

static bool same(u64 value)
{
	char ours[32], theirs[32];

	*hex_put(ours, value) = '\0';
	snprintf(theirs, sizeof(theirs), "%llx", value);
	return !strcmp(ours, theirs);
}

TEST(hex_of_every_length)
{
	u64 value = 0x9e3779b97f4a7c15ULL;
	unsigned int i, shift;

	EXPECT_TRUE(same(0));
	EXPECT_TRUE(same(~0ULL));
	for (shift = 0; shift < 64; shift++) {
		EXPECT_TRUE(same(1ULL << shift));
		EXPECT_TRUE(same((1ULL << shift) - 1));
	}
	for (i = 0; i < 100000; i++) {
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
		ASSERT_TRUE(same(value >> (i % 64)));
	}
}

TEST(eight_digits)
{
	char text[16];

	*hex_put8(text, 0xabc) = '\0';
	EXPECT_STREQ("00000abc", text);
	*hex_put32(text, 0xabc) = '\0';
	EXPECT_STREQ("abc", text);
}

TEST_HARNESS_MAIN
