// SPDX-License-Identifier: GPL-2.0-only
/* pinload - on each CPU that is on line, a process of its own name runs: print "CPU PID" */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* So long that it is seen to run. */
#define ROUNDS	100000

static void run_on(int cpu)
{
	char name[16];
	cpu_set_t set;
	int i;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		_exit(1);
	snprintf(name, sizeof(name), "cpu%d", cpu);
	prctl(PR_SET_NAME, name);
	for (i = 0; i < ROUNDS; i++)
		asm volatile("" ::: "memory");
	_exit(sched_getcpu() != cpu);
}

int main(void)
{
	int cpu, cpus = sysconf(_SC_NPROCESSORS_CONF), status;
	pid_t pid;

	for (cpu = 0; cpu < cpus; cpu++) {
		pid = fork();
		if (!pid)
			run_on(cpu);
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			exit(1);
		/* One that is off line has no process. */
		if (!status)
			printf("%d %d\n", cpu, pid);
	}
	return 0;
}
