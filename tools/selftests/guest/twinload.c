// SPDX-License-Identifier: GPL-2.0-only
/*
 * twinload - two tasks whose numbers are equal modulo 65536 copy pages at the same time
 *
 *	twinload FILE			prepare, print "ready", and copy after SIGUSR1
 *	twinload -c LOST CPU.ovk...	check that each copy was recorded, or counted as lost
 *
 * Each copies the page of the file at TWIN_AT again and again, on a CPU of its own.
 */

#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/capture.h"

#define PAGE		4096UL
#define TWIN_AT		(0x5a0000UL * PAGE)
#define COPIES		20000UL
#define APART		65536
#define TRIES		100

static void set(const char *path, long value)
{
	FILE *file = fopen(path, "w");

	if (!file || fprintf(file, "%ld", value) < 0 || fclose(file))
		err(1, "%s", path);
}

static void copy(const char *path, unsigned long nr)
{
	volatile char *page = (void *)TWIN_AT;
	int fd = open(path, O_RDONLY);
	void *at;

	at = mmap((void *)page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0);
	if (fd < 0 || at == MAP_FAILED)
		err(1, "%s", path);
	while (nr--) {
		(void)*page;
		*page = 1;
		if (madvise(at, PAGE, MADV_DONTNEED))
			err(1, "madvise");
	}
	munmap(at, PAGE);
	close(fd);
}

/* What is written besides has been copied when it begins. */
static void twin(const char *path, int cpu, int ready, int go)
{
	cpu_set_t cpus;
	char byte = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "CPU %d", cpu);
	copy(path, 10);
	if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		err(1, "pipe");
	copy(path, COPIES);
	_exit(0);
}

/* Return: 0 if somebody else has that number, perhaps for good, as a kernel thread. */
static pid_t second_after(pid_t first, const char *path, int ready, int go)
{
	pid_t pid;

	set("/proc/sys/kernel/ns_last_pid", first + APART - 1);
	pid = fork();
	if (!pid && getpid() == first + APART)
		twin(path, 1, ready, go);
	if (!pid)
		_exit(0);
	if (pid == first + APART)
		return pid;
	waitpid(pid, NULL, 0);
	return 0;
}

static void wait_ready(int ready)
{
	char byte;

	if (read(ready, &byte, 1) != 1)
		err(1, "pipe");
}

static void both(const char *path, int ready[2], int go[2])
{
	pid_t first;
	int i;

	for (i = 0; i < TRIES; i++) {
		first = fork();
		if (!first)
			twin(path, 0, ready[1], go[0]);
		wait_ready(ready[0]);
		if (second_after(first, path, ready[1], go[0])) {
			wait_ready(ready[0]);
			return;
		}
		kill(first, SIGKILL);
		waitpid(first, NULL, 0);
	}
	errx(1, "no two processes %d apart", APART);
}

static void load(const char *path)
{
	int ready[2], go[2], status, i, signal;
	char bytes[2] = "";
	sigset_t start;

	sigemptyset(&start);
	sigaddset(&start, SIGUSR1);
	sigprocmask(SIG_BLOCK, &start, NULL);
	if (pipe(ready) || pipe(go))
		err(1, "pipe");
	both(path, ready, go);
	puts("ready");
	fflush(stdout);
	sigwait(&start, &signal);
	if (write(go[1], bytes, 2) != 2)
		err(1, "pipe");
	for (i = 0; i < 2; i++) {
		if (wait(&status) < 0 || status)
			errx(1, "status %d", status);
	}
}

int main(int argc, char **argv)
{
	unsigned long lost, copies = 0, wrong = 0;
	int i;

	if (argc == 2) {
		load(argv[1]);
		return 0;
	}
	lost = strtoul(argv[2], NULL, 10);
	for (i = 3; i < argc; i++) {
		const struct capture *cap = load_capture(argv[i]);
		size_t k;

		for (k = 0; k < cap->events.nr; k++) {
			const struct ovnik_cow_break *rec = cap->events.event[k].record;

			if (cap->events.event[k].kind != OVNIK_EV_cow_break ||
			    rec->address != TWIN_AT)
				continue;
			copies++;
			wrong += rec->kind != OVNIK_COW_FILE;
		}
	}
	printf("# %lu copies, %lu of the wrong kind, %lu lost\n", copies, wrong, lost);
	return wrong || copies + lost != 2 * COPIES;
}
