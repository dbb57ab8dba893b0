// SPDX-License-Identifier: GPL-2.0-only
/*
 * compare - compare a capture with what ftrace saw meanwhile
 *
 * On each CPU, ftrace's events between the moments when the ring was switched on
 * and off are the truth. Our records must be these, one by one and in this order,
 * with a gap wherever lost[] says so: exactly as many events of exactly those
 * kinds. What the statistics say was lost after the last sub-buffer must be what
 * is left of ftrace's at the end.
 *
 * These moments are known exactly from the first and the last sub-buffer, unless
 * that one was overwritten or there was no room for it. Then they lie somewhere
 * between two marks of ftrace's, some ten microseconds apart, and what happened
 * there may be on either side. With BPF they always do: a sub-buffer is opened by
 * the first event and closed some time after the last.
 *
 * And on each CPU ftrace may have stamped an event when the marks were made, and our
 * probe not have run yet: an interrupt that switches the ring comes in between, or
 * with BPF a word that another CPU writes. Such an event is under way: it is recorded,
 * or not, on either side of what its stamp says. No switch can come between the two
 * probes, so that there is one at most, and only where no switch follows up to the mark.
 *
 * Events whose hooks run with interrupts off are one sequence. Between ftrace's
 * probe and ours for one of the others an interrupt may come and leave events of
 * its own, so each of those kinds is a sequence by itself. Where the task may be
 * preempted there, as on 7.x, they have no order that both could see: see -l.
 */

#include <getopt.h>

#include "compare/compare.h"

/* What the statistics call recorded is in the file. */
static bool all_recorded_read(const struct capture *cap, const struct stats *stats)
{
	__u64 count[OVNIK_NR_EVENTS] = {};
	unsigned int kind;
	size_t block;

	for (block = 0; block < cap->nr_blocks; block++) {
		for (kind = 1; kind < OVNIK_NR_EVENTS; kind++)
			count[kind] += cap->block[block].count[kind];
	}
	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		if (count[kind] == stats->recorded[kind])
			continue;
		printf("# CPU %u: %llu %s recorded, %llu in the file\n", cap->cpu,
		       stats->recorded[kind], kind_name(kind), count[kind]);
		return false;
	}
	return true;
}

/* The kinds that ftrace does not have must add up, too: lost never shrinks. */
static bool losses_grow(const struct capture *cap, const struct stats *stats)
{
	const __u64 *last = cap->nr_blocks ? cap->block[cap->nr_blocks - 1].lost : NULL;
	unsigned int kind;
	size_t block;

	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		for (block = 1; block < cap->nr_blocks; block++) {
			if (cap->block[block].lost[kind] >= cap->block[block - 1].lost[kind])
				continue;
			printf("# CPU %u: lost[%s] shrinks at seq %llu\n", cap->cpu,
			       kind_name(kind), cap->block[block].head->seq);
			return false;
		}
		if (last && stats && last[kind] > stats->lost[kind]) {
			printf("# CPU %u: lost[%s] %llu, statistics %llu\n", cap->cpu,
			       kind_name(kind), last[kind], stats->lost[kind]);
			return false;
		}
	}
	return true;
}

/* A gap in the numbers is a gap in the events, and in overwrite mode the only one. */
static bool gaps_are_lost(const struct capture *cap)
{
	unsigned int kind;
	size_t i;

	for (i = 1; i < cap->nr_blocks; i++) {
		const struct block *block = &cap->block[i];
		bool next = block->head->seq == block[-1].head->seq + 1;
		__u64 lost = 0;

		for (kind = 1; kind < OVNIK_NR_EVENTS; kind++)
			lost += block->lost[kind] - block[-1].lost[kind];
		if (next && lost && block->head->flags & OVNIK_SB_OVERWRITE) {
			printf("# CPU %u: %llu lost before seq %llu, which follows its number\n",
			       cap->cpu, lost, block->head->seq);
			return false;
		}
		if (!next && !lost) {
			printf("# CPU %u: nothing lost before seq %llu\n", cap->cpu,
			       block->head->seq);
			return false;
		}
	}
	return true;
}

