// SPDX-License-Identifier: GPL-2.0-only
/* What a run of the decoder says, and writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../gen/capgen.h"
#include "decode/decode.h"
#include "kselftest_harness.h"
#include "output/output.h"

static struct capgen gen;

FIXTURE(decode)
{
	char dir[32];
	char path[64];
	char text[65536];
};

FIXTURE_SETUP(decode)
{
	strcpy(self->dir, "/tmp/decode.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	capgen_open(&gen, self->dir, 2);
}

FIXTURE_TEARDOWN(decode)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static const char *content(struct _test_data_decode *self, const char *name)
{
	size_t len = 0;
	FILE *f;

	snprintf(self->path, sizeof(self->path), "%s/%s", self->dir, name);
	f = fopen(self->path, "r");
	if (f) {
		len = fread(self->text, 1, sizeof(self->text) - 1, f);
		fclose(f);
	}
	self->text[len] = '\0';
	return self->text;
}

/* As the user asks for all tables. */
static void want_all(struct output_use *use)
{
	const struct argp_option *option = use->output->options;

	for (; option && option->name; option++) {
		if (!strcmp(option->name, "all"))
			use->output->parse(use, option->key, NULL, NULL);
	}
	use->wanted = true;
}

/* Each test is a process of its own: what it says goes to a file. */
static enum decode_status decode(struct _test_data_decode *self, const char *name, bool files)
{
	enum decode_status status;
	struct outputs outs;
	char said[64];

	snprintf(self->path, sizeof(self->path), "%s/out", self->dir);
	snprintf(said, sizeof(said), "%s/said", self->dir);
	if (!freopen(said, "w", stdout) || dup2(fileno(stdout), STDERR_FILENO) < 0 ||
	    outputs_init(&outs, output_table))
		return DECODE_FAILED;
	want_all(outputs_find(&outs, name));
	status = decode_run(&(struct decode_options){
		.capture = self->dir, .out = files ? self->path : NULL, .outputs = &outs,
	});
	outputs_destroy(&outs);
	fflush(stdout);
	return status;
}

/* The second file is the statedump, which lacks three tasks. */
static int write_lossy_dump(struct _test_data_decode *self)
{
	char command[128];

	capgen_switch(&gen, 0, 1000000100, 1, 0, 10);
	capgen_dump(&gen, 1, 1000000200, 20, 20, 0, 7, 7, "in");
	capgen_lose(&gen, 1, OVNIK_EV_dump_task, 3);
	capgen_dump(&gen, 1, 1000000300, 30, 30, 0, 7, 7, "in");
	capgen_switch(&gen, 0, 1000000400, 1, 10, 0);
	capgen_close(&gen);
	snprintf(command, sizeof(command),
		 "cd %s && mv cpu1.ovk dump.ovk && sed -i s/cpu1.ovk/dump.ovk/ meta.json",
		 self->dir);
	return system(command);
}

TEST_F(decode, what_the_statedump_lost_is_said)
{
	ASSERT_EQ(0, write_lossy_dump(self));
	EXPECT_EQ(DECODE_LOST, decode(self, "laplace", true));
	EXPECT_NE(NULL, strstr(content(self, "said"), "gap in the statedump from"));
	EXPECT_EQ(NULL, strstr(self->text, "gap on CPU"));
	EXPECT_EQ(0, strncmp(content(self, "out/laplace.txt.lost"), "statedump ", 10));
	EXPECT_NE(NULL, strstr(self->text, " dump_task=3\n"));
}

TEST_F(decode, what_the_statedump_lost_is_reported)
{
	ASSERT_EQ(0, write_lossy_dump(self));
	EXPECT_EQ(DECODE_LOST, decode(self, "report", false));
	EXPECT_NE(NULL, strstr(content(self, "said"), "events lost by CPU"));
	EXPECT_NE(NULL, strstr(self->text, "statedump"));
}

TEST_F(decode, what_the_statedump_lost_is_drawn)
{
	ASSERT_EQ(0, write_lossy_dump(self));
	EXPECT_EQ(DECODE_LOST, decode(self, "svg", true));
	EXPECT_NE(NULL, strstr(content(self, "out/timeline.svg"),
			       "<title>statedump: 3 events are missing"));
	EXPECT_EQ(DECODE_LOST, decode(self, "html", true));
	EXPECT_NE(NULL, strstr(content(self, "out/timeline.html"),
			       "\"losses\":[[4294967295,50,50,3]]"));
	EXPECT_EQ(DECODE_LOST, decode(self, "perfetto", true));
	content(self, "out/trace.perfetto-trace");
	EXPECT_NE(NULL, memmem(self->text, sizeof(self->text),
			       "records of the statedump missing", 32));
	EXPECT_NE(NULL, memmem(self->text, sizeof(self->text), "lost: 3 dump_task", 17));
}

TEST_HARNESS_MAIN
