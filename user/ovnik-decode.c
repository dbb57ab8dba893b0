// SPDX-License-Identifier: GPL-2.0-only
/* ovnik-decode: make traces that others can read of a capture. */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/decode.h"
#include "output/ovni/translate.h"
#include "output/report/report.h"
#include "output/tracers/tracers.h"
#include "util/msg.h"
#include "util/version.h"
#include "xray/format.h"
#include "xray/log.h"

#define OPT_TO		256
#define OPT_LIST_HOOKS	257
#define OPT_SPLIT	258
#define OPT_MERGE	259
#define OPT_XRAY_SPLIT	260
#define OPT_XRAY_VERSION 261
#define OPT_INSTR_MAP	262
#define OPT_TRACER	263
#define OPT_LIST_TRACERS 264
#define OPT_JSON	265

const char *argp_program_version = "ovnik-decode " OVNIK_VERSION;

static const char doc[] =
	"Make an ovni trace, a Laplace trace, Paraver traces and XRay logs of a capture, and "
	"answer questions on it. What is most asked for is told by: ovnik-decode report "
	"CAPTURE\v"
	"Exit status: 0 everything is in the outputs; 1 there are no outputs; 2 wrong usage; "
	"3 the capture is damaged, what could be saved was saved; 4 the kernel lost events, "
	"or overwrote them.";

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "Directory for the outputs; is made if it is missing", 0 },
	{ "to", OPT_TO, "LIST", 0,
	  "What to make: ovni, laplace, prv, xray; all but xray by default", 0 },
	{ "laplace-split", OPT_SPLIT, "HOW", 0,
	  "Write a Laplace trace for each CPU; HOW is: cpu", 0 },
	{ "xray-split", OPT_XRAY_SPLIT, "HOW", 0,
	  "Write an XRay log for each process; HOW is: process", 0 },
	{ "xray-version", OPT_XRAY_VERSION, "N", 0,
	  "Version of XRay logs: 5 as clang has it (the default), or 1 as documented", 0 },
	{ "gzip", 'z', NULL, 0,
	  "Compress the timelines: .prv.gz, which Paraver reads, too", 0 },
	{ "merge", OPT_MERGE, "TRACE", 0,
	  "Put the ovni trace that an application wrote in the meantime into ours; or an XRay FDR log, of which there may be several",
	  0 },
	{ "instr-map", OPT_INSTR_MAP, "FILE", 0,
	  "Binary that wrote the logs: has the names of its functions", 0 },
	{ "tracer", OPT_TRACER, "NAME[,KEY=VALUE]...", 0,
	  "Answer a question; can be given more than once. NAME is a tracer, or the path of a "
	  "shared object that is one", 0 },
	{ "json", OPT_JSON, NULL, 0, "Answers as JSON", 0 },
	{ "list-tracers", OPT_LIST_TRACERS, NULL, 0, "List the tracers and exit", 0 },
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
	{ "xray", DECODE_XRAY },
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
			argp_error(state, "\"%s\" is not one of ovni, laplace, prv, xray", name);
		all |= one;
	}
	return all;
}

static u16 parse_version(struct argp_state *state, const char *arg)
{
	if (strcmp(arg, "1") && strcmp(arg, "5"))
		argp_error(state, "XRay logs are written in version 1 or 5, not \"%s\"", arg);
	return arg[0] - '0';
}

/* A directory is a trace, of which there is one; all else are logs, of which there may be some. */
static void parse_merge(struct argp_state *state, const char *path)
{
	struct decode_options *opt = state->input;
	const char **logs;
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		opt->merge = path;
		return;
	}
	logs = realloc((void *)opt->logs, (opt->nr_logs + 1) * sizeof(*logs));
	if (!logs)
		argp_failure(state, DECODE_FAILED, ENOMEM, "--merge");
	logs[opt->nr_logs++] = path;
	opt->logs = logs;
}

