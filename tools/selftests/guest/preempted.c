// SPDX-License-Identifier: GPL-2.0-only
/*
 * preempted - how often another task runs during one write()
 *
 *	preempted FILE VALUE
 *
 * Both are on CPU 1, and the other one always wants to run. Prints the number.
 */
#include <err.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static pid_t start_spinning(void)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	while (!pid)
		;
	return pid;
}

int main(int argc, char **argv)
{
	struct rusage before, after;
	cpu_set_t cpus;
	pid_t spinner;
	int fd, ret;

	if (argc != 3)
		errx(1, "usage: preempted FILE VALUE");
	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	fd = open(argv[1], O_WRONLY);
	if (fd < 0 || sched_setaffinity(0, sizeof(cpus), &cpus))
		err(1, "%s", argv[1]);
	spinner = start_spinning();
	getrusage(RUSAGE_SELF, &before);
	ret = write(fd, argv[2], strlen(argv[2]));
	getrusage(RUSAGE_SELF, &after);
	kill(spinner, SIGKILL);
	if (ret < 0)
		err(1, "%s", argv[1]);
	printf("%ld\n", after.ru_nivcsw - before.ru_nivcsw);
	return 0;
}
