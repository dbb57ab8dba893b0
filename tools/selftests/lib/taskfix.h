/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_SELFTESTS_TASKFIX_H
#define OVNIK_SELFTESTS_TASKFIX_H

/*
 * What the unit tests of tasks share: a capture is written, then all is heard that is
 * told of it.
 */
#include <unistd.h>

#include "capgen.h"
#include "tasklog.h"
#include "kselftest_harness.h"

#define LOG_MAX	16384
#define S	OVNIK_STATE_INTERRUPTIBLE
#define D	OVNIK_STATE_UNINTERRUPTIBLE
#define PREEMPTED	OVNIK_STATE_PREEMPTED
#define ZOMBIE	OVNIK_STATE_ZOMBIE

/* Times are small numbers behind this one; stamps are ns. */
#define AT(ns)	(1000000000ULL + (ns))

static struct capgen gen;

FIXTURE(tasks) {
	char dir[32];
	struct tasklog log;
	char *lines;
	size_t len;
	char text[LOG_MAX];
};

FIXTURE_SETUP(tasks)
{
	memset(self, 0, sizeof(*self));
	strcpy(self->dir, "/tmp/tasks.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, capgen_open(&gen, self->dir, 2));
	capgen_monotonic(&gen);
	gen.width = 0;
}

FIXTURE_TEARDOWN(tasks)
{
	char command[64];

	tasklog_free(&self->log);
	free(self->lines);
	snprintf(command, sizeof(command), "rm -r %s", self->dir);
	ASSERT_EQ(0, system(command));
}

/* "run 20-30", a line for each task of these kinds of a thread, by their ids; 0: of all. */
static inline const char *told(struct _test_data_tasks *self, u32 tid, u32 kinds)
{
	size_t len = 0;
	u64 id;

	self->text[0] = '\0';
	for (id = 1; id < self->log.nr; id++) {
		const struct trace_task *task = &self->log.tasks[id].task;

		if (!task->id || (tid && task->tid != tid) || !(kinds >> task->kind & 1))
			continue;
		len += snprintf(self->text + len, LOG_MAX - len, "%s %lld-%lld%s%s%s%s\n",
				task->what, task->start - AT(0), task->end - AT(0),
				task->flags & TRACE_EARLY ? " early" : "",
				task->flags & TRACE_OPEN ? " open" : "",
				task->flags & TRACE_DOUBT ? " doubt" : "",
				task->flags & TRACE_EITHER ? " either" : "");
	}
	return self->text;
}

#define KIND(kind)	(1U << TASKS_##kind)
#define TILES		(KIND(RUN) | KIND(WAIT) | KIND(UNKNOWN))

/* The capture is written: hear it. */
#define HEAR()									\
do {										\
	capgen_close(&gen);							\
	self->log.lines = open_memstream(&self->lines, &self->len);		\
	ASSERT_EQ(0, tasklog_capture(&self->log, self->dir, ~0U));		\
	fclose(self->log.lines);						\
	EXPECT_EQ(0, self->log.nr_wrong) TH_LOG("%s", self->log.wrong);		\
} while (0)

/* All lines that begin with @what, such as "tag thread", are told once. */
static inline const char *lines(struct _test_data_tasks *self, const char *what)
{
	size_t len = 0;
	char *line, *rest = self->lines;

	self->text[0] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, what, strlen(what)))
			len += snprintf(self->text + len, LOG_MAX - len, "%s\n", line);
		if (rest)
			rest[-1] = '\n';
	}
	return self->text;
}

static inline void wake_new(unsigned int cpu, u64 tsc, u32 tid)
{
	struct ovnik_sched_wakeup_new *rec = CAPGEN_RECORD(&gen, cpu, tsc, sched_wakeup_new);

	rec->cpu = cpu;
	rec->tid = tid;
	rec->waker_tid = gen.cpus[cpu].running;
}

#endif /* OVNIK_SELFTESTS_TASKFIX_H */
