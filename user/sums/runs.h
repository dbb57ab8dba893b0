/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SUMS_RUNS_H
#define OVNIK_SUMS_RUNS_H

#include "util/types.h"

/* Who had a CPU while a thread waited for it. */

#define SUMS_RUNS	1024	/* the last ones are kept, per CPU */

/**
 * struct sums_run - A CPU was somebody's.
 * @who: whose, as the caller names it
 * @start: from, ns
 * @end: to
 */
struct sums_run {
	void *who;
	u64 start;
	u64 end;
};

/**
 * struct sums_runs - Whose a CPU was.
 * @now: the run that goes on; its who is NULL: none does
 * @kept: those that have ended; NULL: there was none
 * @nr: how many there ever were
 * @since: when the first one began
 * @seen: there was one
 */
struct sums_runs {
	struct sums_run now;
	struct sums_run *kept;
	u64 nr;
	u64 since;
	bool seen;
};

/**
 * sums_runs_begin() - Somebody gets a CPU.
 * @cpu: that CPU
 * @who: who does
 * @ns: when
 */
void sums_runs_begin(struct sums_runs *cpu, void *who, u64 ns);

/**
 * sums_runs_end() - Somebody leaves a CPU.
 * @cpu: that CPU
 * @who: who does
 * @start: when it got it, ns
 * @end: when it leaves it
 *
 * Return: 0 or -ENOMEM.
 */
int sums_runs_end(struct sums_runs *cpu, void *who, u64 start, u64 end);

/**
 * sums_runs_within() - Tell whose a CPU was.
 * @cpu: that CPU
 * @from: since when, ns
 * @to: until when: now
 * @each: is told of each run, the oldest first, and how long it was within that time
 * @data: for @each
 *
 * Return: since when that is known, @from to @to: before that nothing had run there yet, or
 * more runs followed than are kept.
 */
u64 sums_runs_within(const struct sums_runs *cpu, u64 from, u64 to,
		     void (*each)(void *data, void *who, u64 ns), void *data);

/**
 * sums_runs_free() - Forget whose a CPU was.
 * @cpu: that CPU
 */
void sums_runs_free(struct sums_runs *cpu);

#endif /* OVNIK_SUMS_RUNS_H */
