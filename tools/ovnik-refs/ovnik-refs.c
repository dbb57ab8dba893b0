// SPDX-License-Identifier: GPL-2.0-only
/* ovnik-refs: Laplace's raw memory references from binary to text and back. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <ovnik_version.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "refs.h"
#include "util/msg.h"
#include "util/options.h"

#define EXIT_REFUSED	1
#define EXIT_USAGE	2

#define OPT_TO_TEXT	256
#define OPT_TO_BINARY	257
#define OPT_INFO	258
#define OPT_TO_REDUCED	259
#define OPT_FROM	260
#define OPT_TO		261
#define OPT_SPACE	262
#define OPT_KINDS	263
#define OPT_TO_LOG	264
#define OPT_PID		265
#define OPT_CAPTURE	266
#define OPT_UNTIL	267

const char *argp_program_version = "ovnik-refs " OVNIK_VERSION;

static const char doc[] =
	"Convert Laplace's raw memory references from binary to text or back, and logs of "
	"QEMU's plugin to either.\v"
	"Without INPUT, or if INPUT is -, read standard input. "
	"Exit status: 0 all references were converted; 1 a reference is not valid, or reading or "
	"writing failed: everything before it was converted; 2 wrong usage.";

static const struct argp_option options[] = {
	{ "to-text", OPT_TO_TEXT, NULL, 0, "Convert binary to text", 0 },
	{ "to-binary", OPT_TO_BINARY, NULL, 0, "Convert text to binary", 0 },
	{ "to-reduced", OPT_TO_REDUCED, NULL, 0,
	  "Convert a log to Laplace's reduced text: differences", 0 },
	{ "to-log", OPT_TO_LOG, NULL, 0, "Convert binary to a log like those of QEMU's plugin", 0 },
	{ "from", OPT_FROM, "TSC", 0, "Of a log: begin at this time, in hex", 0 },
	{ "until", OPT_UNTIL, "TSC", 0, "Of a log: end with this time, in hex", 0 },
	{ "to", OPT_TO, "TSC", OPTION_HIDDEN, NULL, 0 },
	{ "space", OPT_SPACE, "SPACE", 0,
	  "Of a log: only this address space, CR3 >> 12 in hex", 0 },
	{ "kinds", OPT_KINDS, "KINDS", 0,
	  "Of a log: only r (loads), w (stores), i (fetches), or several of them", 0 },
	{ "pid", OPT_PID, "PID", 0,
	  "Of a log: only while a thread of this process ran; needs --capture", 0 },
	{ "capture", OPT_CAPTURE, "DIR", 0, "The capture of the same time, for --pid", 0 },
	{ "info", OPT_INFO, NULL, 0, "Print what a log of QEMU's plugin contains", 0 },
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
	bool info;
	bool input;
};

static error_t at_end(struct arguments *args, struct argp_state *state)
{
	struct refs_job *job = &args->job;
	int forms = args->info + job->to_text + args->to_binary + job->reduced +
		    job->to_log;

	/* A log is not read from its beginning to its end. */
	if (!job->in && refs_is_log("/dev/stdin"))
		job->in = "/dev/stdin";
	if (args->info && !job->in)
		argp_error(state, "--info needs a file");
	if (args->info && (job->is_part || job->wide || job->out))
		argp_error(state, "--info describes the whole file on standard output: no other option goes with it");
	if (job->part.from > job->part.to)
		argp_error(state, "--from is behind --until");
	if (!job->part.pid != !job->part.capture)
		argp_error(state, "--pid and --capture need each other");
	if (forms != 1)
		argp_error(state, "one of --to-text, --to-binary, --to-reduced, --to-log and --info is needed");
	return 0;
}

static u32 parse_pid(const char *arg, const struct argp_state *state)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(arg, &end, 10);
	if (errno || *end || !value || value >> 31 || !isdigit((unsigned char)*arg))
		argp_error(state, "%s: --pid must be the number of a process", arg);
	return (u32)value;
}

static u32 parse_kinds(const char *arg, const struct argp_state *state)
{
	static const char letters[] = "irw";	/* as enum refs_kind */
	u32 kinds = 0;

	for (; *arg; arg++) {
		const char *letter = strchr(letters, *arg);

		if (!letter)
			argp_error(state, "%s: --kinds takes r, w and i", arg);
		kinds |= 1U << (letter - letters);
	}
	if (!kinds)
		argp_error(state, "--kinds takes r, w and i");
	return kinds;
}

static error_t parse_part(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;
	struct refs_part *part = &args->job.part;

	switch (key) {
	case OPT_FROM:
		part->from = options_hex("--from", arg, state);
		break;
	case OPT_TO:
		part->to = options_hex("--to", arg, state);
		options_warn_old("--to", "--until");
		break;
	case OPT_UNTIL:
		part->to = options_hex("--until", arg, state);
		break;
	case OPT_SPACE:
		part->space = options_hex("--space", arg, state);
		break;
	case OPT_KINDS:
		part->kinds = parse_kinds(arg, state);
		break;
	case OPT_PID:
		part->pid = parse_pid(arg, state);
		break;
	case OPT_CAPTURE:
		part->capture = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	args->job.is_part = true;
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
	case OPT_TO_REDUCED:
		args->job.reduced = true;
		return 0;
	case OPT_TO_LOG:
		args->job.to_log = true;
		return 0;
	case OPT_INFO:
		args->info = true;
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
	return parse_part(key, arg, state);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .doc = doc,
		.args_doc = "--to-text [INPUT]\n--to-binary [INPUT]\n--to-log [INPUT]\n--to-reduced INPUT\n--info INPUT",
		.children = trust_child,
	};
	struct arguments args = {
		.job.part = { .to = ~0ULL, .space = REFS_ALL_SPACES, .kinds = REFS_ALL_KINDS },
	};

	msg_init(argv[0]);
	/* A file size limit is reported like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, 0, &args);
	if (args.info)
		return refs_info(args.job.in) ? EXIT_REFUSED : EXIT_SUCCESS;
	return refs_run(&args.job) ? EXIT_REFUSED : EXIT_SUCCESS;
}
