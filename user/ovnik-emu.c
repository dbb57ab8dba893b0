// SPDX-License-Identifier: GPL-2.0-only
/* ovnik-emu: render an ovni trace for Paraver. */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <ovnik_version.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "emu/cfg.h"
#include "emu/emu.h"
#include "emu/name.h"
#include "util/jobs.h"
#include "util/msg.h"
#include "util/options.h"
#include "util/out.h"
#include "util/shell.h"
#include "util/stage.h"

#define EXIT_REJECTED	1
#define EXIT_USAGE	2

#define KEY_STRICT	0x100	/* no letter */

struct options {
	const char **traces;
	u32 ntraces;
	const char *outdir;
	const char *offsets;
	bool all;
	unsigned int jobs;
	u32 emu;	/* of enum emu_option */
};

const char *argp_program_version = "ovnik-emu " OVNIK_VERSION;

static const struct argp_option option_list[] = {
	{ "all", 'a', NULL, 0, "Enable all models, required or not", 0 },
	{ "breakdown", 'b', NULL, 0,
	  "Also write NAME-breakdown traces of what all CPUs do, for nosv, nanos6 and openmp",
	  0 },
	{ "offsets", 'c', "FILE", 0,
	  "Table of clock offsets (default: TRACEDIR/clock-offsets.txt, if it exists)", 0 },
	{ "debug", 'd', NULL, 0, "Print each event before it is emulated", 0 },
	{ "show-errors", 'e', NULL, 0,
	  "Render 777 on a CPU row with too many threads and 666 on one that follows a disabled channel; ovniemu renders 0",
	  0 },
	{ "jobs", 'j', "N", 0,
	  "Do N steps of the work at the same time; by default one for each CPU. The output is the same",
	  0 },
	{ "lint", 'l', NULL, 0,
	  "Check more strictly: states that a runtime entered must be left at the end", 0 },
	{ "output", 'o', "DIR", 0,
	  "Directory for the output (default: TRACEDIR, if there is one only)", 0 },
	{ "strict", KEY_STRICT, NULL, 0,
	  "Reject a trace that requires an unknown model or has events of one; otherwise such events are skipped and counted",
	  0 },
	{ "gzip", 'z', NULL, 0, "Compress the timelines: .prv.gz, which Paraver reads as well", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *opt = state->input;

	switch (key) {
	case 'a':
		opt->all = true;
		return 0;
	case 'b':
		opt->emu |= EMU_BREAKDOWN;
		return 0;
	case 'c':
		opt->offsets = arg;
		return 0;
	case 'd':
		opt->emu |= EMU_DEBUG;
		return 0;
	case 'e':
		opt->emu |= EMU_SHOW_ERRORS;
		return 0;
	case 'j':
		opt->jobs = jobs_parse(arg, state);
		return 0;
	case 'l':
		opt->emu |= EMU_LINT;
		return 0;
	case 'o':
		opt->outdir = arg;
		return 0;
	case 'z':
		opt->emu |= EMU_COMPRESS;
		return 0;
	case KEY_STRICT:
		opt->emu |= EMU_STRICT;
		return 0;
	case ARGP_KEY_ARG:
		opt->traces[opt->ntraces++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!opt->ntraces)
			argp_error(state, "a trace directory is required");
		if (opt->ntraces > 1 && !opt->outdir)
			argp_error(state, "several traces: name a directory for their timeline (-o DIR)");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Behind the options, where upstream's ovniemu has it. */
static char *help_filter(int key, const char *text, void *input)
{
	char *models, *whole;
	int ret;

	(void)input;
	if (key != ARGP_KEY_HELP_EXTRA)
		return (char *)text;
	models = emu_models_list("  ");
	if (!models)
		return NULL;
	ret = asprintf(&whole, "The emulation models and their versions:\n%s", models);
	free(models);
	return ret < 0 ? NULL : whole;
}

static const struct argp argp = {
	.options = option_list,
	.parser = parse_option,
	.args_doc = "TRACEDIR...",
	.doc = "Check an ovni trace (version 3), or those of several nodes, and render it for Paraver: thread.prv, cpu.prv and their .pcf and .row files.\v"
	       "Exit status: 0 if the trace was accepted, 1 if it was rejected or an error occurred, 2 if the command line is wrong.",
	.children = trust_child,
	.help_filter = help_filter,
};

static bool has_loom(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool has = false;
	struct stat st;

	if (!dir)
		return false;
	while (!has && (entry = readdir(dir)))
		has = !strncmp(entry->d_name, "loom.", 5) &&
		      !fstatat(dirfd(dir), entry->d_name, &st, 0) && S_ISDIR(st.st_mode);
	closedir(dir);
	return has;
}

/* Is it an output directory of ovnik-decode, whose files would be replaced? */
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

static int play(struct emu *emu, struct emu_trace *tr, const struct options *opt,
		struct stage *stage)
{
	int ret, finished;

	if (emu_freeze(emu, stage->path)) {
		msg_error("%s", emu_reason(emu));
		return -1;
	}
	ret = emu_trace_play(tr);
	finished = emu_finish(emu);
	if (finished && !ret) {
		msg_error("%s: %s", opt->traces[0], emu_reason(emu));
		ret = -1;
	}
	/* What can be rendered of a trace that is rejected shows why it is. */
	if (finished != -EIO && stage_commit(stage))
		return -1;
	if (!ret)
		emu_trace_report(tr);
	return ret;
}

static void report_next(const char *out, const char *name)
{
	char *path = out_path(out, name), *word = path ? shell_word(path) : NULL;

	if (word)
		msg_info("next: wxparaver %s", word);
	else
		msg_no_memory();
	free(path);
	free(word);
}

static int play_into(struct emu *emu, struct emu_trace *tr, const struct options *opt)
{
	const char *out = opt->outdir ? opt->outdir : opt->traces[0];
	struct stage stage = { 0 };
	int ret;
	u32 i;

	ret = stage_begin(&stage, out);
	for (i = 0; !ret && i < opt->ntraces; i++)
		ret = stage_made_of(&stage, opt->traces[i]);
	if (!ret)
		ret = emu_names_clear(&stage.dir) ?: cfg_clear(&stage.dir) ?:
		      play(emu, tr, opt, &stage);
	if (!ret)
		report_next(out, opt->emu & EMU_COMPRESS ? "thread.prv.gz" : "thread.prv");
	stage_end(&stage);
	return ret;
}

static int emulate(const struct options *opt)
{
	struct emu *emu = emu_create();
	struct emu_trace *tr;
	int ret = -1;

	if (!emu) {
		msg_no_memory();
		return EXIT_REJECTED;
	}
	emu_options(emu, opt->emu);
	if (opt->all)
		emu_require_all(emu);
	tr = emu_trace_open(emu, opt->traces, opt->ntraces, opt->offsets);
	if (tr)
		ret = play_into(emu, tr, opt);
	emu_trace_close(tr);
	emu_destroy(emu);
	return ret ? EXIT_REJECTED : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct options opt = { .traces = calloc(argc, sizeof(*opt.traces)) };
	int ret = EXIT_REJECTED;

	msg_init(argv[0]);
	/* Report a file size limit like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	argp_err_exit_status = EXIT_USAGE;
	if (!opt.traces) {
		msg_no_memory();
		return EXIT_REJECTED;
	}
	if (options_parse(&argp, argc, argv, 0, &opt))
		return EXIT_USAGE;
	jobs_set(opt.jobs ? opt.jobs : jobs_cpus());
	if (opt.outdir || !trace_is_below(opt.traces[0]))
		ret = emulate(&opt);
	free(opt.traces);
	return ret;
}
