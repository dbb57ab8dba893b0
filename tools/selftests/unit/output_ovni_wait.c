// SPDX-License-Identifier: GPL-2.0-only
/* From the world to the threads that wait for a CPU. */
#include <stdio.h>
#include <string.h>

#include "trace/wait.h"
#include "../fixture/ovnifix.h"

FIXTURE(waits) {
	struct ovnifix f;
};

/* "11 20:KCI": a thread's events up to OHr, by which it gets a CPU. */
static void note(void *data, const struct hook_ctx *ctx)
{
	struct _test_data_waits *self = data;
	const struct ovni_events *events = ctx->item;
	struct ovni_ev ev;
	u32 at = 0;

	while (ovni_events_next(events, &at, &ev)) {
		if (memcmp(ev.mcv, "KC", 2))
			continue;
		fix_log(&self->f, "%u %llu:%.3s\n", self->f.threads[events->index].tid, ev.clock,
			(const char *)ev.mcv);
	}
}

/* "CPU 1 20:KW[ 11 for 0, 1": the last number is why. */
static void note_cpu(void *data, const struct hook_ctx *ctx)
{
	struct _test_data_waits *self = data;
	const struct ovni_events *events = ctx->item;
	struct ovni_wait_payload p = { 0 };
	struct ovni_ev ev;
	u32 at = 0;

	if (!ovni_events_next(events, &at, &ev) || ev.mcv[1] != 'W')
		return;
	memcpy(&p, ev.payload, ev.size);
	fix_log(&self->f, "CPU %u %llu:%.3s %u", events->index, ev.clock,
		(const char *)ev.mcv, p.tid);
	if (ev.size >= OVNI_WAIT_MOVE_SIZE)
		fix_log(&self->f, " for %d", p.cpu);
	if (ev.size >= OVNI_WAIT_BEGIN_SIZE)
		fix_log(&self->f, ", %u", p.why);
	fix_log(&self->f, "\n");
}

/* CPUs 0 and 7, whose running task is known. */
FIXTURE_SETUP(waits)
{
	u32 i;

	ASSERT_EQ(0, fix_init(&self->f, 7));
	for (i = 0; i < 2; i++)
		self->f.w.cpus[i].running = &self->f.w.cpus[i].idle;
	ASSERT_EQ(0, hook_attach(&self->f.t.hooks, OVNI_EVENT, note, self));
	ASSERT_EQ(0, hook_attach(&self->f.t.hooks, OVNI_CPU_EVENT, note_cpu, self));
}

FIXTURE_TEARDOWN(waits)
{
	fix_destroy(&self->f);
}

#define WAKE_BY(what, when, who, target)				\
	do {								\
		self->f.w.ns = when;					\
		world_doubt_woken(&self->f.w, who);			\
		TELL(WORLD_WAKEUP, when, .task = who, .to = target, .event = what); \
		world_doubt_waking(&self->f.w, self->f.w.cpus, who);	\
	} while (0)
#define WAKE(when, who, target)		WAKE_BY(OVNIK_EV_sched_wakeup, when, who, target)
#define WAKE_NEW(when, who, target)	WAKE_BY(OVNIK_EV_sched_wakeup_new, when, who, target)
#define NEW(when, who, parent)						\
	do {								\
		world_doubt_born(&self->f.w, self->f.w.cpus, who);	\
		TELL(WORLD_TASK_NEW, when, .task = who, .other = parent);	\
	} while (0)
#define MIGRATE(when, who, target)					\
	TELL(WORLD_MIGRATE, when, .cpu = 7, .task = who, .to = target)

static void come(struct _test_data_waits *self, struct world_task *task, s32 cpu, u64 when)
{
	fix_come(&self->f, task, cpu);
	TELL(WORLD_SCHED_IN, when, .cpu = self->f.w.cpus[cpu].nr, .task = task);
}

static void leave(struct _test_data_waits *self, struct world_task *task, u64 when, u16 state)
{
	u32 nr = self->f.w.cpus[task->cpu].nr;

	fix_leave(&self->f, task, state);
	TELL(WORLD_SCHED_OUT, when, .cpu = nr, .task = task, .state = state);
}

/* Tasks 11 and 12 have slept since 10; nothing is in the log. */
static void sleepers(struct _test_data_waits *self)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		TELL(WORLD_TASK_FOUND, 5, .task = &self->f.tasks[i]);
		come(self, &self->f.tasks[i], i, 8);
		leave(self, &self->f.tasks[i], 10, OVNIK_STATE_INTERRUPTIBLE);
	}
	fix_forget(&self->f);
}

TEST_F(waits, woken_moved_and_on_a_cpu)
{
	struct world_task *a = &self->f.tasks[0];

	sleepers(self);
	WAKE(20, a, 7);
	MIGRATE(30, a, 0);
	MIGRATE(31, a, 0);
	/* Woken once more, and for a CPU that has no file. */
	WAKE(35, a, 0);
	WAKE(40, a, 3);
	come(self, a, 0, 50);
	MIGRATE(55, a, 7);
	WAKE(60, a, 7);
	EXPECT_TOLD("CPU 0 20:KW[ 11 for 1, 1\n"
		    "CPU 1 30:KWm 11 for 0\n"
		    "CPU 0 40:KWm 11 for -1\n"
		    "11 50:KCI\n");
}

TEST_F(waits, ends)
{
	struct world_task *a = &self->f.tasks[0], *b = &self->f.tasks[1];
	struct world_task idle = { .cpu = -1 }, nobody = { .id = 99, .tid = 99, .cpu = -1 };

	sleepers(self);
	WAKE(20, a, 0);
	WAKE(20, &idle, 0);
	WAKE(20, &nobody, 0);
	EXPECT_EQ(1, self->f.t.dropped);
	TELL(WORLD_TASK_DEAD, 30, .task = a);
	WAKE(31, a, 0);
	/* Its number is used again: it is another one that waits. */
	NEW(40, a, b);
	WAKE_NEW(41, a, 7);
	WAKE(42, b, 7);
	TELL(WORLD_CAPTURE_END, 42);
	EXPECT_TOLD("CPU 0 20:KW[ 11 for 0, 1\n"
		    "11 30:KCI\n"
		    "11 40:KCO\n"
		    "CPU 0 41:KW[ 11 for 1, 2\n"
		    "CPU 0 42:KW[ 12 for 1, 1\n"
		    "11 42:KCI\n"
		    "12 43:KCI\n");
	EXPECT_EQ(-1, self->f.t.waiting);
}

TEST_HARNESS_MAIN
