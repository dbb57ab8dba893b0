// SPDX-License-Identifier: GPL-2.0-only
/* What threads did, summed up: see sums.h. */
#include <stddef.h>

#include <ovnik.h>

#include "sums/sums.h"

static struct report_times *wait_of(struct sum *sum, u32 wait)
{
	if (wait <= TASKS_WAIT_QUEUE_LAST)
		return &sum->queue;
	if (wait == TASKS_WAIT_SLEEP)
		return &sum->sleep;
	return wait == TASKS_WAIT_DISK ? &sum->disk : &sum->other;
}

/* Also by its own slice or wish: the kernel calls all of these involuntary. */
static bool is_preempted(u32 wait)
{
	return wait == TASKS_WAIT_PREEMPTED || wait == TASKS_WAIT_YIELDED;
}

static bool has_end(const struct trace_task *task)
{
	return !(task->flags & (TRACE_OPEN | TRACE_UNCERTAIN));
}

static void add_fault(struct sum *sum, const struct trace_task *task)
{
	if (trace_counts(task))
		report_time(&sum->faults, lasts(task));
	sum->cow += task->cows;
	if (!has_end(task))
		return;
	sum->major += task->result == OVNIK_FAULT_MAJOR;
	sum->failed += task->result == OVNIK_FAULT_FAILED;
}

/* The recorder's reads are neither: of those of others, they would hide what these waited for. */
void sums_add_call(struct report_io *io, const struct trace_task *task, bool own, bool counts)
{
	if (counts)
		report_time(&io->time, lasts(task));
	if (!has_end(task))
		return;
	io->errors += task->result < 0;
	if (task->write) {
		io->writes++;
		report_add(&io->written_bytes, task->bytes);
	} else {
		io->reads++;
		io->own += own;
		report_add(&io->read_bytes, task->bytes);
	}
	if (own)
		return;
	io->hits += task->cache == TRACE_CACHE_HIT;
	io->misses += task->cache == TRACE_CACHE_MISS;
}

void sums_add(struct sum *sum, const struct trace_task *task, bool own)
{
	switch (task->kind) {
	case TASKS_THREAD:
		sum->migrations += task->migrations;
		break;
	case TASKS_RUN:
		report_time(&sum->cpu, lasts(task));
		break;
	case TASKS_WAIT:
		report_time(wait_of(sum, task->code), lasts(task));
		report_time(&sum->wait[task->code], lasts(task));
		sum->preempted += is_preempted(task->code);
		break;
	case TASKS_UNKNOWN:
		report_time(&sum->unknown, lasts(task));
		break;
	case TASKS_FAULT:
		add_fault(sum, task);
		break;
	case TASKS_CALL:
		sums_add_call(&sum->io, task, own, trace_counts(task));
		if (has_end(task))
			report_add(&sum->bytes, task->bytes);
	}
}

static void add_times(struct sum *to, const struct sum *sum, size_t at)
{
	report_add_times((void *)((char *)to + at), (const void *)((const char *)sum + at));
}

static void add_count(struct sum *to, const struct sum *sum, size_t at)
{
	report_add((void *)((char *)to + at), *(const u64 *)((const char *)sum + at));
}

void sums_add_sum(struct sum *to, const struct sum *sum)
{
	u32 i;

#define TIMES(field)		add_times(to, sum, offsetof(struct sum, field));
#define COUNT(field, ...)	add_count(to, sum, offsetof(struct sum, field));
#include "sums/measures.def"
	report_add_io(&to->io, &sum->io);
	for (i = 0; i < TASKS_NR_WAITS; i++)
		report_add_times(&to->wait[i], &sum->wait[i]);
}
