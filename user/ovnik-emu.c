// SPDX-License-Identifier: GPL-2.0-only
/* ovnik-emu: draw an ovni trace for Paraver. */
#include <argp.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "emu/emu.h"
#include "util/msg.h"
#include "util/version.h"

#define EXIT_REJECTED	1
#define EXIT_USAGE	2

struct options {
	const char *trace;
	const char *outdir;
	const char *offsets;
	bool all;
	bool show_errors;
};

const char *argp_program_version = "ovnik-emu " OVNIK_VERSION;

static const struct argp_option option_list[] = {
	{ "all", 'a', NULL, 0, "Turn all models on, required or not", 0 },
	{ "offsets", 'c', "FILE", 0,
	  "Table of clock offsets (default: TRACEDIR/clock-offsets.txt if it exists)", 0 },
	{ "show-errors", 'e', NULL, 0,
	  "Draw 777 on a CPU row with too many threads and 666 on one that follows a disabled channel; ovniemu draws nothing there",
	  0 },
	{ "lint", 'l', NULL, 0,
	  "Stricter checks; for the models known here they are always done", 0 },
	{ "output", 'o', "DIR", 0, "Directory for the six files (default: TRACEDIR)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *opt = state->input;

	switch (key) {
	case 'a':
		opt->all = true;
		return 0;
	case 'c':
		opt->offsets = arg;
		return 0;
	case 'e':
		opt->show_errors = true;
		return 0;
	case 'l':
		return 0;
	case 'o':
		opt->outdir = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (opt->trace)
			argp_error(state, "\"%s\" is one trace directory too many, behind \"%s\"",
				   arg, opt->trace);
		opt->trace = arg;
		return 0;
	case ARGP_KEY_END:
		if (!opt->trace)
			argp_error(state, "no trace directory is named");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.args_doc = "TRACEDIR",
	.doc = "Check an ovni trace (version 3) and draw it for Paraver: thread.prv, cpu.prv and the files that go with them.\v"
	       "Exit status: 0 if the trace was accepted, 1 if it was rejected or something failed, 2 if the command line is wrong.",
};

static bool has_loom(const char *dir)
{
	char *pattern;
	glob_t found;
	bool has;

	if (asprintf(&pattern, "%s/loom.*/", dir) < 0)
		return false;
	has = !glob(pattern, GLOB_NOSORT, NULL, &found);
	globfree(&found);
	free(pattern);
	return has;
}

/* An output directory of ovnik-decode, whose own views would be replaced. */
static bool trace_is_below(const char *dir)
{
	char *below;
	bool is;

	if (asprintf(&below, "%s/ovni", dir) < 0)
		return false;
	is = !has_loom(dir) && has_loom(below);
	if (is)
		msg_error("%s: %s is the trace", dir, below);
	free(below);
	return is;
}

static int play(struct emu *emu, struct emu_trace *tr, const struct options *opt)
{
	int ret;

	if (emu_freeze(emu, opt->outdir ? opt->outdir : opt->trace)) {
		msg_error("%s", emu_reason(emu));
		return -1;
	}
	ret = emu_trace_play(tr);
	if (emu_finish(emu) && !ret) {
		msg_error("%s: %s", opt->trace, emu_reason(emu));
		ret = -1;
	}
	return ret;
}

static int emulate(const struct options *opt)
{
	struct emu *emu = emu_create();
	struct emu_trace *tr;
	int ret = -1;

	if (!emu) {
		msg_error("out of memory");
		return EXIT_REJECTED;
	}
	if (opt->all)
		emu_require_all(emu);
	if (opt->show_errors)
		emu_show_errors(emu);
	tr = emu_trace_open(emu, opt->trace, opt->offsets);
	if (tr)
		ret = play(emu, tr, opt);
	emu_trace_close(tr);
	emu_destroy(emu);
	return ret ? EXIT_REJECTED : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct options opt = { 0 };

	msg_init(argv[0]);
	/* A file size limit is reported like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	argp_err_exit_status = EXIT_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &opt))
		return EXIT_USAGE;
	if (!opt.outdir && trace_is_below(opt.trace))
		return EXIT_REJECTED;
	return emulate(&opt);
}
