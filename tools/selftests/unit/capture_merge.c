// SPDX-License-Identifier: GPL-2.0-only
/* The merge: any number of CPUs, ties, CPUs that end early. */
#include <unistd.h>

#include "../gen/capgen.h"
#include "capture/merge.h"
#include "kselftest_harness.h"

static struct capgen gen;

/* So many CPUs with so many switches each, some at the same instant, some lost. */
static void write_capture(const char *dir, unsigned int cpus, unsigned int each)
{
	unsigned int cpu, i;

	capgen_open(&gen, dir, cpus);
	for (cpu = 0; cpu < cpus; cpu++) {
		for (i = 0; i < each / (1 + cpu % 3); i++)
			capgen_switch(&gen, cpu, 1000001000 + i * (cpu % 5 + 1) * 10, 1, i, i + 1);
		/* At the end, so that what comes last is a gap. */
		if (cpu % 2)
			capgen_lose(&gen, cpu, OVNIK_EV_sched_switch, 1);
	}
	capgen_close(&gen);
}

static u64 count_in_order(struct __test_metadata *_metadata, const char *dir)
{
	const struct capture_item *item;
	u64 last = 0, n = 0;
	struct capture cap;
	struct merge m;
	u32 cpu = 0;

	ASSERT_EQ(0, capture_open(&cap, dir));
	capture_begin_pass(&cap, false);
	ASSERT_EQ(0, merge_open(&m, &cap));
	for (;;) {
		ASSERT_EQ(0, merge_next(&m, &item));
		if (!item)
			break;
		EXPECT_LE(last, item->tsc);
		if (item->tsc == last)
			EXPECT_LE(cpu, item->cpu);
		last = item->tsc;
		cpu = item->cpu;
		n += item->kind == ITEM_RECORD;
	}
	for (cpu = 0; cpu < m.nr; cpu++) {
		EXPECT_EQ(ITEM_END, m.cursors[cpu].item.kind);
		EXPECT_EQ(cpu, m.cursors[cpu].item.cpu);
	}
	/* The end stays the end. */
	ASSERT_EQ(0, merge_next(&m, &item));
	EXPECT_EQ(NULL, item);
	merge_close(&m);
	capture_close(&cap);
	return n;
}

TEST(order)
{
	static const unsigned int cpus[] = { 1, 2, 3, 4, 5, 7, 8, 13, 64 };
	unsigned int i, cpu;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		char dir[] = "/tmp/merge.XXXXXX", command[64];
		u64 expected = 0;

		ASSERT_NE(NULL, mkdtemp(dir));
		write_capture(dir, cpus[i], 300);
		for (cpu = 0; cpu < cpus[i]; cpu++)
			expected += 300 / (1 + cpu % 3);
		EXPECT_EQ(expected, count_in_order(_metadata, dir));
		snprintf(command, sizeof(command), "rm -r %s", dir);
		EXPECT_EQ(0, system(command));
	}
}

TEST_HARNESS_MAIN
