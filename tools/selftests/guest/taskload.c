// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskload - do what is known beforehand, and write down how much
 *
 *	taskload LOG DIR
 *
 * A process each that sleeps, computes, yields, hands a byte on and back, reads and writes
 * a file of DIR, touches memory, maps, opens. Each appends a line
 *
 *	KIND TID FROM TO RUN DELAY COUNT BYTES OTHER
 *
 * to LOG: from FROM to TO, CLOCK_MONOTONIC in ns, it ran for RUN ns and waited for a CPU
 * for DELAY ns, as /proc/PID/schedstat counts it; COUNT, BYTES and OTHER are what it did,
 * see taskcheck.c.
 */

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "taskload.h"

/**
 * struct moment - A moment at which a process looks at itself.
 * @ns:	   when, CLOCK_MONOTONIC
 * @run:   for how long it has run
 * @delay: for how long it has waited
 * @runs:  how often it got a CPU
 */
struct moment {
	unsigned long long ns;
	unsigned long long run;
	unsigned long long delay;
	unsigned long long runs;
};

/* What a process did. */
struct done {
	unsigned long long count;
	unsigned long long bytes;
	int other;
};

static int log_fd;

static void look_once(struct moment *moment)
{
	struct timespec time;
	char text[128];
	ssize_t len;
	int fd = open("/proc/self/schedstat", O_RDONLY);

	len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		err(1, "schedstat");
	text[len] = '\0';
	close(fd);
	if (sscanf(text, "%llu %llu %llu", &moment->run, &moment->delay, &moment->runs) != 3)
		errx(1, "schedstat: %s", text);
	clock_gettime(CLOCK_MONOTONIC, &time);
	moment->ns = time.tv_sec * 1000000000ULL + time.tv_nsec;
}

/* It stays on its CPU meanwhile, so that times and clock are of one moment. */
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

static void compute(unsigned int rounds)
{
	volatile unsigned int sink = 0;

	while (rounds--)
		sink += rounds;
}

static struct done sleeper(int arg)
{
	struct timespec time = { 0, TASKLOAD_SLEEP };
	int i;

	(void)arg;
	for (i = 0; i < TASKLOAD_TIMES; i++)
		nanosleep(&time, NULL);
	return (struct done){ .count = TASKLOAD_TIMES };
}

static struct done spinner(int arg)
{
	(void)arg;
	compute(40000000);
	return (struct done){ 0 };
}

static struct done yielder(int arg)
{
	int i;

	(void)arg;
	for (i = 0; i < 2000; i++) {
		compute(2000);
		sched_yield();
	}
	return (struct done){ 0 };
}

static int pipes[2][2];
static pid_t *pingers;

static struct done pinger(int arg)
{
	char byte = 0;
	int i;

	pingers[arg] = getpid();
	if (!arg && write(pipes[0][1], &byte, 1) != 1)
		err(1, "pipe");
	for (i = 0; i < TASKLOAD_TIMES; i++) {
		if (read(pipes[arg][0], &byte, 1) != 1 || write(pipes[!arg][1], &byte, 1) != 1)
			err(1, "pipe");
	}
	return (struct done){ .count = TASKLOAD_TIMES, .other = pingers[!arg] };
}

static struct done reader(int arg)
{
	char bytes[TASKLOAD_BYTES] = { 1 };
	struct done done = { 0 };
	int fd = open(arg ? "written" : "read", O_RDWR | O_CREAT, 0600), i;

	if (fd < 0)
		err(1, "file");
	for (i = 0; i < TASKLOAD_TIMES; i++)
		done.bytes += write(fd, bytes, sizeof(bytes) - i);
	if (!arg) {
		done.bytes = 0;
		lseek(fd, 0, SEEK_SET);
		for (i = 0; i < TASKLOAD_TIMES; i++)
			done.bytes += read(fd, bytes, sizeof(bytes) - i);
	}
	close(fd);
	done.count = TASKLOAD_TIMES;
	return done;
}

static struct done toucher(int arg)
{
	const size_t size = TASKLOAD_TIMES * 4096;
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	(void)arg;
	if (at == MAP_FAILED || madvise(at, size, MADV_NOHUGEPAGE))
		err(1, "memory");
	for (i = 0; i < size; i += 4096)
		at[i] = 1;
	return (struct done){ .count = TASKLOAD_TIMES };
}

/* Each mapping is followed by a hole, and goes as two parts. */
static struct done mapper(int arg)
{
	const size_t size = TASKLOAD_MAPPED;
	char *at;
	int i;

	(void)arg;
	for (i = 0; i < TASKLOAD_TIMES; i++) {
		at = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED || munmap(at, 4096) || munmap(at + 4096, size - 4096))
			err(1, "memory");
	}
	return (struct done){ .count = TASKLOAD_TIMES, .bytes = size };
}

static struct done opener(int arg)
{
	int fds[TASKLOAD_TIMES], i;

	(void)arg;
	for (i = 0; i < TASKLOAD_TIMES; i++)
		fds[i] = open("opened", O_RDWR | O_CREAT, 0600);
	for (i = 0; i < TASKLOAD_TIMES; i++) {
		if (fds[i] < 0 || close(fds[i]))
			err(1, "file");
	}
	return (struct done){ .count = TASKLOAD_TIMES };
}

static void run(struct done (*fn)(int arg), int arg, const char *kind)
{
	struct moment from, to;
	struct done done;
	char line[200];
	int len;

	switch (fork()) {
	case -1:
		err(1, "fork");
	case 0:
		from = look();
		done = fn(arg);
		to = look();
		len = snprintf(line, sizeof(line), "%s %d %llu %llu %llu %llu %llu %llu %d\n", kind,
			       getpid(), from.ns, to.ns, to.run - from.run, to.delay - from.delay,
			       done.count, done.bytes, done.other);
		if (write(log_fd, line, len) != len)
			err(1, "log");
		exit(0);
	}
}

int main(int argc, char **argv)
{
	int status, failed = 0;

	if (argc != 3)
		errx(2, "usage: taskload LOG DIR");
	log_fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0666);
	if (log_fd < 0 || chdir(argv[2]) || pipe(pipes[0]) || pipe(pipes[1]))
		err(1, "%s", argv[1]);
	pingers = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pingers == MAP_FAILED)
		err(1, "no memory");
	run(spinner, 0, "spinner");
	run(spinner, 1, "spinner");
	run(yielder, 0, "yielder");
	run(yielder, 1, "yielder");
	run(sleeper, 0, "sleeper");
	run(pinger, 0, "pinger");
	run(pinger, 1, "pinger");
	run(reader, 0, "reader");
	run(reader, 1, "writer");
	run(toucher, 0, "toucher");
	run(mapper, 0, "mapper");
	run(opener, 0, "opener");
	while (wait(&status) > 0)
		failed |= status;
	return failed ? 1 : 0;
}