static void check_merge(const struct decode_options *opt, struct argp_state *state)
{
	if (opt->merge && opt->nr_logs)
		argp_error(state, "--merge takes an ovni trace or XRay logs, not both");
	if (opt->instr_map && !opt->nr_logs)
		argp_error(state, "--instr-map without an XRay log to --merge");
	if ((opt->merge || opt->nr_logs) && !(opt->outputs & DECODE_OVNI))
		argp_error(state, "--merge without ovni among the outputs (--to)");
}

static void check_outputs(const struct decode_options *opt, struct argp_state *state)
{
	if (opt->laplace_split && !(opt->outputs & DECODE_LAPLACE))
		argp_error(state, "--laplace-split without laplace among the outputs (--to)");
	if ((opt->xray_split || opt->xray_version) && !(opt->outputs & DECODE_XRAY))
		argp_error(state, "--xray-split or --xray-version without xray among the outputs (--to)");
	if (opt->compress && !(opt->outputs & DECODE_PRV))
		argp_error(state, "--gzip without prv among the outputs (--to)");
	check_merge(opt, state);
}

static void check_options(struct decode_options *opt, struct argp_state *state)
{
	if (!opt->capture)
		argp_error(state, "no capture is named");
	if (!opt->out && (opt->outputs || !opt->tracers->nr))
		argp_error(state, "no output directory is named (-o)");
	if (opt->out && !opt->outputs)
		opt->outputs = DECODE_DEFAULT;
	check_outputs(opt, state);
	if (!opt->xray_version)
		opt->xray_version = XRAY_VERSION_MAX;
	if (opt->json && !opt->tracers->nr)
		argp_error(state, "--json without a question (--tracer)");
}

static void list_positions(const struct hook_position *positions, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		printf("%-14s %s\n", positions[i].name, positions[i].sentence);
}

/* A list on stdout that is not whole is none. */
static void __attribute__((noreturn)) exit_listed(void)
{
	if (fflush(stdout) || ferror(stdout)) {
		msg_error("the list cannot be written: %s", strerror(errno));
		exit(DECODE_FAILED);
	}
	exit(DECODE_OK);
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
	case OPT_XRAY_SPLIT:
		if (strcmp(arg, "process"))
			argp_error(state, "XRay logs are split by process, not by \"%s\"", arg);
		opt->xray_split = true;
		return 0;
	case OPT_XRAY_VERSION:
		opt->xray_version = parse_version(state, arg);
		return 0;
	case 'z':
		opt->compress = true;
		return 0;
	case OPT_MERGE:
		parse_merge(state, arg);
		return 0;
	case OPT_INSTR_MAP:
		opt->instr_map = arg;
		return 0;
	case OPT_TRACER:
		if (tracers_add(opt->tracers, arg))
			exit(DECODE_USAGE);
		return 0;
	case OPT_JSON:
		opt->json = true;
		return 0;
	case OPT_LIST_TRACERS:
		tracers_list();
		exit_listed();
	case OPT_LIST_HOOKS:
		list_positions(world_positions, WORLD_NR_POSITIONS);
		list_positions(ovni_positions, OVNI_NR_POSITIONS);
		list_positions(tasks_positions, TASKS_NR_POSITIONS);
		exit_listed();
	case ARGP_KEY_ARG:
		if (opt->capture)
			argp_error(state, "\"%s\" is one capture too many, behind \"%s\"", arg,
				   opt->capture);
		opt->capture = arg;
		return 0;
	case ARGP_KEY_END:
		check_options(opt, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* A file of ours that got the number of a closed stdout would have the answers in it. */
static void occupy_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "CAPTURE [-o DIR]", .doc = doc,
	};
	static struct tracers tracers;
	struct decode_options opt = { .names = &xray_names_elf, .tracers = &tracers };
	enum decode_status status;

	occupy_standard_files();
	msg_init(argv[0]);
	argp_err_exit_status = DECODE_USAGE;
	if (argc > 1 && !strcmp(argv[1], "report"))
		return report_main(argc - 1, argv + 1);
	if (argp_parse(&argp, argc, argv, 0, NULL, &opt))
		return DECODE_USAGE;
	opt.progress = isatty(STDERR_FILENO);
	status = decode_run(&opt);
	free((void *)opt.logs);
	tracers_destroy(&tracers);
	return status;
}
