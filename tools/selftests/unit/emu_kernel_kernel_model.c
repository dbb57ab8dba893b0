// SPDX-License-Identifier: GPL-2.0-only
/* Threads that wait for a CPU: what the emulator draws, what it passes over or refuses. */
#define _GNU_SOURCE	/* for the harness */
#include <stdio.h>
#include <string.h>

#include "trace/wait.h"
#include "kselftest_harness.h"
#include "../fixture/emufix.h"

FIXTURE(wait)
{
	struct emufix f;
	struct emu_cpu *cpu;
};

FIXTURE_SETUP(wait)
{
	ASSERT_EQ(0, emufix_open(&self->f, "ovni", "1.1.0"));
	ASSERT_EQ(0, emu_freeze(self->f.emu, self->f.dir));
	self->cpu = emu_cpu_find(emu_loom_add(self->f.emu, "node.0"), 0);
	ASSERT_NE(NULL, self->cpu);
}

FIXTURE_TEARDOWN(wait)
{
	emufix_close(&self->f);
}

static int wait_event(struct _test_data_wait *self, u64 clock, const char *mcv, u32 tid, s32 target,
		      u32 why)
{
	struct ovni_wait_payload p = { .pid = 100, .tid = tid, .cpu = target, .why = why };
	struct ovni_ev ev = { .clock = clock, .payload = &p };

	memcpy(ev.mcv, mcv, 3);
	ev.size = mcv[2] == '[' ? OVNI_WAIT_BEGIN_SIZE : mcv[2] == 'm' ? OVNI_WAIT_MOVE_SIZE :
		  OVNI_WAIT_END_SIZE;
	return emu_cpu_event(self->f.emu, self->cpu, &ev);
}

static int event(struct _test_data_wait *self, u32 th, u64 clock, const char *mcv)
{
	self->f.clock = clock;
	return emufix_ev(&self->f, th, mcv);
}

static int place(struct _test_data_wait *self, u32 th, u64 clock, const char *mcv, s32 cpu)
{
	u8 payload[16] = { 0 };

	memcpy(payload, &cpu, sizeof(cpu));
	self->f.clock = clock;
	return emufix_event(&self->f, th, mcv, payload, mcv[1] == 'H' ? 16 : 4, false);
}

/* The lines about waits of a trace. */
static const char *waits(struct _test_data_wait *self, const char *name)
{
	char path[128], line[128], *to = self->f.text;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", self->f.dir, name);
	*to = '\0';
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file)) {
		/* The zeroes of the beginning say nothing. */
		if ((strstr(line, ":313:") || strstr(line, ":314:")) && strncmp(line + 10, "0:", 2))
			to = stpcpy(to, line + strlen("2:0:1:1:"));
	}
	if (file)
		fclose(file);
	return self->f.text;
}

TEST_F(wait, on_the_rows_of_thread_and_cpu)
{
	ASSERT_EQ(0, place(self, 0, 1000, "OHx", 0));
	ASSERT_EQ(0, place(self, 1, 1000, "OHx", 1));
	/* What is of one clock may come in any order, here before the thread is out. */
	ASSERT_EQ(0, wait_event(self, 1010, "KW[", 101, 0, OVNI_WAIT_PREEMPTED));
	ASSERT_EQ(0, event(self, 0, 1010, "KCO"));
	ASSERT_EQ(0, event(self, 1, 1011, "KCO"));
	ASSERT_EQ(0, wait_event(self, 1020, "KW[", 102, 0, OVNI_WAIT_WOKEN));
	ASSERT_EQ(0, wait_event(self, 1030, "KWm", 101, 1, 0));
	ASSERT_EQ(0, wait_event(self, 1031, "KWm", 101, 1, 0));
	ASSERT_EQ(0, event(self, 0, 1040, "KCI"));
	ASSERT_EQ(0, wait_event(self, 1050, "KWm", 102, -1, 0));
	ASSERT_EQ(0, wait_event(self, 1060, "KW]", 102, 0, 0));
	ASSERT_EQ(0, event(self, 1, 1070, "KCI"));
	ASSERT_EQ(0, event(self, 1, 1080, "OHe"));
	ASSERT_EQ(0, event(self, 0, 1080, "OHe"));
	ASSERT_EQ(0, emu_finish(self->f.emu));

	EXPECT_STREQ("1:10:313:3\n2:20:313:1\n1:40:313:0\n2:60:313:0\n", waits(self, "thread.prv"));
	EXPECT_STREQ("1:10:314:1\n1:20:314:2\n1:30:314:1\n2:30:314:1\n2:40:314:0\n1:50:314:0\n",
		     waits(self, "cpu.prv"));
	EXPECT_NE(NULL, strstr(emufix_slurp(&self->f, "thread.pcf"),
			       "0 313        Waiting for a CPU\nVALUES\n1    Woken\n"));
	EXPECT_NE(NULL, strstr(emufix_slurp(&self->f, "cpu.pcf"),
			       "0 314        CPU: Number of threads that wait"));
}

/* Records of the kernel may be missing between two words about a wait. */
TEST_F(wait, begins_again)
{
	ASSERT_EQ(0, place(self, 0, 1000, "OHx", -1));
	ASSERT_EQ(0, wait_event(self, 1010, "KW[", 101, 0, OVNI_WAIT_PREEMPTED));
	ASSERT_EQ(0, wait_event(self, 1020, "KW[", 101, 1, OVNI_WAIT_WOKEN));
	ASSERT_EQ(0, wait_event(self, 1030, "KW[", 101, -1, OVNI_WAIT_PREEMPTED));
	ASSERT_EQ(0, wait_event(self, 1040, "KW[", 101, 1, OVNI_WAIT_WOKEN));
	ASSERT_EQ(0, wait_event(self, 1050, "KW]", 101, 0, 0));
	ASSERT_EQ(0, event(self, 0, 1060, "OHe"));
	ASSERT_NE(0, emu_finish(self->f.emu));	/* no message about the other thread */

	EXPECT_STREQ("1:10:313:3\n1:20:313:1\n1:30:313:3\n1:40:313:1\n1:50:313:0\n",
		     waits(self, "thread.prv"));
	EXPECT_STREQ("1:10:314:1\n1:20:314:0\n2:20:314:1\n2:30:314:0\n2:40:314:1\n2:50:314:0\n",
		     waits(self, "cpu.prv"));
}

