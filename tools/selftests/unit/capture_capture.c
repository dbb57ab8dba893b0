// SPDX-License-Identifier: GPL-2.0-only
/* The reader: records, anchors, losses. */
#include <fcntl.h>
#include <unistd.h>

#include "../gen/capgen.h"
#include "capture/merge.h"
#include "kselftest_harness.h"

static struct capgen gen;

FIXTURE(capture) {
	char dir[64];
	struct capture cap;
	struct merge m;
	const struct capture_item *item;
};

FIXTURE_SETUP(capture)
{
	strcpy(self->dir, "/tmp/capture.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, capgen_open(&gen, self->dir, 2));
}

FIXTURE_TEARDOWN(capture)
{
	char command[128];

	merge_close(&self->m);
	capture_close(&self->cap);
	snprintf(command, sizeof(command), "rm -r %s", self->dir);
	EXPECT_EQ(0, system(command));
}

/* Write the capture and begin to read it. */
#define READ(self)							\
do {									\
	capgen_close(&gen);						\
	ASSERT_EQ(0, capture_open(&(self)->cap, (self)->dir));		\
	capture_begin_pass(&(self)->cap, false);			\
	ASSERT_EQ(0, merge_open(&(self)->m, &(self)->cap));		\
} while (0)

#define EXPECT_ITEM(self, itemkind, itemtsc)				\
do {									\
	ASSERT_EQ(0, merge_next(&(self)->m, &(self)->item));		\
	ASSERT_NE(NULL, (self)->item);					\
	EXPECT_EQ(itemkind, (self)->item->kind);			\
	EXPECT_EQ(itemtsc, (self)->item->tsc);				\
} while (0)

#define EXPECT_END(self)						\
do {									\
	ASSERT_EQ(0, merge_next(&(self)->m, &(self)->item));		\
	EXPECT_EQ(NULL, (self)->item);					\
} while (0)

TEST_F(capture, records_come_in_order_of_time)
{
	const struct ovnik_sched_switch *rec;

	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_switch(&gen, 1, 1000000200, 2, 0, 20);
	capgen_switch(&gen, 0, 1000000300, 3, 10, 0);
	READ(self);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_EQ(OVNIK_EV_sched_switch, self->item->event);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000200);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000200);
	EXPECT_EQ(1, self->item->cpu);
	rec = self->item->data;
	EXPECT_EQ(20, rec->next_tid);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000300);
	EXPECT_END(self);
	EXPECT_EQ(3, self->cap.stats.records[OVNIK_EV_sched_switch]);
	EXPECT_EQ(0, capture_damages(&self->cap));
}

/* In the bytes that pad the structure there is room for them. */
TEST_F(capture, a_string_may_be_empty_or_short)
{
	const struct ovnik_task_exec *rec;

	ASSERT_NE(0, offsetof(struct ovnik_task_exec, filename) % OVNIK_REC_ALIGN);
	capgen_exec(&gen, 0, 1000000100, 10, 10, "");
	capgen_exec(&gen, 0, 1000000200, 10, 10, "/");
	READ(self);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	rec = self->item->data;
	EXPECT_STREQ("", rec->filename);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000200);
	rec = self->item->data;
	EXPECT_STREQ("/", rec->filename);
	EXPECT_END(self);
	EXPECT_EQ(0, capture_damages(&self->cap));
}

static u32 open_with(u64 tsc, const char *path)
{
	struct ovnik_file_open *rec = CAPGEN_RECORD_STR(&gen, 0, tsc, file_open, path, path);

	rec->tid = 10;
	return (rec->size + 7) & ~7U;
}

#define SIZE_AGAIN(name, field)	((offsetof(struct ovnik_##name, field) + 4 + 7) & ~7U)

