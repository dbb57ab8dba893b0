// SPDX-License-Identifier: GPL-2.0-only
/*
 * workload - do one thing many times and print how many instructions it took
 *
 * For a guest with "-icount shift=0": the TSC advances by one with each instruction, as long
 * as the CPU is not idle. Only the rounds are in the window; files are read before and after it.
 */
#include <err.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload/workload.h"

static uint64_t now(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a" (low), "=d" (high));
	return (uint64_t)high << 32 | low;
}

static void print_window(const struct workload *workload, long rounds, uint64_t reads)
{
	const struct fact *fact;

	for (fact = workload->does; fact < workload->does + ARRAY_SIZE(workload->does); fact++) {
		if (fact->event)
			printf(" did_%s=%ld", fact->event, rounds * *fact->per_round);
	}
	printf(" own_reads=%llu\n", (unsigned long long)reads);
	fflush(stdout);
}

static void measure_window(const struct workload *workload, long rounds, int repetition)
{
	uint64_t before[MAX_COUNTERS], after[MAX_COUNTERS];
	uint64_t start, end, reads;
	int i;

	reads = read_counters(before);
	start = now();
	workload->run(rounds);
	end = now();
	reads = read_counters(after) - reads;

	printf("workload=%s repetition=%d rounds=%ld insn=%llu", workload->name, repetition,
	       rounds, (unsigned long long)(end - start));
	for (i = 0; i < nr_counters; i++)
		printf(" %s=%llu", counters[i].name, (unsigned long long)(after[i] - before[i]));
	print_window(workload, rounds, reads);
}

static void measure_in_child(const struct workload *workload, long rounds, int repetition)
{
	uint64_t values[MAX_COUNTERS];
	int status;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		/* The parent goes to sleep in its wait. */
		usleep(10000);
		/* What this writes to becomes the child's own. */
		read_counters(values);
		measure_window(workload, rounds, repetition);
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		errx(1, "a child failed");
}

static void measure(const struct workload *workload, long rounds, int repetition)
{
	if (workload->prepare)
		workload->prepare(rounds);
	if (workload->in_child)
		measure_in_child(workload, rounds, repetition);
	else
		measure_window(workload, rounds, repetition);
	if (workload->finish)
		workload->finish();
}

static void usage(void)
{
	const struct workload *workload;

	fprintf(stderr, "usage: %s [-r REPETITIONS] [-c NAME=FILE[:WORD]]... WORKLOAD ROUNDS\n\n",
		program_invocation_short_name);
	for (workload = workloads; workload->name; workload++)
		fprintf(stderr, "  %-4s %s\n", workload->name, workload->what);
	exit(2);
}

/* The threads share one CPU even if there are more. */
static void take_first_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "sched_setaffinity");
}

int main(int argc, char **argv)
{
	const struct workload *workload;
	int option, i, repetitions = 1;
	long rounds;

	if (argc == 2 && !strcmp(argv[1], "nothing"))
		return 0;
	while ((option = getopt(argc, argv, "r:c:")) != -1) {
		if (option == 'r')
			repetitions = atoi(optarg);
		else if (option == 'c')
			add_counter(optarg);
		else
			usage();
	}
	if (argc - optind != 2)
		usage();
	rounds = atol(argv[optind + 1]);
	if (rounds <= 0 || repetitions <= 0)
		usage();

	take_first_cpu();
	open_counters();
	for (workload = workloads; workload->name; workload++) {
		if (strcmp(workload->name, argv[optind]))
			continue;
		/* Repetition 0 warms up; its cost is not counted, but its events are. */
		for (i = workload->is_warm; i <= repetitions; i++)
			measure(workload, rounds, i);
		return 0;
	}
	usage();
}
