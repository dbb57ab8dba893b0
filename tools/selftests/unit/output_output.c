// SPDX-License-Identifier: GPL-2.0-only
/* Outputs in a run. */
#include <string.h>

#include "output/output.h"
#include "tasks/tasks.h"

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

static u32 kinds_of(const void *data)
{
	(void)data;
	return 1U << TASKS_PAGE;
}

static char calls[8];

static int attach(void *data, const struct output_env *env)
{
	(void)data;
	(void)env;
	strcat(calls, "w");
	return 0;
}

static int attach_tasks(void *data, const struct output_env *env)
{
	(void)data;
	(void)env;
	strcat(calls, "t");
	return 0;
}

/* One that asks for no place, one whose options say what it needs, one that needs nothing. */
static const struct output nowhere = {
	.name = "nowhere", .kinds = 1U << TASKS_RUN | TASKS_NOWHERE, .attach = attach,
	.attach_tasks = attach_tasks,
};

static const struct output asks = {
	.name = "asks", .kinds_of = kinds_of, .attach_tasks = attach_tasks,
};

static const struct output nothing = { .name = "nothing", .attach = attach };

static struct outputs some(bool a, bool b)
{
	struct outputs outs = {
		.uses = { { .output = &nowhere, .wanted = a }, { .output = &asks, .wanted = b },
			  { .output = &nothing, .wanted = true } },
		.nr = 3,
	};

	return outs;
}

TEST(tasks_are_of_the_kinds_of_all_outputs)
{
	struct outputs both = some(true, true), one = some(true, false), none = some(false, false);

	EXPECT_EQ(1U << TASKS_RUN | 1U << TASKS_PAGE, outputs_kinds(&both));
	EXPECT_EQ(1U << TASKS_RUN | TASKS_NOWHERE, outputs_kinds(&one));
	EXPECT_EQ(0, outputs_kinds(&none));
}

TEST(all_attach_to_the_world_before_any_attaches_to_tasks)
{
	struct outputs both = some(true, true);
	const struct output_env env = { 0 };

	EXPECT_EQ(0, outputs_attach(&both, &env));
	EXPECT_STREQ("ww", calls);
	EXPECT_EQ(0, outputs_attach_tasks(&both, &env));
	EXPECT_STREQ("wwtt", calls);
}

TEST_HARNESS_MAIN
