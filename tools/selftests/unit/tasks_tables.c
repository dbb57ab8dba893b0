// SPDX-License-Identifier: GPL-2.0-only
/* From a capture to what lasts: open files, mappings, pages of the page cache. */
#include "../fixture/taskfix.h"

#define PAGE	4096ULL
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

/* Processes 11, 12 and 13, of which 11 runs. */
static void processes(void)
{
	u32 tid;

	for (tid = 11; tid <= 13; tid++)
		capgen_dump(&gen, 0, AT(tid - 10), tid, tid, S, tid, 0, "old");
	capgen_switch(&gen, 0, AT(10), 0, 0, 11);
}

static void die(u64 tsc, u32 tid)
{
	capgen_switch(&gen, 0, tsc, S, 11, tid);
	capgen_switch(&gen, 0, tsc + 1, ZOMBIE, tid, 11);
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
	/* Somebody else has it. */
	close_file(AT(32), 13, 5);
	/* Nobody does. */
	close_file(AT(33), 13, 5);
	/* A file may go on when its process does not. */
	die(AT(40), 13);
	HEAR();
	EXPECT_STREQ("one 20-32\n"
		     "two 21-31\n"
		     "three 22-30 either\n"
		     "four 23-41 open\n"
		     " 33-33 early\n", told(self, 0, KIND(FILE)));
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
		     "three 22-400 either\n", told(self, 11, KIND(FILE)));
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
		     "stdin 24-31 early open\n", told(self, 0, KIND(FILE)));
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
		     "opened later 30-51 open\n", told(self, 0, KIND(FILE)));
}

static void map_anon(u64 tsc, u32 tid, u64 mm, u16 kind, u64 page, u64 pages)
{
	struct ovnik_mmap_anon *rec = CAPGEN_RECORD(&gen, 0, tsc, mmap_anon);

	rec->kind = kind;
	rec->tid = tid;
	rec->mm = mm;
	rec->start = page * PAGE;
	rec->length = pages * PAGE;
	rec->flags = OVNIK_VMA_READ | OVNIK_VMA_WRITE;
}

static void map_file(u64 tsc, u32 tid, u64 mm, u64 page, u64 pages, const char *path)
{
	struct ovnik_mmap_file *rec = CAPGEN_RECORD_STR(&gen, 0, tsc, mmap_file, path, path);

	rec->tid = tid;
	rec->dev = DEV;
	rec->generation = 0;
	rec->flags = OVNIK_VMA_READ;
	rec->mm = mm;
	rec->start = page * PAGE;
	rec->length = pages * PAGE;
	rec->offset = 0;
	rec->ino = 7;
}

static void unmap(u64 tsc, u32 tid, u64 mm, u64 page, u64 pages)
{
	struct ovnik_munmap *rec = CAPGEN_RECORD(&gen, 0, tsc, munmap);

	rec->tid = tid;
	rec->mm = mm;
	rec->start = page * PAGE;
	rec->length = pages * PAGE;
}

static void remap(u64 tsc, u32 tid, u64 mm, u64 old, u64 old_pages, u64 page, u64 pages)
{
	struct ovnik_mremap *rec = CAPGEN_RECORD_STR(&gen, 0, tsc, mremap, path, "");

	rec->tid = tid;
	rec->dev = 0;
	rec->generation = 0;
	rec->flags = OVNIK_VMA_READ;
	rec->mm = mm;
	rec->old_start = old * PAGE;
	rec->old_length = old_pages * PAGE;
	rec->start = page * PAGE;
	rec->length = pages * PAGE;
	rec->offset = 0;
	rec->ino = 0;
}

TEST_F(tasks, mappings)
{
	processes();
	map_file(AT(20), 11, 11, 10, 4, "/lib");
	/* Two in a row are two, whatever the kernel makes of it. */
	map_anon(AT(21), 11, 11, OVNIK_MAP_MMAP, 20, 2);
	map_anon(AT(22), 11, 11, OVNIK_MAP_MMAP, 22, 2);
	/* A part goes, something else takes the place of another one, then the rest. */
	unmap(AT(30), 11, 11, 11, 1);
	map_anon(AT(31), 11, 11, OVNIK_MAP_SPECIAL, 12, 1);
	unmap(AT(32), 11, 11, 8, 3);
	unmap(AT(33), 11, 11, 13, 1);
	/* All at once. */
	unmap(AT(40), 11, 11, 0, 100);
	HEAR();
	EXPECT_STREQ("/lib 20-33\n"
		     "anonymous 21-40\n"
		     "anonymous 22-40\n"
		     "special 31-40\n", told(self, 0, KIND(MAPPING)));
	EXPECT_STREQ("tag mapping 17 \"unmapped 4096 bytes\" 1000000030\n"
		     "tag mapping 17 \"unmapped 4096 bytes\" 1000000031\n"
		     "tag mapping 17 \"unmapped 4096 bytes\" 1000000032\n",
		     lines(self, "tag mapping"));
	EXPECT_STREQ("start mapping 17 of 1 proc.11.mapping \"/lib\" 1000000020-0 cpu 0 "
		     "bytes 16384 result 0 file fe00001:7\n", lines(self, "start mapping 17 "));
}

