// SPDX-License-Identifier: GPL-2.0-only
/* ovnik-merge: kernel events and memory references in one trace, with canonical pages. */
#include <argp.h>
#include <ovnik_version.h>
#include <signal.h>

#include "merge.h"
#include "util/msg.h"
#include "util/options.h"

#define EXIT_USAGE	2

#define OPT_BASIC	256
#define OPT_PROCESSES	257
#define OPT_INTERLEAVE	258
#define OPT_STAT	259
#define OPT_FROM	260
#define OPT_TO		261
#define OPT_UNTIL	262

const char *argp_program_version = "ovnik-merge " OVNIK_VERSION;

static const char doc[] =
	"Merge the kernel events of CAPTURE and the memory references that QEMU's plugin has logged "
	"in REFS at the same time.\v"
	"Without a form, the basic merge and the merge by processes are made. "
	"Exit status: 0 all is merged; 1 it failed, and there are no outputs; 2 wrong usage; "
	"3 an input is damaged; 4 the kernel lost events.";

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "Write into DIR", 0 },
	{ "basic", OPT_BASIC, NULL, 0, "Make basic.txt: the canonical page of each reference", 0 },
	{ "per-process", OPT_PROCESSES, NULL, 0,
	  "Make processes/PID/TID.txt and kernel.txt: records and references of each task", 0 },
	{ "interleave", OPT_INTERLEAVE, NULL, 0,
	  "Make laplace.txt: kernel records and references in the order of time", 0 },
	{ "stat", OPT_STAT, NULL, 0,
	  "Make stat.txt, references.csv, working-set.csv, miss-ratio.csv and miss-ratio.svg", 0 },
	{ "from", OPT_FROM, "TSC", 0, "Only references from this time on, in hex", 0 },
	{ "until", OPT_UNTIL, "TSC", 0, "Only references until this time, in hex", 0 },
	{ "to", OPT_TO, "TSC", OPTION_HIDDEN, NULL, 0 },
	{ 0 }
};

static void add_input(struct merge_job *job, const char *arg, const struct argp_state *state)
{
	if (job->refs)
		argp_error(state, "%s: there are more than CAPTURE and REFS", arg);
	if (job->capture)
		job->refs = arg;
	else
		job->capture = arg;
}

static error_t at_end(struct merge_job *job, const struct argp_state *state)
{
	if (!job->refs)
		argp_error(state, "CAPTURE and REFS are needed");
	if (!job->out)
		argp_error(state, "-o DIR is needed");
	if (job->from > job->to)
		argp_error(state, "--from is behind --until");
	if (!job->forms)
		job->forms = MERGE_BASIC | MERGE_PROCESSES;
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct merge_job *job = state->input;

	switch (key) {
	case 'o':
		job->out = arg;
		return 0;
	case OPT_BASIC:
		job->forms |= MERGE_BASIC;
		return 0;
	case OPT_PROCESSES:
		job->forms |= MERGE_PROCESSES;
		return 0;
	case OPT_INTERLEAVE:
		job->forms |= MERGE_INTERLEAVE;
		return 0;
	case OPT_STAT:
		job->forms |= MERGE_STAT;
		return 0;
	case OPT_FROM:
		job->from = options_hex("--from", arg, state);
		return 0;
	case OPT_TO:
		job->to = options_hex("--to", arg, state);
		options_warn_old("--to", "--until");
		return 0;
	case OPT_UNTIL:
		job->to = options_hex("--until", arg, state);
		return 0;
	case ARGP_KEY_ARG:
		add_input(job, arg, state);
		return 0;
	case ARGP_KEY_END:
		return at_end(job, state);
	}
	return ARGP_ERR_UNKNOWN;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .doc = doc, .args_doc = "CAPTURE REFS",
		.children = trust_child,
	};
	struct merge_job job = { .to = ~0ULL };

	msg_init(argv[0]);
	/* A file size limit is reported like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	argp_err_exit_status = EXIT_USAGE;
	options_parse(&argp, argc, argv, 0, &job);
	return merge_run(&job);
}
