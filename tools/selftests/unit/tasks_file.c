// SPDX-License-Identifier: GPL-2.0-only
/* From a capture to open files. */
#include "../fixture/taskfix.h"

#define DEV	(0xfeU << 20 | 1)

static void open_file(u64 tsc, u32 tid, u64 ino, const char *path)
{
	struct ovnik_file_open *rec = CAPGEN_RECORD_STR(&gen, 0, tsc, file_open, path, path);

	rec->tid = tid;
	rec->dev = DEV;
	rec->ino = ino;
}

static void dump_file(u64 tsc, u32 tid, u64 ino, const char *path)
{
	struct ovnik_dump_file *rec = CAPGEN_RECORD_STR(&gen, 0, tsc, dump_file, path, path);

	rec->tid = tid;
	rec->dev = DEV;
	rec->ino = ino;
}

static void close_file(u64 tsc, u32 tid, u64 ino)
{
	struct ovnik_file_close *rec = CAPGEN_RECORD(&gen, 0, tsc, file_close);

	rec->tid = tid;
	rec->dev = DEV;
	rec->ino = ino;
}

TEST_F(tasks, open_files)
{
	processes();
	open_file(AT(20), 11, 5, "one");
	open_file(AT(21), 12, 5, "two");
	open_file(AT(22), 12, 5, "three");
	open_file(AT(23), 13, 6, "four");
	/* Who closes it has opened the last one; then it has one only. */
	close_file(AT(30), 12, 5);
	close_file(AT(31), 12, 5);
	/* Another process has it. */
	close_file(AT(32), 13, 5);
	/* No process does. */
	close_file(AT(33), 13, 5);
	/* A file may go on when its process does not. */
	die(AT(40), 13);
	HEAR();
	EXPECT_STREQ("one 20-32\n"
		     "two 21-31\n"
		     "three 22-30 either\n"
		     "four 23-41 open\n"
		     " 33-33 early\n", reported(self, 0, KIND(FILE)));
	EXPECT_STREQ("start file 17 of 1 proc.11.file \"one\" 1000000020-0 cpu 0 file fe00001:5\n"
		     "start file 18 of 4 proc.12.file \"two\" 1000000021-0 cpu 0 file fe00001:5\n"
		     "start file 19 of 4 proc.12.file \"three\" 1000000022-0 cpu 0 file fe00001:5\n"
		     "start file 20 of 7 proc.13.file \"four\" 1000000023-0 cpu 0 file fe00001:6\n"
		     "start file 21 of 7 proc.13.file \"\" 1000000033-0 cpu 0 early "
		     "file fe00001:5\n", lines(self, "start file"));
}

/* Which one was opened last is still known when the table has grown, twice. */
TEST_F(tasks, open_files_among_many)
{
	u32 i;

	processes();
	open_file(AT(20), 11, 5, "one");
	open_file(AT(21), 11, 5, "two");
	open_file(AT(22), 11, 5, "three");
	for (i = 0; i < 700; i++) {
		if (i == 300)
			close_file(AT(100 + i), 11, 5);
		open_file(AT(100 + i), 13, 1000 + i, "another");
	}
	close_file(AT(900), 11, 5);
	close_file(AT(901), 12, 5);
	HEAR();
	EXPECT_STREQ("one 20-901\n"
		     "two 21-900 either\n"
		     "three 22-400 either\n", reported(self, 11, KIND(FILE)));
}

TEST_F(tasks, files_that_were_open)
{
	processes();
	open_file(AT(20), 12, 5, "opened");
	dump_file(AT(21), 12, 5, "opened");
	dump_file(AT(22), 12, 6, "stdin");
	dump_file(AT(23), 12, 6, "stdin");
	dump_file(AT(24), 13, 6, "stdin");
	die(AT(30), 12);
	HEAR();
	EXPECT_STREQ("opened 20-31 open\n"
		     "stdin 22-31 early\n"
		     "stdin 24-31 early open\n", reported(self, 0, KIND(FILE)));
}

TEST_F(tasks, files_while_ends_are_missing)
{
	processes();
	open_file(AT(20), 11, 5, "closed later");
	open_file(AT(21), 11, 6, "open later");
	open_file(AT(22), 12, 7, "of who ends");
	dump_file(AT(23), 12, 9, "dumped of who ends");
	capgen_lose(&gen, 0, OVNIK_EV_file_close, 1);
	open_file(AT(30), 11, 8, "opened later");
	close_file(AT(40), 11, 5);
	die(AT(50), 12);
	HEAR();
	EXPECT_STREQ("closed later 20-40\n"
		     "open later 21-23 doubt\n"
		     "of who ends 22-23 doubt\n"
		     "dumped of who ends 23-23 early doubt\n"
		     "opened later 30-51 open\n", reported(self, 0, KIND(FILE)));
}

TEST_HARNESS_MAIN
