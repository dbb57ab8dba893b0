// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskcheck - are the tasks that a capture makes what has been done?
 *
 *	taskcheck [-m] CAPTURE LOG
 *
 * LOG is taskload's. Run and wait times must be what the kernel has counted, within what
 * waitcheck.c explains; how often something was done must be right. Whatever is seen must
 * be consistent, see tasklog.h: the segments of each thread are its life to the nanosecond.
 * -m: what is wrong must be noticed, too.
 */
#include <err.h>

#include "../check/tasklog.h"
#include "taskload.h"
#include "util/msg.h"

#define KINDS_MAX	16
#define SLACK_KIND	25	/* percent */
#define SLACK_WAIT	100000	/* ns */
#define SLACK_ALL	8
#define SLACK_NS	50000000ULL
/* What runs and what waits while a CPU is stopped; the sum of both is the same. */
#define SLACK_SHIFT	200000000ULL

/**
 * struct work - A line of the log: what a process did.
 * @kind: what it is
 * @tid: who
 * @from: since when
 * @to: until when
 * @run: for how long it ran
 * @delay: for how long it waited for a CPU
 * @count: how often it did what it does
 * @bytes: how much that was, or how much each
 * @other: who did it with it
 */
struct work {
	char kind[32];
	u32 tid;
	unsigned long long from;
	unsigned long long to;
	unsigned long long run;
	unsigned long long delay;
	unsigned long long count;
	unsigned long long bytes;
	u32 other;
};

static struct work works[KINDS_MAX];
static u32 nr_works;
static struct tasklog logged;

/* A mutation: all of these is not there. */
static int without = -1;
static int without_wait = -1;

static bool is_there(const struct tasklog_task *seen)
{
	if (!seen->task.id || seen->task.kind == without)
		return false;
	return seen->task.kind != TASKS_WAIT || (int)seen->task.code != without_wait;
}

static bool is_in(const struct trace_task *task, const struct work *work)
{
	return task->tid == work->tid && task->start < work->to && task->end > work->from;
}

/* How much of a task is within that time. */
static u64 part_of(const struct trace_task *task, const struct work *work)
{
	u64 from = task->start > work->from ? task->start : work->from;
	u64 to = task->end < work->to ? task->end : work->to;

	return to - from;
}

/* What is known of a process. */
struct sums {
	u64 run;
	u64 delay;
	u64 unknown;
	u32 waits;
};

static struct sums sum_up(const struct work *work)
{
	struct sums sums = { 0 };
	u64 id;

	for (id = 1; id < logged.nr; id++) {
		const struct trace_task *task = &logged.tasks[id].task;

		if (!is_there(&logged.tasks[id]) || !is_in(task, work))
			continue;
		if (task->kind == TASKS_RUN)
			sums.run += part_of(task, work);
		if (task->kind == TASKS_UNKNOWN)
			sums.unknown += part_of(task, work);
		if (task->kind == TASKS_WAIT && task->code <= TASKS_WAIT_QUEUE_LAST) {
			sums.delay += part_of(task, work);
			sums.waits++;
		}
	}
	return sums;
}

static bool is_near(u64 ours, u64 theirs, u64 percent, u64 slack)
{
	slack += SLACK_NS + theirs * percent / 100;
	return ours <= theirs + slack && theirs <= ours + slack;
}

/* As long as it can have waited for a CPU, whatever the host does, see waitcheck.c; 0: unknown. */
static u64 most_delay(const struct work *work)
{
	return strcmp(work->kind, "sleeper") ? 0 :
	       work->to - work->from - TASKLOAD_TIMES * TASKLOAD_SLEEP;
}

/* How many tasks of a process match all this. */
static u64 count_tasks(const struct work *work, enum tasks_kind kind,
		       bool (*is)(const struct trace_task *task, const struct work *work))
{
	u64 id, n = 0;

	for (id = 1; id < logged.nr; id++) {
		const struct trace_task *task = &logged.tasks[id].task;

		if (is_there(&logged.tasks[id]) && task->kind == kind && is_in(task, work))
			n += !is || is(task, work);
	}
	return n;
}

static bool is_sleep(const struct trace_task *task, const struct work *work)
{
	(void)work;
	return task->code == TASKS_WAIT_SLEEP;
}

