// SPDX-License-Identifier: GPL-2.0-only
/*
 * The specification of channels, sentence by sentence, from events to lines: a model
 * made for it, with channels of every kind, takes the place of NODES'. What a
 * single channel does by itself is in emu_chan.c.
 */
#define _GNU_SOURCE	/* for the harness */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/cfg.h"
#include "emu/core.h"
#include "emu/emu.h"
#include "emu/name.h"
#include "../fixture/belowfix.h"
#include "kselftest_harness.h"

#define TEXT_ROOM 16384

/* Channels: what thread rows and CPU rows follow. */
enum {
	NONE_RUNNING,
	RUNNING_RUNNING,
	ACTIVE_ACTIVE,
	RUNNING_ACTIVE,
	STACK,
	NR_CHANS
};

#define TYPE(chan) (400 + (chan))

/* Rows. */
enum { TH_A = 1, TH_B = 2 };
enum { CPU_A = 1, CPU_B = 2, VCPU = 3 };

#define CHAN(id, what, on_thread, on_cpu)	\
	[id] = {				\
		.name = #id,			\
		.label = #id,			\
		.type = TYPE(id),		\
		.kind = what,			\
		.flags = PRV_SKIP_DUP,		\
		.thread = on_thread,		\
		.cpu = on_cpu,			\
	}

static const struct model_chan chans[NR_CHANS] = {
	CHAN(NONE_RUNNING, CHAN_SINGLE, TRACK_NONE, TRACK_RUNNING),
	CHAN(RUNNING_RUNNING, CHAN_SINGLE, TRACK_RUNNING, TRACK_RUNNING),
	CHAN(ACTIVE_ACTIVE, CHAN_SINGLE, TRACK_ACTIVE, TRACK_ACTIVE),
	CHAN(RUNNING_ACTIVE, CHAN_SINGLE, TRACK_RUNNING, TRACK_ACTIVE),
	CHAN(STACK, CHAN_STACK, TRACK_NONE, TRACK_RUNNING),
};

static int punctual(struct emu *emu, struct emu_thread *th, const struct ovni_ev *ev)
{
	(void)ev;
	return chan_ev(&emu->dirty, emu_thread_chan(emu, th, MODEL_ID_NODES, NONE_RUNNING), 9);
}

/* foo() and bar() are those of the specification's example. */
static const struct model_event events[] = {
	{ .mcv = "Xn7", .op = OP_SET, .chan = NONE_RUNNING, .state = 7 },
	{ .mcv = "Xn8", .op = OP_SET, .chan = NONE_RUNNING, .state = 8 },
	{ .mcv = "Xn0", .op = OP_CLEAR, .chan = NONE_RUNNING },
	{ .mcv = "Xne", .call = punctual },
	{ .mcv = "Xr7", .op = OP_SET, .chan = RUNNING_RUNNING, .state = 7 },
	{ .mcv = "Xr8", .op = OP_SET, .chan = RUNNING_RUNNING, .state = 8 },
	{ .mcv = "Xa7", .op = OP_SET, .chan = ACTIVE_ACTIVE, .state = 7 },
	{ .mcv = "Xb7", .op = OP_SET, .chan = RUNNING_ACTIVE, .state = 7 },
	{ .mcv = "Xf[", .op = OP_PUSH, .chan = STACK, .state = 1 },
	{ .mcv = "Xf]", .op = OP_POP, .chan = STACK, .state = 1 },
	{ .mcv = "Xg[", .op = OP_PUSH, .chan = STACK, .state = 2 },
	{ .mcv = "Xg]", .op = OP_POP, .chan = STACK, .state = 2 },
};

static const struct model model_x = {
	.name = "nodes",
	.letter = 'X',
	.major = 1,
	.id = MODEL_ID_NODES,
	.chans = chans,
	.nchans = NR_CHANS,
	.events = events,
	.nevents = ARRAY_SIZE(events),
};

FIXTURE(spec)
{
	struct emu *emu;
	struct emu_thread *th[3];
	u64 clock;
	char dir[64];
	char text[TEXT_ROOM];
	char got[TEXT_ROOM];
};

