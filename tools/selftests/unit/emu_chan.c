// SPDX-License-Identifier: GPL-2.0-only
/* Channels of the emulator: what may be written, and what then shows. */
#define _GNU_SOURCE	/* for the harness */
#include <errno.h>

#include "../fixture/chanfix.h"
#include "emu/system.h"
#include "emu/track.h"
#include "kselftest_harness.h"

FIXTURE(chan)
{
	struct chan_dirty d;
	struct chan single;
	struct chan stack;
};

FIXTURE_SETUP(chan)
{
	ASSERT_EQ(0, chan_dirty_init(&self->d, 5));
	chan_init(&self->single, CHAN_SINGLE, CHAN_DUP_ERROR, NULL, NULL);
	chan_init(&self->stack, CHAN_STACK, CHAN_DUP_ERROR, NULL, NULL);
}

FIXTURE_TEARDOWN(chan)
{
	chan_free(&self->single);
	chan_free(&self->stack);
	chan_dirty_free(&self->d);
}

/* What a channel shows, with null as the 0 it is drawn as. */
static s64 shown(const struct chan *c)
{
	return chan_read(c).i;
}

TEST_F(chan, starts_null_and_clean)
{
	EXPECT_EQ(ST_NULL, chan_read(&self->single).st);
	EXPECT_EQ(0, chan_dirty_count(&self->d));
	EXPECT_FALSE(self->single.dirty);
}

TEST_F(chan, nested_calls_show_0_1_2_1_0)
{
	static const s64 want[] = { 1, 2, 1, 0 };
	int i = 0;

	EXPECT_EQ(0, shown(&self->stack));
	ASSERT_EQ(0, chan_push(&self->d, &self->stack, 1));
	EXPECT_EQ(want[i++], shown(&self->stack));
	chan_dirty_clear(&self->d);
	ASSERT_EQ(0, chan_push(&self->d, &self->stack, 2));
	EXPECT_EQ(want[i++], shown(&self->stack));
	chan_dirty_clear(&self->d);
	ASSERT_EQ(0, chan_pop(&self->d, &self->stack, 2));
	EXPECT_EQ(want[i++], shown(&self->stack));
	chan_dirty_clear(&self->d);
	ASSERT_EQ(0, chan_pop(&self->d, &self->stack, 1));
	EXPECT_EQ(want[i++], shown(&self->stack));
	EXPECT_EQ(ST_NULL, chan_read(&self->stack).st);
}

TEST_F(chan, pop_of_another_state_fails)
{
	ASSERT_EQ(0, chan_push(&self->d, &self->stack, 1));
	chan_dirty_clear(&self->d);
	EXPECT_EQ(-ESTALE, chan_pop(&self->d, &self->stack, 2));
	EXPECT_EQ(1, shown(&self->stack));
	EXPECT_EQ(0, chan_dirty_count(&self->d));
}

TEST_F(chan, pop_of_nothing_fails)
{
	EXPECT_EQ(-ENOENT, chan_pop(&self->d, &self->stack, 1));
}

TEST_F(chan, same_state_twice_fails)
{
	ASSERT_EQ(0, chan_set(&self->d, &self->single, CHAN_INT(7)));
	ASSERT_EQ(0, chan_push(&self->d, &self->stack, 7));
	chan_dirty_clear(&self->d);
	EXPECT_EQ(-EEXIST, chan_set(&self->d, &self->single, CHAN_INT(7)));
	EXPECT_EQ(-EEXIST, chan_push(&self->d, &self->stack, 7));
	EXPECT_EQ(0, chan_dirty_count(&self->d));
}

TEST_F(chan, null_after_null_fails)
{
	EXPECT_EQ(-EEXIST, chan_set(&self->d, &self->single, CHAN_NULL));
}

TEST_F(chan, zero_is_not_null)
{
	ASSERT_EQ(0, chan_set(&self->d, &self->single, CHAN_INT(0)));
	EXPECT_EQ(ST_INT, chan_read(&self->single).st);
}

TEST_F(chan, same_state_twice_if_allowed)
{
	self->single.dup = CHAN_DUP_ALLOW;
	ASSERT_EQ(0, chan_set(&self->d, &self->single, CHAN_INT(7)));
	chan_dirty_clear(&self->d);
	EXPECT_EQ(0, chan_set(&self->d, &self->single, CHAN_INT(7)));
	EXPECT_EQ(1, chan_dirty_count(&self->d));
}

TEST_F(chan, same_state_twice_if_ignored)
{
	self->single.dup = CHAN_DUP_IGNORE;
	ASSERT_EQ(0, chan_set(&self->d, &self->single, CHAN_INT(7)));
	chan_dirty_clear(&self->d);
	EXPECT_EQ(0, chan_set(&self->d, &self->single, CHAN_INT(7)));
	EXPECT_EQ(0, chan_dirty_count(&self->d));
}

TEST_F(chan, two_writes_by_one_event_fail)
{
	ASSERT_EQ(0, chan_set(&self->d, &self->single, CHAN_INT(1)));
	EXPECT_EQ(-EBUSY, chan_set(&self->d, &self->single, CHAN_INT(2)));
	ASSERT_EQ(0, chan_push(&self->d, &self->stack, 1));
	EXPECT_EQ(-EBUSY, chan_pop(&self->d, &self->stack, 1));
	EXPECT_EQ(-EBUSY, chan_ev(&self->d, &self->stack, 1));
	EXPECT_EQ(2, chan_dirty_count(&self->d));
}

TEST_F(chan, wrong_kind_of_write_fails)
{
	EXPECT_EQ(-EPERM, chan_set(&self->d, &self->stack, CHAN_INT(1)));
	EXPECT_EQ(-EPERM, chan_push(&self->d, &self->single, 1));
	EXPECT_EQ(-EPERM, chan_pop(&self->d, &self->single, 1));
}

