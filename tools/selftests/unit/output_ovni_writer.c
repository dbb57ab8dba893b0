// SPDX-License-Identifier: GPL-2.0-only
/* Many streams: buffers are bounded, nothing is lost or mixed up, and each is described once. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/ovni/writer.h"
#include "../fixture/ovnifix.h"

/* So many streams that not all can have a buffer of full size. */
#define NR_STREAMS	(OVNI_WRITER_BYTES / OVNI_WRITER_CHUNK + 100)
#define ROUNDS		4000

static bool no_memory;

/* In place of json-c's. */
struct json_object *json_object_new_object(void);
struct json_object *json_object_new_object(void)
{
	struct json_object *(*create)(void);

	create = dlsym(RTLD_NEXT, __func__);
	return no_memory || !create ? NULL : create();
}

FIXTURE(writer) {
	struct ovnifix f;
	struct inventory_thread threads[NR_STREAMS];
	struct ovni_writer wr;
	char dir[32];
	int loom;
};

FIXTURE_SETUP(writer)
{
	u32 i;

	no_memory = false;
	ASSERT_EQ(0, fix_init(&self->f, 1));
	for (i = 0; i < NR_STREAMS; i++)
		self->threads[i] = (struct inventory_thread){ .pid = 11, .tid = 11 + i };
	self->f.inventory.threads = self->threads;
	self->f.inventory.nr_threads = NR_STREAMS;
	strcpy(self->dir, "/tmp/ovniw.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	self->loom = open(self->dir, O_RDONLY | O_DIRECTORY);
	ASSERT_LE(0, self->loom);
	ASSERT_EQ(0, ovni_writer_attach(&self->wr, &self->f.t, &self->f.w, self->dir, self->loom,
					"x", 0));
}

FIXTURE_TEARDOWN(writer)
{
	char command[64];

	ovni_writer_close(&self->wr);
	close(self->loom);
	snprintf(command, sizeof(command), "rm -r %s", self->dir);
	EXPECT_EQ(0, system(command));
	fix_destroy(&self->f);
}

/* An event of each of the first @nr threads, or CPUs. */
static void tell_each(struct _test_data_writer *self, enum ovni_position position, u32 nr,
		      u64 clock)
{
	union {
		struct ovni_ev_header head;
		u8 bytes[OVNI_EVENTS_MAX];
	} raw = { .head = { .mcv = { 'O', 'H', 'p' }, .clock = clock } };
	struct ovni_events events = {
		.clock = clock, .bytes = sizeof(raw.head), .raw = raw.bytes,
	};

	for (events.index = 0; events.index < nr; events.index++)
		hook_invoke(&self->f.t.hooks, position, &events);
}

/* The stream of a CPU is the first that is created. */
static void fill_cpu(struct _test_data_writer *self)
{
	u32 i;

	for (i = 0; i < OVNI_WRITER_CHUNK / sizeof(struct ovni_ev_header); i++)
		tell_each(self, OVNI_CPU_EVENT, 1, 0);
}

/* Return: does the stream have the header, and an event of each round in order? */
static bool is_whole(struct _test_data_writer *self, u32 thread)
{
	static struct ovni_ev_header events[ROUNDS + 1];
	char name[64];
	ssize_t len;
	u64 clock;
	int fd;

	snprintf(name, sizeof(name), "proc.11/thread.%u/stream.obs", 11 + thread);
	fd = openat(self->loom, name, O_RDONLY);
	if (fd < 0)
		return false;
	len = pread(fd, events, sizeof(events), sizeof(struct ovni_stream_header));
	close(fd);
	if (len != ROUNDS * sizeof(*events))
		return false;
	for (clock = 0; clock < ROUNDS; clock++) {
		if (events[clock].clock != clock || memcmp(events[clock].mcv, "OHp", 3))
			return false;
	}
	return true;
}

static u32 created(const struct _test_data_writer *self)
{
	u32 i, nr = 0;

	for (i = 0; i < NR_STREAMS; i++)
		nr += self->wr.streams[i].created;
	return nr;
}

/* How many threads have metadata, and in how many of them are the CPUs? */
static u32 described(struct _test_data_writer *self, u32 *with_cpus)
{
	char name[64], text[4096];
	u32 i, nr = 0;
	ssize_t len;
	int fd;

	*with_cpus = 0;
	for (i = 0; i < NR_STREAMS; i++) {
		snprintf(name, sizeof(name), "proc.11/thread.%u/stream.json", 11 + i);
		fd = openat(self->loom, name, O_RDONLY);
		if (fd < 0)
			continue;
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
		text[len < 0 ? 0 : len] = '\0';
		nr++;
		*with_cpus += strstr(text, "\"loom_cpus\"") ? 1 : 0;
	}
	return nr;
}

TEST_F(writer, many_streams)
{
	u32 i, nr, with_cpus, whole = 0;
	u64 clock;

	fill_cpu(self);
	ASSERT_TRUE(self->wr.streams[NR_STREAMS].created);
	for (clock = 0; clock < ROUNDS; clock++) {
		tell_each(self, OVNI_EVENT, NR_STREAMS, clock);
		ASSERT_GE(OVNI_WRITER_BYTES, self->wr.buffered);
	}
	/* Buffers go in turn, not all at once. */
	EXPECT_LT(100, created(self));
	EXPECT_GT(NR_STREAMS / 2, created(self));
	/* Whoever finds the trace now cannot take it for a whole one. */
	nr = described(self, &with_cpus);
	EXPECT_EQ(created(self) - 1, nr);
	EXPECT_EQ(0, with_cpus);

	ASSERT_EQ(0, ovni_writer_finish(&self->wr));
	nr = described(self, &with_cpus);
	EXPECT_EQ(NR_STREAMS, nr);
	EXPECT_EQ(1, with_cpus);
	for (i = 0; i < NR_STREAMS; i++)
		whole += is_whole(self, i);
	EXPECT_EQ(NR_STREAMS, whole);
}

/* The pass ends, and the run fails: a stream without a description would be left out by readers. */
TEST_F(writer, no_memory_for_a_description)
{
	u64 clock;

	no_memory = true;
	for (clock = 0; clock < ROUNDS && !self->f.t.hooks.error; clock++)
		tell_each(self, OVNI_EVENT, NR_STREAMS, clock);
	EXPECT_EQ(-ENOMEM, self->f.t.hooks.error);
	no_memory = false;
	EXPECT_EQ(-ENOMEM, ovni_writer_finish(&self->wr));
}

TEST_HARNESS_MAIN
