/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_NAPPER_H
#define OVNIK_SELFTESTS_NAPPER_H

/* A process that takes the only CPU every few microseconds. */

#include <err.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static inline void nap_often(int ready)
{
	const struct sched_param first = { .sched_priority = 1 };
	const struct timespec nap = { .tv_nsec = 10000 };

	if (sched_setscheduler(0, SCHED_FIFO, &first) || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		nanosleep(&nap, NULL);
}

/**
 * start_napping() - Be preempted from now on, if the command line says so.
 * @argc: 2 if it does
 * @argv: preempted
 *
 * Return: for stop_napping().
 */
static inline pid_t start_napping(int argc, char **argv)
{
	int ready[2];
	pid_t pid;
	char byte;

	if (argc < 2)
		return 0;
	if (strcmp(argv[1], "preempted") || pipe(ready))
		errx(1, "usage: %s [preempted]", argv[0]);
	pid = fork();
	if (!pid)
		nap_often(ready[1]);
	close(ready[1]);
	if (pid < 0 || read(ready[0], &byte, 1) != 1)
		errx(1, "nobody takes the CPU");
	return pid;
}

/**
 * stop_napping() - Have the CPU again.
 * @napper: of start_napping()
 */
static inline void stop_napping(pid_t napper)
{
	if (napper && (kill(napper, SIGKILL) || waitpid(napper, NULL, 0) != napper))
		err(1, "kill");
}

#endif /* OVNIK_SELFTESTS_NAPPER_H */
