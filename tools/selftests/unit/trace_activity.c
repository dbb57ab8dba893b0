// SPDX-License-Identifier: GPL-2.0-only
/* The table of our marks. */
#define _GNU_SOURCE	/* for the harness */
#include "trace/activity.h"
#include "kselftest_harness.h"

/* Every row of the table has a type, mark and key of its own. */
TEST(activity_table)
{
#define TYPE(name, mark, type, ...) type,
	static const u32 type[] = { OVNI_ACTIVITY_TABLE(TYPE) };
#undef TYPE
	u32 i, j;

	for (i = 0; i < OVNI_NR_ACTIVITIES; i++) {
		const struct ovni_activity_desc *a = &ovni_activities[i];

		EXPECT_EQ(a, ovni_activity_find(a->key));
		EXPECT_LE(302, type[i]);
		for (j = 0; j < i; j++) {
			EXPECT_NE(a->mark, ovni_activities[j].mark);
			EXPECT_NE(type[i], type[j]);
		}
	}
	EXPECT_EQ(NULL, ovni_activity_find(""));
}

TEST_HARNESS_MAIN
