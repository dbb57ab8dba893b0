// SPDX-License-Identifier: GPL-2.0-only
/*
 * workload - do one thing many times and say how many instructions it took
 *
 * Made for a guest with "-icount shift=0": the TSC advances by one with each
 * instruction and, while the CPU is idle, by a nanosecond with each nanosecond.
 * So instructions = TSC ticks - idle time. Only the rounds are in the window;
 * whatever is looked up in files is read before and after it.
 */
#include <err.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#define MAX_COUNTERS	8

/* A number in a file: the first one, or the first one behind a word. */
struct counter {
	const char *name;
	const char *file;
	const char *key;
};

struct workload {
	const char *name;
	const char *what;
	void (*prepare)(long rounds);	/* or NULL */
	void (*run)(long rounds);
	void (*finish)(void);		/* or NULL */
};

static struct counter counters[MAX_COUNTERS] = {
	/* One line a CPU; the first CPU, where everything happens, comes first. */
	{ "idle", "/proc/timer_list", ".idle_sleeptime" },
	{ "forks", "/proc/stat", "processes" },
	{ "switches", "/proc/stat", "ctxt" },
};

#define IDLE		(&counters[0])
#define SWITCHES	(&counters[2])

static int nr_counters = 3;
static char file_buffer[1 << 18];

static uint64_t now(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a" (low), "=d" (high));
	return (uint64_t)high << 32 | low;
}

static uint64_t read_counter(const struct counter *counter)
{
	FILE *file = fopen(counter->file, "re");
	const char *p = file_buffer;
	size_t len;

	if (!file)
		err(1, "%s", counter->file);
	setvbuf(file, NULL, _IONBF, 0);
	len = fread(file_buffer, 1, sizeof(file_buffer) - 1, file);
	if (ferror(file))
		err(1, "%s", counter->file);
	fclose(file);
	file_buffer[len] = '\0';
	if (counter->key) {
		p = strstr(p, counter->key);
		if (!p)
			errx(1, "%s: no %s", counter->file, counter->key);
		p += strlen(counter->key);
		p += strspn(p, " \t:");
	}
	return strtoull(p, NULL, 10);
}

/* W1: two threads hand a word to and fro; each hand-over is a switch. */

static atomic_int turn;
static pthread_t partner;