/* Across records of other kinds, and for another kind. */
TEST_F(capture, a_text_may_be_that_of_an_earlier_record)
{
	const u32 open_len = SIZE_AGAIN(file_open, path), map_len = SIZE_AGAIN(mmap_file, path);
	const u32 switch_len = sizeof(struct ovnik_sched_switch);
	const struct ovnik_mmap_file *map;
	const struct ovnik_file_open *rec;
	u32 first, second;

	first = open_with(1000000100, "/a/file");
	second = open_with(1000000200, "/another");
	capgen_switch(&gen, 0, 1000000300, 1, 0, 10);
	CAPGEN_RECORD_AGAIN(&gen, 0, 1000000400, file_open, path,
			    first + second + switch_len)->ino = 4;
	map = CAPGEN_RECORD_AGAIN(&gen, 0, 1000000500, mmap_file, path,
				  open_len + switch_len + second);
	((struct ovnik_mmap_file *)map)->length = 4096;
	CAPGEN_RECORD_AGAIN(&gen, 0, 1000000600, file_open, path,
			    map_len + open_len + switch_len + second + first)->ino = 6;
	READ(self);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000200);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000300);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000400);
	rec = self->item->data;
	EXPECT_STREQ("/a/file", rec->path);
	EXPECT_EQ(offsetof(struct ovnik_file_open, path) + sizeof("/a/file"), rec->size);
	EXPECT_EQ(4, rec->ino);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000500);
	map = self->item->data;
	EXPECT_STREQ("/another", map->path);
	EXPECT_EQ(4096, map->length);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000600);
	rec = self->item->data;
	EXPECT_STREQ("/a/file", rec->path);
	EXPECT_EQ(6, rec->ino);
	EXPECT_END(self);
	EXPECT_EQ(0, capture_damages(&self->cap));
}

/* Before the first record, behind itself, to one without a text of its own, and others. */
TEST_F(capture, a_text_of_a_record_that_is_not_there_is_damage)
{
	static const u32 wrong[] = {
		0, 8, 12, 4, SIZE_AGAIN(file_open, path) + sizeof(struct ovnik_sched_switch),
		sizeof(struct ovnik_sched_switch), 0x80000000, 0xfffffff8, 1 << 20,
	};
	u32 len, i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		u64 tsc = 1000000100 + 1000 * i;

		len = open_with(tsc, "/a/file");
		CAPGEN_RECORD_AGAIN(&gen, 0, tsc + 100, file_open, path, len);
		capgen_switch(&gen, 0, tsc + 200, 1, 0, 10);
		CAPGEN_RECORD_AGAIN(&gen, 0, tsc + 300, file_open, path, wrong[i]);
		capgen_switch(&gen, 0, tsc + 400, 1, 10, 0);
		capgen_close_subbuf(&gen, 0, tsc + 500);
	}
	READ(self);
	do {
		ASSERT_EQ(0, merge_next(&self->m, &self->item));
	} while (self->item);
	EXPECT_EQ(ARRAY_SIZE(wrong), capture_damages(&self->cap));
	EXPECT_EQ(2 * ARRAY_SIZE(wrong), self->cap.stats.records[OVNIK_EV_file_open]);
	EXPECT_EQ(ARRAY_SIZE(wrong), self->cap.stats.records[OVNIK_EV_sched_switch]);
}

