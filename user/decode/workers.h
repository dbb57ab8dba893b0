/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_DECODE_WORKERS_H
#define OVNIK_DECODE_WORKERS_H

#include "util/jobs.h"

/**
 * struct workers - Jobs, each in a process of its own.
 * @nr: how many jobs
 * @at_once: how many at the same time, at most JOBS_MAX; they are begun in order
 * @work: does job @i, in its process; returns its exit status
 * @ended: is told in this process, as soon as job @i has ended; @status: -1 if it did not end by
 *	itself (reported)
 * @done: is told the same in the order of jobs, after the messages of job @i
 * @data: for all of them
 */
struct workers {
	unsigned int nr;
	unsigned int at_once;
	int (*work)(void *data, unsigned int i);
	void (*ended)(void *data, unsigned int i, int status);
	void (*done)(void *data, unsigned int i, int status);
	void *data;
};

/**
 * workers_run() - Do all jobs.
 * @w: the jobs
 *
 * What they write to stderr comes in the order of jobs, whichever ends first.
 *
 * Context: One at a time; this process has no other children.
 * Return: 0, a negative errno (reported): nothing was done.
 */
int workers_run(const struct workers *w) __must_check;

#endif /* OVNIK_DECODE_WORKERS_H */