static void summary(const struct capture *cap)
{
	const struct events *seen = &truth[cap->cpu].events;
	size_t ours[NR_KINDS] = {}, theirs[NR_KINDS] = {}, i;
	unsigned int kind;

	for (i = 0; i < cap->events.nr; i++)
		ours[cap->events.event[i].kind]++;
	for (i = 0; i < seen->nr; i++)
		theirs[seen->event[i].kind]++;
	/* Some of ftrace's are from before the start or after the stop. */
	printf("# CPU %u: %zu sub-buffers; records/ftrace:", cap->cpu, cap->nr_blocks);
	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		if (is_compared(kind))
			printf(" %s %zu/%zu", kind_name(kind), ours[kind], theirs[kind]);
	}
	printf("\n");
}

static bool compare(const char *path, const char *stats_dir)
{
	struct capture *cap = load_capture(path);
	struct stats stats = {};

	if (stats_dir)
		load_stats(stats_dir, cap->cpu, &stats);
	summary(cap);
	return (!stats_dir || all_recorded_read(cap, &stats)) &&
	       losses_grow(cap, stats_dir ? &stats : NULL) &&
	       gaps_are_lost(cap) &&
	       same_everywhere(cap, stats_dir ? &stats : NULL);
}

/* The sum over all files, for a test that is to be large enough. */
static bool enough(char **paths, unsigned long min_switches)
{
	unsigned long switches = 0;
	size_t i;

	for (; *paths; paths++) {
		struct events *seen = &truth[cpu_of_name(*paths)].events;

		for (i = 0; i < seen->nr; i++)
			switches += seen->event[i].kind == OVNIK_EV_sched_switch;
	}
	if (switches < min_switches)
		printf("# only %lu switches\n", switches);
	return switches >= min_switches;
}

/* ftrace has no statedump. */
static void leave_out_dump(char **paths)
{
	char **to = paths;

	for (; *paths; paths++) {
		if (!is_dump(*paths))
			*to++ = *paths;
	}
	*to = NULL;
}

static void parse_tids(char *list)
{
	char *tid;

	wanted = calloc(TIDS, sizeof(*wanted));
	if (!wanted)
		err(1, "no memory");
	for (tid = strtok(list, ","); tid; tid = strtok(NULL, ","))
		wanted[strtoul(tid, NULL, 10) % TIDS] = true;
}

static const char usage[] =
	"usage: compare [OPTION]... cpuN.ovk...\n"
	"  -t DIR   ftrace's instance\n"
	"  -c N     CPUs in all (2)\n"
	"  -s DIR   statistics, as the module's\n"
	"  -p       the files are parts: what comes after them is not checked\n"
	"  -w FILE  and one more file that is whole, with -p\n"
	"  -n N     fail with less than N switches\n"
	"  -f TIDS  only the events of these tasks and of their new threads ...\n"
	"  -x       ... but not of their new processes\n"
	"  -l       only the scheduler's events\n"
	"  -m       test the comparer itself\n"
	"  -b       the capture is BPF's\n";

int main(int argc, char **argv)
{
	const char *trace = "/sys/kernel/tracing", *stats = "/sys/kernel/ovnik/cpus";
	const char *whole[MAX_CPUS];
	unsigned int nr_cpus = 2, nr_whole = 0;
	unsigned long min_switches = 0;
	bool mutate = false, part = false, ok = true;
	char **path;
	int option;

	while ((option = getopt(argc, argv, "t:c:s:pw:n:f:xlmb")) != -1) {
		switch (option) {
		case 't':
			trace = optarg;
			break;
		case 'c':
			nr_cpus = atoi(optarg);
			break;
		case 's':
			stats = optarg;
			break;
		case 'p':
			part = true;
			break;
		case 'w':
			whole[nr_whole++ % MAX_CPUS] = optarg;
			break;
		case 'n':
			min_switches = strtoul(optarg, NULL, 10);
			break;
		case 'f':
			parse_tids(optarg);
			break;
		case 'x':
			children = false;
			break;
		case 'l':
			only_sched = true;
			break;
		case 'm':
			mutate = true;
			break;
		case 'b':
			by_bpf = true;
			break;
		default:
			errx(2, "%s", usage);
		}
	}
	if (optind == argc || !nr_cpus || nr_cpus > MAX_CPUS)
		errx(2, "%s", usage);
	leave_out_dump(&argv[optind]);
	load_truth(trace, nr_cpus);
	for (path = &argv[optind]; *path; path++)
		ok = compare(*path, part ? NULL : stats) && ok;
	while (nr_whole)
		ok = compare(whole[--nr_whole], stats) && ok;
	ok = enough(&argv[optind], min_switches) && ok;
	for (path = &argv[optind]; ok && mutate && *path; path++)
		ok = all_noticed(*path, stats);
	return !ok;
}
