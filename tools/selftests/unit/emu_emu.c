// SPDX-License-Identifier: GPL-2.0-only
/* The emulator fed directly: what is accepted, what is rendered. */
#define _GNU_SOURCE	/* for the harness */
#include "../fixture/feedfix.h"
#include "emu/name.h"
#include "trace/missing.h"
#include "trace/offcpu.h"

TEST_F(feed, offcpu_reason_on_the_thread_row_only)
{
	struct emu *emu = self->emu;
	u32 reason = OVNI_OFFCPU_DISK_SLEEP;

	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, self->th[0], 1000, 0));
	ASSERT_EQ(0, event(emu, self->th[0], 1010, "KCO", &reason, sizeof(reason)));
	ASSERT_EQ(0, event(emu, self->th[0], 1020, "KCI", NULL, 0));
	ASSERT_EQ(0, execute(emu, self->th[1], 1020, 1));
	ASSERT_EQ(0, event(emu, self->th[1], 1030, "OHe", NULL, 0));
	ASSERT_EQ(0, event(emu, self->th[0], 1030, "OHe", NULL, 0));
	ASSERT_EQ(0, emu_finish(emu));

	slurp(self->dir, "thread.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, "2:0:1:1:1:10:300:3\n"));
	EXPECT_NE(NULL, strstr(self->text, "2:0:1:1:1:20:300:0\n"));
	slurp(self->dir, "thread.pcf", self->text);
	EXPECT_NE(NULL, strstr(self->text, "0 300        Off-CPU reason\nVALUES\n1    "));
	slurp(self->dir, "cpu.prv", self->text);
	EXPECT_EQ(NULL, strstr(self->text, ":300:"));
	slurp(self->dir, "cpu.pcf", self->text);
	EXPECT_EQ(NULL, strstr(self->text, " 300 "));
}

TEST_F(feed, without_payload_no_type_300)
{
	struct emu *emu = self->emu;

	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, event(emu, self->th[0], 0, "KCO", NULL, 0));
	ASSERT_EQ(0, event(emu, self->th[0], 1, "KCI", NULL, 0));
	EXPECT_NE(0, emu_finish(emu));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "not dead"));
	EXPECT_EQ(NULL, strstr(slurp(self->dir, "thread.prv", self->text), ":300:"));
	EXPECT_EQ(NULL, strstr(slurp(self->dir, "thread.pcf", self->text), "Off-CPU"));
}

static int cpu_event(struct emu *emu, struct emu_cpu *cpu, u64 clock, const char *mcv, u32 why)
{
	struct ovni_ev ev = { .clock = clock, .size = why ? sizeof(why) : 0, .payload = &why };

	memcpy(ev.mcv, mcv, 3);
	return emu_cpu_event(emu, cpu, &ev);
}

TEST_F(feed, missing_events_on_the_cpu_row)
{
	struct emu *emu = self->emu;
	struct emu_cpu *cpu = emu_cpu_find(emu_loom_add(emu, "node.0"), 1);

	ASSERT_NE(NULL, cpu);
	EXPECT_EQ(NULL, emu_cpu_find(emu_loom_add(emu, "node.0"), 2));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, self->th[0], 1000, 0));
	ASSERT_EQ(0, execute(emu, self->th[1], 1000, 1));
	ASSERT_EQ(0, cpu_event(emu, cpu, 1010, "KL[", OVNI_MISSING_OVERWRITTEN));
	ASSERT_EQ(0, cpu_event(emu, cpu, 1020, "KL]", 0));
	ASSERT_EQ(0, cpu_event(emu, cpu, 1025, "KL[", 99));
	ASSERT_EQ(0, event(emu, self->th[1], 1030, "OHe", NULL, 0));
	ASSERT_EQ(0, event(emu, self->th[0], 1030, "OHe", NULL, 0));
	ASSERT_EQ(0, emu_finish(emu));

	slurp(self->dir, "cpu.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, "2:0:1:1:1:10:301:2\n2:0:1:1:1:20:301:0\n"
			       "2:0:1:1:1:25:301:1\n"));
	slurp(self->dir, "cpu.pcf", self->text);
	EXPECT_NE(NULL, strstr(self->text, "0 301        CPU: Events missing\nVALUES\n1    "));
	EXPECT_EQ(NULL, strstr(slurp(self->dir, "thread.prv", self->text), ":301:"));
}

