// SPDX-License-Identifier: GPL-2.0-only
/*
 * dumped - are these tasks in the statedump, and as many as it says?
 *
 *	dumped TID... cpuN.ovk...
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
	int i, files = 1;

	while (files < argc && !strchr(argv[files], '.'))
		files++;
	if (files == 1 || files == argc)
		errx(2, "usage: dumped TID... cpuN.ovk...");
	load_merged(&all, argv + files);
	check_number();
	for (i = 1; i < files; i++) {
		if (!is_there(strtoul(argv[i], NULL, 10)))
			errx(1, "task %s is missing", argv[i]);
	}
	return 0;
}
