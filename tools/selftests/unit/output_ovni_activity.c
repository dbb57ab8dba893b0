// SPDX-License-Identifier: GPL-2.0-only
/* From the world to marks: memory, page cache and files. */
#include <stdio.h>
#include <string.h>

#include "../fixture/ovnifix.h"

FIXTURE(marks) {
	struct ovnifix f;
};

static void note_event(struct _test_data_marks *self, const struct ovni_ev *ev)
{
	s64 value;
	s32 mark;

	fix_log(&self->f, " %llu:%.3s", ev->clock, (const char *)ev->mcv);
	if (ev->mcv[1] != 'M')
		return;
	memcpy(&value, ev->payload, sizeof(value));
	memcpy(&mark, (const u8 *)ev->payload + sizeof(value), sizeof(mark));
	fix_log(&self->f, "%d,%lld", mark, value);
}

/* "11 5:OHx 7:OM=80,1" and so on: thread, clock, event, mark and value. */
static void note(void *data, const struct hook_ctx *ctx)
{
	struct _test_data_marks *self = data;
	const struct ovni_events *events = ctx->item;
	struct ovni_ev ev;
	u32 at = 0;

	fix_log(&self->f, "%u", self->f.threads[events->index].tid);
	while (ovni_events_next(events, &at, &ev))
		note_event(self, &ev);
	fix_compare(&self->f, events);
	fix_log(&self->f, "\n");
}

FIXTURE_SETUP(marks)
{
	ASSERT_EQ(0, fix_init(&self->f, 1));
	ASSERT_EQ(0, hook_attach(&self->f.t.hooks, OVNI_EVENT, note, self));
}

FIXTURE_TEARDOWN(marks)
{
	fix_destroy(&self->f);
}

#define FAULT(when, who, what)						\
	TELL(WORLD_FAULT_BEGIN, when, .task = who,			\
	     .rec = &(struct ovnik_page_fault){ .error = what })
#define FAULT_END(when, who, how)					\
	TELL(WORLD_FAULT_END, when, .task = who,			\
	     .rec = &(struct ovnik_page_fault_end){ .result = how })
#define CALL(when, who, what)						\
	do {								\
		world_acts(&self->f.w, self->f.w.cpus, who);		\
		TELL(WORLD_IO_BEGIN, when, .task = who,			\
		     .rec = &(struct ovnik_file_begin){ .op = what });	\
	} while (0)
#define GOT(when, who, what, bytes)					\
	TELL(WORLD_IO_READ, when, .task = who,				\
	     .rec = &(struct ovnik_file_read){ .op = what, .result = bytes })
#define PUT(when, who, what, bytes)					\
	TELL(WORLD_IO_WRITE, when, .task = who,				\
	     .rec = &(struct ovnik_file_write){ .op = what, .result = bytes })