/* Its looks at schedstat read less. */
static bool is_its_read(const struct trace_task *task, const struct work *work)
{
	(void)work;
	return task->code == OVNIK_OP_READ && task->file.ino &&
	       task->bytes > TASKLOAD_BYTES - TASKLOAD_TIMES;
}

static bool is_its_write(const struct trace_task *task, const struct work *work)
{
	(void)work;
	return task->code == OVNIK_OP_WRITE && task->file.ino &&
	       task->bytes > TASKLOAD_BYTES - TASKLOAD_TIMES;
}

static bool is_write_fault(const struct trace_task *task, const struct work *work)
{
	(void)work;
	return !strcmp(task->what, "Write") && task->result == OVNIK_FAULT_MINOR;
}

static bool is_its_mapping(const struct trace_task *task, const struct work *work)
{
	return task->bytes == work->bytes && task->end < work->to && !task->flags;
}

static bool is_its_file(const struct trace_task *task, const struct work *work)
{
	const char *name = strrchr(task->what, '/');

	return name && !strcmp(name, "/opened") && task->end < work->to &&
	       !(task->flags & ~TRACE_EITHER);
}

static u64 bytes_of(const struct work *work,
		    bool (*is)(const struct trace_task *task, const struct work *work))
{
	u64 id, sum = 0;

	for (id = 1; id < logged.nr; id++) {
		const struct trace_task *task = &logged.tasks[id].task;

		if (is_there(&logged.tasks[id]) && task->kind == TASKS_CALL && is_in(task, work) &&
		    is(task, work))
			sum += task->bytes;
	}
	return sum;
}

/* A waker that is kept from its CPU for long enough has slept before it can begin to. */
static bool has_slept(const struct work *work)
{
	u64 sleeps = count_tasks(work, TASKS_WAIT, is_sleep);

	return sleeps <= work->count && sleeps >= work->count / 2;
}

static u32 other_of(const struct work *work, u32 tid)
{
	if (tid == work->tid)
		return work->other;
	return tid == work->other ? work->tid : 0;
}

/*
 * Who hands the byte back has woken the other one. A wakeup that is done on the sleeper's
 * own CPU is of that one if no task ran there, and else seems to be of the one that did. The byte
 * may also be there before a task sleeps.
 */
static bool is_answered(const struct work *work)
{
	u64 id, answers = 0, other = 0, cpu = 0;

	for (id = 1; id < logged.nr; id++) {
		const struct trace_task *task = &logged.tasks[id].task;
		u32 expected = other_of(work, logged.tasks[task->parent].task.tid);

		if (!is_there(&logged.tasks[id]) || task->kind != TASKS_REQ_IN || !expected ||
		    task->end < work->from || task->end > work->to)
			continue;
		answers++;
		other += task->tid == expected;
		cpu += !task->tid;
	}
	if (without < 0 && without_wait < 0)
		printf("# %llu answers, %llu by the other one, %llu by a CPU\n", answers, other,
		       cpu);
	return answers >= work->count / 2 && other + cpu >= answers * 9 / 10;
}

static bool is_done(const struct work *work)
{
	if (!strcmp(work->kind, "sleeper"))
		return has_slept(work);
	if (!strcmp(work->kind, "reader"))
		return count_tasks(work, TASKS_CALL, is_its_read) == work->count &&
		       bytes_of(work, is_its_read) == work->bytes;
	if (!strcmp(work->kind, "writer"))
		return count_tasks(work, TASKS_CALL, is_its_write) == work->count &&
		       bytes_of(work, is_its_write) == work->bytes;
	if (!strcmp(work->kind, "toucher"))
		return count_tasks(work, TASKS_FAULT, is_write_fault) >= work->count;
	if (!strcmp(work->kind, "mapper"))
		return count_tasks(work, TASKS_MAPPING, is_its_mapping) == work->count;
	if (!strcmp(work->kind, "opener"))
		return count_tasks(work, TASKS_FILE, is_its_file) == work->count;
	if (!strcmp(work->kind, "pinger"))
		return is_answered(work);
	return true;
}

static u32 wrong(bool condition, const char *what, const struct work *work)
{
	if (condition && without < 0 && without_wait < 0)
		printf("# WRONG: %s of %s %u\n", what, work->kind, work->tid);
	return condition;
}

