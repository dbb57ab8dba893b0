// SPDX-License-Identifier: GPL-2.0-only
/*
 * waitload - wait for CPUs, and write down for how long as the kernel counts it
 *
 *	waitload LOG CHILDREN
 *
 * More processes than CPUs: some compute, some yield, some change their CPU, some wake
 * each other, one has so many short-lived children, and then all end. Each appends
 * "TID FROM TO DELAY MOST KIND" to LOG: it waited for DELAY ns, the second number of
 * /proc/PID/schedstat, from FROM to TO, CLOCK_MONOTONIC in ns. MOST is the time that it has not
 * slept for sure; 0: it does not know.
 */

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/**
 * struct moment - A moment at which a process looks at itself.
 * @ns:	   when, CLOCK_MONOTONIC
 * @delay: for how long it has waited
 * @runs:  how often it got a CPU
 */
struct moment {
	unsigned long long ns;
	unsigned long long delay;
	unsigned long long runs;
};

static int log_fd;
/* At least, in ns. */
static unsigned long long slept;
/* Shared by all. */
static volatile bool *done;

static unsigned long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

static void look_once(struct moment *moment)
{
	char text[128];
	ssize_t len;
	int fd = open("/proc/self/schedstat", O_RDONLY);

	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		err(1, "schedstat");
	text[len] = '\0';
	close(fd);
	if (sscanf(text, "%*u %llu %llu", &moment->delay, &moment->runs) != 2)
		errx(1, "schedstat: %s", text);
	moment->ns = now();
}

/* It stays on its CPU meanwhile, so that time and delay are of one moment. */
static struct moment look(void)
{
	struct moment before, after;

	look_once(&after);
	do {
		before = after;
		look_once(&after);
	} while (before.runs != after.runs);
	return before;
}

static void report(const struct moment *from, const char *kind)
{
	struct moment to = look();
	unsigned long long most = slept ? to.ns - from->ns - slept : 0;
	char line[160];
	int len;

	len = snprintf(line, sizeof(line), "%d %llu %llu %llu %llu %s\n", getpid(), from->ns,
		       to.ns, to.delay - from->delay, most, kind);
	if (write(log_fd, line, len) != len)
		err(1, "log");
}

static void compute(unsigned int rounds)
{
	volatile unsigned int sink = 0;

	while (rounds--)
		sink += rounds;
}

static void hog(int arg)
{
	(void)arg;
	while (!*done)
		compute(20000);
}

static void yielder(int arg)
{
	(void)arg;
	while (!*done) {
		compute(5000);
		sched_yield();
	}
}

static void mover(int arg)
{
	cpu_set_t set;
	int cpu = arg;

	while (!*done) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
		compute(50000);
		cpu = !cpu;
	}
}

static void sleeper(int arg)
{
	struct timespec time = { 0, 300000 + 100000 * arg };

	while (!*done) {
		compute(10000);
		nanosleep(&time, NULL);
		slept += time.tv_nsec;
	}
}

static int pipes[2][2];

static void pinger(int arg)
{
	char byte = 0;

	if (!arg && write(pipes[0][1], &byte, 1) != 1)
		err(1, "pipe");
	while (!*done) {
		if (read(pipes[arg][0], &byte, 1) != 1 || write(pipes[!arg][1], &byte, 1) != 1)
			err(1, "pipe");
		compute(2000);
	}
	/* The other one may wait for one more. */
	if (write(pipes[!arg][1], &byte, 1) != 1)
		err(1, "pipe");
}

static void run(void (*fn)(int arg), int arg, const char *kind)
{
	struct moment from;

	switch (fork()) {
	case -1:
		err(1, "fork");
	case 0:
		from = look();
		fn(arg);
		report(&from, kind);
		exit(0);
	}
}

/* What a new task waits until it runs counts from before its first moment. */
static void mother(int children)
{
	const struct moment born = { 0 };
	int status;

	while (children--) {
		if (!fork()) {
			report(&born, "child");
			_exit(0);
		}
		if (wait(&status) < 0 || status)
			errx(1, "a child failed");
	}
	*done = true;
}

int main(int argc, char **argv)
{
	int i, status, failed = 0;

	if (argc != 3)
		errx(2, "usage: waitload LOG CHILDREN");
	log_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (log_fd < 0 || pipe(pipes[0]) || pipe(pipes[1]))
		err(1, "%s", argv[1]);
	done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (done == MAP_FAILED)
		err(1, "no memory");
	for (i = 0; i < 2; i++) {
		run(hog, i, "hog");
		run(yielder, i, "yielder");
		run(mover, i, "mover");
		run(sleeper, i, "sleeper");
		run(pinger, i, "pinger");
	}
	run(mother, atoi(argv[2]), "mother");
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
