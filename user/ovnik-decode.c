// SPDX-License-Identifier: GPL-2.0-only
/* ovnik-decode: convert a capture to ovni, Paraver, Laplace and XRay traces. */
#include <argp.h>
#include <fcntl.h>
#include <ovnik_version.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decode/nodes.h"
#include "decode/several.h"
#include "decode/sides.h"
#include "libraries.h"
#include "merge/source.h"
#include "output/ovni/translate.h"
#include "tasks/tasks.h"
#include "util/jobs.h"
#include "util/msg.h"
#include "util/options.h"
#include "util/shell.h"
#include "util/suggest.h"
#include "util/utf8.h"

#define OPT_TO			256
#define OPT_LIST_OUTPUTS	257
#define OPT_LIST_HOOKS		258

#define TEXT_MAX	256

const char *argp_program_version = "ovnik-decode " OVNIK_VERSION "\n"
	OVNIK_HAS_SQLITE " " OVNIK_HAS_LIBELF " " OVNIK_HAS_LIBIBERTY;

#define STATUSES(result, none)									\
	"Exit status: 0 everything is in " result "; 1 there " none "; 2 wrong usage; "		\
	"3 the capture is damaged, what could be saved was saved; 4 the kernel lost events, "	\
	"or overwrote them."

static const char doc[] =
	"Convert a capture to a page for a browser, timelines for Paraver and other traces, and answer questions on it. "
	"For a summary, run: ovnik-decode report CAPTURE\v"
	STATUSES("the outputs", "are no outputs");

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "Directory for the outputs; created if it is missing", 0 },
	{ "offsets", 'c', "FILE", 0,
	  "Table of clock offsets between nodes; without it, their times of day align them. Give two tables, measured before and after, to correct drift",
	  0 },
	{ "jobs", 'j', "N", 0,
	  "Decode N captures at the same time or, of one, do N steps of the work; by default one for each CPU. The outputs are the same",
	  0 },
	{ "to", OPT_TO, "LIST", 0, "What to make, with commas between, of ", 0 },
	{ "list-outputs", OPT_LIST_OUTPUTS, NULL, 0,
	  "List the outputs of --to, and the commands, and exit", 0 },
	{ "list-hooks", OPT_LIST_HOOKS, NULL, 0, "List the hook positions and exit", 0 },
	{ 0 }
};

static const struct argp_option command_options[] = {
	{ "to", OPT_TO, "TIME", OPTION_HIDDEN, NULL, 0 },
	{ 0 }
};

/**
 * struct command - The command line.
 * @opt: what to do
 * @captures: of what
 * @sides: of what, if two sides are compared
 * @divided: "--" divides them; those after it are known
 * @outputs: the outputs
 * @use: the output that is the command; NULL: none is
 * @source: what is merged
 */
struct command {
	struct decode_options opt;
	struct captures captures;
	struct captures sides[SIDES];
	bool divided;
	struct outputs outputs;
	struct output_use *use;
	struct source source;
};

/* The names of the outputs with some flags, separated by commas. */
static const char *names_of(char *text, const struct outputs *outs, u32 flags)
{
	size_t len = 0;
	unsigned int i;

	text[0] = '\0';
	for (i = 0; i < outs->nr && len < TEXT_MAX; i++) {
		const struct output *output = outs->uses[i].output;

		if ((output->flags & flags) == flags)
			len += snprintf(text + len, TEXT_MAX - len, "%s%s", len ? ", " : "",
					output->name);
	}
	return text;
}

/* Of the names of the outputs with some flags, the one that a word may mean: ends a message. */
static const char *name_near(char *text, const struct outputs *outs, u32 flags, const char *word)
{
	struct suggestion near = { .word = word };
	unsigned int i;

	for (i = 0; i < outs->nr; i++) {
		if ((outs->uses[i].output->flags & flags) == flags)
			suggest_offer(&near, outs->uses[i].output->name);
	}
	return suggest_text(&near, text, TEXT_MAX);
}