FIXTURE_SETUP(spec)
{
	struct emu_loom *loom;
	struct emu_proc *proc;
	struct model_run *run;

	strcpy(self->dir, "/tmp/emu_spec.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->emu = emu_create();
	ASSERT_NE(NULL, self->emu);
	run = &self->emu->run[MODEL_ID_NODES];
	model_run_free(run);
	ASSERT_EQ(0, model_compile(run, &model_x));
	run->on = true;
	loom = emu_loom_add(self->emu, "node.0");
	ASSERT_NE(NULL, loom);
	ASSERT_EQ(0, emu_cpu_add(loom, 0, 0));
	ASSERT_EQ(0, emu_cpu_add(loom, 1, 1));
	proc = emu_proc_add(loom, 100);
	ASSERT_NE(NULL, proc);
	ASSERT_EQ(0, emu_proc_app(proc, 1));
	self->th[TH_A] = emu_thread_add(proc, 101);
	self->th[TH_B] = emu_thread_add(proc, 102);
	emu_options(self->emu, EMU_SHOW_ERRORS);
	ASSERT_EQ(0, emu_freeze(self->emu, self->dir));
}

FIXTURE_TEARDOWN(spec)
{
	emu_destroy(self->emu);
	clear_in(self->dir, cfg_clear);
	EXPECT_EQ(0, clear_in(self->dir, emu_names_clear));
	rmdir(self->dir);
}

/* An event of a thread, 10 ns after the last one. */
static int event(struct _test_data_spec *self, int th, const char *mcv)
{
	struct ovni_ev ev = { .clock = self->clock };

	memcpy(ev.mcv, mcv, 3);
	self->clock += 10;
	return emu_event(self->emu, self->th[th], &ev);
}

static int to_cpu(struct _test_data_spec *self, int th, const char *mcv, s32 cpu)
{
	u8 payload[16] = { 0 };
	struct ovni_ev ev = { .clock = self->clock, .payload = payload };

	ev.size = mcv[1] == 'A' ? sizeof(cpu) : sizeof(payload);
	memcpy(ev.mcv, mcv, 3);
	memcpy(payload, &cpu, sizeof(cpu));
	self->clock += 10;
	return emu_event(self->emu, self->th[th], &ev);
}

/* "TIME:VALUE TIME:VALUE ..." of a row and type, as the file says it now. */
static const char *shown(struct _test_data_spec *self, const char *name, int row, int type)
{
	char *line, *rest = self->text;
	char path[128], *to = self->got;
	unsigned int got_row, got_type;
	long long time, value;
	size_t n = 0;
	FILE *f;

	*to = '\0';
	snprintf(path, sizeof(path), "%s/%s", self->dir, name);
	f = fopen(path, "r");
	if (f) {
		n = fread(self->text, 1, TEXT_ROOM - 1, f);
		fclose(f);
	}
	self->text[n] = '\0';
	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "2:0:1:1:%u:%lld:%u:%lld", &got_row, &time, &got_type,
			   &value) == 4 &&
		    got_row == (unsigned int)row && got_type == (unsigned int)type)
			to += sprintf(to, "%s%lld:%lld", to == self->got ? "" : " ", time, value);
	}
	return self->got;
}

/* Accepted: all threads have ended. What is drawn can be seen if not, too. */
#define FINISH()	ASSERT_EQ(0, emu_finish(self->emu))
#define DRAWN()		ASSERT_NE(0, emu_finish(self->emu))
#define ON_THREAD(row, type, want) EXPECT_STREQ(want, shown(self, "thread.prv", row, type))
#define ON_CPU(row, type, want) EXPECT_STREQ(want, shown(self, "cpu.prv", row, type))

/*
 * "when a thread goes from running to paused it must update the CHAN_OVNI_STATE channel
 * of the thread by also the CHAN_OVNI_NRTHREADS channel of the CPU"
 */
