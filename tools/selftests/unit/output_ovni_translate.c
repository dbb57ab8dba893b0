// SPDX-License-Identifier: GPL-2.0-only
/* From the world to ovni events: clocks, lives, late streams. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/offcpu.h"
#include "output/ovni/writer.h"
#include "../fixture/ovnifix.h"

FIXTURE(ovni) {
	struct ovnifix f;
	u32 reason;
};

/* "11 5:OHx 5:OHp " and so on: thread, clock, event. */
static void note(void *data, const struct hook_ctx *ctx)
{
	struct _test_data_ovni *self = data;
	const struct ovni_events *events = ctx->item;
	struct ovni_ev ev;
	u32 at = 0;

	fix_log(&self->f, "%u", self->f.threads[events->index].tid);
	while (ovni_events_next(events, &at, &ev)) {
		fix_log(&self->f, " %llu:%.3s", ev.clock, (const char *)ev.mcv);
		if (!memcmp(ev.mcv, "KCO", sizeof(ev.mcv)))
			memcpy(&self->reason, ev.payload, sizeof(self->reason));
	}
	fix_compare(&self->f, events);
	fix_log(&self->f, "\n");
}

/* "CPU 1 5:KL[2" */
static void note_cpu(void *data, const struct hook_ctx *ctx)
{
	struct _test_data_ovni *self = data;
	const struct ovni_events *events = ctx->item;
	struct ovni_ev ev;
	u32 at = 0, why = 0;

	if (!ovni_events_next(events, &at, &ev))
		return;
	if (ev.size == sizeof(why))
		memcpy(&why, ev.payload, sizeof(why));
	fix_log(&self->f, "CPU %u %llu:%.3s%u\n", events->index, ev.clock,
		(const char *)ev.mcv, why);
}

FIXTURE_SETUP(ovni)
{
	self->reason = 0;
	ASSERT_EQ(0, fix_init(&self->f, 1));
	ASSERT_EQ(0, hook_attach(&self->f.t.hooks, OVNI_EVENT, note, self));
	ASSERT_EQ(0, hook_attach(&self->f.t.hooks, OVNI_CPU_EVENT, note_cpu, self));
}

FIXTURE_TEARDOWN(ovni)
{
	fix_destroy(&self->f);
}

static void put_on(struct world_task *task, s32 cpu)
{
	task->cpu = cpu;
}

/* Whether a step says the same as its events, note() sees; here is each kind of step. */
TEST_F(ovni, steps_say_what_happens)
{
	struct world_task *a = &self->f.tasks[0];

	TELL(WORLD_TASK_FOUND, 5, .task = a);
	put_on(a, 0);
	TELL(WORLD_SCHED_IN, 10, .task = a);
	TELL(WORLD_IO_BEGIN, 15, .task = a,
	     .rec = &(struct ovnik_file_begin){ .op = OVNIK_OP_READ });
	put_on(a, -1);
	TELL(WORLD_SCHED_OUT, 20, .task = a, .state = OVNIK_STATE_UNINTERRUPTIBLE);
	/* It comes only to be off the CPU for another reason. */
	TELL(WORLD_LOST, 30, .task = a, .state = WORLD_STATE_LOST);
	TELL(WORLD_IO_READ, 31, .task = a, .rec = &(struct ovnik_file_read){ .op = OVNIK_OP_READ });
	TELL(WORLD_ELSEWHERE_IN, 32, .task = a);
	put_on(a, 0);
	TELL(WORLD_SCHED_IN, 40, .task = a);
	/* It ends on its CPU, and in another life on none. */
	TELL(WORLD_SCHED_OUT, 50, .task = a, .state = OVNIK_STATE_DEAD, .final = true);
	TELL(WORLD_TASK_DEAD, 50, .task = a);
	TELL(WORLD_TASK_NEW, 60, .task = a, .other = &self->f.tasks[1]);
	TELL(WORLD_TASK_DEAD, 70, .task = a);
	EXPECT_TOLD("11 5:OHx 5:OHp 5:KCO\n"
		    "11 10:KCI 10:OHr 10:OAs\n"
		    "11 15:OM[\n"
		    "11 20:OAs 20:OHp 20:KCO\n"
		    "11 30:KCI 30:OHr 30:OHp 30:KCO\n"
		    "11 31:KCI 31:OHr 31:OM] 31:OHp 31:KCO\n"
		    "11 32:KCI 32:KCO\n"
		    "11 40:KCI 40:OHr 40:OAs\n"
		    "11 50:OHe\n"
		    "11 60:OHx 60:OHp 60:KCO\n"
		    "11 70:KCI 70:OHr 70:OHe\n");
}

TEST_F(ovni, gaps_are_told_of_their_cpu)
{
	struct capture_gap lost = { .causes = GAP_LOST };
	struct capture_gap damaged = { .causes = GAP_DAMAGED | GAP_LOST };
	struct world_task *a = &self->f.tasks[0];

	/* The trace begins with a thread; what ended before then is not reported. */
	TELL(WORLD_GAP_BEGIN, 1, .cpu = 0, .gap = &lost);
	TELL(WORLD_GAP_END, 2, .cpu = 0, .gap = &lost);
	TELL(WORLD_GAP_BEGIN, 3, .cpu = 1, .gap = &damaged);
	EXPECT_TOLD("");
	TELL(WORLD_TASK_FOUND, 5, .task = a);
	TELL(WORLD_GAP_END, 7, .cpu = 1, .gap = &damaged);
	/* However short, it can be seen. */
	TELL(WORLD_GAP_BEGIN, 9, .cpu = 0, .gap = &lost);
	TELL(WORLD_GAP_END, 9, .cpu = 0, .gap = &lost);
	EXPECT_TOLD("CPU 1 5:KL[3\n"
		    "11 5:OHx 5:OHp 5:KCO\n"
		    "CPU 1 7:KL]0\n"
		    "CPU 0 9:KL[1\n"
		    "CPU 0 10:KL]0\n");
}

