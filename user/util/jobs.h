/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_JOBS_H
#define OVNIK_UTIL_JOBS_H

#include <argp.h>

#include "util/types.h"

/*
 * How much is done at the same time: --jobs. A job is a process, or a thread that has its turn.
 * A thread that waits for another one has none.
 */

#define JOBS_MAX	1024

/**
 * jobs_cpus() - On how many CPUs may this process run?
 *
 * Return: their number, from 1 to JOBS_MAX.
 */
unsigned int jobs_cpus(void);

/**
 * jobs_parse() - Read the argument of --jobs; exits if it is wrong.
 * @arg: the argument
 * @state: of argp
 *
 * Return: the number, from 1 to JOBS_MAX.
 */
unsigned int jobs_parse(const char *arg, const struct argp_state *state);

/**
 * jobs_set() - Set how many threads may have their turn at the same time. One if it is not called.
 * @nr: how many
 *
 * Context: There are no other threads that take turns. The calling thread has its turn.
 */
void jobs_set(unsigned int nr);

/**
 * jobs_several() - Is it worthwhile to have a thread do something?
 *
 * Return: true: more than one may have its turn.
 */
bool jobs_several(void);

/* Wait for a turn; it ends with jobs_end(). */
void jobs_begin(void);
void jobs_end(void);

#endif /* OVNIK_UTIL_JOBS_H */