/* A path of a hostile program: at the second x begins what looks like a record with a text. */
TEST_F(capture, a_text_that_begins_within_a_record_is_damage)
{
	const u32 at = offsetof(struct ovnik_file_open, path), inner = (at + 7) & ~7U;
	struct ovnik_record looks = { .type = OVNIK_EV_file_open, .size = at + 8 };
	struct ovnik_file_open *rec;
	char path[128];

	memset(path, 'x', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	rec = CAPGEN_RECORD_STR(&gen, 0, 1000000100, file_open, path, path);
	memcpy((char *)rec + inner, &looks, sizeof(looks));
	memset((char *)rec + inner + at, 0, 8);
	CAPGEN_RECORD_AGAIN(&gen, 0, 1000000200, file_open, path,
			    ((rec->size + 7) & ~7U) - inner);
	READ(self);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	do {
		ASSERT_EQ(0, merge_next(&self->m, &self->item));
	} while (self->item);
	EXPECT_EQ(1, capture_damages(&self->cap));
	EXPECT_EQ(1, self->cap.stats.records[OVNIK_EV_file_open]);
}

/* Nor is one there that had that place in the sub-buffer before. */
TEST_F(capture, a_text_of_the_sub_buffer_before_is_damage)
{
	open_with(1000000100, "/a/file");
	open_with(1000000150, "/another file, so that this one is not larger");
	capgen_close_subbuf(&gen, 0, 1000000200);
	capgen_switch(&gen, 0, 1000000300, 1, 0, 10);
	CAPGEN_RECORD_AGAIN(&gen, 0, 1000000400, file_open, path,
			    sizeof(struct ovnik_sched_switch));
	READ(self);
	do {
		ASSERT_EQ(0, merge_next(&self->m, &self->item));
	} while (self->item);
	EXPECT_EQ(1, capture_damages(&self->cap));
	EXPECT_EQ(2, self->cap.stats.records[OVNIK_EV_file_open]);
}

/* It is of no CPU: a switch in it would put a task on one that does not exist. */
TEST_F(capture, a_statedump_has_no_switches)
{
	char command[512];

	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_dump(&gen, 1, 1000000200, 20, 20, 0, 7, 7, "in");
	capgen_switch(&gen, 1, 1000000300, 2, 0, 20);
	capgen_close(&gen);
	snprintf(command, sizeof(command),
		 "cd %s && mv cpu1.ovk dump.ovk && sed -i s/cpu1.ovk/dump.ovk/ meta.json",
		 self->dir);
	ASSERT_EQ(0, system(command));
	ASSERT_EQ(0, capture_open(&self->cap, self->dir));
	capture_begin_pass(&self->cap, false);
	ASSERT_EQ(0, merge_open(&self->m, &self->cap));
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000200);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000200);
	EXPECT_EQ(OVNIK_EV_dump_task, self->item->event);
	ASSERT_EQ(0, merge_next(&self->m, &self->item));
	ASSERT_NE(NULL, self->item);
	EXPECT_EQ(ITEM_GAP_BEGIN, self->item->kind);
	EXPECT_EQ(1, capture_damages(&self->cap));
}

/* Probes that the kernel left out are missing, too. */
TEST_F(capture, missed_runs_are_added_up)
{
	char command[512];

	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_close(&gen);
	snprintf(command, sizeof(command), "sed -i '1s/{/{\"missed\":[{\"runs\":3},7,{\"runs\":4}],/' %s/meta.json",
		 self->dir);
	ASSERT_EQ(0, system(command));
	ASSERT_EQ(0, capture_open(&self->cap, self->dir));
	EXPECT_EQ(7, self->cap.meta.missed);
	capture_begin_pass(&self->cap, false);
	ASSERT_EQ(0, merge_open(&self->m, &self->cap));
}

/* What the message about them can hold: some, and how many more. */
TEST_F(capture, of_many_file_systems_it_says_how_many)
{
	const char *text = self->cap.meta.uncertain;
	char command[128];
	FILE *sed;
	int i;

	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_close(&gen);
	snprintf(command, sizeof(command), "sed -i -f - %s/meta.json", self->dir);
	sed = popen(command, "w");
	ASSERT_NE(NULL, sed);
	fputs("1s/{/{\"uncertain_files\":[", sed);
	for (i = 0; i < 128; i++)
		fprintf(sed, "%s{\"type\":\"overlay\",\"dev\":\"0:%d\"}", i ? "," : "", i);
	fputs("],/\n", sed);
	ASSERT_EQ(0, pclose(sed));
	ASSERT_EQ(0, capture_open(&self->cap, self->dir));
	EXPECT_EQ(0, strncmp(text, "overlay (0:0), overlay (0:1)", 28));
	EXPECT_NE(NULL, strstr(text, "(0:13) and 114 others"));
	capture_begin_pass(&self->cap, false);
	ASSERT_EQ(0, merge_open(&self->m, &self->cap));
}

