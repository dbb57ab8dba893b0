// SPDX-License-Identifier: GPL-2.0-only
/* ovnik-decode report: from the command line to stdout. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "decode/decode.h"
#include "output/report/report_priv.h"
#include "util/msg.h"

#define OPT_JSON	256
#define OPT_TOP		257

static const char doc[] =
	"Tell what happened in a capture: who used the CPUs, who waited for what, which files "
	"cost most, what is missing.\v"
	"Exit status: as without \"report\".";

static const struct argp_option options[] = {
	{ "json", OPT_JSON, NULL, 0, "As JSON, with all processes and files", 0 },
	{ "top", OPT_TOP, "N", 0, "Rows of a table; 10 by default", 0 },
	{ 0 }
};

/* What the user wants. */
struct wish {
	const char *capture;
	struct report_options opt;
};

static unsigned int parse_rows(const char *arg, struct argp_state *state)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || !n || n > REPORT_ROWS_MAX)
		argp_error(state, "--top: \"%s\" is not a number from 1 to %u", arg,
			   REPORT_ROWS_MAX);
	return n;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct wish *wish = state->input;

	switch (key) {
	case OPT_JSON:
		wish->opt.json = true;
		return 0;
	case OPT_TOP:
		wish->opt.rows = parse_rows(arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (wish->capture)
			argp_error(state, "\"%s\" is one capture too many, behind \"%s\"", arg,
				   wish->capture);
		wish->capture = arg;
		return 0;
	case ARGP_KEY_END:
		if (!wish->capture)
			argp_error(state, "no capture is named");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int report_main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "CAPTURE", .doc = doc,
	};
	struct wish wish = { .opt.rows = REPORT_ROWS };
	struct decode_options opt = { .progress = isatty(STDERR_FILENO) };
	enum decode_status status;

	argv[0] = "ovnik-decode report";
	if (argp_parse(&argp, argc, argv, 0, NULL, &wish))
		return DECODE_USAGE;
	opt.capture = wish.capture;
	opt.report = report_create(&wish.opt);
	if (!opt.report) {
		msg_error("no memory");
		return DECODE_FAILED;
	}
	status = decode_run(&opt);
	report_destroy(opt.report);
	return status;
}
