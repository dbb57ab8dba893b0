// SPDX-License-Identifier: GPL-2.0-only
/*
 * filecheck - are the records of files what fileload has done?
 *
 *	filecheck [-m] [-w DIR] LOG FILE...
 *	filecheck -d PID FILE...
 *
 * Every record of an actor's, and every one about the file system under test, must
 * be what the log says, with all its fields, within the time that the log gives;
 * and for everything in the log there must be one. What a task does comes in the
 * order in which it does it; what others may do for it (closing, deleting, and what
 * aio and io_uring have completed) comes within its time. The bytes of a process
 * are those of its /proc/PID/io. With -m, records are altered, which must be
 * noticed. In DIR are ftrace's counts of system calls by task, see files.sh.
 *
 * With -d, the statedump's records of a process that is still there must be its
 * /proc/PID/fd and /proc/PID/fdinfo.
 */

#include <getopt.h>

#include "common/dumpcheck.h"
#include "common/merge.h"
#include "filecheck/filecheck.h"

bool check(const struct events *events, struct items *want, struct items *got)
{
	bool good;

	got->nr = 0;
	take_records(got, events);
	good = same_items(want, got);
	good = all_sums(got) && good;
	return opens_pair(got) && good;
}

static void summary(const struct items *got)
{
	size_t nr[OVNIK_NR_EVENTS] = {}, i;
	unsigned int kind;

	for (i = 0; i < got->nr; i++)
		nr[got->item[i].kind]++;
	printf("#");
	for (kind = OVNIK_EV_file_open; kind <= OVNIK_EV_file_rename; kind++)
		printf(" %s %zu", kind_name(kind), nr[kind]);
	printf("\n");
}

static bool parse_options(int argc, char **argv, bool *mutate, const char **witness,
			  const char **pid)
{
	int opt;

	while ((opt = getopt(argc, argv, "mw:d:")) != -1) {
		switch (opt) {
		case 'm':
			*mutate = true;
			break;
		case 'w':
			*witness = optarg;
			break;
		case 'd':
			*pid = optarg;
			break;
		default:
			return false;
		}
	}
	return argc - optind > !*pid;
}

int main(int argc, char **argv)
{
	const char *witness = NULL, *pid = NULL;
	struct items want = {}, got = {};
	struct events events = {};
	bool mutate = false, good;

	if (!parse_options(argc, argv, &mutate, &witness, &pid))
		errx(2, "usage: filecheck [-m] [-w DIR] LOG FILE... or -d PID FILE...");
	if (pid) {
		load_merged(&events, argv + optind);
		return !same_dump(&events, pid);
	}
	load_log(argv[optind]);
	load_merged(&events, argv + optind + 1);
	take_log(&want);
	good = check(&events, &want, &got);
	summary(&got);
	if (witness)
		good = same_counts(witness, &got) && good;
	if (good && mutate)
		good = all_noticed(&events, &want, &got);
	return !good;
}
