// SPDX-License-Identifier: GPL-2.0-only
/*
 * pagecheck - is the page cache, rebuilt from the records, what pageload has seen?
 *
 *	pagecheck [-m] [-w DIR] LOG FILE...
 *
 * A page is added once before it is removed, and so is a frame; what is removed
 * was there, in that frame. At each look of pageload's the pages of the file are
 * those that mincore() reports, in those frames. In the end the file systems and
 * devices that were looked at hold nothing any more. With -m, records are altered,
 * which must be noticed. In DIR are ftrace's counts by inode, see pages.sh.
 */

#include <getopt.h>

#include "common/hist.h"
#include "common/merge.h"
#include "pagecheck/pagecheck.h"

/* During a look, nothing may change. */
static bool is_still(const struct look *look, const struct event *event)
{
	unsigned int order;
	struct page page = page_of(event, &order), key = key_of(look->check);

	key.index = page.index;
	return event->tsc > look->check->end ||
	       !is_page(&page, &key, look->check->flags & CHECK_ANY_GEN) ||
	       complain("%s: %llu: the page cache changes", look->check->label, event->tsc);
}

bool check(const struct events *events)
{
	size_t i, next = 0;
	bool good = true;

	empty_cache();
	for (i = 0; i < events->nr && (good || !quiet); i++) {
		const struct event *event = &events->event[i];

		if (!is_page_event(event->kind))
			continue;
		while (next < nr_looks && looks[next].check->begin < event->tsc)
			good = same_look(&looks[next++]) && good;
		if (next)
			good = is_still(&looks[next - 1], event) && good;
		good = apply(event) && good;
	}
	while (next < nr_looks)
		good = same_look(&looks[next++]) && good;
	return nothing_left() && good;
}

static void summary(const struct events *events)
{
	size_t nr[OVNIK_NR_EVENTS] = {}, tested = 0, huge = 0, pages = 0, i;
	unsigned int kind, order;

	for (i = 0; i < events->nr; i++) {
		struct page page;

		if (!is_page_event(events->event[i].kind))
			continue;
		nr[events->event[i].kind]++;
		page = page_of(&events->event[i], &order);
		tested += is_tested(page.dev);
		huge += order > 0;
	}
	for (i = 0; i < nr_looks; i++) {
		__u32 page;

		for (page = 0; page < looks[i].check->nr; page++)
			pages += looks[i].frames[page] != NO_FRAME;
	}
	printf("#");
	for (kind = OVNIK_EV_page_add; kind <= OVNIK_EV_buffer_remove; kind++)
		printf(" %s %zu", kind_name(kind), nr[kind]);
	printf(", %zu of what was tested, %zu huge; %zu looks at %zu pages\n", tested, huge,
	       nr_looks, pages);
}

/* ftrace's counts. It names a block device's own pages by an inode's number. */

static long count_records(const struct events *events, bool add, __u32 dev, __u64 ino, bool buffer)
{
	unsigned int order;
	long nr = 0;
	size_t i;

	for (i = 0; i < events->nr; i++) {
		const struct event *event = &events->event[i];
		struct page page;

		if (!is_page_event(event->kind) || is_add(event->kind) != add)
			continue;
		page = page_of(event, &order);
		nr += page.dev == dev && page.ino == ino && page.buffer == buffer;
	}
	return nr;
}

/* @adds: tmpfs does not report these to ftrace */
static bool same_counts(const struct events *events, const char *dir, bool adds)
{
	FILE *file = open_hist(dir, adds ? "add" : "delete");
	struct hist_line line;
	bool good = true;
	long total = 0;

	while (read_hist(file, "s_dev", "i_ino", &line)) {
		bool buffer = !(line.key[0] >> 20) && is_tested(line.key[1]) &&
			      line.key[1] >> 20;
		__u32 dev = buffer ? line.key[1] : line.key[0];
		long ours;

		if (!is_tested(dev))
			continue;
		ours = count_records(events, adds, dev, buffer ? 0 : line.key[1], buffer);
		total += line.hits;
		if (ours != (long)line.hits)
			good = complain("%s: inode %llu of device %#llx: ftrace %llu, recorded %ld",
					adds ? "add" : "delete", line.key[1], line.key[0],
					line.hits, ours);
	}
	fclose(file);
	printf("# %ld in ftrace's counts\n", total);
	return good && total;
}

int main(int argc, char **argv)
{
	const char *witness = NULL;
	struct events events = {};
	bool mutate = false, good;
	int opt;

	while ((opt = getopt(argc, argv, "mw:")) != -1) {
		if (opt == 'm')
			mutate = true;
		else if (opt == 'w')
			witness = optarg;
		else
			errx(2, "usage: pagecheck [-m] [-w DIR] LOG FILE...");
	}
	if (argc - optind < 2)
		errx(2, "usage: pagecheck [-m] [-w DIR] LOG FILE...");
	load_looks(argv[optind]);
	load_merged(&events, argv + optind + 1);
	good = check(&events);
	summary(&events);
	if (witness) {
		good = same_counts(&events, witness, true) && good;
		good = same_counts(&events, witness, false) && good;
	}
	if (good && mutate)
		good = all_noticed(&events);
	return !good;
}