static char *help_filter(int key, const char *text, void *input)
{
	struct command *cmd = input;
	char all[TEXT_MAX], some[TEXT_MAX], *whole;

	if (key != OPT_TO || !cmd)
		return (char *)text;
	names_of(all, &cmd->outputs, OUTPUT_FILES);
	names_of(some, &cmd->outputs, OUTPUT_FILES | OUTPUT_DEFAULT);
	return asprintf(&whole, "%s%s; by default %s", text, all, some) < 0 ? NULL : whole;
}

static bool is_command(struct outputs *outs, const char *word)
{
	const struct output_use *use = outputs_find(outs, word);

	return use && use->output->flags & OUTPUT_COMMAND && access(word, F_OK);
}

static void parse_to(struct argp_state *state, char *list)
{
	struct command *cmd = state->input;
	char *name, *rest = list, all[TEXT_MAX], near[TEXT_MAX];
	unsigned int i;

	if (narrow_is_time(list)) {
		narrow_parse_to(&cmd->opt.narrow, list, state);
		return;
	}
	for (i = 0; i < cmd->outputs.nr; i++) {
		if (cmd->outputs.uses[i].output->flags & OUTPUT_FILES)
			cmd->outputs.uses[i].wanted = false;
	}
	while ((name = strsep(&rest, ","))) {
		struct output_use *use = outputs_find(&cmd->outputs, name);

		if (!use || !(use->output->flags & OUTPUT_FILES))
			argp_error(state, "\"%s\" is not one of %s%s", name,
				   names_of(all, &cmd->outputs, OUTPUT_FILES),
				   name_near(near, &cmd->outputs, OUTPUT_FILES, name));
		use->wanted = true;
	}
}

static void list_outputs(const struct outputs *outs)
{
	unsigned int i;

	for (i = 0; i < outs->nr; i++) {
		const struct output *output = outs->uses[i].output;

		printf("%-10s %-8s %s\n", output->name,
		       output->flags & OUTPUT_DEFAULT ? "default" :
		       output->flags & OUTPUT_COMMAND ? "command" :
		       output->flags & OUTPUT_FILES ? "" : "--tracer", output->sentence);
	}
	outputs_exit_listed();
}

static void list_positions(const struct hook_position *positions, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		printf("%-14s %s\n", positions[i].name, positions[i].sentence);
}

static void list_hooks(void)
{
	list_positions(world_positions, WORLD_NR_POSITIONS);
	list_positions(ovni_positions, OVNI_NR_POSITIONS);
	list_positions(tasks_positions, TASKS_NR_POSITIONS);
	outputs_exit_listed();
}

static void check_merge(struct command *cmd, struct argp_state *state)
{
	char names[TEXT_MAX];

	if (!cmd->source.kind)
		return;
	cmd->opt.source = &cmd->source;
	if (narrow_cuts(&cmd->opt.narrow))
		argp_error(state, "--merge cannot be combined with --from, --until or --cpu: a runtime's state depends on its whole history");
	if (!outputs_need(&cmd->outputs, OUTPUT_MERGES))
		argp_error(state, "--merge needs one of %s among the outputs (--to)",
			   names_of(names, &cmd->outputs, OUTPUT_MERGES | OUTPUT_FILES));
	if (outputs_need(&cmd->outputs, OUTPUT_PLAYS) &&
	    !outputs_need(&cmd->outputs, OUTPUT_EVENTS | OUTPUT_MERGES))
		argp_error(state, "--merge: %s is drawn from the merged trace: add ovni to the outputs (--to)",
			   names_of(names, &cmd->outputs, OUTPUT_PLAYS));
}

static void check_use(const struct output_use *use, const struct argp_state *state)
{
	if (use->output->check)
		use->output->check(use, state);
	else if (use->option && !use->wanted)
		argp_error(state, "--%s needs %s among the outputs (--to)", use->option,
			   use->output->name);
}

/* Without a request, take the default outputs. */
static void want_defaults(struct outputs *outs, u32 flags)
{
	unsigned int i;

	for (i = 0; i < outs->nr; i++)
		outs->uses[i].wanted |= (outs->uses[i].output->flags & flags) == flags;
}