static void futex(int op, int value)
{
	syscall(SYS_futex, &turn, op | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

static void play(int me, long rounds)
{
	while (rounds--) {
		while (atomic_load(&turn) != me)
			futex(FUTEX_WAIT, !me);
		atomic_store(&turn, !me);
		futex(FUTEX_WAKE, 1);
	}
}

static void *futex_partner(void *rounds)
{
	play(1, (long)rounds);
	return NULL;
}

static void futex_prepare(long rounds)
{
	atomic_store(&turn, 0);
	if (pthread_create(&partner, NULL, futex_partner, (void *)(rounds / 2)))
		errx(1, "no thread");
	/* It goes to sleep in its first wait. */
	usleep(10000);
}

static void futex_run(long rounds)
{
	play(0, rounds / 2);
}

static void partner_join(void)
{
	pthread_join(partner, NULL);
}

/* W1p: the same by way of two pipes. */

static int ping[2], pong[2];

static void pass(int from, int to, long rounds, int first)
{
	char byte = 0;

	while (rounds--) {
		if (!first && read(from, &byte, 1) != 1)
			err(1, "read");
		if (write(to, &byte, 1) != 1)
			err(1, "write");
		if (first && read(from, &byte, 1) != 1)
			err(1, "read");
	}
}

static void *pipe_partner(void *rounds)
{
	pass(ping[0], pong[1], (long)rounds, 0);
	return NULL;
}

static void pipe_prepare(long rounds)
{
	if (pipe(ping) || pipe(pong))
		err(1, "pipe");
	if (pthread_create(&partner, NULL, pipe_partner, (void *)(rounds / 2)))
		errx(1, "no thread");
	usleep(10000);
}

static void pipe_run(long rounds)
{
	pass(pong[0], ping[1], rounds / 2, 1);
}

static void pipe_finish(void)
{
	partner_join();
	close(ping[0]);
	close(ping[1]);
	close(pong[0]);
	close(pong[1]);
}

/* W2 and W7: processes that end at once, W7 with a new image before. */

static char *const nothing[] = { "/proc/self/exe", "nothing", NULL };

static void spawn(long rounds, int exec)
{
	int status;
	pid_t pid;

	while (rounds--) {
		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			if (exec)
				execv(nothing[0], nothing);
			_exit(exec);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			errx(1, "a child failed");
	}
}

static void fork_run(long rounds)
{
	spawn(rounds, 0);
}

static void exec_run(long rounds)
{
	spawn(rounds, 1);
}

static const struct workload workloads[] = {
	{ "W1", "futex ping-pong of two threads", futex_prepare, futex_run, partner_join },
	{ "W1p", "pipe ping-pong of two threads", pipe_prepare, pipe_run, pipe_finish },
	{ "W2", "fork, exit, wait", NULL, fork_run, NULL },
	{ "W7", "fork, exec, exit, wait", NULL, exec_run, NULL },
};

/*
 * Read them all at one moment: once more when a kernel thread came between.
 * What is measured does not change by that, for it is outside the window.
 */
static void read_counters(uint64_t *values)
{
	int i;

	do {
		for (i = 0; i < nr_counters; i++)
			values[i] = read_counter(&counters[i]);
	} while (read_counter(SWITCHES) != values[SWITCHES - counters]);
}

static void measure(const struct workload *workload, long rounds, int repetition)
{
	uint64_t before[MAX_COUNTERS], after[MAX_COUNTERS];
	uint64_t start, end;
	int i;

	if (workload->prepare)
		workload->prepare(rounds);
	read_counters(before);
	start = now();
	workload->run(rounds);
	end = now();
	read_counters(after);
	if (workload->finish)
		workload->finish();

	end -= after[IDLE - counters] - before[IDLE - counters];
	printf("workload=%s repetition=%d rounds=%ld insn=%llu", workload->name, repetition,
	       rounds, (unsigned long long)(end - start));
	for (i = 0; i < nr_counters; i++)
		printf(" %s=%llu", counters[i].name, (unsigned long long)(after[i] - before[i]));
	printf("\n");
	fflush(stdout);
}

/* NAME=FILE or NAME=FILE:WORD */
static void add_counter(char *text)
{
	struct counter *counter = &counters[nr_counters];
	char *file = strchr(text, '=');
	char *key;

	if (!file || nr_counters == MAX_COUNTERS)
		errx(2, "%s: not a counter, or too many", text);
	*file++ = '\0';
	key = strchr(file, ':');
	if (key)
		*key++ = '\0';
	counter->name = text;
	counter->file = file;
	counter->key = key;
	nr_counters++;
}

static void usage(void)
{
	size_t i;

	fprintf(stderr, "usage: %s [-r REPETITIONS] [-c NAME=FILE[:WORD]]... WORKLOAD ROUNDS\n\n",
		program_invocation_short_name);
	for (i = 0; i < ARRAY_SIZE(workloads); i++)
		fprintf(stderr, "  %-4s %s\n", workloads[i].name, workloads[i].what);
	exit(2);
}

/* The threads share one CPU also where there are more. */
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
	int option, i, repetitions = 1;
	long rounds;
	size_t w;

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
	for (w = 0; w < ARRAY_SIZE(workloads); w++) {
		if (strcmp(workloads[w].name, argv[optind]))
			continue;
		/* Number 0 warms up; its costs do not count, but its events do. */
		for (i = 0; i <= repetitions; i++)
			measure(&workloads[w], rounds, i);
		return 0;
	}
	usage();
}
