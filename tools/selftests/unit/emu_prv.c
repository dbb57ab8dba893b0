// SPDX-License-Identifier: GPL-2.0-only
/* Lines of a Paraver trace, against printf(). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emu/prv.h"
#include "kselftest_harness.h"

#define TEXT_ROOM 65536

FIXTURE(prv)
{
	struct prv_texts texts;
	struct prv prv;
	char dir[64];
	char path[80];
	char want[TEXT_ROOM];
	char got[TEXT_ROOM];
};

FIXTURE_SETUP(prv)
{
	strcpy(self->dir, "/tmp/emu_prv.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->path, sizeof(self->path), "%s/x.prv", self->dir);
}

FIXTURE_TEARDOWN(prv)
{
	unlink(self->path);
	rmdir(self->dir);
}

/* What is behind the header. */
static const char *lines(const char *path, char *text)
{
	FILE *f = fopen(path, "re");
	size_t n;

	if (!f)
		return NULL;
	n = fread(text, 1, TEXT_ROOM - 1, f);
	fclose(f);
	text[n] = '\0';
	return strchr(text, '\n') + 1;
}

/* Some of one place in the table of known numbers, in turns; some too long for it. */
TEST_F(prv, numbers_are_those_of_printf)
{
	static const s64 number[] = {
		1, 9, 10, 255, 256, 266, 10, 266, 1034, 65536 + 10, 65536 + 10, -1, -1, -9, -246,
		99999999999999, 99999999999999, 100000000000000, 100000000000000,
		-9999999999999, -9999999999999, -99999999999999, -99999999999999,
		INT64_MAX, INT64_MIN, INT64_MAX, INT64_MIN, 0, 0,
	};
	struct prv_type type;
	struct prv_out out;
	size_t at = 0;
	u32 i;

	prv_type_init(&type, 4294967295u, PRV_EMIT_DUP | PRV_ZERO);
	ASSERT_EQ(0, prv_open(&self->prv, self->dir, "x.prv", PRV_ROWS_MAX, &self->texts, 0));
	prv_out_init(&out, &self->prv, PRV_ROWS_MAX - 1, &type);
	for (i = 0; i < ARRAY_SIZE(number); i++) {
		prv_advance(&self->texts.clock, 1ull << 2 * i);
		ASSERT_EQ(0, prv_emit(&out, CHAN_INT(number[i])));
		at += snprintf(self->want + at, TEXT_ROOM - at,
			       "2:0:1:1:999999:%llu:4294967295:%lld\n", 1ull << 2 * i,
			       (long long)number[i]);
	}
	ASSERT_EQ(0, prv_close(&self->prv));
	EXPECT_STREQ(self->want, lines(self->path, self->got));
}

TEST_F(prv, too_many_rows_are_refused)
{
	EXPECT_EQ(-EINVAL, prv_open(&self->prv, self->dir, "x.prv", PRV_ROWS_MAX + 1,
				    &self->texts, 0));
	EXPECT_NE(0, access(self->path, F_OK));
}

TEST_HARNESS_MAIN