TEST_F(capture, an_anchor_carries_over_32_bits)
{
	u64 later = 1000000000 + (5ULL << 32);

	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_switch(&gen, 0, later, 1, 10, 0);
	READ(self);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, later);
	EXPECT_EQ(OVNIK_EV_anchor, self->item->event);
	EXPECT_ITEM(self, ITEM_RECORD, later);
	EXPECT_END(self);
	EXPECT_EQ(capgen_ns(&gen, later), clock_ns(&self->cap.clock, later));
	EXPECT_EQ(0, capture_damages(&self->cap));
}

TEST_F(capture, stamps_may_be_ns)
{
	u64 later = 1000000000 + (5ULL << 32);

	capgen_monotonic(&gen);
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_switch(&gen, 0, later, 1, 10, 0);
	READ(self);
	EXPECT_EQ(CLOCK_SOURCE_MONOTONIC, self->cap.meta.source);
	EXPECT_FALSE(self->cap.untrusted);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_EQ(1000000100, clock_ns(&self->cap.clock, self->item->tsc));
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, later);
	EXPECT_EQ(OVNIK_EV_anchor, self->item->event);
	EXPECT_ITEM(self, ITEM_RECORD, later);
	EXPECT_EQ(later, clock_ns(&self->cap.clock, self->item->tsc));
	EXPECT_END(self);
	EXPECT_EQ(0, capture_damages(&self->cap));
}

TEST_F(capture, ns_have_one_rate)
{
	capgen_monotonic(&gen);
	gen.khz = 1000001;
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	READ(self);
	EXPECT_FALSE(self->cap.meta.valid);
	EXPECT_EQ(1, capture_damages(&self->cap));
}

TEST_F(capture, a_clock_that_is_not_known_is_refused)
{
	gen.source = "tai";
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_close(&gen);
	EXPECT_EQ(-EPROTO, capture_open(&self->cap, self->dir));
}

TEST_F(capture, losses_are_where_and_what_they_were)
{
	const struct capture_gap *gap;

	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_lose(&gen, 0, OVNIK_EV_sched_wakeup, 5);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 2);
	capgen_switch(&gen, 0, 1000000900, 1, 0, 10);
	READ(self);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_ITEM(self, ITEM_GAP_BEGIN, 1000000100);
	gap = self->item->data;
	EXPECT_EQ(GAP_LOST, gap->causes);
	EXPECT_TRUE(gap->exact);
	EXPECT_EQ(5, gap->lost[OVNIK_EV_sched_wakeup]);
	EXPECT_EQ(2, gap->lost[OVNIK_EV_sched_switch]);
	EXPECT_EQ(1000000900, gap->to);
	EXPECT_ITEM(self, ITEM_GAP_END, 1000000900);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000900);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000900);
	EXPECT_END(self);
	EXPECT_EQ(1, self->cap.stats.gaps);
	EXPECT_EQ(0, capture_damages(&self->cap));
}

TEST_F(capture, losses_at_the_end_are_in_the_metadata)
{
	const struct capture_gap *gap;

	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_switch(&gen, 1, 1000005000, 1, 0, 20);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 7);
	READ(self);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_ITEM(self, ITEM_GAP_BEGIN, 1000000100);
	gap = self->item->data;
	EXPECT_EQ(7, gap->lost[OVNIK_EV_sched_switch]);
	EXPECT_ITEM(self, ITEM_GAP_END, 1000005000);
}

/* The metadata counts those before the last sub-buffer, too. */
TEST_F(capture, losses_in_between_and_at_the_end)
{
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 5);
	capgen_switch(&gen, 0, 1000000900, 1, 0, 10);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 7);
	READ(self);
	do {
		ASSERT_EQ(0, merge_next(&self->m, &self->item));
	} while (self->item);
	EXPECT_EQ(2, self->cap.stats.gaps);
	EXPECT_EQ(12, self->cap.stats.lost[OVNIK_EV_sched_switch]);
}

