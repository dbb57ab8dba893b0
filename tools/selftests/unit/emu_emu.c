// SPDX-License-Identifier: GPL-2.0-only
/* The emulator fed directly: what is accepted, what is drawn. */
#define _GNU_SOURCE	/* for the harness */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/cfg.h"
#include "emu/core.h"
#include "emu/emit.h"
#include "emu/emu.h"
#include "trace/activity.h"
#include "trace/missing.h"
#include "trace/offcpu.h"
#include "emu/name.h"
#include "kselftest_harness.h"

#define FILE_ROOM 65536

FIXTURE(feed)
{
	struct emu *emu;
	struct emu_proc *proc;
	struct emu_thread *th[2];
	char dir[64];
	char text[FILE_ROOM];
};

FIXTURE_SETUP(feed)
{
	struct emu_loom *loom;

	strcpy(self->dir, "/tmp/emu_feed.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->emu = emu_create();
	ASSERT_NE(NULL, self->emu);
	ASSERT_EQ(0, emu_require(self->emu, "kernel", "1.0.0"));
	loom = emu_loom_add(self->emu, "node.0");
	ASSERT_NE(NULL, loom);
	ASSERT_EQ(0, emu_cpu_add(loom, 0, 4));
	ASSERT_EQ(0, emu_cpu_add(loom, 1, 2));
	self->proc = emu_proc_add(loom, 100);
	ASSERT_NE(NULL, self->proc);
	ASSERT_EQ(0, emu_proc_app(self->proc, 1));
	self->th[1] = emu_thread_add(self->proc, 102);
	self->th[0] = emu_thread_add(self->proc, 101);
	ASSERT_NE(NULL, self->th[0]);
	ASSERT_NE(NULL, self->th[1]);
}

FIXTURE_TEARDOWN(feed)
{
	static const char *const name[] = {
		"thread.prv", "thread.pcf", "thread.row", "cpu.prv", "cpu.pcf", "cpu.row",
	};
	char path[128];
	u32 i;

	emu_destroy(self->emu);
	cfg_clear(self->dir);
	for (i = 0; i < ARRAY_SIZE(name); i++) {
		snprintf(path, sizeof(path), "%s/%s", self->dir, name[i]);
		unlink(path);
	}
	rmdir(self->dir);
}

static int event(struct emu *emu, struct emu_thread *th, u64 clock, const char *mcv,
		 const void *payload, u32 size)
{
	struct ovni_ev ev = { .clock = clock, .size = size, .payload = payload };

	memcpy(ev.mcv, mcv, 3);
	return emu_event(emu, th, &ev);
}

static int execute(struct emu *emu, struct emu_thread *th, u64 clock, s32 cpu)
{
	u8 payload[16] = { 0 };

	memcpy(payload, &cpu, sizeof(cpu));
	return event(emu, th, clock, "OHx", payload, sizeof(payload));
}

static int mark(struct emu *emu, struct emu_thread *th, u64 clock, const char *mcv, s64 value,
		s32 type)
{
	u8 payload[12];

	memcpy(payload, &value, sizeof(value));
	memcpy(payload + sizeof(value), &type, sizeof(type));
	return event(emu, th, clock, mcv, payload, sizeof(payload));
}

static const char *slurp(const char *dir, const char *name, char *text)
{
	char path[128];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (f) {
		n = fread(text, 1, FILE_ROOM - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return text;
}

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

TEST_F(feed, marks)
{
	struct emu *emu = self->emu;

	ASSERT_EQ(0, emu_mark_add(emu, 7, "faults", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_mark_add(emu, 3, "calls", EMU_MARK_STACK));
	ASSERT_EQ(0, emu_mark_add(emu, 3, "calls", EMU_MARK_STACK));
	EXPECT_NE(0, emu_mark_add(emu, 3, "calls", EMU_MARK_SINGLE));
	EXPECT_NE(0, emu_mark_add(emu, 3, "others", EMU_MARK_STACK));
	EXPECT_NE(0, emu_mark_add(emu, 100, "too large", EMU_MARK_STACK));
	EXPECT_NE(0, emu_mark_label(emu, 4, 1, "undeclared"));
	ASSERT_EQ(0, emu_mark_label(emu, 7, 5, "five"));
	ASSERT_EQ(0, emu_mark_label(emu, 7, 5, "five"));
	EXPECT_NE(0, emu_mark_label(emu, 7, 5, "six"));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, self->th[0], 0, 0));
	ASSERT_EQ(0, mark(emu, self->th[0], 1, "OM=", 5, 7));
	ASSERT_EQ(0, mark(emu, self->th[0], 2, "OM=", 5, 7));
	ASSERT_EQ(0, mark(emu, self->th[0], 3, "OM[", 1, 3));
	ASSERT_NE(0, mark(emu, self->th[0], 4, "OM]", 2, 3));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "another state"));
	EXPECT_NE(0, emu_finish(emu));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "another state"));
	slurp(self->dir, "thread.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, ":0:107:0\n2:0:1:1:1:0:103:0\n2:0:1:1:1:1:107:5\n"
			       "2:0:1:1:1:2:107:5\n2:0:1:1:1:3:103:1\n"));
}