TEST_F(tasks, heaps_stacks_and_what_is_moved)
{
	processes();
	/* They do not meet. */
	map_anon(AT(18), 11, 11, OVNIK_MAP_BRK, 30, 1);
	map_anon(AT(19), 11, 11, OVNIK_MAP_STACK, 80, 1);
	map_anon(AT(20), 11, 11, OVNIK_MAP_BRK, 10, 1);
	map_anon(AT(21), 11, 11, OVNIK_MAP_BRK, 11, 2);
	map_anon(AT(22), 11, 11, OVNIK_MAP_STACK, 50, 1);
	map_anon(AT(23), 11, 11, OVNIK_MAP_GROWTH, 49, 1);
	map_anon(AT(24), 11, 11, OVNIK_MAP_MMAP, 60, 2);
	remap(AT(30), 11, 11, 60, 2, 60, 3);
	unmap(AT(40), 11, 11, 60, 3);
	remap(AT(41), 11, 11, 60, 3, 70, 4);
	capgen_mm_exit(&gen, 0, AT(50), 11, 0);
	HEAR();
	EXPECT_STREQ("heap 18-50\n"
		     "stack 19-50\n"
		     "heap 20-50\n"
		     "stack 22-50\n"
		     "anonymous 24-40\n"
		     "anonymous 41-50\n", told(self, 0, KIND(MAPPING)));
	EXPECT_STREQ("tag mapping 19 \"grew by 8192 bytes\" 1000000021\n"
		     "tag mapping 20 \"grew by 4096 bytes\" 1000000023\n"
		     "tag mapping 21 \"grew by 4096 bytes\" 1000000030\n",
		     lines(self, "tag mapping"));
	EXPECT_STREQ("end mapping 19 of 1 proc.11.mapping \"heap\" 1000000020-1000000050 cpu 0 "
		     "bytes 12288 result 0\n", lines(self, "end mapping 19 "));
}

static void dup_range(u64 tsc, u32 tid, u64 source, u64 mm, u64 page, u64 pages, u64 ino)
{
	struct ovnik_vma_dup *rec = CAPGEN_RECORD(&gen, 0, tsc, vma_dup);

	rec->tid = tid;
	rec->source_mm = source;
	rec->mm = mm;
	rec->start = page * PAGE;
	rec->length = pages * PAGE;
	rec->ino = ino;
	rec->dev = ino ? DEV : 0;
}

TEST_F(tasks, mappings_of_a_child)
{
	struct ovnik_task_exec *exec;

	processes();
	map_file(AT(20), 11, 11, 10, 4, "/lib");
	map_anon(AT(21), 11, 11, OVNIK_MAP_BRK, 20, 1);
	capgen_fork(&gen, 0, AT(30), 11, 11, 14, 14, "child");
	capgen_mm(&gen, 0, AT(31), OVNIK_MM_FORK, 14, 14, 14, 1);
	dup_range(AT(32), 11, 11, 14, 10, 4, 7);
	dup_range(AT(33), 11, 11, 14, 20, 1, 0);
	dup_range(AT(34), 11, 11, 14, 40, 1, 9);
	/* exec: no record says that the old ones are gone. */
	capgen_switch(&gen, 0, AT(40), S, 11, 14);
	capgen_mm(&gen, 0, AT(41), OVNIK_MM_EXEC, 14, 14, 15, 2);
	map_file(AT(42), 14, 15, 10, 1, "/bin/true");
	exec = CAPGEN_RECORD_STR(&gen, 0, AT(43), task_exec, filename, "/bin/true");
	exec->tid = 14;
	exec->old_tid = 14;
	exec->tgid = 14;
	exec->mm = 15;
	capgen_switch(&gen, 0, AT(50), S, 14, 11);
	HEAR();
	EXPECT_STREQ("/lib 32-43\n"
		     "heap 33-43\n"
		     "file 34-43\n"
		     "/bin/true 42-50 open\n", told(self, 14, KIND(MAPPING)));
}

TEST_F(tasks, mappings_of_who_ends)
{
	processes();
	map_anon(AT(20), 12, 12, OVNIK_MAP_MMAP, 10, 1);
	map_anon(AT(21), 13, 13, OVNIK_MAP_MMAP, 10, 1);
	capgen_lose(&gen, 0, OVNIK_EV_munmap, 1);
	map_anon(AT(30), 12, 12, OVNIK_MAP_MMAP, 12, 1);
	map_anon(AT(31), 13, 13, OVNIK_MAP_MMAP, 10, 1);
	die(AT(40), 12);
	HEAR();
	EXPECT_STREQ("anonymous 20-21 doubt\n"
		     "anonymous 30-41\n", told(self, 12, KIND(MAPPING)));
	EXPECT_STREQ("anonymous 21-21 doubt\n"
		     "anonymous 31-41 open\n", told(self, 13, KIND(MAPPING)));
}

static void dump_vma(u64 tsc, u32 tid, u64 mm, u64 page, u64 pages, const char *path)
{
	struct ovnik_dump_vma *rec = CAPGEN_RECORD_STR(&gen, 0, tsc, dump_vma, path, path);

	rec->tid = tid;
	rec->dev = DEV;
	rec->generation = 0;
	rec->flags = OVNIK_VMA_READ;
	rec->mm = mm;
	rec->start = page * PAGE;
	rec->length = pages * PAGE;
	rec->offset = 0;
	rec->ino = 7;
}

TEST_F(tasks, mappings_that_were_there)
{
	processes();
	map_file(AT(20), 11, 11, 10, 1, "/lib");
	dump_vma(AT(30), 11, 11, 10, 1, "/lib");
	dump_vma(AT(31), 11, 11, 20, 1, "/bin");
	HEAR();
	EXPECT_STREQ("/lib 20-31 open\n"
		     "/bin 31-31 early open\n", told(self, 0, KIND(MAPPING)));
}

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
		     "7:0 70-70 early\n", told(self, 0, KIND(PAGE)));
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
		     "7:0 30-31 open\n", told(self, 0, KIND(PAGE)));
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
