// SPDX-License-Identifier: GPL-2.0-only
/* ovnik-refs: Laplace's raw memory references from binary to text and back. */
#include <argp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "refs.h"
#include "util/msg.h"
#include "util/version.h"

#define EXIT_REFUSED	1
#define EXIT_USAGE	2

#define OPT_TO_TEXT	256
#define OPT_TO_BINARY	257

const char *argp_program_version = "ovnik-refs " OVNIK_VERSION;

static const char doc[] =
	"Convert Laplace's raw memory references from binary to text or back.\v"
	"Without INPUT, or if INPUT is -, read standard input. "
	"Exit status: 0 all references were converted; 1 a reference is not valid, or reading or "
	"writing failed: everything before it was converted; 2 wrong usage.";

static const struct argp_option options[] = {
	{ "to-text", OPT_TO_TEXT, NULL, 0, "Convert binary to text", 0 },
	{ "to-binary", OPT_TO_BINARY, NULL, 0, "Convert text to binary", 0 },
	{ "wide", 'w', NULL, 0, "Addresses have 64 bits; the types are R, W and I", 0 },
	{ "output", 'o', "FILE", 0, "Write to FILE instead of standard output", 0 },
	{ 0 }
};

static const char *unless_dash(const char *path)
{
	return strcmp(path, "-") ? path : NULL;
}

struct arguments {
	struct refs_job job;
	bool to_binary;
	bool input;
};

static error_t at_end(const struct arguments *args, struct argp_state *state)
{
	if (args->job.to_text == args->to_binary)
		argp_error(state, "either --to-text or --to-binary is needed");
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case OPT_TO_TEXT:
		args->job.to_text = true;
		return 0;
	case OPT_TO_BINARY:
		args->to_binary = true;
		return 0;
	case 'w':
		args->job.wide = true;
		return 0;
	case 'o':
		args->job.out = unless_dash(arg);
		return 0;
	case ARGP_KEY_ARG:
		if (args->input)
			argp_error(state, "there is more than one INPUT");
		args->input = true;
		args->job.in = unless_dash(arg);
		return 0;
	case ARGP_KEY_END:
		return at_end(args, state);
	}
	return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .doc = doc,
		.args_doc = "--to-text [INPUT]\n--to-binary [INPUT]",
	};
	struct arguments args = { 0 };

	msg_init(argv[0]);
	/* A closed pipe and a file size limit are reported like a full disk. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return refs_run(&args.job) ? EXIT_REFUSED : EXIT_SUCCESS;
}