static void expect_refused(struct __test_metadata *_metadata, struct emu *emu, int ret,
			   const char *why)
{
	EXPECT_NE(0, ret);
	EXPECT_NE(NULL, strstr(emu_reason(emu), why)) {
		TH_LOG("reason: %s", emu_reason(emu));
	}
	/* Forgive, so that the next event can be tried. */
	chan_dirty_clear(&emu->dirty);
	emu->failed = false;
	emu->open = emu->frozen;
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
		       "physical CPU ' CPU 0.4' has 2 threads");
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

	emu_show_errors(emu);
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

/* Lines never go back in time, punctual states or not. */
static void expect_sorted(struct __test_metadata *_metadata, const char *text)
{
	unsigned long long time, before = 0;

	while ((text = strchr(text, '\n')) && text[1]) {
		text++;
		ASSERT_EQ(1, sscanf(text, "2:0:1:1:%*u:%llu:", &time));
		EXPECT_LE(before, time);
		before = time;
	}
}

static int activity_add(struct emu *emu, enum ovni_activity which)
{
	const struct ovni_activity_desc *what = &ovni_activities[which];
	int ret;

	ret = emu_mark_add(emu, what->mark, what->title,
			   what->shape == OVNI_SHAPE_STATE ? EMU_MARK_STACK : EMU_MARK_SINGLE);
	return ret ? ret : emu_mark_activity(emu, what->mark, what->key);
}

