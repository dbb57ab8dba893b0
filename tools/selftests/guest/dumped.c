// SPDX-License-Identifier: GPL-2.0-only
/*
 * dumped - are these tasks in the statedump, and as many as it says?
 *
 *	dumped [-m] TID... cpuN.ovk...
 *
 * With -m each is a process, whose mappings and files must be there, too.
 */
#include "common/merge.h"

static struct events all;

static bool is_there(unsigned int tid)
{
	size_t i;

	for (i = 0; i < all.nr; i++) {
		const struct ovnik_dump_task *task = all.event[i].record;

		if (all.event[i].kind == OVNIK_EV_dump_task && task->tid == tid)
			return true;
	}
	return false;
}

/* As many mappings as the statedump says, and some file. */
static bool has_all(unsigned int tgid)
{
	unsigned int promised = 0, vmas = 0, files = 0;
	size_t i;

	for (i = 0; i < all.nr; i++) {
		const struct ovnik_dump_mm *mm = all.event[i].record;
		const struct ovnik_dump_vma *vma = all.event[i].record;
		const struct ovnik_dump_file *file = all.event[i].record;

		if (all.event[i].kind == OVNIK_EV_dump_mm && mm->tid == tgid)
			promised = mm->vmas;
		vmas += all.event[i].kind == OVNIK_EV_dump_vma && vma->tid == tgid;
		files += all.event[i].kind == OVNIK_EV_dump_file && file->tid == tgid;
	}
	printf("# process %u: %u of %u mappings, %u files\n", tgid, vmas, promised, files);
	return vmas && vmas == promised && files;
}

static void check_number(void)
{
	unsigned int nr = 0, tasks = 0;
	size_t i;

	for (i = 0; i < all.nr; i++) {
		const struct ovnik_dump_end *end = all.event[i].record;

		nr += all.event[i].kind == OVNIK_EV_dump_task;
		if (all.event[i].kind == OVNIK_EV_dump_end)
			tasks = end->tasks;
	}
	if (nr != tasks)
		errx(1, "%u tasks in the statedump, which says %u", nr, tasks);
}

int main(int argc, char **argv)
{
	bool whole = argc > 1 && !strcmp(argv[1], "-m");
	int i, files = 1;

	argc -= whole;
	argv += whole;
	while (files < argc && !strchr(argv[files], '.'))
		files++;
	if (files == 1 || files == argc)
		errx(2, "usage: dumped [-m] TID... cpuN.ovk...");
	load_merged(&all, argv + files);
	check_number();
	for (i = 1; i < files; i++) {
		if (!is_there(strtoul(argv[i], NULL, 10)))
			errx(1, "task %s is missing", argv[i]);
		if (whole && !has_all(strtoul(argv[i], NULL, 10)))
			errx(1, "process %s is not whole", argv[i]);
	}
	return 0;
}
