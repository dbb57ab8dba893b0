// SPDX-License-Identifier: GPL-2.0-only
/* From a capture to mappings. */
#include "../fixture/taskfix.h"

#define PAGE	4096ULL
#define DEV	(0xfeU << 20 | 1)

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
		     "special 31-40\n", reported(self, 0, KIND(MAPPING)));
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
		     "anonymous 41-50\n", reported(self, 0, KIND(MAPPING)));
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
		     "/bin/true 42-50 open\n", reported(self, 14, KIND(MAPPING)));
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
		     "anonymous 30-41\n", reported(self, 12, KIND(MAPPING)));
	EXPECT_STREQ("anonymous 21-21 doubt\n"
		     "anonymous 31-41 open\n", reported(self, 13, KIND(MAPPING)));
}

/* Its thread ends when it turns out to be another process's, and all that it had mapped there. */
TEST_F(tasks, mappings_of_a_process_that_is_known_late)
{
	capgen_switch(&gen, 0, AT(10), 0, 0, 1000);
	map_anon(AT(20), 1000, 102, OVNIK_MAP_MMAP, 20, 2);
	capgen_mm(&gen, 0, AT(21), OVNIK_MM_EXEC, 1000, 480, 102, 7);
	map_file(AT(22), 1000, 102, 10, 4, "/lib");
	/* The address space is still known. */
	unmap(AT(25), 1000, 102, 10, 4);
	HEAR();
	EXPECT_STREQ("anonymous 20-22\n"
		     "/lib 22-25\n", reported(self, 0, KIND(MAPPING)));
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
		     "/bin 31-31 early open\n", reported(self, 0, KIND(MAPPING)));
}

TEST_HARNESS_MAIN