/* Nothing runs on the CPU to which it comes, which has been seen from now on. */
TEST_F(feed, paused_thread_moved_to_a_fresh_cpu)
{
	struct emu *emu = self->emu;
	const s32 cpu[2] = { 1, 101 };

	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, self->th[0], 1000, 0));
	ASSERT_EQ(0, execute(emu, self->th[1], 1000, -1));
	ASSERT_EQ(0, event(emu, self->th[0], 1010, "OHp", NULL, 0));
	ASSERT_EQ(0, event(emu, self->th[1], 1020, "OAr", cpu, sizeof(cpu)));
	ASSERT_EQ(0, event(emu, self->th[0], 1030, "OHr", NULL, 0));
	ASSERT_EQ(0, event(emu, self->th[0], 1030, "OHe", NULL, 0));
	ASSERT_EQ(0, event(emu, self->th[1], 1030, "OHe", NULL, 0));
	ASSERT_EQ(0, emu_finish(emu));

	/* The CPU with index 1 is the first row. */
	slurp(self->dir, "cpu.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, "\n2:0:1:1:1:20:3:0\n"));
	EXPECT_EQ(NULL, strstr(self->text, "\n2:0:1:1:1:10:"));
}

TEST_F(feed, rows_and_names)
{
	struct emu *emu = self->emu;

	ASSERT_EQ(0, emu_thread_name(self->th[0], "a\tname\nwith lines \xc3"));
	ASSERT_EQ(0, emu_thread_name(self->th[1], ""));
	ASSERT_EQ(0, emu_proc_name(self->proc, "bash"));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_NE(0, emu_finish(emu));
	slurp(self->dir, "thread.row", self->text);
	EXPECT_STREQ("LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 2\n"
		     "TH 1.101 bash/a name with lines ?\nTH 1.102 bash/\n", self->text);
	slurp(self->dir, "cpu.row", self->text);
	EXPECT_STREQ("LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 3\n"
		     " CPU 0.2\n CPU 0.4\nvCPU 0.*\n", self->text);
	slurp(self->dir, "thread.pcf", self->text);
	EXPECT_NE(NULL, strstr(self->text, "\n101  101 a name with lines ?\n102  102 -\n"));
	slurp(self->dir, "cpu.pcf", self->text);
	EXPECT_NE(NULL, strstr(self->text, "RUNNING thread\nVALUES\n100  100 bash\n"));
}

static const char *row_of(struct _test_data_feed *self, const char *thread, const char *process)
{
	struct emu *emu = self->emu;

	if ((thread && emu_thread_name(self->th[0], thread)) ||
	    (process && emu_proc_name(self->proc, process)) || emu_freeze(emu, self->dir) ||
	    !emu_finish(emu))
		return "";
	slurp(self->dir, "thread.row", self->text);
	return strstr(self->text, "TH ");
}

/* Where some have a name, the others have a label, too: their number. */
TEST_F(feed, labels_of_all_threads_or_none)
{
	row_of(self, "cc1", NULL);
	slurp(self->dir, "thread.pcf", self->text);
	EXPECT_NE(NULL, strstr(self->text, "VALUES\n101  101 cc1\n102  102\n\n"));
	slurp(self->dir, "cpu.pcf", self->text);
	EXPECT_NE(NULL, strstr(self->text, "PID of the RUNNING thread\nVALUES\n\n"));
}

TEST_F(feed, row_of_a_thread_without_names)
{
	EXPECT_STREQ("TH 1.101\nTH 1.102\n", row_of(self, NULL, NULL));
}

TEST_F(feed, row_of_a_thread_with_its_own_name)
{
	EXPECT_STREQ("TH 1.101 caf\xc3\xa9\nTH 1.102\n", row_of(self, "caf\xc3\xa9", NULL));
}

TEST_F(feed, row_of_a_thread_with_the_name_of_its_process)
{
	EXPECT_STREQ("TH 1.101 make\nTH 1.102 make/\n", row_of(self, "make", "make"));
}

TEST_F(feed, row_of_a_thread_within_a_process)
{
	EXPECT_STREQ("TH 1.101 make/cc1\nTH 1.102 make/\n", row_of(self, "cc1", "make"));
}