TEST_F(feed, activities)
{
	static const char thread[] =
		"2:0:1:1:1:10:302:2\n"
		"2:0:1:1:1:20:4:2\n"
		"2:0:1:1:1:20:2:0\n"
		"2:0:1:1:1:20:45:3\n"
		"2:0:1:1:1:30:45:0\n"
		"2:0:1:1:1:30:4:1\n"
		"2:0:1:1:1:30:2:101\n"
		"2:0:1:1:1:39:307:4096\n"
		"2:0:1:1:1:40:307:0\n"
		"2:0:1:1:1:40:302:0\n"
		"2:0:1:1:1:49:307:904\n"
		"2:0:1:1:1:50:307:0\n"
		"2:0:1:1:1:60:312:100\n";
	static const char cpu[] =
		"2:0:1:1:2:10:302:2\n"
		"2:0:1:1:2:20:2:0\n"
		"2:0:1:1:2:20:1:0\n"
		"2:0:1:1:2:20:3:0\n"
		"2:0:1:1:2:20:302:0\n"
		"2:0:1:1:2:30:2:101\n"
		"2:0:1:1:2:30:1:100\n"
		"2:0:1:1:2:30:3:1\n"
		"2:0:1:1:2:30:302:2\n"
		"2:0:1:1:2:39:307:4096\n"
		"2:0:1:1:2:40:307:0\n"
		"2:0:1:1:2:40:302:0\n"
		"2:0:1:1:2:49:307:904\n"
		"2:0:1:1:2:50:307:0\n";
	struct emu *emu = self->emu;
	struct emu_thread *th = self->th[0];

	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_FAULT));
	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_BYTES_READ));
	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_MAPPED));
	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_COW_BREAKS));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, th, 1000, 0));
	ASSERT_EQ(0, mark(emu, th, 1010, "OM[", OVNI_FAULT_WRITE, OVNI_MARK_FAULT));
	/* It waits for its page: its row says why, the CPU's is free for others. */
	ASSERT_EQ(0, event(emu, th, 1020, "OHp", NULL, 0));
	ASSERT_EQ(0, event(emu, th, 1020, "KCO", NULL, 0));
	ASSERT_EQ(0, event(emu, th, 1030, "KCI", NULL, 0));
	ASSERT_EQ(0, event(emu, th, 1030, "OHr", NULL, 0));
	ASSERT_EQ(0, mark(emu, th, 1040, "OM=", 4096, OVNI_MARK_BYTES_READ));
	ASSERT_EQ(0, mark(emu, th, 1040, "OM]", OVNI_FAULT_WRITE, OVNI_MARK_FAULT));
	ASSERT_EQ(0, mark(emu, th, 1050, "OM=", 5000, OVNI_MARK_BYTES_READ));
	ASSERT_EQ(0, mark(emu, th, 1060, "OM=", 5000, OVNI_MARK_BYTES_READ));
	ASSERT_EQ(0, mark(emu, th, 1060, "OM=", 100, OVNI_MARK_MAPPED));
	/* No room before: in an instant that has lines, a step takes no time. */
	ASSERT_EQ(0, mark(emu, th, 1060, "OM=", 5001, OVNI_MARK_BYTES_READ));
	ASSERT_EQ(0, event(emu, th, 1070, "OHe", NULL, 0));
	ASSERT_EQ(0, execute(emu, self->th[1], 1080, 1));
	ASSERT_EQ(0, event(emu, self->th[1], 1090, "OHe", NULL, 0));
	ASSERT_EQ(0, emu_finish(emu));

	slurp(self->dir, "thread.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, thread));
	EXPECT_NE(NULL, strstr(self->text, "\n2:0:1:1:1:60:307:1\n2:0:1:1:1:60:307:0\n"));
	EXPECT_NE(NULL, strstr(self->text, "\n2:0:1:1:1:70:312:0\n"));
	EXPECT_EQ(NULL, strstr(self->text, ":18"));
	EXPECT_EQ(NULL, strstr(self->text, ":309:"));
	expect_sorted(_metadata, self->text);
	slurp(self->dir, "thread.pcf", self->text);
	EXPECT_NE(NULL, strstr(self->text, "0 302        Page fault\nVALUES\n1    Read\n"));
	EXPECT_EQ(NULL, strstr(self->text, "309"));
	slurp(self->dir, "cpu.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, cpu));
	EXPECT_EQ(NULL, strstr(self->text, ":312:"));
	expect_sorted(_metadata, self->text);
}

TEST_F(feed, views_of_what_is_drawn)
{
	struct emu *emu = self->emu;

	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_BYTES_READ));
	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_BYTES_WRITTEN));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, self->th[0], 0, 0));
	ASSERT_EQ(0, mark(emu, self->th[0], 10, "OM=", 1, OVNI_MARK_BYTES_READ));
	ASSERT_NE(0, emu_finish(emu));
	slurp(self->dir, "cfg/cpu/bytes_read.cfg", self->text);
	EXPECT_EQ(0, strncmp(self->text, "#ParaverCFG\n", 12));
	EXPECT_NE(NULL, strstr(self->text, "\nwindow_filter_module evt_type 1 307\n"));
	slurp(self->dir, "cfg/thread/bytes_read.cfg", self->text);
	EXPECT_NE(NULL, strstr(self->text, "\nwindow_filter_module evt_type 1 307\n"));
	EXPECT_STREQ("", slurp(self->dir, "cfg/cpu/bytes_written.cfg", self->text));
	EXPECT_EQ(0, cfg_check(self->dir));
	EXPECT_EQ(0, cfg_clear(self->dir));
	EXPECT_STREQ("", slurp(self->dir, "cfg/cpu/bytes_read.cfg", self->text));
	EXPECT_EQ(0, cfg_clear(self->dir));
}

TEST_F(feed, refused_activities)
{
	struct emu *emu = self->emu;

	ASSERT_EQ(0, emu_mark_add(emu, 1, "single", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_mark_add(emu, 2, "stack", EMU_MARK_STACK));
	EXPECT_EQ(0, emu_mark_activity(emu, 1, "of a later ovnik"));
	EXPECT_NE(0, emu_mark_activity(emu, 3, "bytes_read"));
	EXPECT_NE(0, emu_mark_activity(emu, 2, "bytes_read"));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "no 'bytes_read' by its chan_type"));
	EXPECT_NE(0, emu_mark_activity(emu, 1, "page_fault"));
	EXPECT_EQ(0, emu_mark_activity(emu, 1, "bytes_read"));
	EXPECT_EQ(0, emu_mark_activity(emu, 1, "bytes_read"));
	EXPECT_NE(0, emu_mark_activity(emu, 1, "bytes_written"));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	EXPECT_NE(0, emu_mark_activity(emu, 2, "page_fault"));
	ASSERT_EQ(0, execute(emu, self->th[0], 0, 0));
	expect_refused(_metadata, emu, mark(emu, self->th[0], 1, "OM=", 0, 1), "0 is not a value");
	expect_refused(_metadata, emu, mark(emu, self->th[0], 1, "OM[", 5, 1), "single");
	/* A count that goes back begins anew; one that stays says nothing. */
	ASSERT_EQ(0, mark(emu, self->th[0], 10, "OM=", 70, 1));
	ASSERT_EQ(0, mark(emu, self->th[0], 20, "OM=", 7, 1));
	ASSERT_EQ(0, mark(emu, self->th[0], 30, "OM=", 7, 1));
	EXPECT_NE(0, emu_finish(emu));
	slurp(self->dir, "thread.prv", self->text);
	EXPECT_NE(NULL, strstr(self->text, "\n2:0:1:1:1:9:307:70\n2:0:1:1:1:10:307:0\n"
			       "2:0:1:1:1:19:307:7\n2:0:1:1:1:20:307:0\n"));
	EXPECT_EQ(NULL, strstr(self->text, ":30:307"));
}

