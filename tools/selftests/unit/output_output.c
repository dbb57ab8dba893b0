// SPDX-License-Identifier: GPL-2.0-only
/* Outputs in a run. */
#include "output/output.h"

#include "kselftest_harness.h"

#define KEY	'k'

static error_t accept(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	(void)use;
	(void)key;
	(void)arg;
	(void)state;
	return 0;
}

/* What is after the end is no option. */
static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "A heading", 0 },
	{ "known", KEY, NULL, 0, "An option", 0 },
	{ 0 },
	{ "beyond", ARGP_KEY_END, NULL, 0, "Not in the table", 0 },
	{ 0 },
};

static const struct output output = { .name = "test", .options = options, .parse = accept };

TEST(an_option_is_remembered)
{
	struct output_use use = { .output = &output };

	EXPECT_EQ(0, outputs_parse(&use, KEY, NULL, NULL));
	EXPECT_STREQ("known", use.option);
}

TEST(a_key_of_argp_is_no_option)
{
	struct output_use use = { .output = &output };

	EXPECT_EQ(0, outputs_parse(&use, ARGP_KEY_END, NULL, NULL));
	EXPECT_TRUE(!use.option);
}

TEST_HARNESS_MAIN