/* Return: how much is not what was done. */
static u32 compare(void)
{
	struct work all = { .kind = "all" };
	struct sums sum = { 0 };
	u64 unseen = 0;
	u32 i, bad = 0;

	for (i = 0; i < nr_works; i++) {
		const struct work *work = &works[i];
		struct sums sums = sum_up(work);
		bool more = sums.delay > work->delay && sums.delay <= most_delay(work);
		u64 slack = (u64)sums.waits * SLACK_WAIT;
		u64 idle = more ? sums.delay - work->delay : 0;

		if (without < 0 && without_wait < 0)
			printf("# %s: ran %llu us, counted %llu; waited %llu us in %u waits, counted %llu; unknown %llu us\n",
			       work->kind, sums.run / 1000, work->run / 1000, sums.delay / 1000,
			       sums.waits, work->delay / 1000, sums.unknown / 1000);
		bad += wrong(!is_near(sums.run, work->run, SLACK_KIND, slack + SLACK_SHIFT),
			     "run time", work);
		bad += wrong(!more && !is_near(sums.delay, work->delay, SLACK_KIND,
					       slack + SLACK_SHIFT), "wait time", work);
		bad += wrong(!is_near(sums.run + sums.delay, work->run + work->delay, SLACK_ALL,
				      slack + idle), "run and wait time", work);
		unseen += idle;
		bad += wrong(sums.unknown, "unknown time", work);
		bad += wrong(!is_done(work), "number", work);
		sum.run += sums.run;
		sum.delay += sums.delay;
		all.run += work->run;
		all.delay += work->delay;
	}
	bad += wrong(!is_near(sum.run, all.run, SLACK_ALL, 0), "run time", &all);
	bad += wrong(!is_near(sum.delay, all.delay, SLACK_ALL, unseen), "wait time", &all);
	return bad + !nr_works;
}

static bool mutations_noticed(void)
{
	static const int kinds[] = {
		TASKS_RUN, TASKS_WAIT, TASKS_CALL, TASKS_FAULT, TASKS_FILE, TASKS_MAPPING,
		TASKS_REQ_IN,
	};
	/* How much is of the others is up to the scheduler. */
	static const int waits[] = { TASKS_WAIT_YIELDED, TASKS_WAIT_SLEEP };
	bool noticed = true;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		without = kinds[i];
		if (compare())
			continue;
		printf("# %s could be missing\n", tasks_kind_names[without]);
		noticed = false;
	}
	without = -1;
	for (i = 0; i < ARRAY_SIZE(waits); i++) {
		without_wait = waits[i];
		if (compare())
			continue;
		printf("# %s could be missing\n", tasks_wait_texts[without_wait]);
		noticed = false;
	}
	return noticed;
}

static void read_log(const char *path)
{
	FILE *f = fopen(path, "r");
	struct work *work = works;

	if (!f)
		err(1, "%s", path);
	while (nr_works < KINDS_MAX &&
	       fscanf(f, "%31s %u %llu %llu %llu %llu %llu %llu %u", work->kind, &work->tid,
		      &work->from, &work->to, &work->run, &work->delay, &work->count,
		      &work->bytes, &work->other) == 9) {
		nr_works++;
		work++;
	}
	fclose(f);
}

int main(int argc, char **argv)
{
	bool mutate = argc == 4 && !strcmp(argv[1], "-m");

	msg_init(argv[0]);
	if (argc != 3 + mutate)
		errx(2, "usage: taskcheck [-m] CAPTURE LOG");
	read_log(argv[2 + mutate]);
	if (tasklog_capture(&logged, argv[1 + mutate], TASKS_ALL))
		errx(1, "%s: cannot be read", argv[1 + mutate]);
	printf("# %llu processes, %llu threads, %llu runs, %llu waits, %llu milestones\n",
	       logged.count[TASKS_PROCESS], logged.count[TASKS_THREAD], logged.count[TASKS_RUN],
	       logged.count[TASKS_WAIT], logged.nr_milestones);
	if (logged.nr_wrong || logged.nr_losses)
		errx(1, "%llu things are not consistent, first: %s; %llu losses", logged.nr_wrong,
		     logged.wrong, logged.nr_losses);
	return compare() || (mutate && !mutations_noticed());
}
