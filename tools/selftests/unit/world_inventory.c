// SPDX-License-Identifier: GPL-2.0-only
/* An inventory that leaves records out must find what one that sees them all does. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "../gen/capgen.h"
#include "capture/merge.h"
#include "kselftest_harness.h"
#include "world/inventory.h"
#include "world/renames.h"

static struct capgen gen;

FIXTURE(inventory) {
	char dir[32];
	u64 fed;
	struct inventory all;
	struct inventory some;
};

FIXTURE_SETUP(inventory)
{
	memset(self, 0, sizeof(*self));
	strcpy(self->dir, "/tmp/inventory.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, capgen_open(&gen, self->dir, 3));
}

FIXTURE_TEARDOWN(inventory)
{
	char command[64];

	inventory_free(&self->all);
	inventory_free(&self->some);
	snprintf(command, sizeof(command), "rm -r %s", self->dir);
	ASSERT_EQ(0, system(command));
}

/**
 * struct how - How a pass is made.
 * @hurry: by an inventory that leaves records out
 * @filtered: of a capture that has some tasks' switches only
 * @renames: NULL: do without; empty: collect them here; else the world knows these
 * @before: NULL, or what the pass before has found
 */
struct how {
	bool hurry;
	bool filtered;
	struct renames *renames;
	const struct inventory *before;
};

static void prepare(struct world *w, const struct how *how)
{
	static const u32 pids[] = { 5 };

	w->filtered = how->filtered;
	w->filter = pids;
	w->nr_filter = how->filtered;
	if (how->before) {
		w->pids = how->before->pids;
		w->nr_pids = how->before->nr_tasks;
	}
	if (how->renames && how->renames->nr)
		renames_tell(how->renames, w);
	else if (how->renames && renames_watch(how->renames, w))
		abort();
}

/* Return: whether the result is of no use. */
static bool take(struct _test_data_inventory *self, struct inventory *c, const struct how *how)
{
	const struct capture_item *item = NULL;
	struct capture cap;
	struct merge m;
	struct world w;
	bool clash;

	if (capture_open(&cap, self->dir))
		abort();
	capture_begin_pass(&cap, false);
	if (world_init(&w, &cap) || inventory_attach(c, &w))
		abort();
	prepare(&w, how);
	if (how->hurry)
		inventory_hurry(c, &cap);
	if (merge_open(&m, &cap))
		abort();
	world_begin(&w, cap.begin);
	for (self->fed = 0; !merge_next(&m, &item) && item; self->fed++) {
		if (world_feed(&w, item))
			abort();
	}
	merge_close(&m);
	clash = c->known.clash;
	if (world_end(&w, cap.end) || inventory_finish(c))
		abort();
	world_destroy(&w);
	capture_close(&cap);
	return clash;
}

static const struct how whole, hurry = { .hurry = true };

static bool same(const struct inventory *a, const struct inventory *b)
{
	return a->nr_tasks == b->nr_tasks && a->nr_threads == b->nr_threads &&
	       a->orphans == b->orphans && a->nr_processes == b->nr_processes &&
	       !memcmp(a->pids, b->pids, a->nr_tasks * sizeof(*a->pids)) &&
	       !memcmp(a->threads, b->threads, a->nr_threads * sizeof(*a->threads)) &&
	       !memcmp(a->processes, b->processes, a->nr_processes * sizeof(*a->processes));
}

TEST_F(inventory, passes_by_who_is_known)
{
	unsigned int i;
	u64 all;

	capgen_dump(&gen, 0, 1000001000, 7, 7, 1, 7, 0x1000, "seven");
	capgen_dump(&gen, 0, 1000001100, 8, 7, 1, 7, 0x1000, "eight");
	/* CPU 1 begins before any task is known. */
	capgen_switch(&gen, 1, 1000000900, 0, 0, 9);
	for (i = 0; i < 1000; i++) {
		capgen_switch(&gen, 0, 1000002000 + 100 * i, 1, i & 1 ? 7 : 8, i & 1 ? 8 : 7);
		capgen_wakeup(&gen, 0, 1000002050 + 100 * i, 9, 1);
	}
	capgen_exit(&gen, 1, 1000200000, 9, 9);
	capgen_switch(&gen, 1, 1000200100, OVNIK_STATE_DEAD, 9, 0);
	capgen_close(&gen);
	ASSERT_FALSE(take(self, &self->all, &whole));
	all = self->fed;
	ASSERT_FALSE(take(self, &self->some, &hurry));
	EXPECT_TRUE(same(&self->all, &self->some));
	EXPECT_LT(2000, all);
	EXPECT_GT(20, self->fed);
}

