// SPDX-License-Identifier: GPL-2.0-only
/*
 * forkload MAPPINGS - fork a process with that many mappings
 *
 * Meanwhile a thread of real-time priority wakes up each ms on the same CPU.
 */
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096

static void *tick(void *unused)
{
	struct timespec ms = { .tv_nsec = 1000000 };

	(void)unused;
	for (;;)
		nanosleep(&ms, NULL);
	return NULL;
}

static void start_ticks(void)
{
	struct sched_param priority = { .sched_priority = 1 };
	pthread_t thread;

	if (pthread_create(&thread, NULL, tick, NULL) ||
	    pthread_setschedparam(thread, SCHED_FIFO, &priority))
		errx(1, "no thread of real-time priority");
}

int main(int argc, char **argv)
{
	int i, mappings = argc == 2 ? atoi(argv[1]) : 0;
	cpu_set_t set;
	pid_t child;
	char *at;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU 1");
	at = mmap(NULL, (size_t)mappings * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		err(1, "mmap");
	for (i = 1; i < mappings; i += 2) {
		if (mprotect(at + (size_t)i * PAGE, PAGE, PROT_READ))
			err(1, "mprotect");
	}
	start_ticks();
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	return 0;
}
