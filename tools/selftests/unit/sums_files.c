// SPDX-License-Identifier: GPL-2.0-only
/* Files of a report, at the limit of how many are known completely. */
#include "sums/files.h"
#include "kselftest_harness.h"

TEST(as_many_as_may_be)
{
	struct report_files files = { 0 };
	struct trace_file id = { .dev = 1 };
	struct report_file *file;

	ASSERT_EQ(0, hash_init(&files.table));
	for (id.ino = 1; id.ino <= REPORT_FILES_MAX; id.ino++) {
		file = report_file_get(&files, &id);
		ASSERT_NE(NULL, file);
		file->io.time.ns = id.ino;
		file->io.reads = 1;
	}
	EXPECT_EQ(REPORT_FILES_MAX, files.table.nr);
	EXPECT_EQ(0, files.nr_others);
	EXPECT_EQ(0, files.lack_ns);
	/* Those that cost most stay; what another one may lack is known. */
	ASSERT_NE(NULL, report_file_get(&files, &id));
	EXPECT_LT(0, files.nr_others);
	EXPECT_LT(0, files.lack_ns);
	id.ino = REPORT_FILES_MAX;
	EXPECT_NE(NULL, report_file_find(&files, &id));
	EXPECT_EQ(REPORT_FILES_MAX + 1, files.table.nr + files.nr_others);
	report_files_free(&files);
}

TEST_HARNESS_MAIN