TEST_F(ovni, why_nobody_knows_where_a_thread_is)
{
	static const struct {
		u16 state;
		u32 reason;
	} cases[] = {
		{ WORLD_STATE_LOST, OVNI_OFFCPU_LOST },
		{ WORLD_STATE_UNKNOWN, OVNI_OFFCPU_UNKNOWN },
	};
	struct world_task *a = &self->f.tasks[0];
	u32 i;

	TELL(WORLD_TASK_FOUND, 5, .task = a);
	EXPECT_EQ(OVNI_OFFCPU_NOT_SEEN, self->reason);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		put_on(a, 0);
		TELL(WORLD_SCHED_IN, 10, .task = a);
		put_on(a, -1);
		TELL(WORLD_SCHED_OUT, 20, .task = a, .state = cases[i].state);
		EXPECT_EQ(cases[i].reason, self->reason);
	}
}

TEST_F(ovni, a_late_stream_begins_early)
{
	char dir[] = "/tmp/ovniw.XXXXXX", path[128], command[64];
	const u64 hour = 3600ULL * 1000000000;
	struct ovni_ev_header first;
	struct ovni_writer wr;
	int fd, loom;

	ASSERT_NE(NULL, mkdtemp(dir));
	loom = open(dir, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, loom);
	ASSERT_EQ(0, ovni_writer_attach(&wr, &self->f.t, &self->f.w, dir, loom,
					"x", 0));
	TELL(WORLD_TASK_FOUND, 1000, .task = &self->f.tasks[0]);
	TELL(WORLD_TASK_FOUND, 1000 + hour, .task = &self->f.tasks[1]);
	TELL(WORLD_CAPTURE_END, 2000 + hour);
	ASSERT_EQ(0, ovni_writer_finish(&wr));

	snprintf(path, sizeof(path), "%s/proc.11/thread.12/stream.obs", dir);
	fd = open(path, O_RDONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(sizeof(first), pread(fd, &first, sizeof(first), 8));
	EXPECT_EQ(0, memcmp(first.mcv, "KCO", 3));
	EXPECT_EQ(1000, first.clock);
	ASSERT_EQ(sizeof(first), pread(fd, &first, sizeof(first), 8 + sizeof(first)));
	EXPECT_EQ(0, memcmp(first.mcv, "KCI", 3));
	EXPECT_EQ(1000, first.clock);
	close(fd);
	ovni_writer_close(&wr);
	close(loom);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	EXPECT_EQ(0, system(command));
}

/* As the kernel has them: anything goes. JSON has rules. */
TEST_F(ovni, names_in_metadata)
{
	char dir[] = "/tmp/ovniw.XXXXXX", path[128], text[2048];
	struct ovni_writer wr;
	int loom, fd;
	ssize_t len;

	ASSERT_NE(NULL, mkdtemp(dir));
	loom = open(dir, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, loom);
	strcpy(self->f.process.comm, "caf\xc3\xa9");
	strcpy(self->f.threads[0].comm, "a\"b\\c\n\x7f\xc3(\xff");
	ASSERT_EQ(0, ovni_writer_attach(&wr, &self->f.t, &self->f.w, dir, loom,
					"x", 0));
	TELL(WORLD_TASK_FOUND, 1000, .task = &self->f.tasks[0]);
	TELL(WORLD_CAPTURE_END, 2000);
	ASSERT_EQ(0, ovni_writer_finish(&wr));

	snprintf(path, sizeof(path), "%s/proc.11/thread.11/stream.json", dir);
	fd = open(path, O_RDONLY);
	ASSERT_LE(0, fd);
	len = read(fd, text, sizeof(text) - 1);
	ASSERT_LT(0, len);
	text[len] = '\0';
	EXPECT_NE(NULL, strstr(text, "\"ovnik\": { \"name\": \"a\\\"b\\\\c\\u000a\\u007f?(?\", "
			       "\"process\": \"caf\xc3\xa9\" },\n"));
	close(fd);
	ovni_writer_close(&wr);
	close(loom);
	snprintf(path, sizeof(path), "rm -r %s", dir);
	EXPECT_EQ(0, system(path));
}

TEST(loom_names)
{
	char name[16];

	ovni_loom_name(name, sizeof(name), "node.1");
	EXPECT_STREQ("node.1", name);
	ovni_loom_name(name, sizeof(name), "../../etc");
	EXPECT_STREQ("_._.._etc", name);
	ovni_loom_name(name, sizeof(name), "");
	EXPECT_STREQ("unknown", name);
	ovni_loom_name(name, sizeof(name), "a\"b\\c\n0123456789");
	EXPECT_STREQ("a_b_c_012345678", name);
}

TEST_HARNESS_MAIN
