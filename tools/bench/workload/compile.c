// SPDX-License-Identifier: GPL-2.0-only
/* WC: files of C are compiled, some at once, by a compiler that has its own root. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

#define AT_ONCE		4
#define MAX_SOURCES	64

static char *sources[MAX_SOURCES];

/* The root is the working directory; its file "sources" has a name in each line. */
void compile_prepare(long rounds)
{
	FILE *list = fopen("sources", "re");
	size_t size = 0;
	long i;

	if (!list || rounds > MAX_SOURCES)
		errx(1, "no list of sources, or too many of them");
	for (i = 0; i < rounds; i++) {
		size = 0;
		if (getline(&sources[i], &size, list) <= 0)
			errx(1, "the list of sources has %ld, not %ld", i, rounds);
		sources[i][strcspn(sources[i], "\n")] = '\0';
	}
	fclose(list);
}

static void start_compiler(char *source, long nr)
{
	char output[32];
	pid_t pid;

	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (pid)
		return;
	snprintf(output, sizeof(output), "/tmp/%ld.o", nr);
	if (chroot(".") || chdir("/"))
		err(1, "chroot");
	execl("/usr/bin/gcc", "gcc", "-std=gnu11", "-D_GNU_SOURCE=", "-O2", "-Iuser",
	      "-Ikmod/include/uapi", "-c", source, "-o", output, NULL);
	err(1, "gcc");
}

static void wait_for_compiler(void)
{
	int status;

	if (wait(&status) < 0 || status)
		errx(1, "a compiler failed");
}

void compile_run(long rounds)
{
	long i;

	for (i = 0; i < rounds; i++) {
		if (i >= AT_ONCE)
			wait_for_compiler();
		start_compiler(sources[i], i);
	}
	for (i = 0; i < rounds && i < AT_ONCE; i++)
		wait_for_compiler();
}

void compile_finish(void)
{
	long i;

	for (i = 0; i < MAX_SOURCES; i++) {
		free(sources[i]);
		sources[i] = NULL;
	}
}
