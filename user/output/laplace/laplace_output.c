// SPDX-License-Identifier: GPL-2.0-only
/* Laplace's trace as an output. */
#include <string.h>

#include "output/laplace/laplace.h"
#include "output/output.h"
#include "util/text.h"

#define OPT_SPLIT	256

struct laplace_output {
	bool split;
	struct laplace writer;
};

static const struct argp_option options[] = {
	{ "laplace-split", OPT_SPLIT, "HOW", 0,
	  "Write a Laplace trace for each CPU; HOW is: cpu", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct laplace_output *o = use->data;

	if (key != OPT_SPLIT)
		return ARGP_ERR_UNKNOWN;
	if (strcmp(arg, "cpu"))
		argp_error(state, "Laplace traces are split by cpu, not by \"%s\"", arg);
	o->split = true;
	return 0;
}

static bool owns(const char *name)
{
	return !strcmp(name, "laplace.txt") || !strcmp(name, "laplace.txt.lost") ||
	       text_is_numbered(name, "laplace.cpu", ".txt");
}

static int attach(void *data, const struct output_env *env)
{
	struct laplace_output *o = data;

	return laplace_attach(&o->writer, env->world, env->out, o->split);
}

static int finish(void *data, const struct output_env *env)
{
	struct laplace_output *o = data;

	return laplace_finish(&o->writer, capture_damages(env->cap));
}

static void close_output(void *data)
{
	struct laplace_output *o = data;

	laplace_close(&o->writer);
}

const struct output laplace_output = {
	.name = "laplace",
	.sentence = "a raw kernel trace as Laplace writes it: laplace.txt",
	.flags = OUTPUT_FILES | OUTPUT_DEFAULT,
	.size = sizeof(struct laplace_output),
	.options = options,
	.parse = parse,
	.owns = owns,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