/* Of what is counted, nothing can be taken away; of a single that is none of ours it can. */
TEST_F(feed, refused_negative_activities)
{
	struct emu *emu = self->emu;
	struct emu_thread *th = self->th[0];

	/* A merged trace has it where the application left room. */
	ASSERT_EQ(0, emu_mark_add(emu, 11, "single", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_mark_activity(emu, 11, "bytes_read"));
	ASSERT_EQ(0, activity_add(emu, OVNI_ACTIVITY_MAPPED));
	ASSERT_EQ(0, emu_mark_add(emu, 1, "single", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_freeze(emu, self->dir));
	ASSERT_EQ(0, execute(emu, th, 0, 0));
	expect_refused(_metadata, emu, mark(emu, th, 1, "OM=", -1, 11), "negative");
	expect_refused(_metadata, emu, mark(emu, th, 1, "OM=", -1, 11), "mark 11:");
	expect_refused(_metadata, emu, mark(emu, th, 1, "OM=", INT64_MIN, OVNI_MARK_MAPPED),
		       "negative");
	EXPECT_EQ(0, mark(emu, th, 1, "OM=", -1, 1));
}

TEST_F(feed, refused_activity_of_two_marks)
{
	struct emu *emu = self->emu;

	ASSERT_EQ(0, emu_mark_add(emu, 11, "single", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_mark_add(emu, 12, "another", EMU_MARK_SINGLE));
	ASSERT_EQ(0, emu_mark_activity(emu, 11, "bytes_read"));
	EXPECT_NE(0, emu_mark_activity(emu, 12, "bytes_read"));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "bytes_read"));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "11"));
	EXPECT_NE(NULL, strstr(emu_reason(emu), "12"));
	EXPECT_EQ(0, emu_mark_activity(emu, 12, "bytes_written"));
}

/* Every row of the table has a type, mark and key of its own. */
TEST(activity_table)
{
#define TYPE(name, mark, type, ...) type,
	static const u32 type[] = { OVNI_ACTIVITY_TABLE(TYPE) };
#undef TYPE
	u32 i, j;

	for (i = 0; i < OVNI_NR_ACTIVITIES; i++) {
		const struct ovni_activity_desc *a = &ovni_activities[i];

		EXPECT_EQ(a, ovni_activity_find(a->key));
		EXPECT_LE(302, type[i]);
		for (j = 0; j < i; j++) {
			EXPECT_NE(a->mark, ovni_activities[j].mark);
			EXPECT_NE(type[i], type[j]);
		}
	}
	EXPECT_EQ(NULL, ovni_activity_find(""));
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
	EXPECT_EQ(0, emu_names_clear(self->dir));
}

TEST(names_of_what_is_drawn)
{
	static const char *const ours[] = {
		"thread.prv", "thread.prv.gz", "thread.pcf", "cpu.row", "thread-2.prv", "cpu-10.prv.gz",
		"thread-2.row", "nosv-breakdown.prv", "openmp-breakdown.pcf",
	};
	static const char *const others[] = {
		"", "thread", "thread.prv.bz2", "thread-.prv", "thread-0.prv", "thread-1.prv",
		"thread-2", "thread-2x.prv", "threads.prv", "cpu-2-3.prv", "laplace.txt", "thread-02.prv",
		"thread-99999999999999.prv", "nosv.prv",
	};
	char name[EMU_NAME_MAX];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ours); i++)
		EXPECT_TRUE(emu_name_is_drawn(ours[i]));
	for (i = 0; i < ARRAY_SIZE(others); i++)
		EXPECT_FALSE(emu_name_is_drawn(others[i]));
	EXPECT_STREQ("cpu.prv", emu_name(name, "cpu", 0, ".prv"));
	EXPECT_STREQ("thread-11.pcf", emu_name(name, "thread", 10, ".pcf"));
	EXPECT_TRUE(emu_name_is_drawn(emu_name(name, "thread", ~0u - 1, ".prv.gz")));
}

TEST_HARNESS_MAIN
