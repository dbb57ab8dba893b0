// SPDX-License-Identifier: GPL-2.0-only
/* How much is done at the same time: see jobs.h. */
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>

#include "util/jobs.h"

static sem_t turns;
static unsigned int jobs = 1;

unsigned int jobs_cpus(void)
{
	cpu_set_t set;
	int n;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	n = CPU_COUNT(&set);
	return n < 1 ? 1 : n > JOBS_MAX ? JOBS_MAX : n;
}

unsigned int jobs_parse(const char *arg, const struct argp_state *state)
{
	char *end;
	unsigned long n = strtoul(arg, &end, 10);

	if (*arg < '0' || *arg > '9' || *end || !n || n > JOBS_MAX)
		argp_error(state, "--jobs: \"%s\" is not a number from 1 to %u", arg, JOBS_MAX);
	return n;
}

void jobs_set(unsigned int nr)
{
	jobs = nr;
	sem_init(&turns, 0, nr - 1);
}

bool jobs_several(void)
{
	return jobs > 1;
}

void jobs_begin(void)
{
	while (sem_wait(&turns) && errno == EINTR)
		continue;
}

void jobs_end(void)
{
	sem_post(&turns);
}