TEST_F(spec, pausing_updates_thread_and_cpu)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "OHp"));
	ASSERT_EQ(0, event(self, TH_A, "OHr"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	ASSERT_EQ(0, to_cpu(self, TH_B, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_B, "OHe"));
	FINISH();
	ON_THREAD(TH_A, 4, "0:1 10:2 20:1 30:3");
	ON_CPU(CPU_A, 3, "0:1 10:0 20:1 30:0 40:1 50:0");
}

/* "the emulator calls the chan_emit() method on those channels that have been modified" */
TEST_F(spec, only_what_was_modified_is_emitted)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "Xn7"));
	/* The post phase has cleaned up. */
	EXPECT_EQ(0, self->emu->dirty.end - self->emu->dirty.list);
	ASSERT_EQ(0, event(self, TH_A, "OHC"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	ASSERT_EQ(0, to_cpu(self, TH_B, "OHx", 1));
	ASSERT_EQ(0, event(self, TH_B, "OHe"));
	FINISH();
	ON_THREAD(TH_A, TYPE(NONE_RUNNING), "10:7");
	EXPECT_EQ(NULL, strstr(self->text, "2:0:1:1:1:20:"));
	EXPECT_EQ(NULL, strstr(self->text, "2:0:1:1:2:10:"));
}

/*
 * "the CPU channel CHAN_OVNI_TID tracks the TID of the thread currently running in the
 * CPU. When there is no thread running or there are multiple threads running in the same
 * CPU, this channel cannot output valid information"
 */
TEST_F(spec, tid_of_a_cpu_needs_one_running_thread)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", -1));
	ASSERT_EQ(0, to_cpu(self, TH_B, "OHx", -1));
	ASSERT_EQ(0, event(self, TH_A, "OHp"));
	ASSERT_EQ(0, event(self, TH_B, "OHp"));
	ASSERT_EQ(0, event(self, TH_A, "OHr"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	ASSERT_EQ(0, event(self, TH_B, "OHr"));
	ASSERT_EQ(0, event(self, TH_B, "OHe"));
	FINISH();
	ON_CPU(VCPU, 2, "0:101 10:0 20:102 30:0 40:101 50:0 60:102 70:0");
	ON_CPU(VCPU, 3, "0:1 10:2 20:1 30:0 40:1 50:0 60:1 70:0");
}

/* "CHAN_TRACK_NONE: nothing to track" */
TEST_F(spec, thread_tracking_none)
{
	ASSERT_EQ(0, event(self, TH_A, "Xn7"));
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "OHp"));
	ASSERT_EQ(0, event(self, TH_A, "Xn8"));
	ASSERT_EQ(0, event(self, TH_A, "OHr"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	ASSERT_EQ(0, event(self, TH_A, "Xn0"));
	DRAWN();
	ON_THREAD(TH_A, TYPE(NONE_RUNNING), "0:7 30:8 60:0");
}

/*
 * "CHAN_TRACK_RUNNING_TH: enable the channel only if the thread is running", and "if a
 * channel was in a given state A, and was disabled, it must emit the new state is 0. When
 * the channel is enabled again, it will emit again the state A"
 */
TEST_F(spec, thread_tracking_running)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "Xr7"));
	ASSERT_EQ(0, event(self, TH_A, "OHc"));	/* 20: not running */
	ASSERT_EQ(0, event(self, TH_A, "OHp"));
	ASSERT_EQ(0, event(self, TH_A, "OHw"));
	ASSERT_EQ(0, event(self, TH_A, "OHr"));	/* 50: running */
	ASSERT_EQ(0, event(self, TH_A, "OHp"));
	ASSERT_EQ(0, event(self, TH_A, "Xr8"));	/* 70: unseen */
	ASSERT_EQ(0, event(self, TH_A, "OHr"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	DRAWN();
	ON_THREAD(TH_A, TYPE(RUNNING_RUNNING), "0:0 10:7 20:0 50:7 60:0 80:8 90:0");
}

/* "CHAN_TRACK_ACTIVE_TH: enable the channel only if the thread is running, cooling or warming" */
TEST_F(spec, thread_tracking_active)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "Xa7"));
	ASSERT_EQ(0, event(self, TH_A, "OHc"));
	ASSERT_EQ(0, event(self, TH_A, "OHp"));	/* 30: paused */
	ASSERT_EQ(0, event(self, TH_A, "OHw"));	/* 40: active again */
	ASSERT_EQ(0, event(self, TH_A, "OHr"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	DRAWN();
	ON_THREAD(TH_A, TYPE(ACTIVE_ACTIVE), "0:0 10:7 30:0 40:7 60:0");
}

/*
 * "if the CPU has more than one thread running, the channel will always output the error
 * state ST_TOO_MANY_TH. If is has no threads running, will be disabled and emit a 0 state
 * by default. Otherwise, it will emit the same value as the running thread."
 */
TEST_F(spec, cpu_tracking_running)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", -1));
	ASSERT_EQ(0, event(self, TH_A, "Xr7"));
	ASSERT_EQ(0, to_cpu(self, TH_B, "OHx", -1));	/* 20: two */
	ASSERT_EQ(0, event(self, TH_A, "Xr8"));		/* 30: unseen */
	ASSERT_EQ(0, event(self, TH_B, "Xr7"));
	ASSERT_EQ(0, event(self, TH_B, "OHp"));		/* 50: TH_A alone */
	ASSERT_EQ(0, to_cpu(self, TH_A, "OAs", 1));	/* 60: none here */
	ASSERT_EQ(0, event(self, TH_B, "OHr"));		/* 70: TH_B alone */
	ASSERT_EQ(0, event(self, TH_B, "OHe"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	FINISH();
	ON_CPU(VCPU, TYPE(RUNNING_RUNNING), "0:0 10:7 20:777 50:8 60:0 70:7 80:0");
	ON_CPU(CPU_B, TYPE(RUNNING_RUNNING), "60:8 90:0");
}

/* "always": also of channels that were never written, however often they were read */
TEST_F(spec, too_many_threads_on_quiet_channels)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", -1));
	ASSERT_EQ(0, event(self, TH_A, "OHp"));
	ASSERT_EQ(0, event(self, TH_A, "OHr"));
	ASSERT_EQ(0, to_cpu(self, TH_B, "OHx", -1));
	ASSERT_EQ(0, event(self, TH_B, "OHe"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	FINISH();
	ON_CPU(VCPU, TYPE(NONE_RUNNING), "0:0 30:777 40:0");
	ON_CPU(VCPU, TYPE(STACK), "0:0 30:777 40:0");
}

/* "If the thread channel is disabled, it will emit a ST_BAD error state." */
TEST_F(spec, cpu_follows_a_disabled_channel)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "Xb7"));
	ASSERT_EQ(0, event(self, TH_A, "OHc"));	/* 20: active, but disabled */
	ASSERT_EQ(0, event(self, TH_A, "OHp"));	/* 30: no thread */
	ASSERT_EQ(0, event(self, TH_A, "OHw"));	/* 40: disabled */
	ASSERT_EQ(0, event(self, TH_A, "OHr"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	DRAWN();
	ON_THREAD(TH_A, TYPE(RUNNING_ACTIVE), "0:0 10:7 20:0 50:7 60:0");
	ON_CPU(CPU_A, TYPE(RUNNING_ACTIVE), "0:0 10:7 20:666 30:0 40:666 50:7 60:0");
}

/*
 * "Regarding the active thread tracking mode, the CPU channels behave similarly, but with
 * the active threads instead of running ones."
 */
TEST_F(spec, cpu_tracking_active)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "Xa7"));
	ASSERT_EQ(0, event(self, TH_A, "OHc"));		/* 20: still active */
	ASSERT_EQ(0, to_cpu(self, TH_B, "OHx", 0));	/* 30: two active, one runs */
	ASSERT_EQ(0, event(self, TH_A, "OHp"));		/* 40: TH_B alone, null */
	ASSERT_EQ(0, event(self, TH_B, "OHp"));
	ASSERT_EQ(0, event(self, TH_A, "OHw"));		/* 60: TH_A */
	ASSERT_EQ(0, event(self, TH_A, "OHr"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	DRAWN();
	ON_CPU(CPU_A, TYPE(ACTIVE_ACTIVE), "0:0 10:7 30:777 40:0 60:7 80:0");
	ON_CPU(CPU_A, 3, "0:1 20:0 30:1 50:0 70:1 80:0");
}

/* "The channel will emit the following sequence of states: 0, 1, 2, 1, 0." */
TEST_F(spec, example_of_the_stack)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "Xf["));
	ASSERT_EQ(0, event(self, TH_A, "Xg["));
	ASSERT_EQ(0, event(self, TH_A, "Xg]"));
	ASSERT_EQ(0, event(self, TH_A, "Xf]"));
	ASSERT_EQ(0, event(self, TH_A, "OHe"));
	DRAWN();
	ON_THREAD(TH_A, TYPE(STACK), "10:1 20:2 30:1 40:0");
	ON_CPU(CPU_A, TYPE(STACK), "0:0 10:1 20:2 30:1 40:0");
}

