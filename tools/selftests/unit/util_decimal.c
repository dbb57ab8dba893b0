// SPDX-License-Identifier: GPL-2.0-only
/* Decimal numbers, as printf() prints them, but faster. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "util/decimal.h"
#include "kselftest_harness.h"

static bool same(u64 value)
{
	char ours[32], theirs[32];

	*decimal_put(ours, value) = '\0';
	snprintf(theirs, sizeof(theirs), "%llu", value);
	if (strcmp(ours, theirs))
		return false;
	*decimal_put_signed(ours, (s64)value) = '\0';
	snprintf(theirs, sizeof(theirs), "%lld", (s64)value);
	return !strcmp(ours, theirs);
}

TEST(numbers_of_every_length)
{
	u64 value = 1;
	unsigned int i;

	EXPECT_TRUE(same(0));
	EXPECT_TRUE(same(ULLONG_MAX));
	EXPECT_TRUE(same(1ULL << 63));
	for (i = 0; i < 20; i++, value *= 10) {
		EXPECT_TRUE(same(value - 1));
		EXPECT_TRUE(same(value));
		EXPECT_TRUE(same(value + 1));
	}
}

TEST(many_numbers)
{
	u64 value = 0x9e3779b97f4a7c15ULL;
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		value = value * 6364136223846793005ULL + 1442695040888963407ULL;
		ASSERT_TRUE(same(value >> (i % 64)));
	}
}

TEST_HARNESS_MAIN