static void check_narrow(const struct narrow_options *narrow, const char *why,
			 const struct argp_state *state)
{
	unsigned int i;

	if (narrow_cuts(narrow))
		argp_error(state, "%s: --from, --until and --cpu are of one capture", why);
	for (i = 0; i < narrow->nr_picks; i++) {
		if (narrow->picks[i].pid)
			argp_error(state, "%s: each node has another process %u: use --comm", why,
				   narrow->picks[i].pid);
	}
}

/* Answers of several captures, which are read one after the other. */
static void check_answers(struct command *cmd, const struct argp_state *state)
{
	unsigned int i;

	if (cmd->captures.nr == 1)
		argp_error(state, "answers (--tracer): --offsets needs the captures of several nodes");
	if (cmd->opt.out || cmd->opt.jobs)
		argp_error(state, "several captures: --tracer cannot be combined with -o or --jobs");
	for (i = 0; i < cmd->outputs.nr; i++) {
		struct output_use *use = &cmd->outputs.uses[i];

		if (use->wanted)
			use->output->check_several(use, state);
	}
	check_narrow(&cmd->opt.narrow, "several captures", state);
}

/* A table makes one capture that of one of several nodes, whose traces are drawn together later. */
static bool are_nodes(const struct command *cmd)
{
	return cmd->captures.nr > 1 || cmd->opt.offsets;
}

/* What is about one node cannot be of several. */
static void check_nodes(struct command *cmd, const struct argp_state *state)
{
	const char *why = cmd->captures.nr > 1 ? "several captures" : "--offsets";
	char names[TEXT_MAX];
	unsigned int i;

	for (i = 0; i < cmd->outputs.nr; i++) {
		const struct output_use *use = &cmd->outputs.uses[i];

		if (use->wanted && !(use->output->flags & OUTPUT_NODES))
			argp_error(state, "%s: %s takes a single capture; these accept several: %s",
				   why, use->output->name,
				   names_of(names, &cmd->outputs, OUTPUT_NODES));
	}
	if (cmd->opt.source && !source_is_trace(cmd->opt.source))
		argp_error(state, "%s: XRay logs can be merged with a single capture only", why);
	check_narrow(&cmd->opt.narrow, why, state);
}

/* Without an output directory, a first word that is no file was meant as a command. */
static void refuse_nowhere(const struct command *cmd, const struct argp_state *state)
{
	const char *word = cmd->captures.path[0];
	char names[TEXT_MAX];

	if (!strchr(word, '/') && access(word, F_OK))
		argp_error(state, "there is no command \"%s\", and no capture of that name; commands are %s",
			   word, names_of(names, &cmd->outputs, OUTPUT_COMMAND));
	argp_error(state, "no output directory is named (-o)");
}

/* What is about answers needs a question before it needs a place. */
static void check_answered(const struct outputs *outs, const struct argp_state *state)
{
	unsigned int i;

	for (i = 0; i < outs->nr; i++) {
		if (!(outs->uses[i].output->flags & OUTPUT_FILES))
			check_use(&outs->uses[i], state);
	}
}

static void check_options(struct command *cmd, struct argp_state *state)
{
	struct outputs *outs = &cmd->outputs;
	bool several = are_nodes(cmd);
	unsigned int i;

	if (!cmd->captures.nr)
		argp_error(state, "no capture is named");
	check_answered(outs, state);
	if (!cmd->opt.out && (outputs_need(outs, OUTPUT_FILES) || !outputs_need(outs, 0)))
		refuse_nowhere(cmd, state);
	if (cmd->opt.out && !outputs_need(outs, OUTPUT_FILES))
		want_defaults(outs, OUTPUT_DEFAULT | (several ? OUTPUT_NODES : 0));
	for (i = 0; i < outs->nr; i++)
		check_use(&outs->uses[i], state);
	check_merge(cmd, state);
	if (several && outputs_need(outs, OUTPUT_SEVERAL))
		check_answers(cmd, state);
	else if (several)
		check_nodes(cmd, state);
}