TEST_F(feed, refused_events)
{
	struct emu *emu = self->emu;
	struct emu_thread *th = self->th[0];
	s32 cpu[2] = { 9, 101 };

	ASSERT_EQ(0, emu_mark_add(emu, 7, "single", EMU_MARK_SINGLE));
	expect_refused(_metadata, emu, execute(emu, th, 0, 0), "before emu_freeze");
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	expect_refused(_metadata, emu, execute(emu, th, 0, 2), "no CPU with index 2");
	expect_refused(_metadata, emu, event(emu, th, 0, "OHx", cpu, 2), "at least 4");
	expect_refused(_metadata, emu, event(emu, th, 0, "OHp", NULL, 0), "cannot become paused");
	expect_refused(_metadata, emu, event(emu, th, 0, "OHz", NULL, 0), "no such event");
	expect_refused(_metadata, emu, event(emu, th, 0, "VTx", NULL, 0),
		       "no thread requires the nosv");
	expect_refused(_metadata, emu, event(emu, th, 0, "\1Tx", NULL, 0), "unknown model");
	expect_refused(_metadata, emu, event(emu, th, 0, "KCI", NULL, 0), "stack is empty");
	expect_refused(_metadata, emu, event(emu, th, 0, "OAs", cpu, 4), "it is unknown");
	expect_refused(_metadata, emu, event(emu, th, 0, "OF]", NULL, 0), "this state already");
	expect_refused(_metadata, emu, mark(emu, th, 0, "OM[", 1, 7), "stack");
	expect_refused(_metadata, emu, mark(emu, th, 0, "OM=", 0, 7), "0 is not a value");
	expect_refused(_metadata, emu, mark(emu, th, 0, "OM=", 1, 8), "not declared");
	expect_refused(_metadata, emu, mark(emu, th, 0, "OM=", 1, -1), "not declared");
	ASSERT_EQ(0, execute(emu, th, 10, 0));
	expect_refused(_metadata, emu, execute(emu, th, 10, 0), "running already");
	expect_refused(_metadata, emu, event(emu, th, 9, "OHp", NULL, 0), "goes back");
	expect_refused(_metadata, emu, event(emu, th, 10, "OAr", cpu, 8), "no CPU with index 9");
	expect_refused(_metadata, emu, event(emu, th, 10, "OAr", cpu, 4), "8 expected");
	cpu[0] = 0;
	expect_refused(_metadata, emu, event(emu, th, 10, "OAr", cpu, 8), "already");
	ASSERT_EQ(0, event(emu, th, 11, "KCO", NULL, 0));
	expect_refused(_metadata, emu, event(emu, th, 11, "KCO", NULL, 0), "this state already");
	expect_refused(_metadata, emu, event(emu, th, 11, "OHp", NULL, 0), "out of the CPU");
	ASSERT_EQ(0, event(emu, th, 12, "KCI", NULL, 0));
	expect_refused(_metadata, emu, execute(emu, self->th[1], 12, 0),
		       "physical CPU \" CPU 0.4\" has 2 threads");
	expect_refused(_metadata, emu, event(emu, th, 12, "KL]", NULL, 0), "no such event");
}

TEST_F(feed, refused_events_of_cpus)
{
	struct emu *emu = self->emu;
	struct emu_cpu *c = emu_cpu_find(emu_loom_add(emu, "node.0"), 0);

	expect_refused(_metadata, emu, cpu_event(emu, c, 0, "KL[", 1), "before emu_freeze");
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	expect_refused(_metadata, emu, cpu_event(emu, c, 0, "KL]", 0), "this state already");
	expect_refused(_metadata, emu, cpu_event(emu, c, 0, "KL[", 0), "payload of 0 bytes");
	expect_refused(_metadata, emu, cpu_event(emu, c, 0, "KCO", 1), "a CPU has no such event");
	expect_refused(_metadata, emu, cpu_event(emu, c, 0, "OHe", 0), "no such event");
	expect_refused(_metadata, emu, cpu_event(emu, c, 0, "XTx", 0), "unknown model");
	expect_refused(_metadata, emu, cpu_event(emu, c, 0, "KWx", 1), "a CPU has no such event");
	ASSERT_EQ(0, cpu_event(emu, c, 5, "KL[", 1));
	expect_refused(_metadata, emu, cpu_event(emu, c, 5, "KL[", 1), "this state already");
	expect_refused(_metadata, emu, cpu_event(emu, c, 4, "KL]", 0), "goes back");
}

