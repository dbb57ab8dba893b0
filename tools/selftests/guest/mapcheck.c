// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapcheck - compare the mappings of a capture with /proc/PID/maps
 *
 *	mapcheck [-m] [-b] MAPS cpuN.ovk...
 *	mapcheck -p MAPS
 *
 * MAPS is what mapload has saved. At each checkpoint, every process' address space
 * must be what its maps say: page by page the same permissions, file and offset.
 * Those of mapload stood still; another process is left out if the capture says
 * that it was changing just then. At the last checkpoint, address spaces
 * without a process must be empty.
 *
 * [vsyscall] is left out, for it lies in the kernel's half and in no address space.
 *
 * With -m, one record after the other is altered, of each kind, and each time the
 * difference must be found. With -b the capture is BPF's. With -p, what rebuild ought
 * to print for the processes that stood still is printed.
 */

#include <getopt.h>

#include "mapcheck/mapcheck.h"

bool by_bpf;

/* What a run has compared. */
static struct {
	unsigned int load;
	unsigned int other;
	unsigned int changing;
	size_t ranges;
} compared;

/* Is there anything from event @i on that changes it, or its process, in that time? */
static bool is_changing(const struct snapshot *shot, __u64 mm, size_t i)
{
	for (; i < all.nr && all.event[i].tsc <= shot->after; i++) {
		const struct ovnik_task_mm *task_mm = all.event[i].record;

		if (mm_of_event(&all.event[i]) == mm)
			return true;
		if (all.event[i].kind == OVNIK_EV_task_mm && task_mm->tgid == shot->pid)
			return true;
	}
	return false;
}

static bool check_snapshot(struct spaces *now, const struct snapshot *shot, size_t next, bool quiet)
{
	__u64 mm = now->mm_of[shot->pid % MAX_TIDS];

	if (is_changing(shot, mm, next)) {
		compared.changing++;
		if (shot->load && !quiet)
			printf("# checkpoint %u: process %u did not stand still\n",
			       shot->checkpoint, shot->pid);
		return !shot->load;
	}
	if (!same_space(space_of(now, mm), shot, mm, quiet))
		return false;
	compared.load += shot->load;
	compared.other += !shot->load;
	compared.ranges += shot->maps.nr;
	if (!quiet && shot->load) {
		find_candidates(space_of(now, mm));
		find_unmaps(space_of(now, mm), mm);
	}
	return true;
}

/*
 * The statedump must contain all that it promised. BPF lets go of mmap_lock between
 * two mappings if another thread waits for it, which may map or unmap something then.
 */
static bool dumps_complete(struct spaces *now, bool quiet)
{
	size_t i;

	for (i = 0; i < now->nr; i++) {
		if (!now->space[i].expect || (by_bpf && now->space[i].changed))
			continue;
		if (!quiet)
			printf("# address space %zu: %d mappings of the statedump are missing\n",
			       i, (int)now->space[i].expect);
		return false;
	}
	return true;
}

static bool is_used(const struct spaces *now, __u64 mm)
{
	unsigned int last = snapshots[nr_snapshots - 1].checkpoint;
	size_t i;

	for (i = 0; i < nr_snapshots; i++) {
		if (snapshots[i].checkpoint == last &&
		    now->mm_of[snapshots[i].pid % MAX_TIDS] == mm)
			return true;
	}
	return false;
}

/* After the last checkpoint. */
static bool unused_are_empty(struct spaces *now, bool quiet)
{
	size_t i;

	for (i = 0; i < now->nr; i++) {
		if (!now->space[i].nr || is_used(now, i))
			continue;
		if (!quiet)
			printf("# address space %zu has %zu mappings and no process\n", i,
			       now->space[i].nr);
		return false;
	}
	return true;
}

static bool same_at_all_checkpoints(struct spaces *now, bool quiet)
{
	size_t i = 0, shot;

	for (shot = 0; shot < nr_snapshots; shot++) {
		for (; i < all.nr && all.event[i].tsc <= snapshots[shot].before; i++) {
			if (!quiet)
				note_event(now, &all.event[i], i);
			apply_event(now, &all.event[i], i);
			if (all.event[i].kind == OVNIK_EV_dump_end && !dumps_complete(now, quiet))
				return false;
		}
		if (!check_snapshot(now, &snapshots[shot], i, quiet))
			return false;
	}
	return unused_are_empty(now, quiet);
}

bool run(bool quiet)
{
	struct spaces now;
	bool same;

	init_spaces(&now);
	same = same_at_all_checkpoints(&now, quiet);
	free_spaces(&now);
	return same;
}

/* As rebuild does, see there. */
static void print_expected(const struct snapshot *shot)
{
	struct range flat;
	size_t i = 0;

	printf("at %llu %u\n", shot->before, shot->pid);
	while (next_flat(&shot->maps, &i, &flat))
		printf("%u %llx-%llx %c%c%c%c %llx %x:%x %llu\n", shot->pid, flat.start, flat.end,
		       flat.flags & OVNIK_VMA_READ ? 'r' : '-',
		       flat.flags & OVNIK_VMA_WRITE ? 'w' : '-',
		       flat.flags & OVNIK_VMA_EXEC ? 'x' : '-',
		       flat.flags & OVNIK_VMA_SHARED ? 's' : 'p', flat.offset,
		       OVNIK_DEV_MAJOR(flat.dev), OVNIK_DEV_MINOR(flat.dev), flat.ino);
}

static int print_all_expected(const char *path)
{
	size_t i;

	load_snapshots(path);
	for (i = 0; i < nr_snapshots; i++) {
		if (snapshots[i].load)
			print_expected(&snapshots[i]);
	}
	return 0;
}

static const char usage[] =
	"usage: mapcheck [-m] [-b] MAPS cpuN.ovk...\n"
	"       mapcheck -p MAPS";

int main(int argc, char **argv)
{
	bool mutate = false, same;
	int option;

	while ((option = getopt(argc, argv, "bmp:")) != -1) {
		switch (option) {
		case 'b':
			by_bpf = true;
			break;
		case 'm':
			mutate = true;
			break;
		case 'p':
			return print_all_expected(optarg);
		default:
			errx(2, "%s", usage);
		}
	}
	argv += optind;
	if (argc - optind < 2)
		errx(2, "%s", usage);
	load_snapshots(argv[0]);
	load_merged(&all, argv + 1);
	same = run(false);
	printf("# %u processes of the load and %u others, %zu mappings compared; %u were changing\n",
	       compared.load, compared.other, compared.ranges, compared.changing);
	if (!same)
		return 1;
	return mutate && !all_noticed();
}