/* "The function checks that the stack contains the expected state" */
TEST_F(spec, pop_of_another_state_is_refused)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "Xf["));
	ASSERT_EQ(0, event(self, TH_A, "Xg["));
	EXPECT_NE(0, event(self, TH_A, "Xf]"));
	EXPECT_NE(NULL, strstr(emu_reason(self->emu), "another state is on top"));
}

TEST_F(spec, pop_of_nothing_is_refused)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	EXPECT_NE(0, event(self, TH_A, "Xf]"));
	EXPECT_NE(NULL, strstr(emu_reason(self->emu), "stack is empty"));
}

/* "A fixed state can be set [...] using chan_set(), which overrides the previous state." */
TEST_F(spec, set_overrides)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "Xn7"));
	ASSERT_EQ(0, event(self, TH_A, "Xn8"));
	ASSERT_EQ(0, event(self, TH_A, "Xn7"));
	EXPECT_NE(0, event(self, TH_A, "Xn7"));	/* not the same again */
	DRAWN();
	ON_THREAD(TH_A, TYPE(NONE_RUNNING), "10:7 20:8 30:7");
}

/*
 * "it will first output the new state at the current time minus 1 ns, then restore the
 * previous channel state and emit it at the current time"
 */
TEST_F(spec, punctual_events)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, event(self, TH_A, "Xne"));
	ASSERT_EQ(0, event(self, TH_A, "Xn7"));
	ASSERT_EQ(0, event(self, TH_A, "Xne"));
	ASSERT_EQ(0, event(self, TH_A, "OHp"));
	ASSERT_EQ(0, event(self, TH_A, "Xne"));	/* on its row alone */
	DRAWN();
	ON_THREAD(TH_A, TYPE(NONE_RUNNING), "9:9 10:0 20:7 29:9 30:7 49:9 50:7");
	ON_CPU(CPU_A, TYPE(NONE_RUNNING), "0:0 9:9 10:0 20:7 29:9 30:7 40:0");
}