/* CPU 0 skips a record of 7 at 3000; CPU 1, which is at 2000, ends 7 there. */
TEST_F(inventory, tells_when_it_was_wrong)
{
	capgen_dump(&gen, 0, 1000001000, 7, 7, 1, 7, 0x1000, "seven");
	capgen_switch(&gen, 1, 1000001500, 0, 0, 7);
	capgen_wakeup(&gen, 0, 1000003000, 7, 0);
	capgen_exit(&gen, 1, 1000001900, 7, 7);
	capgen_switch(&gen, 1, 1000002000, OVNIK_STATE_DEAD, 7, 0);
	capgen_close(&gen);
	EXPECT_FALSE(take(self, &self->all, &whole));
	EXPECT_TRUE(take(self, &self->some, &hurry));
	EXPECT_FALSE(same(&self->all, &self->some));
}

/* The statedump is at its process, which lives on: that is no reason to read all switches. */
TEST_F(inventory, hurries_with_a_leader_that_has_ended)
{
	struct ovnik_dump_mm *mm;

	capgen_dump(&gen, 0, 1000001000, 7, 7, OVNIK_STATE_ZOMBIE, 0, 0, "seven");
	capgen_dump(&gen, 0, 1000001100, 8, 7, 1, 1, 0x1000, "eight");
	mm = CAPGEN_RECORD(&gen, 0, 1000001200, dump_mm);
	mm->tid = 7;
	mm->mm = 1;
	capgen_switch(&gen, 0, 1000002000, 0, 0, 8);
	capgen_close(&gen);
	EXPECT_FALSE(take(self, &self->all, &whole));
	EXPECT_FALSE(take(self, &self->some, &hurry));
	EXPECT_TRUE(same(&self->all, &self->some));
}

/* Of which task these are, only the switches between would tell. */
TEST_F(inventory, tells_what_it_cannot_know)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (i)
			ASSERT_EQ(0, capgen_open(&gen, self->dir, 3));
		capgen_dump(&gen, 0, 1000001000, 7, 7, 1, 0, 0, "seven");
		capgen_dump(&gen, 0, 1000001100, 8, 7, 1, 0, 0, "eight");
		capgen_exit(&gen, 1, 1000002000, 7, 7);
		if (i == 0)
			capgen_mm(&gen, 0, 1000003000, OVNIK_MM_EXEC, 7, 7, 1, 1);
		else
			capgen_switch(&gen, 1, 1000003000, OVNIK_STATE_ZOMBIE, i == 1 ? 8 : 7, 0);
		if (i == 2)
			capgen_dump(&gen, 0, 1000004000, 7, 7, 1, 0, 0, "again");
		capgen_close(&gen);
		EXPECT_TRUE(take(self, &self->some, &hurry));
		inventory_free(&self->some);
	}
}

static u32 draw(u32 n)
{
	static u64 seed = 1;

	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 16) % n;
}

/* A sub-buffer ends: its next one says who runs, which may be new, and what was lost. */
static void cut(unsigned int cpu, u32 tid)
{
	if (draw(3))
		capgen_close_subbuf(&gen, cpu, gen.cpus[cpu].last);
	else
		capgen_lose(&gen, cpu, OVNIK_EV_sched_switch, 1);
	if (!draw(3))
		gen.cpus[cpu].running = tid;
}

