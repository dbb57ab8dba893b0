// SPDX-License-Identifier: GPL-2.0-only
/*
 * The worst waits in run queues, and the processes that ran on the CPU during them.
 *
 * A thread may be moved between queues while it waits. This is not followed: the CPU is
 * the one that it got in the end. While switches of any CPU may be missing, no thread is
 * known to wait, so all runs of a CPU since its first one are known during a wait. The last
 * REPORT_RUNS of them are kept; if there were more during a wait, nothing is reported
 * about it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/report.h"

int report_queue_ran(struct report *r, struct report_process *process,
		     const struct trace_task *task)
{
	struct report_cpu *cpu = report_cpu_of(r, task->cpu);

	if (!cpu)
		return 0;
	if (!cpu->runs)
		cpu->runs = calloc(REPORT_RUNS, sizeof(*cpu->runs));
	if (!cpu->runs)
		return -ENOMEM;
	cpu->runs[cpu->nr_runs++ % REPORT_RUNS] = (struct report_run){
		.process = process, .start = task->start, .end = task->end,
	};
	return 0;
}

/* The part of a run that is within a wait. */
static u64 overlap(const struct report_run *run, u64 from, u64 to)
{
	u64 start = run->start > from ? run->start : from;
	u64 end = run->end < to ? run->end : to;

	return end > start ? end - start : 0;
}

/* How many of the last runs end after @from. */
static u64 runs_since(const struct report_cpu *cpu, u64 from)
{
	u64 n = 0;

	while (n < cpu->nr_runs && n < REPORT_RUNS &&
	       cpu->runs[(cpu->nr_runs - 1 - n) % REPORT_RUNS].end > from)
		n++;
	return n;
}

static void add_run(struct report_wait *wait, const struct report_run *run, u64 ns)
{
	struct report_process *p = run->process;

	if (!ns)
		return;
	wait->processes += !p->in_wait;
	p->in_wait += ns;
	wait->ran += ns;
	if (p->in_wait > wait->most_ns) {
		wait->most = p;
		wait->most_ns = p->in_wait;
	}
}

static void who_ran(const struct report *r, struct report_wait *wait, u64 from, u64 to)
{
	const struct report_cpu *cpu = report_cpu_of(r, wait->on);
	u64 n, i;

	if (!cpu || !cpu->since || cpu->since > from || r->filtered)
		return;
	n = runs_since(cpu, from);
	if (n == REPORT_RUNS)
		return;
	wait->known = true;
	for (i = n; i; i--) {
		const struct report_run *run = &cpu->runs[(cpu->nr_runs - i) % REPORT_RUNS];

		add_run(wait, run, overlap(run, from, to));
	}
	for (i = n; i; i--)
		cpu->runs[(cpu->nr_runs - i) % REPORT_RUNS].process->in_wait = 0;
}

/* The worst first; of equals, the one that began first. */
static void insert(struct report *r, const struct report_wait *wait)
{
	unsigned int i = r->nr_waits;

	if (i == r->max_waits)
		i--;
	else
		r->nr_waits++;
	for (; i && r->waits[i - 1].ns < wait->ns; i--)
		r->waits[i] = r->waits[i - 1];
	r->waits[i] = *wait;
}

void report_queue_finish(struct report *r)
{
	if (r->ended.process)
		insert(r, &r->ended);
	r->ended.process = NULL;
}

void report_queue_waited(struct report *r, struct report_process *process,
			 const struct trace_task *task)
{
	u64 ns = task->end - task->start;

	report_queue_finish(r);
	if (!ns)
		return;
	if (r->nr_waits == r->max_waits && ns <= r->waits[r->nr_waits - 1].ns)
		return;
	r->ended = (struct report_wait){
		.ns = ns, .start = task->start - r->begin, .process = process,
		.tid = task->tid, .why = task->code, .on = -1,
	};
	r->ended_at = task->end;
	r->ended_thread = task->thread_task;
}

void report_queue_run(struct report *r, const struct trace_task *task)
{
	struct report_cpu *cpu = report_cpu_of(r, task->cpu);

	if (cpu && !cpu->since)
		cpu->since = task->start;
	if (!r->ended.process || r->ended_thread != task->thread_task ||
	    r->ended_at != task->start)
		return;
	r->ended.on = task->cpu;
	who_ran(r, &r->ended, r->ended_at - r->ended.ns, r->ended_at);
	report_queue_finish(r);
}
