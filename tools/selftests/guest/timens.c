// SPDX-License-Identifier: GPL-2.0-only
/* timens SECONDS COMMAND... - run it where CLOCK_MONOTONIC is so much later */
#define _GNU_SOURCE
#include <err.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME	0x80
#endif

static void set_offset(const char *seconds)
{
	FILE *f;

	if (unshare(CLONE_NEWTIME))
		err(1, "unshare");
	f = fopen("/proc/self/timens_offsets", "w");
	if (!f || fprintf(f, "monotonic %s 0\n", seconds) < 0 || fclose(f))
		err(1, "timens_offsets");
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 3)
		errx(2, "usage: timens SECONDS COMMAND...");
	set_offset(argv[1]);
	/* Children are in it. */
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		execvp(argv[2], argv + 2);
		err(1, "%s", argv[2]);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		errx(1, "%s did not end", argv[2]);
	return WEXITSTATUS(status);
}
