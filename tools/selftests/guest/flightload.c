// SPDX-License-Identifier: GPL-2.0-only
/*
 * flightload - processes with many mappings of long paths: much for a statedump
 *
 * The parent sleeps until it is killed; the children end with it.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE	4096

/* Neighbours differ in their protection, so that they stay mappings of their own. */
static void map_many(int fd, int mappings)
{
	char *at = mmap(NULL, (size_t)mappings * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);
	int i;

	if (at == MAP_FAILED)
		err(1, "mmap");
	for (i = 0; i < mappings; i++) {
		if (mmap(at + (size_t)i * PAGE, PAGE, i % 2 ? PROT_READ : PROT_NONE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			err(1, "mapping %d", i);
	}
}

int main(int argc, char **argv)
{
	int processes, mappings, fd, ready[2];
	char byte;

	if (argc != 4)
		errx(2, "usage: flightload PROCESSES MAPPINGS FILE");
	processes = atoi(argv[1]);
	mappings = atoi(argv[2]);
	fd = open(argv[3], O_RDWR | O_CREAT, 0600);
	if (fd < 0 || ftruncate(fd, PAGE) || pipe(ready))
		err(1, "%s", argv[3]);
	for (; processes; processes--) {
		pid_t child = fork();

		if (child < 0)
			err(1, "fork");
		if (child)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		map_many(fd, mappings);
		if (write(ready[1], "", 1) != 1)
			err(1, "pipe");
		pause();
		_exit(0);
	}
	for (processes = atoi(argv[1]); processes; processes--) {
		if (read(ready[0], &byte, 1) != 1)
			err(1, "pipe");
	}
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