TEST_F(chan, stack_has_512_places)
{
	int i;

	for (i = 1; i <= OVNI_STACK_MAX; i++) {
		ASSERT_EQ(0, chan_push(&self->d, &self->stack, i));
		chan_dirty_clear(&self->d);
	}
	EXPECT_EQ(-ENOSPC, chan_push(&self->d, &self->stack, i));
	EXPECT_EQ(0, chan_pop(&self->d, &self->stack, OVNI_STACK_MAX));
}

TEST_F(chan, disabled_shows_nothing_and_enabled_the_state)
{
	ASSERT_EQ(0, chan_set(&self->d, &self->single, CHAN_INT(5)));
	chan_dirty_clear(&self->d);
	self->single.enabled = false;
	EXPECT_EQ(0, shown(&self->single));
	self->single.enabled = true;
	EXPECT_EQ(5, shown(&self->single));
}

TEST_F(chan, disabled_keeps_what_is_written)
{
	self->stack.enabled = false;
	ASSERT_EQ(0, chan_push(&self->d, &self->stack, 3));
	EXPECT_EQ(0, shown(&self->stack));
	EXPECT_EQ(1, chan_dirty_count(&self->d));
	self->stack.enabled = true;
	EXPECT_EQ(3, shown(&self->stack));
}

TEST_F(chan, punctual_state_leaves_the_state)
{
	ASSERT_EQ(0, chan_set(&self->d, &self->single, CHAN_INT(5)));
	chan_dirty_clear(&self->d);
	ASSERT_EQ(0, chan_ev(&self->d, &self->single, 9));
	EXPECT_EQ(5, shown(&self->single));
	EXPECT_EQ(9, self->single.ev.i);
	EXPECT_EQ(1, self->d.nr_punctual);
	chan_dirty_clear(&self->d);
	EXPECT_EQ(ST_NULL, self->single.ev.st);
	EXPECT_EQ(0, self->d.nr_punctual);
}

TEST_F(chan, punctual_state_needs_an_enabled_channel_and_a_state)
{
	EXPECT_EQ(-EINVAL, chan_ev(&self->d, &self->single, 0));
	self->single.enabled = false;
	EXPECT_EQ(-EACCES, chan_ev(&self->d, &self->single, 1));
}

TEST_F(chan, dirty_list_is_in_order_of_writing)
{
	struct chan c[5];
	int i;

	for (i = 0; i < 5; i++) {
		chan_init(&c[i], CHAN_SINGLE, CHAN_DUP_ERROR, NULL, NULL);
		ASSERT_EQ(0, chan_set(&self->d, &c[i], CHAN_INT(i)));
	}
	ASSERT_EQ(5, chan_dirty_count(&self->d));
	for (i = 0; i < 5; i++)
		EXPECT_EQ(&c[i], self->d.list[i]);
}

FIXTURE(track)
{
	struct emu_cpu cpu;
	struct emu_thread th[2];
	struct chan chan[2];
};

FIXTURE_SETUP(track)
{
	int i;

	for (i = 0; i < 2; i++) {
		chan_init(&self->chan[i], CHAN_SINGLE, CHAN_DUP_ERROR, NULL, NULL);
		self->chan[i].state = CHAN_INT(10 + i);
		self->th[i].chan = &self->chan[i];
	}
}

FIXTURE_TEARDOWN(track)
{
}

TEST_F(track, thread_modes)
{
	static const bool running[TH_NR_STATES] = { [TH_RUNNING] = true };
	static const bool active[TH_NR_STATES] = {
		[TH_RUNNING] = true, [TH_COOLING] = true, [TH_WARMING] = true,
	};
	int i;

	for (i = 0; i < TH_NR_STATES; i++) {
		EXPECT_TRUE(track_thread(TRACK_NONE, i));
		EXPECT_EQ(running[i], track_thread(TRACK_RUNNING, i));
		EXPECT_EQ(active[i], track_thread(TRACK_ACTIVE, i));
	}
}

TEST_F(track, cpu_without_thread_is_null)
{
	EXPECT_EQ(ST_NULL, track_cpu(TRACK_RUNNING, &self->cpu, 0).st);
	EXPECT_EQ(NULL, track_cpu_thread(TRACK_RUNNING, &self->cpu));
}

TEST_F(track, cpu_follows_the_one_thread)
{
	self->cpu.set[SET_RUNNING].first = &self->th[1];
	self->cpu.set[SET_RUNNING].n = 1;
	EXPECT_EQ(11, track_cpu(TRACK_RUNNING, &self->cpu, 0).i);
	EXPECT_EQ(ST_NULL, track_cpu(TRACK_ACTIVE, &self->cpu, 0).st);
}

TEST_F(track, cpu_with_two_threads_is_too_many)
{
	self->cpu.set[SET_ACTIVE].first = &self->th[0];
	self->cpu.set[SET_ACTIVE].n = 2;
	EXPECT_EQ(ST_TOO_MANY_TH, track_cpu(TRACK_ACTIVE, &self->cpu, 0).st);
	EXPECT_EQ(NULL, track_cpu_thread(TRACK_ACTIVE, &self->cpu));
}

TEST_F(track, cpu_with_a_disabled_channel_is_bad)
{
	self->cpu.set[SET_RUNNING].first = &self->th[0];
	self->cpu.set[SET_RUNNING].n = 1;
	self->chan[0].enabled = false;
	EXPECT_EQ(ST_BAD, track_cpu(TRACK_RUNNING, &self->cpu, 0).st);
}

TEST_HARNESS_MAIN
