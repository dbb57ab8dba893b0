// SPDX-License-Identifier: GPL-2.0-only
/* What is there before the recording: the statedump must have it. */
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act.h"

static void expect_file(const struct act_place *place, const struct span *span)
{
	struct stat st;

	if (place->file < 0 || fstat(place->file, &st))
		return;
	deed_text(EXPECT(dump_file, span, "an open file", KEY(dump_file, tid, getpid()),
			 KEY(dump_file, fd, place->file), IS(dump_file, ino, st.st_ino),
			 IS(dump_file, dev, act_dev(st.st_dev)),
			 IS(dump_file, offset, lseek(place->file, 0, SEEK_CUR)),
			 IS(dump_file, flags, fcntl(place->file, F_GETFL)),
			 TEXT(dump_file, path)), place->path);
	if (!place->map)
		return;
	deed_text(EXPECT(dump_vma, span, "a mapped file", KEY(dump_vma, tid, getpid()),
			 KEY(dump_vma, start, place->map), IS(dump_vma, length, PAGE),
			 IS(dump_vma, flags, OVNIK_VMA_READ | OVNIK_VMA_SHARED),
			 IS(dump_vma, offset, 0), IS(dump_vma, ino, st.st_ino),
			 IS(dump_vma, dev, act_dev(st.st_dev)), MM(dump_vma, mm, MM_OWN),
			 TEXT(dump_vma, path)), place->path);
}

/**
 * act_before() - Expect what was there before.
 * @act: has it
 */
void act_before(const struct act *act)
{
	static const struct span whole = { .end = ~0ULL, .end_ns = ~0ULL };
	char name[OVNIK_COMM_LEN] = "";

	prctl(PR_GET_NAME, name);
	deed_text(EXPECT(dump_task, &whole, "a process", KEY(dump_task, tid, getpid()),
			 IS(dump_task, tgid, getpid()), IS(dump_task, parent_tgid, getppid()),
			 IS(dump_task, flags, 0), SOME(dump_task, start), SOME(dump_task, pgd),
			 MM(dump_task, mm, MM_OWN), TEXT(dump_task, comm)), name);
	EXPECT(dump_mm, &whole, "a process's memory", KEY(dump_mm, tid, getpid()),
	       SOME(dump_mm, vmas), SOME(dump_mm, pgd), MM(dump_mm, mm, MM_OWN));
	expect_file(&act->memory, &whole);
	expect_file(&act->disk, &whole);
	EXPECT(dump_end, &whole, "all processes", SOME(dump_end, tasks));
}