/* An event at the clock of the one before. */
static int at_once(struct _test_data_spec *self, int th, const char *mcv)
{
	self->clock -= 10;
	return event(self, th, mcv);
}

/* The same an event later: what has lines of this instant already is not in order before. */
TEST_F(spec, punctual_events_without_room_before)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, to_cpu(self, TH_B, "OHx", 1));
	ASSERT_EQ(0, event(self, TH_B, "Xn8"));
	ASSERT_EQ(0, at_once(self, TH_A, "Xne"));	/* a row that has shown nothing */
	ASSERT_EQ(0, at_once(self, TH_B, "Xne"));
	self->clock -= 9;
	ASSERT_EQ(0, event(self, TH_B, "Xne"));		/* the nanosecond behind has lines now */
	ASSERT_EQ(0, event(self, TH_A, "Xn7"));
	ASSERT_EQ(0, at_once(self, TH_B, "Xn0"));
	ASSERT_EQ(0, at_once(self, TH_A, "Xne"));	/* at the end of the trace */
	ASSERT_EQ(0, at_once(self, TH_A, "Xne"));	/* one row, twice */
	DRAWN();
	ON_THREAD(TH_A, TYPE(NONE_RUNNING), "20:9 21:0 31:7 31:9 31:18 32:7");
	ON_CPU(CPU_A, TYPE(NONE_RUNNING), "0:0 20:9 21:0 31:7 31:9 31:18 32:7");
	ON_THREAD(TH_B, TYPE(NONE_RUNNING), "20:8 20:9 21:8 21:9 22:8 31:0");
	ON_CPU(CPU_B, TYPE(NONE_RUNNING), "10:0 20:8 20:9 21:8 21:9 22:8 31:0");
}

/* The time of an event that is refused has passed. */
TEST_F(spec, punctual_event_before_an_error)
{
	ASSERT_EQ(0, to_cpu(self, TH_A, "OHx", 0));
	ASSERT_EQ(0, at_once(self, TH_A, "Xne"));
	self->clock = 90;
	ASSERT_NE(0, event(self, TH_A, "OHx"));
	EXPECT_NE(0, emu_finish(self->emu));
	EXPECT_STREQ("0:9 1:0", shown(self, "thread.prv", TH_A, TYPE(NONE_RUNNING)));
	EXPECT_NE(NULL, strstr(self->text, "90_ns:"));
}

TEST_HARNESS_MAIN