TEST_F(capture, losses_of_a_type_that_is_not_known)
{
	const struct capture_gap *gap;
	char command[128];

	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_lose(&gen, 0, OVNIK_EV_sched_wakeup, 5);
	capgen_switch(&gen, 0, 1000000900, 1, 0, 10);
	capgen_close(&gen);
	snprintf(command, sizeof(command), "sed -i s/\\\"sched_wakeup\\\"/\\\"new_event\\\"/g %s/meta.json",
		 self->dir);
	ASSERT_EQ(0, system(command));
	ASSERT_EQ(0, capture_open(&self->cap, self->dir));
	capture_begin_pass(&self->cap, false);
	ASSERT_EQ(0, merge_open(&self->m, &self->cap));
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_ITEM(self, ITEM_GAP_BEGIN, 1000000100);
	gap = self->item->data;
	EXPECT_EQ(5, gap->other);
	EXPECT_TRUE(gap->exact);
	EXPECT_EQ(5, self->cap.stats.lost_other);
}

/* Both CPUs were full before the recorder looked at the clock at the stop. */
TEST_F(capture, losses_at_the_end_last_until_the_stop)
{
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_switch(&gen, 1, 1000005000, 1, 0, 20);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 7);
	capgen_lose(&gen, 1, OVNIK_EV_sched_switch, 7);
	gen.stop = 1000200000;
	READ(self);
	EXPECT_EQ(1000200000, self->cap.end);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_ITEM(self, ITEM_GAP_BEGIN, 1000000100);
	EXPECT_ITEM(self, ITEM_OPEN, 1000005000);
	EXPECT_ITEM(self, ITEM_RECORD, 1000005000);
	EXPECT_ITEM(self, ITEM_GAP_BEGIN, 1000005000);
	EXPECT_ITEM(self, ITEM_GAP_END, 1000200000);
	EXPECT_ITEM(self, ITEM_GAP_END, 1000200000);
	EXPECT_END(self);
}

/* A CPU with room closed its last sub-buffer at the stop; the anchor came later. */
TEST_F(capture, the_stop_is_where_a_cpu_with_room_closed)
{
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_switch(&gen, 1, 1000005000, 1, 0, 20);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 7);
	gen.stop = 1000200000;
	READ(self);
	EXPECT_EQ(1000005000, self->cap.end);
}

/* A look at the clock that contradicts the sub-buffers says nothing. */
TEST_F(capture, a_wrong_anchor_is_no_stop)
{
	char command[256];

	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 7);
	gen.stop = 1000200000;
	capgen_close(&gen);
	snprintf(command, sizeof(command), "sed -i s/:1000200000,/:91000200000,/ %s/meta.json",
		 self->dir);
	ASSERT_EQ(0, system(command));
	ASSERT_EQ(0, capture_open(&self->cap, self->dir));
	EXPECT_EQ(1000000100, self->cap.end);
}

TEST_F(capture, what_was_overwritten_is_a_gap_at_the_beginning)
{
	const struct capture_gap *gap;

	gen.flags |= OVNIK_SB_OVERWRITE;
	gen.mode = "overwrite";
	gen.cpus[0].seq = 17;
	gen.cpus[0].lost[OVNIK_EV_task_fork] = 3;
	capgen_switch(&gen, 1, 1000000100, 1, 0, 20);
	capgen_switch(&gen, 0, 1000000200, 1, 0, 10);
	READ(self);
	EXPECT_ITEM(self, ITEM_GAP_BEGIN, 1000000100);
	gap = self->item->data;
	EXPECT_EQ(0, gap->cpu);
	EXPECT_EQ(3, gap->lost[OVNIK_EV_task_fork]);
	EXPECT_EQ(GAP_OVERWRITTEN, gap->causes);
	EXPECT_TRUE(gap->exact);
	EXPECT_EQ(0, capture_damages(&self->cap));
}

/* Another snapshot in discard mode: the first one took sub-buffers 0 to 5. */
TEST_F(capture, what_was_read_before_is_no_damage)
{
	gen.cpus[0].seq = 6;
	gen.cpus[0].first = 6;
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	READ(self);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_END(self);
	EXPECT_EQ(0, self->cap.stats.gaps);
	EXPECT_EQ(0, capture_damages(&self->cap));
}

