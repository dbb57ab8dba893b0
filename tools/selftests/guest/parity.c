// SPDX-License-Identifier: GPL-2.0-only
/*
 * parity - what the module and the BPF probes recorded of the same run, is it the same?
 *
 *	parity [-m] MODULE BPF		two captures
 *	parity begin | end		mark the moment for both
 *
 * For each task, the records between the marks must be the same in both captures:
 * as many, in the same order, each field with the same value. Which events there are,
 * what fields they have and which of them name a task is taken from the event table.
 *
 * Where the two captures may differ is said in parity/rules.c, with the reason.
 */

#include <sys/prctl.h>
#include <unistd.h>

#include "parity/parity.h"
#include "util/msg.h"

static void agree_on_marks(void)
{
	u64 begin = sides[0].begin > sides[1].begin ? sides[0].begin : sides[1].begin;
	u64 end = sides[0].end < sides[1].end ? sides[0].end : sides[1].end;

	sides[0].begin = begin;
	sides[1].begin = begin;
	sides[0].end = end;
	sides[1].end = end;
}

static int mark(const char *name)
{
	usleep(QUIET_US);
	if (prctl(PR_SET_NAME, name))
		err(1, "%s", name);
	usleep(QUIET_US);
	return 0;
}

static int usage(void)
{
	fprintf(stderr, "usage: parity [-m] MODULE BPF\n"
		"       parity begin | end\n");
	return 2;
}

static bool all_kinds(void)
{
	unsigned int event;
	bool all = true;

	for (event = 1; event < OVNIK_NR_EVENTS; event++) {
		if (!event_table[event].name || may_lack(event))
			continue;
		printf("# %-18s %8llu the same", event_name(event), compared[event]);
		if (differences[event])
			printf(", %llu tasks differ there first", differences[event]);
		printf("\n");
		if (!compared[event])
			all = false;
	}
	if (!all)
		printf("# some kinds of events are not there\n");
	show_exceptions();
	printf("# stamps are %llu us apart at most\n", max_apart / 1000);
	return all;
}

int main(int argc, char **argv)
{
	bool mutate = argc == 4 && !strcmp(argv[1], "-m");
	bool same;
	int i;

	msg_init(argv[0]);
	if (argc == 2 && !strcmp(argv[1], "begin"))
		return mark(MARK_BEGIN);
	if (argc == 2 && !strcmp(argv[1], "end"))
		return mark(MARK_END);
	if (argc != 3 && !mutate)
		return usage();
	for (i = 0; i < 2; i++)
		read_side(&sides[i], argv[argc - 2 + i]);
	agree_on_marks();
	for (i = 0; i < 2; i++)
		index_side(&sides[i]);
	find_moved();
	same = same_everywhere();
	same = same_dumps(&no_mutation) && same;
	same = all_kinds() && same && sides[0].complete && sides[1].complete;
	if (same && mutate)
		same = notices_all();
	return !same;
}
