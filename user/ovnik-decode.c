// SPDX-License-Identifier: GPL-2.0-only
/* ovnik-decode: make traces that others can read of a capture. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode/decode.h"
#include "ovni/translate.h"
#include "util/msg.h"
#include "util/version.h"

#define OPT_TO		256
#define OPT_LIST_HOOKS	257
#define OPT_SPLIT	258

const char *argp_program_version = "ovnik-decode " OVNIK_VERSION;

static const char doc[] =
	"Make an ovni trace, a Laplace trace and Paraver traces of a capture.\v"
	"Exit status: 0 everything is in the outputs; 1 there are no outputs; 2 wrong usage; "
	"3 the capture is damaged, what could be saved was saved; 4 the kernel lost events, "
	"or overwrote them.";

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "Directory for the outputs; is made if it is missing", 0 },
	{ "to", OPT_TO, "LIST", 0, "What to make: ovni, laplace, prv; all by default", 0 },
	{ "laplace-split", OPT_SPLIT, "HOW", 0,
	  "Write a Laplace trace for each CPU; HOW is: cpu", 0 },
	{ "list-hooks", OPT_LIST_HOOKS, NULL, 0, "List the hook positions and exit", 0 },
	{ 0 }
};

static const struct {
	const char *name;
	enum decode_output output;
} outputs[] = {
	{ "ovni", DECODE_OVNI },
	{ "laplace", DECODE_LAPLACE },
	{ "prv", DECODE_PRV },
};

static u32 output_of(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(outputs); i++) {
		if (!strcmp(name, outputs[i].name))
			return outputs[i].output;
	}
	return 0;
}

static u32 parse_outputs(struct argp_state *state, char *list)
{
	char *name, *rest = list;
	u32 all = 0;

	while ((name = strsep(&rest, ","))) {
		u32 one = output_of(name);

		if (!one)
			argp_error(state, "\"%s\" is not one of ovni, laplace, prv", name);
		all |= one;
	}
	return all;
}

static void list_positions(const struct hook_position *positions, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		printf("%-14s %s\n", positions[i].name, positions[i].sentence);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct decode_options *opt = state->input;

	switch (key) {
	case 'o':
		opt->out = arg;
		return 0;
	case OPT_TO:
		opt->outputs = parse_outputs(state, arg);
		return 0;
	case OPT_SPLIT:
		if (strcmp(arg, "cpu"))
			argp_error(state, "Laplace traces are split by cpu, not by \"%s\"", arg);
		opt->laplace_split = true;
		return 0;
	case OPT_LIST_HOOKS:
		list_positions(world_positions, WORLD_NR_POSITIONS);
		list_positions(ovni_positions, OVNI_NR_POSITIONS);
		exit(DECODE_OK);
	case ARGP_KEY_ARG:
		if (opt->capture)
			argp_error(state, "\"%s\" is one capture too many, behind \"%s\"", arg,
				   opt->capture);
		opt->capture = arg;
		return 0;
	case ARGP_KEY_END:
		if (!opt->capture)
			argp_error(state, "no capture is named");
		if (!opt->out)
			argp_error(state, "no output directory is named (-o)");
		if (opt->laplace_split && !(opt->outputs & DECODE_LAPLACE))
			argp_error(state, "--laplace-split without laplace among the outputs (--to)");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "CAPTURE -o DIR", .doc = doc,
	};
	struct decode_options opt = { .outputs = DECODE_ALL };

	msg_init(argv[0]);
	argp_err_exit_status = DECODE_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &opt))
		return DECODE_USAGE;
	opt.progress = isatty(STDERR_FILENO);
	return decode_run(&opt);
}
