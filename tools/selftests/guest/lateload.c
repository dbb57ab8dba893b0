// SPDX-License-Identifier: GPL-2.0-only
/*
 * lateload CALLS DIR - lose events with BPF, when they are to be lost
 *
 * BPF has room for two calls on files of tasks whose numbers are equal modulo 16384. Two such tasks
 * stay in sendfile(); what a third one calls is lost.
 *
 * When there is a file DIR/1, it forks those two; for each of DIR/2, DIR/3 and so on it reads and
 * writes CALLS times on CPU 0, twice as often on CPU 1. After each step N it makes DIR/doneN.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART	16384	/* OVNIK_BPF_CALLS */
#define TRIES	100

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

static void stay(void)
{
	off_t offset = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sendfile(full[1], file, &offset, 1);
	err(1, "sendfile");
}

/* Return: 0 if somebody else has that number. */
static pid_t fork_as(pid_t pid)
{
	FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
	pid_t got;

	if (!last || fprintf(last, "%d", pid - 1) < 0 || fclose(last))
		err(1, "ns_last_pid");
	got = fork();
	if (!got && getpid() != pid)
		_exit(0);
	if (got <= 0 || got == pid)
		return got ? got : -1;
	waitpid(got, NULL, 0);
	return 0;
}

/*
 * The numbers of these children differ from that of this process by multiples of APART, so in BPF's
 * table of calls they have its place. The calls of this process itself are lost.
 */
static void fork_both(void)
{
	pid_t mine = getpid();
	int i, nr = 0;

	for (i = 1; nr < 2 && i < TRIES; i++) {
		pid_t pid = fork_as(mine + i * APART);

		if (pid < 0)
			stay();
		nr += pid > 0;
	}
	if (nr < 2)
		errx(1, "no processes %d apart", APART);
}

static void calls_on(int cpu, int calls)
{
	cpu_set_t set;
	char byte;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %d", cpu);
	while (calls--) {
		if (pread(file, &byte, 1, 0) != 1 || pwrite(file, &byte, 1, 0) != 1)
			err(1, "late");
	}
}

static void wait_for_step(int step)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", step);
	while (access(name, F_OK))
		usleep(10000);
}

int main(int argc, char **argv)
{
	int calls = argc == 3 ? atoi(argv[1]) : 0;
	int step, i, cpus = sysconf(_SC_NPROCESSORS_ONLN);
	char name[16];

	if (calls < 1 || chdir(argv[2]))
		errx(2, "usage: lateload CALLS DIR");
	file = open("late", O_RDWR | O_CREAT, 0600);
	if (file < 0 || pwrite(file, "x", 1, 0) != 1)
		err(1, "late");
	fill();
	for (step = 1;; step++) {
		wait_for_step(step);
		if (step == 1)
			fork_both();
		for (i = 0; step > 1 && i < cpus; i++)
			calls_on(i, calls * (i + 1));
		/* A line would be written to a file, and lost, too. */
		snprintf(name, sizeof(name), "done%d", step);
		close(creat(name, 0600));
	}
}
