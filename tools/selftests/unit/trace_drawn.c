// SPDX-License-Identifier: GPL-2.0-only
/* Names of the files that are drawn. */
#define _GNU_SOURCE	/* for the harness */
#include "emu/name.h"
#include "kselftest_harness.h"
#include "trace/drawn.h"

TEST(names_of_what_is_drawn)
{
	static const char *const ours[] = {
		"thread.prv", "thread.prv.gz", "thread.pcf", "cpu.row", "thread-2.prv", "cpu-10.prv.gz",
		"thread-2.row", "nosv-breakdown.prv", "openmp-breakdown.pcf",
	};
	static const char *const others[] = {
		"", "thread", "thread.prv.bz2", "thread-.prv", "thread-0.prv", "thread-1.prv",
		"thread-2", "thread-2x.prv", "threads.prv", "cpu-2-3.prv", "laplace.txt", "thread-02.prv",
		"thread-99999999999999.prv", "nosv.prv",
	};
	char name[EMU_NAME_MAX];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ours); i++)
		EXPECT_TRUE(ovni_is_drawn(ours[i]));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		EXPECT_FALSE(ovni_is_drawn(others[i]));
	EXPECT_STREQ("cpu.prv", emu_name(name, "cpu", 0, ".prv"));
	EXPECT_STREQ("thread-11.pcf", emu_name(name, "thread", 10, ".pcf"));
	EXPECT_TRUE(ovni_is_drawn(emu_name(name, "thread", ~0u - 1, ".prv.gz")));
}

TEST_HARNESS_MAIN
