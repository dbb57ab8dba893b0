// SPDX-License-Identifier: GPL-2.0-only
/*
 * insideload N CALLS DIR - N threads stay in splice() and N in sendfile(); then, on each CPU, as
 * many calls of three kinds, and what they are is printed: "CPU EVENT NUMBER"
 *
 * It prints "ready", goes on when there is a file DIR/go, prints "done" and stays until it is
 * killed. N = 0: the calls only, at once.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

static int file, full[2];

static void fill(void)
{
	char byte = 0;

	if (pipe2(full, O_NONBLOCK))
		err(1, "pipe");
	while (write(full[1], &byte, 1) == 1)
		;
	if (fcntl(full[1], F_SETFL, 0))
		err(1, "fcntl");
}

static void *stay_in_splice(void *arg)
{
	loff_t offset = 0;

	*(pid_t *)arg = gettid();
	splice(file, &offset, full[1], NULL, 1, 0);
	err(1, "splice");
}

static void *stay_in_sendfile(void *arg)
{
	off_t offset = 0;

	*(pid_t *)arg = gettid();
	sendfile(full[1], file, &offset, 1);
	err(1, "sendfile");
}

/* It sleeps nowhere else. */
static void wait_until_asleep(const volatile pid_t *tid)
{
	char name[64], state = 0;
	FILE *stat;

	while (state != 'S') {
		usleep(1000);
		if (!*tid)
			continue;
		snprintf(name, sizeof(name), "/proc/self/task/%d/stat", *tid);
		stat = fopen(name, "r");
		if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
			err(1, "%s", name);
		fclose(stat);
	}
}

static void stay(int n, void *(*where)(void *))
{
	pid_t *tids = calloc(n, sizeof(*tids));
	pthread_attr_t attr;
	pthread_t thread;
	int i;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < n; i++) {
		if (pthread_create(&thread, &attr, where, &tids[i]))
			errx(1, "only %d threads", i);
	}
	for (i = 0; i < n; i++)
		wait_until_asleep(&tids[i]);
}

static void call(int mine[2])
{
	loff_t offset = 0;
	off_t from = 0;
	char byte;

	if (splice(file, &offset, mine[1], NULL, 1, 0) != 1)
		err(1, "splice from a file");
	offset = 0;
	if (splice(mine[0], NULL, file, &offset, 1, 0) != 1)
		err(1, "splice to a file");
	if (sendfile(mine[1], file, &from, 1) != 1 || read(mine[0], &byte, 1) != 1)
		err(1, "sendfile");
}

static void calls_on(int cpu, int calls)
{
	cpu_set_t set;
	int mine[2];

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || pipe(mine))
		err(1, "CPU %d", cpu);
	while (calls--)
		call(mine);
	_exit(0);
}

static void calls_on_all(int calls)
{
	int cpu, status, cpus = sysconf(_SC_NPROCESSORS_ONLN);

	for (cpu = 0; cpu < cpus; cpu++) {
		if (!fork())
			calls_on(cpu, calls);
	}
	for (cpu = 0; cpu < cpus; cpu++) {
		if (wait(&status) < 0 || status)
			errx(1, "the calls failed");
		printf("%d file_begin %d\n%d file_read %d\n%d file_write %d\n", cpu, 3 * calls,
		       cpu, 2 * calls, cpu, calls);
	}
}

int main(int argc, char **argv)
{
	int n = argc == 4 ? atoi(argv[1]) : -1;

	if (n < 0 || chdir(argv[3]))
		errx(2, "usage: insideload N CALLS DIR");
	file = open("inside", O_RDWR | O_CREAT, 0600);
	if (file < 0 || pwrite(file, "x", 1, 0) != 1)
		err(1, "inside");
	setlinebuf(stdout);
	if (n) {
		fill();
		puts("ready");
		while (access("go", F_OK))
			usleep(1000);
		stay(n, stay_in_splice);
		stay(n, stay_in_sendfile);
	}
	calls_on_all(atoi(argv[2]));
	puts("done");
	while (n)
		pause();
	return 0;
}
