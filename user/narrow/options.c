// SPDX-License-Identifier: GPL-2.0-only
/* The options that narrow a capture down. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "narrow/narrow.h"
#include "narrow/when.h"

#define OPT_FROM	256
#define OPT_PID		257
#define OPT_COMM	258
#define OPT_TREE	259

static const struct argp_option options[] = {
	{ "from", OPT_FROM, "TIME", 0,
	  "Leave out what was before: seconds since the capture began, or another unit (20ms); "
	  "-5: 5 s before its end; or a time of day, such as 14:30:00.5", 0 },
	{ "pid", OPT_PID, "PID", 0, "Only this process; can be given more than once, as the next two",
	  0 },
	{ "comm", OPT_COMM, "NAME", 0, "Only processes with a thread of this name", 0 },
	{ "tree", OPT_TREE, "PID", 0, "Only this process and its children, and theirs", 0 },
	{ 0 }
};

bool narrow_is_time(const char *arg)
{
	return *arg && strchr("-@0123456789", *arg);
}

void narrow_parse_to(struct narrow_options *opt, const char *arg, const struct argp_state *state)
{
	if (when_parse(arg, &opt->to))
		argp_error(state, "--to: \"%s\" is not a time", arg);
}

static void add_pick(struct narrow_options *opt, const struct narrow_pick *pick,
		     struct argp_state *state)
{
	struct narrow_pick *more;

	more = realloc(opt->picks, (opt->nr_picks + 1) * sizeof(*more));
	if (!more)
		argp_failure(state, EXIT_FAILURE, ENOMEM, "--pid");
	opt->picks = more;
	opt->picks[opt->nr_picks++] = *pick;
}

static void add_pid(struct narrow_options *opt, const char *arg, bool tree,
		    struct argp_state *state)
{
	struct narrow_pick pick = { .tree = tree };
	unsigned long pid;
	char *end;

	errno = 0;
	pid = strtoul(arg, &end, 10);
	if (errno || end == arg || *end || !pid || pid > TASK_TID_MAX)
		argp_error(state, "\"%s\" is not the number of a process", arg);
	pick.pid = pid;
	add_pick(opt, &pick, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct narrow_options *opt = state->input;
	const struct narrow_pick named = { .comm = arg };

	switch (key) {
	case OPT_FROM:
		if (when_parse(arg, &opt->from))
			argp_error(state, "--from: \"%s\" is not a time", arg);
		return 0;
	case OPT_PID:
		add_pid(opt, arg, false, state);
		return 0;
	case OPT_COMM:
		add_pick(opt, &named, state);
		return 0;
	case OPT_TREE:
		add_pid(opt, arg, true, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp narrow_argp = { .options = options, .parser = parse };

bool narrow_wanted(const struct narrow_options *opt)
{
	return opt->from.origin || opt->to.origin || opt->nr_picks;
}