TEST_F(feed, refused_declarations)
{
	struct emu *emu = self->emu;
	struct emu_loom *loom = emu_loom_add(emu, "node.0");

	EXPECT_EQ(NULL, emu_thread_add(self->proc, 101));
	EXPECT_EQ(NULL, emu_thread_add(self->proc, 0));
	EXPECT_EQ(NULL, emu_proc_add(loom, -1));
	EXPECT_EQ(self->proc, emu_proc_add(loom, 100));
	EXPECT_NE(0, emu_proc_app(self->proc, 2));
	EXPECT_NE(0, emu_proc_rank(self->proc, 3, 3));
	EXPECT_EQ(0, emu_cpu_add(loom, 0, 4));
	EXPECT_NE(0, emu_cpu_add(loom, 0, 5));
	EXPECT_NE(0, emu_cpu_add(loom, 3, 4));
	EXPECT_NE(0, emu_require(emu, "kernel", "2.0.0"));
	EXPECT_NE(0, emu_require(emu, "kernel", "1.0"));
	EXPECT_EQ(0, emu_require(emu, "kernel", "1.0.9-x"));
	ASSERT_EQ(0, emu_cpu_add(loom, 3, 6));
	EXPECT_NE(0, emu_freeze(emu, self->dir));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "none with index 2"));
}

/* Two threads on the virtual CPU: nothing upstream, 777 if asked for. */
TEST_F(feed, too_many_threads_shown)
{
	struct emu *emu = self->emu;

	emu_options(emu, EMU_SHOW_ERRORS);
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, self->th[0], 0, -1));
	ASSERT_EQ(0, execute(emu, self->th[1], 1, -1));
	ASSERT_EQ(0, event(emu, self->th[0], 2, "OHe", NULL, 0));
	ASSERT_EQ(0, event(emu, self->th[1], 3, "OHe", NULL, 0));
	ASSERT_EQ(0, emu_finish(emu));
	slurp(self->dir, "cpu.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, "2:0:1:1:3:1:45:777\n"));
	EXPECT_NE(NULL, strstr(self->text, "2:0:1:1:3:2:45:0\n"));
	EXPECT_NE(NULL, strstr(slurp(self->dir, "cpu.pcf", self->text), "\n777  "));
}

/* No matter what a model does with it, so a channel is written by hand. */
TEST_F(feed, punctual)
{
	struct emu *emu = self->emu;
	struct emu_thread *th = self->th[0];
	struct chan *c;

	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, th, 0, 0));
	ASSERT_EQ(0, event(emu, th, 10, "OB1", NULL, 0));
	c = emu_thread_chan(emu, th, MODEL_ID_KERNEL, 0);
	ASSERT_EQ(0, chan_ev(&emu->dirty, c, 9));
	ASSERT_EQ(0, emit_event(emu));
	ASSERT_EQ(0, event(emu, th, 20, "OHe", NULL, 0));
	EXPECT_NE(0, emu_finish(emu));
	slurp(self->dir, "thread.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, "2:0:1:1:1:9:45:9\n2:0:1:1:1:10:45:0\n"));
	slurp(self->dir, "cpu.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, "2:0:1:1:2:9:45:9\n2:0:1:1:2:10:45:0\n"));
}

/* More threads than Paraver has numbers: a part each 65,535, with the same labels. */
TEST_F(feed, too_many_rows_are_drawn_in_parts)
{
	enum { THREADS = EMU_PART_ROWS + 3 };
	static struct emu_thread *th[THREADS];
	struct emu *emu = self->emu;
	int i;

	th[0] = self->th[0];
	th[1] = self->th[1];
	for (i = 2; i < THREADS; i++) {
		th[i] = emu_thread_add(self->proc, 101 + i);
		ASSERT_NE(NULL, th[i]);
	}
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, execute(emu, th[i], 10, -1));
	for (i = 0; i < THREADS; i++)
		ASSERT_EQ(0, event(emu, th[i], 20, "OHe", NULL, 0));
	ASSERT_EQ(0, emu_finish(emu));

	slurp(self->dir, "thread-2.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, ":00000000000000000010_ns:0:1:1(3:1)\n2:"));
	EXPECT_NE(NULL, strstr(self->text, "2:0:1:1:1:0:2:65636\n"));
	EXPECT_NE(NULL, strstr(self->text, "2:0:1:1:3:0:2:65638\n"));
	EXPECT_EQ(NULL, strstr(self->text, "2:0:1:1:4:"));
	EXPECT_STREQ("LEVEL NODE SIZE 1\nhostname\n\nLEVEL THREAD SIZE 3\nTH 1.65636\n"
		     "TH 1.65637\nTH 1.65638\n",
		     slurp(self->dir, "thread-2.row", self->text));
	slurp(self->dir, "thread.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, ":00000000000000000010_ns:0:1:1(65535:1)\n2:"));
	EXPECT_EQ(NULL, strstr(self->text, ":65536:"));
	slurp(self->dir, "thread-2.pcf", self->text);
	EXPECT_NE(NULL, strstr(self->text, "Thread: thread state"));
	EXPECT_EQ(0, clear_in(self->dir, emu_names_clear));
}

TEST_HARNESS_MAIN
