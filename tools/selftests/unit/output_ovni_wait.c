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

TEST_F(waits, who_leaves_runnable_waits_where_it_was)
{
	struct world_task *a = &self->f.tasks[0], *b = &self->f.tasks[1];

	sleepers(self);
	come(self, a, 1, 20);
	leave(self, a, 30, OVNIK_STATE_RUNNING);
	come(self, b, 1, 30);
	leave(self, b, 40, OVNIK_STATE_INTERRUPTIBLE | OVNIK_STATE_PREEMPTED);
	leave(self, (come(self, a, 0, 50), a), 60, OVNIK_STATE_UNINTERRUPTIBLE);
	EXPECT_TOLD("11 20:KCI\n"
		    "11 30:KCO\n"
		    "CPU 1 30:KW[ 11 for 1, 4\n"
		    "12 31:KCI\n"
		    "12 40:KCO\n"
		    "CPU 1 40:KW[ 12 for 1, 3\n"
		    "11 50:KCI\n"
		    "11 60:KCO\n");
}

TEST_F(waits, a_new_task)
{
	struct world_task *a = &self->f.tasks[0], *c = &self->f.tasks[2];

	sleepers(self);
	/* It may be unknown which task is on CPU 7: a new task is on none. */
	self->f.w.cpus[1].running = NULL;
	NEW(20, c, a);
	WAKE_NEW(21, c, 7);
	come(self, c, 1, 30);
	EXPECT_TOLD("13 20:KCO\n"
		    "CPU 0 21:KW[ 13 for 1, 2\n"
		    "13 30:KCI\n");
}

/* Equal clocks of different streams have no order, so there are none. */
TEST_F(waits, all_at_once)
{
	struct world_task *a = &self->f.tasks[0], *b = &self->f.tasks[1];

	sleepers(self);
	WAKE(20, a, 0);
	WAKE(20, b, 0);
	MIGRATE(20, a, 7);
	come(self, a, 1, 20);
	leave(self, a, 20, OVNIK_STATE_RUNNING);
	come(self, a, 1, 20);
	TELL(WORLD_CAPTURE_END, 20);
	EXPECT_TOLD("CPU 0 20:KW[ 11 for 0, 1\n"
		    "CPU 0 20:KW[ 12 for 0, 1\n"
		    "CPU 1 21:KWm 11 for 1\n"
		    "11 22:KCI\n"
		    "11 22:KCO\n"
		    "CPU 1 23:KW[ 11 for 1, 4\n"
		    "11 24:KCI\n"
		    "12 24:KCI\n");
}

TEST_F(waits, perhaps_it_runs)
{
	struct world_task *a = &self->f.tasks[0], *b = &self->f.tasks[1];

	/* No switch yet: perhaps there are to be none. */
	TELL(WORLD_TASK_FOUND, 5, .task = a);
	TELL(WORLD_TASK_FOUND, 5, .task = b);
	WAKE(6, a, 0);
	come(self, b, 1, 8);
	leave(self, b, 10, OVNIK_STATE_INTERRUPTIBLE);
	fix_forget(&self->f);
	/* It could be on CPU 7. */
	self->f.w.cpus[1].running = NULL;
	WAKE(20, a, 0);
	WAKE(21, b, 0);
	self->f.w.cpus[1].running = &self->f.w.cpus[1].idle;
	WAKE(22, a, 0);
	/* The switch to it is missing: it did not wait. */
	world_doubt_left(&self->f.w, &self->f.w.cpus[1], a, OVNIK_STATE_INTERRUPTIBLE);
	TELL(WORLD_SCHED_STRAY, 30, .cpu = 7, .task = a, .state = OVNIK_STATE_INTERRUPTIBLE);
	come(self, b, 1, 40);
	leave(self, b, 41, WORLD_STATE_UNKNOWN);
	self->f.w.cpus[1].running = NULL;
	WAKE(42, b, 0);
	EXPECT_TOLD("CPU 0 21:KW[ 12 for 0, 1\n"
		    "CPU 0 22:KW[ 11 for 0, 1\n"
		    "CPU 1 30:KW] 11\n"
		    "12 40:KCI\n"
		    "12 41:KCO\n");
}

TEST_F(waits, gaps)
{
	struct capture_gap gap = { .exact = true, .causes = GAP_LOST };
	struct world_task *a = &self->f.tasks[0], *b = &self->f.tasks[1];

	sleepers(self);
	WAKE(20, a, 0);
	WAKE(21, b, 0);
	gap.lost[OVNIK_EV_sched_wakeup] = 5;
	GAP_BEGINS(30, 1, &gap);
	GAP_ENDS(31, 1, &gap);
	EXPECT_TOLD("CPU 0 20:KW[ 11 for 0, 1\n"
		    "CPU 0 21:KW[ 12 for 0, 1\n");
	gap.lost[OVNIK_EV_sched_migrate] = 1;
	/* They wait, for a CPU that is not known. */
	GAP_BEGINS(40, 1, &gap);
	WAKE(40, a, 0);
	EXPECT_TOLD("CPU 1 40:KWm 12 for -1\n"
		    "CPU 1 40:KWm 11 for -1\n");
	/* Nothing begins before the switches of both CPUs are seen again. */
	gap.exact = false;
	GAP_BEGINS(41, 0, &gap);
	WAKE(42, a, 0);
	GAP_ENDS(43, 1, &gap);
	WAKE(44, a, 0);
	come(self, b, 1, 45);
	leave(self, b, 46, OVNIK_STATE_RUNNING);
	GAP_ENDS(47, 0, &gap);
	WAKE(48, a, 0);
	EXPECT_TOLD("12 41:KCI\n"
		    "12 41:KCO\n"
		    "11 41:KCI\n"
		    "11 41:KCO\n"
		    "12 45:KCI\n"
		    "12 46:KCO\n"
		    "CPU 0 48:KW[ 11 for 0, 1\n");
}

TEST_F(waits, a_filter)
{
	struct world_task *a = &self->f.tasks[0], *b = &self->f.tasks[1];

	self->f.w.filtered = true;
	a->member = true;
	sleepers(self);
	WAKE(20, a, 0);
	WAKE(21, b, 0);
	EXPECT_TOLD("CPU 0 20:KW[ 11 for 0, 1\n");
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