TEST_F(wait, of_nobody_is_passed_over)
{
	ASSERT_EQ(0, place(self, 0, 1000, "OHx", 0));
	ASSERT_EQ(0, wait_event(self, 1010, "KWm", 101, 1, 0));
	ASSERT_EQ(0, wait_event(self, 1020, "KW]", 101, 0, 0));
	/* It was not counted for the CPU to which it was moved. */
	ASSERT_EQ(0, wait_event(self, 1030, "KW[", 101, 0, OVNI_WAIT_WOKEN));
	ASSERT_EQ(0, wait_event(self, 1040, "KW]", 101, 0, 0));
	ASSERT_EQ(0, wait_event(self, 1050, "KW]", 101, 0, 0));
	ASSERT_EQ(0, wait_event(self, 1060, "KWm", 101, 1, 0));
	ASSERT_EQ(0, event(self, 0, 1070, "OHe"));
	ASSERT_NE(0, emu_finish(self->f.emu));

	EXPECT_STREQ("1:30:313:1\n1:40:313:0\n", waits(self, "thread.prv"));
	EXPECT_STREQ("1:30:314:1\n1:40:314:0\n", waits(self, "cpu.prv"));
}

TEST_F(wait, ends_with_a_physical_cpu)
{
	/* By OHx: on the virtual CPU it goes on. */
	ASSERT_EQ(0, wait_event(self, 1010, "KW[", 101, 0, OVNI_WAIT_WOKEN));
	ASSERT_EQ(0, wait_event(self, 1010, "KW[", 102, 1, OVNI_WAIT_NEW));
	ASSERT_EQ(0, place(self, 0, 1020, "OHx", 0));
	ASSERT_EQ(0, place(self, 1, 1030, "OHx", -1));
	/* By OAs */
	ASSERT_EQ(0, place(self, 1, 1040, "OAs", 1));
	ASSERT_EQ(0, wait_event(self, 1050, "KW[", 102, 0, OVNI_WAIT_PREEMPTED));
	ASSERT_EQ(0, place(self, 1, 1060, "OAs", -1));
	ASSERT_EQ(0, wait_event(self, 1070, "KWm", 102, 1, 0));
	ASSERT_EQ(0, event(self, 1, 1071, "OHp"));
	ASSERT_EQ(0, event(self, 1, 1072, "OHr"));
	ASSERT_EQ(0, place(self, 1, 1080, "OAs", 1));
	/* By OHr */
	ASSERT_EQ(0, event(self, 0, 1090, "OHp"));
	ASSERT_EQ(0, wait_event(self, 1100, "KW[", 101, 0, OVNI_WAIT_WOKEN));
	ASSERT_EQ(0, event(self, 0, 1110, "OHr"));
	ASSERT_EQ(0, event(self, 0, 1120, "OHe"));
	ASSERT_EQ(0, event(self, 1, 1120, "OHe"));
	ASSERT_EQ(0, emu_finish(self->f.emu));

	EXPECT_STREQ("1:10:313:0\n2:30:313:0\n2:40:313:3\n2:70:313:0\n1:90:313:1\n1:100:313:0\n",
		     waits(self, "thread.prv"));
	EXPECT_STREQ("1:10:314:0\n2:30:314:0\n1:40:314:1\n1:60:314:0\n2:60:314:1\n2:70:314:0\n"
		     "1:90:314:1\n1:100:314:0\n", waits(self, "cpu.prv"));
}

static void refused(struct __test_metadata *_metadata, struct _test_data_wait *self, int ret,
		    const char *why)
{
	EXPECT_NE(0, ret);
	EXPECT_NE(NULL, strstr(emu_reason(self->f.emu), why)) {
		TH_LOG("reason: %s", emu_reason(self->f.emu));
	}
	emufix_forgive(&self->f);
}

TEST_F(wait, is_refused)
{
	struct ovni_ev shorter = { .mcv = "KW[", .size = 4, .payload = "\0\0\0" };
	struct emu_cpu *cpu = self->cpu;

	refused(_metadata, self, emu_cpu_event(self->f.emu, cpu, &shorter), "payload of 4 bytes, 16");
	refused(_metadata, self, wait_event(self, 0, "KW[", 103, 0, 1), "no thread 103");
	refused(_metadata, self, wait_event(self, 0, "KW]", 103, 0, 1), "no thread 103");
	refused(_metadata, self, wait_event(self, 0, "KW[", 101, 2, 1), "index 2");
	refused(_metadata, self, wait_event(self, 0, "KW[", 101, -2, 1), "index -2");
	refused(_metadata, self, wait_event(self, 0, "KW[", 101, 0, 0), "reason 0");
	refused(_metadata, self, wait_event(self, 0, "KW[", 101, 0, 5), "reason 5");
	ASSERT_EQ(0, wait_event(self, 1, "KW[", 101, 0, 1));
	refused(_metadata, self, wait_event(self, 1, "KW[", 101, 0, 5), "reason 5");
	refused(_metadata, self, wait_event(self, 0, "KW]", 101, 0, 0), "goes back");
}

TEST_HARNESS_MAIN
