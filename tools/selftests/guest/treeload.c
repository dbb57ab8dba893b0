// SPDX-License-Identifier: GPL-2.0-only
/*
 * A tree of processes, each of which stores so many times to a word of its own:
 *
 *	PID		of the first one
 *	COUNT ADDRESS	stores to a word, by whoever has it
 *
 * With an argument, one outside of the tree: it stores to the last word until it is killed.
 */
#include <err.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum who { FIRST, CHILD, THREAD, GRANDCHILD, EXECUTED, SPAWNED, OUTSIDE, NR };

#define TIMES(who)	(1000 + 100 * (who))

static uint64_t words[NR] __attribute__((aligned(4096)));

static void work(enum who who)
{
	long count = TIMES(who);

	asm volatile("1: mov %0, (%1)\n\t"
		     "dec %0\n\t"
		     "jnz 1b"
		     : "+r"(count) : "r"(&words[who]) : "memory", "cc");
	sched_yield();
}

static void *run_thread(void *unused)
{
	work(THREAD);
	return unused;
}

static void run_child(const char *self)
{
	pthread_t thread;

	work(CHILD);
	if (pthread_create(&thread, NULL, run_thread, NULL))
		errx(1, "no thread");
	if (!fork()) {
		work(GRANDCHILD);
		execlp(self, self, "executed", NULL);
		_exit(1);
	}
	pthread_join(thread, NULL);
	while (wait(NULL) > 0)
		;
	_exit(0);
}

static void run_first(const char *self)
{
	char command[4096];
	int i;

	printf("%d\n", getpid());
	for (i = 0; i < NR; i++)
		printf("%d %lx\n", i == OUTSIDE ? 0 : TIMES(i), (unsigned long)&words[i]);
	fflush(stdout);
	work(FIRST);
	if (!fork())
		run_child(self);
	/* By a shell, and by vfork(). */
	snprintf(command, sizeof(command), "%s spawned; true", self);
	if (system(command))
		errx(1, "%s has failed", command);
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	if (argc == 1)
		run_first(argv[0]);
	else if (!strcmp(argv[1], "executed"))
		work(EXECUTED);
	else if (!strcmp(argv[1], "spawned"))
		work(SPAWNED);
	else
		for (;;)
			work(OUTSIDE);
	return 0;
}