TEST_F(capture, behind_what_was_read_before_a_hole_is_damage)
{
	const struct capture_gap *gap;

	gen.cpus[0].seq = 7;
	gen.cpus[0].first = 6;
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	READ(self);
	EXPECT_ITEM(self, ITEM_GAP_BEGIN, 1000000100);
	gap = self->item->data;
	EXPECT_EQ(GAP_MISSING, gap->causes);
	EXPECT_FALSE(gap->exact);
	EXPECT_EQ(1, capture_damages(&self->cap));
}

TEST_F(capture, a_flight_recorder_can_lose_events_too)
{
	const struct capture_gap *gap;

	gen.flags |= OVNIK_SB_OVERWRITE;
	gen.mode = "overwrite";
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_lose(&gen, 0, OVNIK_EV_sched_switch, 2);
	capgen_switch(&gen, 0, 1000000900, 1, 0, 10);
	READ(self);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_ITEM(self, ITEM_RECORD, 1000000100);
	EXPECT_ITEM(self, ITEM_GAP_BEGIN, 1000000100);
	gap = self->item->data;
	EXPECT_EQ(GAP_LOST, gap->causes);
}

/* Write one byte into cpu0.ovk's first header. */
static void overwrite(const char *dir, unsigned int offset, u8 byte)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/cpu0.ovk", dir);
	fd = open(path, O_WRONLY);
	if (fd < 0 || pwrite(fd, &byte, 1, offset) != 1)
		abort();
	close(fd);
}

#define EXPECT_ONE_DAMAGE(self)						\
do {									\
	ASSERT_EQ(0, capture_open(&(self)->cap, (self)->dir));		\
	capture_begin_pass(&(self)->cap, false);			\
	ASSERT_EQ(0, merge_open(&(self)->m, &(self)->cap));		\
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);			\
	EXPECT_EQ(1, capture_damages(&(self)->cap));			\
} while (0)

static void clear_flag(const char *dir)
{
	overwrite(dir, offsetof(struct ovnik_subbuf, flags), gen.flags & ~OVNIK_SB_CRC);
}

static void clear_crc(const char *dir)
{
	unsigned int i;

	for (i = 0; i < sizeof(((struct ovnik_subbuf *)0)->crc); i++)
		overwrite(dir, offsetof(struct ovnik_subbuf, crc) + i, 0);
}

/* A flipped bit in the flags must not hide what else was changed. */
TEST_F(capture, one_header_without_crc_is_damaged)
{
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_lose(&gen, 0, OVNIK_EV_sched_wakeup, 1);
	capgen_switch(&gen, 0, 1000000200, 1, 10, 20);
	capgen_switch(&gen, 1, 1000000300, 1, 0, 30);
	capgen_close(&gen);
	clear_flag(self->dir);
	clear_crc(self->dir);
	EXPECT_ONE_DAMAGE(self);
}

/* Nor if there are no others, or as many. */
TEST_F(capture, the_only_header_without_its_flag_is_damaged)
{
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_close(&gen);
	clear_flag(self->dir);
	EXPECT_ONE_DAMAGE(self);
}

TEST_F(capture, one_of_two_headers_without_crc_is_damaged)
{
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_switch(&gen, 1, 1000000300, 1, 0, 30);
	capgen_close(&gen);
	clear_flag(self->dir);
	clear_crc(self->dir);
	EXPECT_ONE_DAMAGE(self);
}

/* What the kernel module gives, copied by hand. */
TEST_F(capture, no_header_has_a_crc)
{
	gen.flags &= ~OVNIK_SB_CRC;
	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	READ(self);
	EXPECT_ITEM(self, ITEM_OPEN, 1000000100);
	EXPECT_EQ(0, capture_damages(&self->cap));
}

TEST(causes_in_words)
{
	char text[GAP_CAUSES_TEXT];

	EXPECT_STREQ("", capture_gap_causes(text, 0, ","));
	EXPECT_STREQ("overwritten", capture_gap_causes(text, GAP_OVERWRITTEN, ","));
	EXPECT_STREQ("lost, damaged, missing, overwritten", capture_gap_causes(text, ~0U, ", "));
}

TEST_HARNESS_MAIN
