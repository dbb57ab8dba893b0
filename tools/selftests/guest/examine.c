// SPDX-License-Identifier: GPL-2.0-only
/*
 * examine - is a file what the record ABI says, and does it hang together?
 *
 * Loading it checks every sub-buffer and record. Unless an option says that a filter was
 * set, each switch must go on with the task that the one before has left, and
 * so must the headers.
 */

#include <getopt.h>

#include "common/capture.h"

#define FILES_MAX	256

/* All files of the command line: any CPU's may have what happens to a task. */
static struct capture *files[FILES_MAX];
static int nr_files;
static bool by_bpf;

static bool exchanged(const struct capture *cap, __u32 one, __u32 other)
{
	size_t i;

	for (i = 0; i < cap->events.nr; i++) {
		const struct event *event = &cap->events.event[i];

		if (event->kind != OVNIK_EV_task_exec)
			continue;
		if ((event->a == one && event->b == other) ||
		    (event->a == other && event->b == one))
			return true;
	}
	return false;
}

/*
 * A thread that does an exec and is not the first of its process exchanges tids
 * with that one, while either runs, and some time before the kernel says so.
 */
static bool has_become(__u32 old_tid, __u32 tid)
{
	int i;

	for (i = 0; i < nr_files; i++) {
		if (exchanged(files[i], old_tid, tid))
			return true;
	}
	return false;
}

static bool lost_between(const struct block *a, const struct block *b, unsigned int kind)
{
	return a->lost[kind] != b->lost[kind];
}

/* If the ring has overwritten the event that the CPU leaves, the first one is that it comes. */
static bool comes_first(const struct capture *cap)
{
	size_t i;

	for (i = 0; i < cap->events.nr; i++) {
		if (cap->events.event[i].kind == OVNIK_EV_cpu_hotplug)
			return cap->events.event[i].b;
	}
	return false;
}

/*
 * The task that runs, from one switch to the next and from one sub-buffer to the next. A
 * CPU that leaves goes idle when it counts as off line already: the kernel has
 * no event for that switch. The module begins another sub-buffer when it comes back,
 * BPF does not.
 */
static void check_chain(const struct capture *cap)
{
	bool leaving = comes_first(cap);
	__u32 tid = 0;
	size_t i = 0, block;

	for (block = 0; block < cap->nr_blocks; block++) {
		const struct block *now = &cap->block[block];

		if (block && !lost_between(now - 1, now, OVNIK_EV_sched_switch) &&
		    now->head->tid != tid && !(leaving && !now->head->tid) &&
		    !has_become(tid, now->head->tid))
			errx(1, "%s: seq %llu begins with task %u, %u ran before", cap->path,
			     now->head->seq, now->head->tid, tid);
		tid = now->head->tid;
		for (; i < cap->events.nr && cap->events.event[i].block == block; i++) {
			const struct event *event = &cap->events.event[i];

			if (event->kind == OVNIK_EV_cpu_hotplug)
				leaving = !event->b;
			if (event->kind != OVNIK_EV_sched_switch)
				continue;
			if (event->a != tid && !(by_bpf && leaving && !event->a) &&
			    !has_become(tid, event->a))
				errx(1, "%s: seq %llu: task %u is switched out, %u ran",
				     cap->path, now->head->seq, event->a, tid);
			tid = event->b;
		}
	}
}

static void check_contiguous(const struct capture *cap)
{
	unsigned int kind;
	size_t block;

	for (block = 0; block < cap->nr_blocks; block++) {
		const struct block *now = &cap->block[block];

		if (now->head->seq != block)
			errx(1, "%s: seq %llu instead of %zu", cap->path, now->head->seq, block);
		for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
			if (now->lost[kind])
				errx(1, "%s: seq %zu: %llu %s lost", cap->path, block,
				     now->lost[kind], kind_name(kind));
		}
	}
}

static void check_flags(const struct capture *cap, bool overwrite)
{
	const struct ovnik_subbuf *head = cap->nr_blocks ? cap->block[0].head : NULL;

	if (head && !!(head->flags & OVNIK_SB_OVERWRITE) != overwrite)
		errx(1, "%s: flags %#x", cap->path, head->flags);
}

/* "KIND COUNT" a line, for shell scripts. */
static void print_counts(const struct capture *cap)
{
	__u64 count[OVNIK_NR_EVENTS] = {};
	unsigned int kind;
	size_t block;

	for (block = 0; block < cap->nr_blocks; block++) {
		for (kind = 1; kind < OVNIK_NR_EVENTS; kind++)
			count[kind] += cap->block[block].count[kind];
	}
	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++)
		printf("%s %llu\n", kind_name(kind), count[kind]);
}

/* What a snapshot must reach: the newest event is not older than this. */
static void check_reaches(const struct capture *cap, __u64 tsc)
{
	if (!cap->nr_blocks || cap->block[cap->nr_blocks - 1].head->tsc_end < tsc)
		errx(1, "%s: %zu sub-buffers, the last ends at %llu, before %llu", cap->path,
		     cap->nr_blocks,
		     cap->nr_blocks ? cap->block[cap->nr_blocks - 1].head->tsc_end : 0, tsc);
}

static const char usage[] =
	"usage: examine [OPTION]... cpuN.ovk...\n"
	"  -a       all must be there: numbers from 0, nothing lost\n"
	"  -b       made by BPF\n"
	"  -f       a filter was set\n"
	"  -o       made in overwrite mode\n"
	"  -n N     fail with less than N sub-buffers in a file\n"
	"  -r TSC   the file must reach up to there\n"
	"  -v       print how many records there are of each kind\n";

int main(int argc, char **argv)
{
	bool all = false, filter = false, overwrite = false, verbose = false;
	unsigned long min_blocks = 0;
	__u64 reaches = 0;
	int option, i;

	while ((option = getopt(argc, argv, "abfon:r:v")) != -1) {
		switch (option) {
		case 'a':
			all = true;
			break;
		case 'b':
			by_bpf = true;
			break;
		case 'f':
			filter = true;
			break;
		case 'o':
			overwrite = true;
			break;
		case 'n':
			min_blocks = strtoul(optarg, NULL, 10);
			break;
		case 'r':
			reaches = strtoull(optarg, NULL, 10);
			break;
		case 'v':
			verbose = true;
			break;
		default:
			errx(2, "%s", usage);
		}
	}
	for (; optind < argc; optind++) {
		if (nr_files == FILES_MAX)
			errx(2, "more than %d files", FILES_MAX);
		files[nr_files++] = load_capture(argv[optind]);
	}
	for (i = 0; i < nr_files; i++) {
		struct capture *cap = files[i];

		check_flags(cap, overwrite);
		if (!filter)
			check_chain(cap);
		if (all)
			check_contiguous(cap);
		if (reaches)
			check_reaches(cap, reaches);
		if (cap->nr_blocks < min_blocks)
			errx(1, "%s: %zu sub-buffers", cap->path, cap->nr_blocks);
		if (verbose)
			print_counts(cap);
		else
			printf("# %s: %zu sub-buffers, %zu records\n", cap->path,
			       cap->nr_blocks, cap->events.nr);
	}
	return 0;
}