/*
 * Who has a process in mind may name it where a capture belongs, as in "why cc": @name, which is no
 * file. @capture: NULL: not named
 */
static void refuse_name(const char *name, const char *capture, const struct output *output,
			const struct argp_state *state)
{
	const char *word = shell_word(name), *of = capture ? shell_word(capture) : NULL;
	bool number = name[strspn(name, "0123456789")] == '\0';
	char near[TEXT_MAX];

	if (*captures_near(name, near, sizeof(near)) || !(output->flags & OUTPUT_ABOUT))
		argp_error(state, "there is no capture \"%s\"%s", name, near);
	argp_error(state, "there is no capture \"%s\"; a %s is named by --%s: ovnik-decode %s %s --%s %s",
		   name, number ? "process" : "program", number ? "pid" : "comm", output->name,
		   of ? of : "CAPTURE", number ? "pid" : "comm", word ? word : name);
}

/* Of two words, the one that is no file is a name, as in "why cc CAPTURE". */
static void refuse_second(const char *first, const char *arg, const struct output *output,
			  const struct argp_state *state)
{
	if (access(first, F_OK))
		refuse_name(first, access(arg, F_OK) ? NULL : arg, output, state);
	if (access(arg, F_OK))
		refuse_name(arg, first, output, state);
	argp_error(state, "\"%s\" is one capture too many, after \"%s\"", arg, first);
}

static void refuse_names(const struct captures *list, const struct output *output,
			 const struct argp_state *state)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (!strchr(list->path[i], '/') && access(list->path[i], F_OK))
			refuse_name(list->path[i], NULL, output, state);
	}
}

static error_t add_capture(struct command *cmd, const char *arg, struct argp_state *state)
{
	int ret;

	if (cmd->captures.nr)
		refuse_second(cmd->captures.path[0], arg, cmd->use->output, state);
	ret = captures_add(&cmd->captures, arg);
	captures_leave_empty(&cmd->captures);
	if (cmd->captures.nr > 1 && !utf8_is_shown(cmd->captures.path[0]))
		argp_error(state, "%s: several captures are in it: name one", arg);
	if (cmd->captures.nr > 1)
		argp_error(state, "%s: several captures are in it: name one, such as %s", arg,
			   cmd->captures.path[0]);
	return -ret;
}

static bool has_sides(const struct command *cmd)
{
	return cmd->use && cmd->use->output->flags & OUTPUT_SIDES;
}

/* Without "--", the first one is one side, and the second one the other. */
static error_t add_side(struct command *cmd, const char *arg, struct argp_state *state)
{
	unsigned int side = cmd->sides[0].nr && !cmd->divided;

	if (cmd->sides[1].nr && !cmd->divided)
		argp_error(state, "\"%s\" is a third capture: several of a side are written A1 A2 -- B1 B2",
			   arg);
	return -captures_add(&cmd->sides[side], arg);
}

/* The second of @list that is a capture which is there before it; NULL: none is. */
static const char *find_twice(const struct captures *list, const struct captures *before)
{
	struct stat one, other;
	unsigned int i, j;

	for (i = 0; i < list->nr; i++) {
		if (stat(list->path[i], &one))
			continue;
		for (j = 0; j < (list == before ? i : before->nr); j++) {
			if (!stat(before->path[j], &other) && one.st_dev == other.st_dev &&
			    one.st_ino == other.st_ino)
				return list->path[i];
		}
	}
	return NULL;
}

static void warn_of_same(const struct command *cmd)
{
	const char *both = find_twice(&cmd->sides[1], &cmd->sides[0]), *twice;
	unsigned int side;

	if (both)
		msg_warn("%s: is one and the same capture on both sides: nothing of it can have changed",
			 both);
	for (side = 0; side < SIDES; side++) {
		twice = find_twice(&cmd->sides[side], &cmd->sides[side]);
		if (twice)
			msg_warn("%s: is one and the same capture, given twice: it does not show noise",
				 twice);
	}
}