/* Eight numbers for everything, so that all that can go wrong does. @renames: also by exec */
static void scramble(unsigned int events, bool renames)
{
	static const u16 states[] = { 0, 1, 2, 0x10, 0x20, 0x100 };
	u64 now[3] = { 1000001000, 1000001000, 1000001000 };
	unsigned int i;

	for (i = 0; i < events; i++) {
		unsigned int cpu = draw(3);
		u32 tid = draw(8), other = draw(8), what = draw(40);

		now[cpu] += draw(40);
		if (what == 0)
			capgen_fork(&gen, cpu, now[cpu], tid, tid, other + 1, draw(9), "child");
		else if (what == 1)
			capgen_exec(&gen, cpu, now[cpu], tid + 1, (renames ? other : tid) + 1,
				    "/bin/true");
		else if (what == 2)
			capgen_exit(&gen, cpu, now[cpu], tid, 5);
		else if (what == 3)
			capgen_dump(&gen, cpu, now[cpu], tid, 5, 1, other, 0, "dumped");
		else if (what == 4)
			capgen_comm(&gen, cpu, now[cpu], tid, 5 * draw(2), "renamed");
		else if (what < 7)
			cut(cpu, tid);
		else if (what < 20)
			capgen_wakeup(&gen, cpu, now[cpu], tid, 0);
		else
			capgen_switch(&gen, cpu, now[cpu], states[draw(draw(30) ? 3 : 6)],
				      draw(3) ? gen.cpus[cpu].running : tid, other);
	}
}

TEST_F(inventory, is_right_or_says_so)
{
	unsigned int i, right = 0, wrong = 0;

	for (i = 0; i < 300; i++) {
		if (i)
			ASSERT_EQ(0, capgen_open(&gen, self->dir, 3));
		scramble(20 + i / 2, false);
		capgen_close(&gen);
		EXPECT_FALSE(take(self, &self->all, &whole));
		if (take(self, &self->some, &hurry)) {
			wrong++;
		} else {
			right++;
			EXPECT_TRUE(same(&self->all, &self->some));
		}
		inventory_free(&self->all);
		inventory_free(&self->some);
	}
	/* Both ways were tried. */
	EXPECT_LT(20, right);
	EXPECT_LT(20, wrong);
}

/* What the last pass before the outputs' has found by the ids of tasks is true in theirs, too. */
static bool lasts(struct _test_data_inventory *self, bool filtered, unsigned int *renamed)
{
	struct how how = { .filtered = filtered, .renames = &(struct renames){} };
	bool ret;

	take(self, &self->all, &how);
	if (renames_sort(how.renames))
		abort();
	if (how.renames->nr) {
		(*renamed)++;
		inventory_free(&self->all);
		take(self, &self->all, &how);
	}
	how.before = &self->all;
	take(self, &self->some, &how);
	ret = same(&self->all, &self->some);
	renames_free(how.renames);
	inventory_free(&self->all);
	inventory_free(&self->some);
	return ret;
}

TEST_F(inventory, is_true_in_the_next_pass)
{
	unsigned int i, renamed = 0;

	for (i = 0; i < 300; i++) {
		if (i)
			ASSERT_EQ(0, capgen_open(&gen, self->dir, 3));
		scramble(20 + i / 2, true);
		capgen_close(&gen);
		EXPECT_TRUE(lasts(self, false, &renamed));
		EXPECT_TRUE(lasts(self, true, &renamed));
	}
	EXPECT_LT(20, renamed);
}

/* With two billions of tasks there is no room, and no loop without an end. */
TEST_F(inventory, more_tasks_than_have_room)
{
	const struct capture_item *item = NULL;
	struct capture cap;
	struct merge m;
	struct world w;

	capgen_switch(&gen, 0, 1000000100, 1, 10, 20);
	capgen_close(&gen);
	ASSERT_EQ(0, capture_open(&cap, self->dir));
	capture_begin_pass(&cap, false);
	ASSERT_EQ(0, world_init(&w, &cap));
	ASSERT_EQ(0, inventory_attach(&self->all, &w));
	ASSERT_EQ(0, merge_open(&m, &cap));
	world_begin(&w, cap.begin);
	w.tasks.next_id = 1U << 31;
	while (!merge_next(&m, &item) && item)
		ASSERT_EQ(0, world_feed(&w, item));
	EXPECT_EQ(-ENOMEM, world_end(&w, cap.end));
	merge_close(&m);
	world_destroy(&w);
	capture_close(&cap);
}

TEST_HARNESS_MAIN
