// SPDX-License-Identifier: GPL-2.0-only
/* The report as an output: a command of its own, which prints it on stdout. */
#include <errno.h>
#include <stdlib.h>

#include "output/output.h"
#include "output/report/report.h"

#define OPT_JSON	256
#define OPT_TOP		257

struct report_output {
	struct report_options opt;
	struct report *report;
};

static const struct argp_option options[] = {
	{ "json", OPT_JSON, NULL, 0, "As JSON, with all processes and files", 0 },
	{ "top", OPT_TOP, "N", 0, "Rows of a table; 10 by default", 0 },
	{ 0 }
};

static unsigned int parse_rows(const char *arg, const struct argp_state *state)
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

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct report_output *o = use->data;

	switch (key) {
	case OPT_JSON:
		o->opt.json = true;
		return 0;
	case OPT_TOP:
		o->opt.rows = parse_rows(arg, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int attach(void *data, const struct output_env *env)
{
	struct report_output *o = data;

	if (!o->opt.rows)
		o->opt.rows = REPORT_ROWS;
	o->report = report_create(&o->opt);
	if (!o->report)
		return -ENOMEM;
	return report_attach(o->report, env->world);
}

static int finish(void *data, const struct output_env *env)
{
	struct report_output *o = data;

	report_detach(o->report);
	return report_write(o->report, env->facts);
}

static void close_output(void *data)
{
	struct report_output *o = data;

	report_detach(o->report);
	report_destroy(o->report);
	o->report = NULL;
}

const struct output report_output = {
	.name = "report",
	.sentence = "what happened: who used the CPUs, who waited for what, which files cost "
		    "most, what is missing; on stdout",
	.flags = OUTPUT_INVENTORY | OUTPUT_COMMAND,
	.size = sizeof(struct report_output),
	.options = options,
	.parse = parse,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