static void check_sides(const struct command *cmd, const struct argp_state *state)
{
	if (!cmd->sides[0].nr)
		argp_error(state, "no capture is named");
	if (!cmd->sides[1].nr)
		argp_error(state, "no capture is named to compare with");
}

static void set_inputs(struct command *cmd, struct argp_state *state)
{
	unsigned int i, n = 0;

	for (i = 0; i < cmd->outputs.nr; i++) {
		const struct output *output = cmd->outputs.uses[i].output;

		if (output->options && !(output->flags & OUTPUT_COMMAND))
			state->child_inputs[n++] = &cmd->outputs.uses[i];
	}
	state->child_inputs[n++] = &cmd->source;
	state->child_inputs[n] = &cmd->opt.narrow;
}

static void add_offsets(struct command *cmd, const char *arg, const struct argp_state *state)
{
	if (cmd->opt.offsets_after)
		argp_error(state, "--offsets %s: there are two tables already, before and after",
			   arg);
	if (cmd->opt.offsets)
		cmd->opt.offsets_after = arg;
	else
		cmd->opt.offsets = arg;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct command *cmd = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		set_inputs(cmd, state);
		return 0;
	case 'o':
		cmd->opt.out = arg;
		return 0;
	case 'c':
		add_offsets(cmd, arg, state);
		return 0;
	case 'j':
		cmd->opt.jobs = jobs_parse(arg, state);
		return 0;
	case OPT_TO:
		parse_to(state, arg);
		return 0;
	case OPT_LIST_OUTPUTS:
		list_outputs(&cmd->outputs);
		return 0;
	case OPT_LIST_HOOKS:
		list_hooks();
		return 0;
	case ARGP_KEY_ARG:
		if (is_command(&cmd->outputs, arg))
			argp_error(state, "the command comes first: ovnik-decode %s CAPTURE", arg);
		return -captures_add(&cmd->captures, arg);
	case ARGP_KEY_END:
		check_options(cmd, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_use(int key, char *arg, struct argp_state *state)
{
	return outputs_parse(state->input, key, arg, state);
}

/* Help shows the commands as it shows options. */
static void list_commands(struct argp_option *list, const struct outputs *outs)
{
	unsigned int i;

	for (i = 0; i < outs->nr; i++) {
		const struct output *output = outs->uses[i].output;

		if (output->flags & OUTPUT_COMMAND)
			*list++ = (struct argp_option){ .name = output->name, .flags = OPTION_DOC,
							.doc = output->sentence };
	}
}

/* The options of the outputs are those of the program. */
static error_t parse_all(int argc, char **argv, struct command *cmd)
{
	struct argp uses[OUTPUTS_MAX] = { 0 };
	struct argp_child children[OUTPUTS_MAX + 5] = { 0 };
	struct argp_option listed[OUTPUTS_MAX + 1] = { 0 };
	const struct argp commands = { .options = listed };
	const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "CAPTURE... [-o DIR]", .doc = doc,
		.children = children, .help_filter = help_filter,
	};
	unsigned int i, n = 0;

	for (i = 0; i < cmd->outputs.nr; i++) {
		const struct output *output = cmd->outputs.uses[i].output;

		if (!output->options || output->flags & OUTPUT_COMMAND)
			continue;
		uses[n].options = output->options;
		uses[n].parser = parse_use;
		children[n].argp = &uses[n];
		n++;
	}
	children[n++].argp = &source_argp;
	children[n++].argp = &narrow_argp;
	children[n++].argp = &trust_argp;
	list_commands(listed, &cmd->outputs);
	children[n].argp = &commands;
	children[n].header = "Commands (ovnik-decode COMMAND --help has their options):";
	children[n].group = 1;
	return options_parse(&argp, argc, argv, 0, cmd);
}

/* It is about some processes, and needs them all. */
static void set_about(struct command *cmd)
{
	if (!(cmd->use->output->flags & OUTPUT_ABOUT))
		return;
	cmd->opt.about = cmd->opt.narrow;
	cmd->opt.narrow.picks = NULL;
	cmd->opt.narrow.nr_picks = 0;
}

static bool takes_several(const struct command *cmd)
{
	return cmd->use && cmd->use->output->flags & OUTPUT_SEVERAL;
}

static void check_several(const struct command *cmd, const struct argp_state *state)
{
	if (!cmd->captures.nr)
		argp_error(state, "no capture is named");
	if (cmd->captures.nr == 1)
		return;
	check_narrow(&cmd->opt.narrow, "several captures", state);
	cmd->use->output->check_several(cmd->use, state);
}

/* A command makes no files: what was meant is a time. */
static void parse_old_to(struct argp_state *state, const char *arg)
{
	struct command *cmd = state->input;
	const struct output_use *use = outputs_find(&cmd->outputs, arg);

	if (use)
		argp_error(state, "--to %s: \"%s\" prints its answer, and makes nothing else", arg,
			   cmd->use->output->name);
	narrow_parse_to(&cmd->opt.narrow, arg, state);
}

static error_t parse_command(int key, char *arg, struct argp_state *state)
{
	struct command *cmd = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = cmd->use;
		state->child_inputs[1] = &cmd->opt.narrow;
		state->child_inputs[2] = &cmd->source;
		return 0;
	case OPT_TO:
		parse_old_to(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (has_sides(cmd))
			return add_side(cmd, arg, state);
		if (takes_several(cmd))
			return -captures_add(&cmd->captures, arg);
		return add_capture(cmd, arg, state);
	case ARGP_KEY_END:
		if (has_sides(cmd))
			check_sides(cmd, state);
		else if (takes_several(cmd))
			check_several(cmd, state);
		else if (!cmd->captures.nr)
			argp_error(state, "no capture is named");
		refuse_names(&cmd->captures, cmd->use->output, state);
		refuse_names(&cmd->sides[0], cmd->use->output, state);
		refuse_names(&cmd->sides[1], cmd->use->output, state);
		warn_of_same(cmd);
		check_merge(cmd, state);
		set_about(cmd);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Takes "--" and the captures after it. Return: how many arguments are left. */
static int divide(int argc, char **argv, struct command *cmd)
{
	int at = 1, i;

	while (at < argc && strcmp(argv[at], "--"))
		at++;
	cmd->divided = at < argc;
	for (i = at + 1; i < argc; i++) {
		if (argv[i][0] == '-') {
			msg_error("\"%s\": options come before \"--\"; a capture of that name is ./%s",
				  argv[i], argv[i]);
			exit(DECODE_USAGE);
		}
		if (captures_add(&cmd->sides[1], argv[i]))
			exit(DECODE_FAILED);
	}
	return at;
}

/* An output that is a command has options of its own only. */
static error_t parse_one(int argc, char **argv, struct command *cmd)
{
	const struct output *output = cmd->use->output;
	const struct argp use = { .options = output->options, .parser = parse_use };
	const bool merges = output->flags & OUTPUT_MERGES;
	const struct argp_child children[] = {
		{ .argp = &use },
		{ .argp = output->flags & OUTPUT_ABOUT ? &narrow_about_argp : &narrow_argp },
		{ .argp = merges ? &source_trace_argp : NULL }, { 0 }
	};
	char name[TEXT_MAX], text[2 * TEXT_MAX];
	const struct argp argp = {
		.options = command_options, .parser = parse_command,
		.args_doc = has_sides(cmd) ? "A B\nA... -- B..." :
			    takes_several(cmd) ? "CAPTURE..." : "CAPTURE",
		.doc = text, .children = children,
	};

	snprintf(name, sizeof(name), "ovnik-decode %s", output->name);
	snprintf(text, sizeof(text), "Print %s.\v%s", output->sentence,
		 STATUSES("the answer", "is no answer"));
	argv[0] = name;
	cmd->use->wanted = true;
	if (has_sides(cmd))
		argc = divide(argc, argv, cmd);
	return options_parse(&argp, argc, argv, 0, cmd);
}

/* The command comes first. */
static void check_order(int argc, char **argv, struct outputs *outs)
{
	const char *capture;
	char *word;
	int i = 2;

	/* Behind an option it may be that one's argument. */
	while (i < argc && (*argv[i - 1] == '-' || !is_command(outs, argv[i])))
		i++;
	if (i >= argc)
		return;
	capture = i + 1 < argc && !access(argv[i + 1], F_OK) ? argv[i + 1] : argv[i - 1];
	/* Behind an option's argument nothing is known of it. */
	if (capture == argv[i - 1] && *argv[i - 2] == '-')
		capture = "";
	word = shell_word(capture);
	msg_error("the command comes first: ovnik-decode %s %s", argv[i],
		  access(capture, F_OK) || !word ? "CAPTURE" : word);
	exit(DECODE_USAGE);
}

/* Outputs are asked for by --to. */
static void refuse_output(const char *name, const char *capture)
{
	const char *word = capture ? shell_word(capture) : NULL;

	msg_error("\"%s\" is an output, not a command: ovnik-decode %s --to %s -o DIR", name,
		  word ? word : "CAPTURE", name);
	exit(DECODE_USAGE);
}

/* A word that is no capture may have been meant as a command. */
static void check_word(const char *word, const char *next, struct outputs *outs)
{
	const struct output_use *use = outputs_find(outs, word);
	char text[TEXT_MAX];

	if (*word == '-' || !access(word, F_OK))
		return;
	if (use && use->output->flags & OUTPUT_FILES)
		refuse_output(word, next && !access(next, F_OK) ? next : NULL);
	if (!*name_near(text, outs, OUTPUT_COMMAND, word))
		return;
	msg_error("there is no command \"%s\", and no capture of that name%s", word, text);
	exit(DECODE_USAGE);
}

static error_t parse_line(int argc, char **argv, struct command *cmd)
{
	/* "help report" is "report help", as with ovnik. */
	if (argc > 2 && !strcmp(argv[1], "help") && outputs_find(&cmd->outputs, argv[2])) {
		argv[1] = argv[2];
		argv[2] = (char *)"--help";
	}
	cmd->use = argc > 1 ? outputs_find(&cmd->outputs, argv[1]) : NULL;
	if (cmd->use && cmd->use->output->flags & OUTPUT_COMMAND)
		return parse_one(argc - 1, argv + 1, cmd);
	if (argc > 1)
		check_word(argv[1], argv[2], &cmd->outputs);
	check_order(argc, argv, &cmd->outputs);
	return parse_all(argc, argv, cmd);
}

/* If stdout is closed, the next file opened would get its number, and the answers. */
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
	static struct command cmd = { .source.names = &xray_names_elf };
	enum decode_status status;

	occupy_standard_files();
	msg_init(argv[0]);
	/* Report a file size limit like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	argp_err_exit_status = DECODE_USAGE;
	if (outputs_init(&cmd.outputs, output_table))
		return DECODE_FAILED;
	if (parse_line(argc, argv, &cmd))
		return DECODE_USAGE;
	cmd.opt.outputs = &cmd.outputs;
	cmd.opt.jobs = cmd.opt.jobs ? cmd.opt.jobs : jobs_cpus();
	jobs_set(cmd.opt.jobs);
	cmd.opt.progress = isatty(STDERR_FILENO);
	if (cmd.captures.nr == 1)
		cmd.opt.capture = cmd.captures.path[0];
	if (has_sides(&cmd))
		status = sides_run(&cmd.opt, cmd.sides);
	else if (cmd.captures.nr > 1 && outputs_need(&cmd.outputs, OUTPUT_SEVERAL))
		status = several_run(&cmd.opt, &cmd.captures);
	else if (are_nodes(&cmd))
		status = nodes_run(&cmd.opt, &cmd.captures);
	else
		status = decode_run(&cmd.opt);
	captures_free(&cmd.captures);
	captures_free(&cmd.sides[0]);
	captures_free(&cmd.sides[1]);
	outputs_destroy(&cmd.outputs);
	return status;
}
