// SPDX-License-Identifier: GPL-2.0-only
/* Two tables of a node whose clock is an hour behind that of the first one. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "align/drift.h"
#include "capture/clock.h"
#include "kselftest_harness.h"

#define HOUR	3600000000000ll

static void write_table(char *path, s64 at, s64 offset)
{
	FILE *f;

	strcpy(path, "/tmp/drift.XXXXXX");
	f = fdopen(mkstemp(path), "w");
	if (!f)
		abort();
	fprintf(f, "rank hostname offset_median offset_mean offset_std at=%lld within=90\n",
		(long long)at);
	fprintf(f, "0 first 0 0 0\n1 secnd %lld 0 0\n", (long long)offset);
	fclose(f);
}

/* When the tables were made is a time of the first node's clock, and records have their own. */
TEST(by_the_clock_of_the_node)
{
	char before[32], after[32];
	struct clock_bend bend;
	struct drift d = { 0 };

	write_table(before, 2 * HOUR, HOUR);
	write_table(after, 3 * HOUR, HOUR + 360000000);
	EXPECT_EQ(0, drift_load(&d, before, after));
	EXPECT_EQ(0, drift_of(&d, "secnd", HOUR, HOUR + 1, &bend));
	EXPECT_EQ(HOUR, bend.from);
	EXPECT_EQ(HOUR - 360000000, bend.over);
	EXPECT_EQ(360000000, bend.by);
	EXPECT_EQ(0, drift_of(&d, "first", HOUR, HOUR + 1, &bend));
	EXPECT_EQ(2 * HOUR, bend.from);
	EXPECT_EQ(HOUR, bend.over);
	drift_free(&d);
	unlink(before);
	unlink(after);
}

TEST_HARNESS_MAIN