#define PAGES(position, event, when, who, n)				\
	TELL(position, when, .task = who, .rec = &(struct ovnik_##event){ .order = n })

static void come(struct _test_data_marks *self, struct world_task *task, s32 cpu, u64 when)
{
	fix_come(&self->f, task, cpu);
	TELL(WORLD_SCHED_IN, when, .task = task);
}

static void leave(struct _test_data_marks *self, struct world_task *task, u64 when)
{
	fix_leave(&self->f, task, OVNIK_STATE_UNINTERRUPTIBLE);
	TELL(WORLD_SCHED_OUT, when, .task = task, .state = OVNIK_STATE_UNINTERRUPTIBLE);
}

/* Task 11 + @index on a CPU, with nothing in the log. */
static struct world_task *begin(struct _test_data_marks *self, u32 index)
{
	struct world_task *task = &self->f.tasks[index];

	TELL(WORLD_TASK_FOUND, 5, .task = task);
	come(self, task, index, 10);
	fix_forget(&self->f);
	return task;
}

TEST_F(marks, a_fault_within_a_read)
{
	struct world_task *a = begin(self, 0);

	CALL(20, a, OVNIK_OP_PREAD);
	FAULT(21, a, OVNIK_FAULT_WRITE);
	FAULT_END(30, a, OVNIK_FAULT_MAJOR);
	GOT(40, a, OVNIK_OP_PREAD, 100);
	CALL(50, a, OVNIK_OP_SENDFILE);
	GOT(60, a, OVNIK_OP_SENDFILE, 11);
	PUT(60, a, OVNIK_OP_SENDFILE, 11);
	CALL(70, a, 77);
	PUT(80, a, 77, -5);
	/* Nothing else has the instant of a count, nor the one after it. */
	EXPECT_TOLD("11 20:OM[84,3\n"
		    "11 21:OM[80,5\n"
		    "11 30:OM=82,1 30:OM]80,5\n"
		    "11 40:OM=85,100 40:OM]84,3\n"
		    "11 50:OM[84,9\n"
		    "11 60:OM=85,111 60:OM]84,9\n"
		    "11 62:OM=86,11\n"
		    "11 70:OM[84,99\n"
		    "11 80:OM]84,99\n");
	EXPECT_EQ(0, self->f.t.unplaced);
}

TEST_F(marks, ends_without_beginnings_and_the_reverse)
{
	struct world_task *a = begin(self, 0);

	FAULT_END(20, a, OVNIK_FAULT_FAILED);
	GOT(30, a, OVNIK_OP_READ, 0);
	FAULT(40, a, OVNIK_FAULT_USER);
	FAULT(41, a, OVNIK_FAULT_USER | OVNIK_FAULT_INSTR);
	CALL(50, a, OVNIK_OP_READ);
	CALL(51, a, OVNIK_OP_WRITE);
	FAULT(52, a, 0);
	GOT(60, a, OVNIK_OP_READ, -14);
	EXPECT_TOLD("11 20:OM=83,1\n"
		    "11 40:OM[80,1\n"
		    "11 41:OM]80,1 41:OM[80,3\n"
		    "11 50:OM]80,3 50:OM[84,1\n"
		    "11 51:OM]84,1 51:OM[84,2\n"
		    "11 52:OM[80,4\n"
		    "11 60:OM]80,4 60:OM]84,2\n");
}

TEST_F(marks, who_dies_within_a_call_leaves_it)
{
	struct world_task *a = begin(self, 0), *b = begin(self, 1);

	CALL(20, a, OVNIK_OP_READ);
	FAULT(21, a, OVNIK_FAULT_USER);
	CALL(22, b, OVNIK_OP_READ);
	leave(self, b, 30);
	GOT(31, b, OVNIK_OP_URING, 7);
	self->f.len = 0;
	TELL(WORLD_CAPTURE_END, 40);
	EXPECT_TOLD("11 40:OM]80,1 40:OM]84,1 40:OHe\n"
		    "12 40:KCI 40:OHr\n"
		    "12 41:OM=85,7\n"
		    "12 42:OM]84,1 42:OHe\n");
	/* The number is used again: counts go on, states do not. */
	TELL(WORLD_TASK_NEW, 50, .task = b, .other = a);
	come(self, b, 1, 60);
	GOT(70, b, OVNIK_OP_READ, 1);
	EXPECT_TOLD("12 50:OHx 50:OHp 50:KCO\n"
		    "12 60:KCI 60:OHr 60:OAs\n"
		    "12 70:OM=85,8\n");
}

/* What may not be reported off the CPU is reported on it; a state goes on. */
TEST_F(marks, off_the_cpu)
{
	struct world_task *a = begin(self, 0), idle = { .cpu = 0 };

	CALL(20, a, OVNIK_OP_READ);
	leave(self, a, 30);
	FAULT(31, a, 0);
	GOT(32, a, OVNIK_OP_AIO, 5);
	GOT(33, a, OVNIK_OP_URING, 6);
	TELL(WORLD_COW_BREAK, 34, .task = a);
	PAGES(WORLD_PAGE_ADD, page_add, 35, NULL, 9);
	PAGES(WORLD_PAGE_ADD, page_add, 35, &idle, 9);
	EXPECT_EQ(3, self->f.t.unplaced);
	come(self, a, 1, 40);
	PAGES(WORLD_BUFFER_ADD, buffer_add, 50, a, 0);
	PAGES(WORLD_PAGE_ADD, page_add, 51, a, 9);
	PAGES(WORLD_PAGE_REMOVE, page_remove, 60, a, 1);
	PAGES(WORLD_BUFFER_REMOVE, buffer_remove, 70, a, 0);
	GOT(80, a, OVNIK_OP_READ, 1);
	EXPECT_TOLD("11 20:OM[84,1\n"
		    "11 30:OAs 30:OHp 30:KCO\n"
		    "11 40:KCI 40:OHr 40:OAs\n"
		    "11 41:OM=85,11\n"
		    "11 43:OM=87,1\n"
		    "11 50:OM=88,1\n"
		    "11 52:OM=88,513\n"
		    "11 60:OM=89,2\n"
		    "11 70:OM=89,3\n"
		    "11 80:OM=85,12 80:OM]84,1\n");
	EXPECT_EQ(3, self->f.t.unplaced);
}

/* An end that comes while its thread is not believed to run. */
TEST_F(marks, an_end_off_the_cpu)
{
	struct world_task *a = begin(self, 0);

	CALL(20, a, OVNIK_OP_READ);
	leave(self, a, 30);
	GOT(31, a, OVNIK_OP_READ, 9);
	come(self, a, 0, 40);
	EXPECT_TOLD("11 20:OM[84,1\n"
		    "11 30:OAs 30:OHp 30:KCO\n"
		    "11 31:KCI 31:OHr 31:OM]84,1 31:OHp 31:KCO\n"
		    "11 40:KCI 40:OHr 40:OAs\n"
		    "11 41:OM=85,9\n");
}

/* A call whose end may be among what is missing is not said to go on. */
TEST_F(marks, in_doubt_after_a_gap)
{
	struct world_task *a = begin(self, 0), *b = begin(self, 1);
	struct capture_gap gap = { .exact = true };

	self->f.w.cpus[0].running = a;
	CALL(20, a, OVNIK_OP_READ);
	CALL(21, b, OVNIK_OP_READ);
	leave(self, b, 22);
	self->f.len = 0;
	gap.lost[OVNIK_EV_page_fault] = 3;
	GAP_BEGINS(30, 0, &gap);
	GAP_ENDS(31, 0, &gap);
	EXPECT_EQ(0, self->f.len);
	/* Who sleeps does so until a wakeup is recorded. */
	gap.lost[OVNIK_EV_file_read] = 1;
	GAP_BEGINS(40, 0, &gap);
	GAP_ENDS(41, 0, &gap);
	EXPECT_TOLD("11 40:OM]84,1\n");
	CALL(42, a, OVNIK_OP_READ);
	gap.lost[OVNIK_EV_sched_wakeup] = 1;
	GAP_BEGINS(43, 0, &gap);
	GAP_ENDS(44, 0, &gap);
	come(self, b, 1, 50);
	GOT(60, a, OVNIK_OP_READ, 1);
	GOT(70, b, OVNIK_OP_READ, 1);
	EXPECT_TOLD("11 42:OM[84,1\n"
		    "11 43:OM]84,1\n"
		    "12 43:KCI 43:OHr 43:OHp 43:KCO\n"
		    "12 44:KCI 44:OHr 44:OM]84,1 44:OHp 44:KCO\n"
		    "12 50:KCI 50:OHr 50:OAs\n"
		    "11 60:OM=85,1\n"
		    "12 70:OM=85,1\n");
}

TEST_F(marks, mapped_memory_of_whoever_gets_a_cpu)
{
	struct world_task *a = begin(self, 0), *b = begin(self, 1), *c = &self->f.tasks[2];
	struct world_mm mm = { .bytes = 8192 }, other = { 0 };

	a->space = &mm;
	b->space = &mm;
	c->space = &other;
	TELL(WORLD_MM_MAP, 20, .task = a, .mm = &mm);
	TELL(WORLD_MM_UNMAP, 21, .task = a, .mm = &mm);
	mm.bytes = 12288;
	TELL(WORLD_MM_REMAP, 30, .task = a, .mm = &mm);
	leave(self, b, 40);
	come(self, b, 1, 50);
	leave(self, b, 60);
	come(self, b, 1, 70);
	leave(self, b, 80);
	/* Nothing is mapped, or another thread has done it. */
	TELL(WORLD_MM_MAP, 90, .task = a, .mm = &other);
	TELL(WORLD_TASK_FOUND, 91, .task = c);
	come(self, c, 1, 92);
	EXPECT_TOLD("11 20:OM=90,8\n"
		    "11 30:OM=90,12\n"
		    "12 40:OAs 40:OHp 40:KCO\n"
		    "12 50:KCI 50:OHr 50:OAs\n"
		    "12 50:OM=90,12\n"
		    "12 60:OAs 60:OHp 60:KCO\n"
		    "12 70:KCI 70:OHr 70:OAs\n"
		    "12 80:OAs 80:OHp 80:KCO\n"
		    "13 91:OHx 91:OHp 91:KCO\n"
		    "13 92:KCI 92:OHr 92:OAs\n");
	a->space = NULL;
	b->space = NULL;
	c->space = NULL;
}

TEST_HARNESS_MAIN
