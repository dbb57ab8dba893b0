// SPDX-License-Identifier: GPL-2.0-only
/* From a capture to pages of the page cache. */
#include "../fixture/taskfix.h"

#define PAGE	4096ULL
#define DEV	(0xfeU << 20 | 1)

static void page(u64 tsc, bool add, u64 index, u16 order)
{
	struct ovnik_page_add *rec;

	/* They have the same fields. */
	if (add)
		rec = CAPGEN_RECORD(&gen, 0, tsc, page_add);
	else
		rec = (struct ovnik_page_add *)CAPGEN_RECORD(&gen, 0, tsc, page_remove);
	rec->order = order;
	rec->dev = DEV;
	rec->ino = 7;
	rec->offset = index * PAGE;
}

TEST_F(tasks, pages)
{
	processes();
	page(AT(20), true, 0, 0);
	page(AT(21), true, 4, 2);
	page(AT(30), false, 0, 0);
	/* One by one; one of them comes back. */
	page(AT(31), false, 5, 0);
	page(AT(32), false, 6, 1);
	page(AT(33), true, 6, 0);
	page(AT(34), false, 4, 0);
	/* One for which there were many. */
	page(AT(40), true, 8, 0);
	page(AT(41), true, 9, 0);
	page(AT(50), true, 8, 1);
	page(AT(60), false, 8, 1);
	/* It was there before. */
	page(AT(70), false, 0, 1);
	HEAR();
	EXPECT_STREQ("7:0 20-30\n"
		     "7:16384 21-34\n"
		     "7:24576 33-70 open\n"
		     "7:32768 40-50\n"
		     "7:36864 41-50\n"
		     "7:32768 50-60\n"
		     "7:0 70-70 early\n", reported(self, 0, KIND(PAGE)));
	EXPECT_STREQ("end page 18 of 0 pagecache.254:1 \"7:16384\" 1000000021-1000000034 cpu 0 "
		     "bytes 16384 result 0 file fe00001:7\n", lines(self, "end page 18 "));
}

TEST_F(tasks, pages_while_ends_are_missing)
{
	processes();
	page(AT(20), true, 0, 0);
	page(AT(21), true, 1, 0);
	page(AT(22), true, 2, 0);
	capgen_lose(&gen, 0, OVNIK_EV_page_remove, 1);
	page(AT(30), true, 0, 0);
	page(AT(31), false, 1, 0);
	HEAR();
	EXPECT_STREQ("7:0 20-22 doubt\n"
		     "7:4096 21-31\n"
		     "7:8192 22-22 doubt\n"
		     "7:0 30-31 open\n", reported(self, 0, KIND(PAGE)));
}

TEST_F(tasks, pages_and_who_brings_them)
{
	struct ovnik_file_begin *rec;

	processes();
	rec = CAPGEN_RECORD(&gen, 0, AT(20), file_begin);
	rec->op = OVNIK_OP_READ;
	rec->tid = 11;
	page(AT(21), true, 0, 0);
	CAPGEN_RECORD(&gen, 0, AT(22), page_fault)->tid = 11;
	page(AT(23), true, 1, 0);
	CAPGEN_RECORD(&gen, 0, AT(24), buffer_add)->dev = DEV;
	HEAR();
	EXPECT_STREQ("start page 18 of 17 pagecache.254:1 \"7:0\" 1000000021-0 cpu 0 bytes 4096 "
		     "result 0 file fe00001:7\n"
		     "start page 20 of 19 pagecache.254:1 \"7:4096\" 1000000023-0 cpu 0 "
		     "bytes 4096 result 0 file fe00001:7\n"
		     "start page 21 of 19 pagecache.254:1 \"device:0\" 1000000024-0 cpu 0 "
		     "bytes 4096 result 0 file fe00001:0\n", lines(self, "start page"));
}

TEST_HARNESS_MAIN
