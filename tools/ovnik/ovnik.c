// SPDX-License-Identifier: GPL-2.0-only
/* ovnik: control a back end and write what it records into a directory. */
#include <argp.h>
#include <ovnik_version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "capture/events.h"
#include "command.h"
#include "decoder.h"
#include "lock.h"
#include "parse.h"
#include "record.h"
#include "selftest/selftest.h"
#include "status.h"
#include "text.h"
#include "util/msg.h"
#include "util/options.h"
#include "util/suggest.h"

#define DEFAULT_DIR "ovnik.capture"

enum {
	OPT_NO_CHILDREN = 0x100,
	OPT_BACKEND,
	OPT_REFS,
	OPT_REFS_TREE,
	OPT_DURATION,
	OPT_STRICT,
	OPT_NO_SELFTEST,
	OPT_PRIVATE,
	OPT_JSON,
};

/* All commands take --backend. */
static error_t parse_backend(int key, char *arg, struct argp_state *state)
{
	if (key != OPT_BACKEND)
		return ARGP_ERR_UNKNOWN;
	if (control_select(arg))
		argp_error(state, "%s: the back end must be auto, module or bpf", arg);
	return 0;
}

static const struct argp_option backend_options[] = {
	{ "backend", OPT_BACKEND, "NAME", 0,
	  "module, bpf, or auto (default): the module if it is loaded, else bpf", 0 },
	{ 0 }
};

static const struct argp backend_argp = {
	.options = backend_options,
	.parser = parse_backend,
};

static const struct argp_child backend_child[] = {
	{ &backend_argp, 0, NULL, 0 },
	{ 0 }
};

static const char *owner_of(const char *user)
{
	static char id[OWNER_TEXT];

	if (parse_owner(user, id))
		exit(EXIT_USAGE);
	return id;
}

static error_t parse_setting(int key, char *arg, struct argp_state *state)
{
	struct record_options *options = state->input;

	switch (key) {
	case 'e':
		if (parse_events(arg, &options->settings.events))
			exit(EXIT_USAGE);
		return 0;
	case 'b':
		if (parse_buffer_size(arg, &options->settings.buffer_size))
			exit(EXIT_USAGE);
		return 0;
	case 'p':
		if (parse_pids(arg))
			exit(EXIT_USAGE);
		options->settings.pids = arg;
		return 0;
	case OPT_NO_CHILDREN:
		options->settings.children = false;
		return 0;
	case OPT_NO_SELFTEST:
		options->untested = true;
		return 0;
	case OPT_PRIVATE:
		options->settings.owner = owner_of(arg);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const struct argp_option setting_options[] = {
	{ "events", 'e', "EVENTS", 0,
	  "Events or families, separated by commas (default: all)", 0 },
	{ "buffer-size", 'b', "SIZE", 0,
	  "Buffer per CPU; K, M or G may follow (default: 4M)", 0 },
	{ "pid", 'p', "PID", 0,
	  "Record only these processes, separated by commas, and their future descendants", 0 },
	{ "no-children", OPT_NO_CHILDREN, NULL, 0,
	  "Do not record descendants of the processes", 0 },
	{ "private", OPT_PRIVATE, "UID", OPTION_ARG_OPTIONAL,
	  "Leave out all frames, and addresses and mappings of processes that do not belong to this user (default: you)",
	  0 },
	{ "no-selftest", OPT_NO_SELFTEST, NULL, 0,
	  "Do not run \"ovnik selftest\" before the first recording on this kernel", 0 },
	{ 0 }
};

static const struct argp settings_argp = {
	.options = setting_options,
	.parser = parse_setting,
};

static const struct argp_child settings_child[] = {
	{ &settings_argp, 0, NULL, 0 },
	{ &backend_argp, 0, NULL, 0 },
	{ 0 }
};

/* Of those that write a capture, too. */
static const struct argp_child record_child[] = {
	{ &settings_argp, 0, NULL, 0 },
	{ &backend_argp, 0, NULL, 0 },
	{ &trust_argp, 0, NULL, 0 },
	{ 0 }
};

static const struct argp_child snapshot_child[] = {
	{ &backend_argp, 0, NULL, 0 },
	{ &trust_argp, 0, NULL, 0 },
	{ 0 }
};

/* For commands that take options only. */
static error_t refuse_word(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		argp_error(state, "\"%s\" is not an option", arg);
	return ARGP_ERR_UNKNOWN;
}

static error_t parse_dir(int key, char *arg, struct argp_state *state)
{
	struct record_options *options = state->input;

	switch (key) {
	case 'o':
		options->dir = arg;
		return 0;
	case OPT_STRICT:
		options->strict = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

#define STRICT_OPTION \
	{ "strict", OPT_STRICT, NULL, 0, "Exit with status 4 if events were lost", 0 }

static error_t parse_record(int key, char *arg, struct argp_state *state)
{
	struct record_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = options;
		return 0;
	case 'F':
		options->follow = true;
		return 0;
	case OPT_REFS:
		options->settings.refs = true;
		return 0;
	case OPT_REFS_TREE:
		options->settings.refs_tree = true;
		return 0;
	case OPT_DURATION:
		if (parse_duration(arg, &options->duration))
			exit(EXIT_USAGE);
		return 0;
	case ARGP_KEY_ARGS:
		options->command = state->argv + state->next;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		if (options->follow && !options->command)
			argp_error(state, "-F needs a COMMAND");
		if (options->follow && options->settings.pids)
			argp_error(state, "-F and -p exclude each other: record either COMMAND or the processes of -p");
		if (options->settings.owner &&
		    (options->settings.refs || options->settings.refs_tree))
			argp_error(state, "--private and --refs exclude each other: memory references are addresses of all processes");
		if (options->settings.refs_tree && !options->follow && !options->settings.pids)
			argp_error(state, "--refs-tree needs -F or -p");
		return 0;
	}
	return parse_dir(key, arg, state);
}

static const struct argp_option record_options[] = {
	{ "output", 'o', "DIR", 0, "Capture directory (default: " DEFAULT_DIR ")", 0 },
	{ "follow", 'F', NULL, 0,
	  "Record only COMMAND and its future descendants, not the whole system", 0 },
	{ "duration", OPT_DURATION, "TIME", 0,
	  "Stop after so many seconds, or with a unit: 500ms, 5m, 1h; COMMAND gets SIGTERM", 0 },
	STRICT_OPTION,
	{ "refs", OPT_REFS, NULL, 0,
	  "Also log memory references, in a guest whose QEMU has the plugin", 0 },
	{ "refs-tree", OPT_REFS_TREE, NULL, 0,
	  "With -F or -p: log only the references of the recorded processes; needs the module", 0 },
	{ 0 }
};

static const struct argp record_argp = {
	.options = record_options,
	.parser = parse_record,
	.args_doc = "\n-- COMMAND...",
	.doc = "Record the whole system until ^C is pressed or COMMAND ends. With -p, COMMAND only "
	       "sets the duration: -p 1234 -- sleep 10."
	       "\vExit status: that of COMMAND if it failed; otherwise 0, 1 failed, 2 wrong usage. "
	       "A message says how many events were lost.",
	.children = record_child,
};

/* Return: EXIT_OK if a recording can begin; otherwise it has been reported. */
static int get_ready(const struct record_options *options)
{
	if (backend->may_record() || backend->check() || control_must_be_idle())
		return EXIT_FAILED;
	if (backend == &backend_bpf && !control_is_chosen())
		msg_info("no module is loaded: using BPF");
	return !options->untested && selftest_once() ? EXIT_FAILED : EXIT_OK;
}

static int cmd_record(int argc, char **argv)
{
	struct record_options options = { .settings = SETTINGS_DEFAULT, .dir = DEFAULT_DIR };

	options_parse(&record_argp, argc, argv, ARGP_IN_ORDER, &options);
	if (options.settings.refs_tree && backend != &backend_module) {
		msg_error("--refs-tree: BPF programs cannot say which process runs: load the module");
		return EXIT_USAGE;
	}
	/* Check this before an older capture is put away. */
	if (options.command && command_check(options.command[0]))
		return EXIT_FAILED;
	if (get_ready(&options))
		return EXIT_FAILED;
	return record(&options);
}

static error_t parse_start(int key, char *arg, struct argp_state *state)
{
	struct record_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = options;
		return 0;
	case 'm':
		if (strcmp(arg, "discard") && strcmp(arg, "overwrite"))
			argp_error(state, "%s: the mode must be discard or overwrite", arg);
		options->settings.mode = arg;
		return 0;
	}
	return refuse_word(key, arg, state);
}

static const struct argp_option start_options[] = {
	{ "mode", 'm', "MODE", 0,
	  "overwrite (default): keep the newest events; discard: keep the oldest", 0 },
	{ 0 }
};

static const struct argp start_argp = {
	.options = start_options,
	.parser = parse_start,
	.doc = "Start a flight recorder: a capture that stays in memory. "
	       "\"ovnik snapshot\" writes it into a directory.",
	.children = settings_child,
};

static int start(const struct settings *settings)
{
	int ret = control_prepare(settings);

	if (!ret)
		ret = control_start();
	if (!ret)
		return backend->keep();
	/* Otherwise the filter would apply to the next capture, too. */
	if (settings->pids && lock_is_held())
		backend->write("filter_pid", "");
	lock_drop();
	return ret;
}

static void report_start(const struct settings *settings)
{
	bool overwrite = !strcmp(settings->mode, "overwrite");
	char size[SIZE_TEXT];

	msg_info("recording: %s are kept; the buffers have %s per CPU",
		 overwrite ? "the newest events" : "events, until the buffers are full,",
		 size_text(settings->buffer_size, size));
	msg_info("next: %s snapshot -o DIR, %s status, %s stop", program_text(), program_text(),
		 program_text());
}

static int cmd_start(int argc, char **argv)
{
	struct record_options options = { .settings = SETTINGS_DEFAULT };

	options.settings.mode = "overwrite";
	options_parse(&start_argp, argc, argv, 0, &options);
	if (get_ready(&options))
		return EXIT_FAILED;
	if (start(&options.settings))
		return EXIT_FAILED;
	report_start(&options.settings);
	return EXIT_OK;
}

static error_t parse_snapshot(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		return refuse_word(key, arg, state);
	return parse_dir(key, arg, state);
}

static const struct argp_option snapshot_options[] = {
	{ "output", 'o', "DIR", 0, "Capture directory (default: " DEFAULT_DIR ")", 0 },
	STRICT_OPTION,
	{ 0 }
};

static const struct argp_option stop_options[] = {
	{ "output", 'o', "DIR", 0, "Write what was recorded into a capture directory", 0 },
	STRICT_OPTION,
	{ 0 }
};

static const struct argp snapshot_argp = {
	.options = snapshot_options,
	.parser = parse_snapshot,
	.doc = "Write the current contents of the buffers; a running capture goes on."
	       "\vExit status: 0, 1 failed, 2 wrong usage; with --strict 4 if events were lost or "
	       "overwritten. A message says how many.",
	.children = snapshot_child,
};

static int cmd_snapshot(int argc, char **argv)
{
	struct record_options options = { .dir = DEFAULT_DIR };

	options_parse(&snapshot_argp, argc, argv, 0, &options);
	if (backend->may_record() || control_must_be_there() || backend->check() || backend->lock())
		return EXIT_FAILED;
	return snapshot(options.dir, options.strict, false);
}

static const struct argp stop_argp = {
	.options = stop_options,
	.parser = parse_snapshot,
	.doc = "Stop the capture. With the module, what it recorded stays until the next capture "
	       "starts. With the bpf back end it is deleted, together with the pinned probes, "
	       "unless -o saves it."
	       "\vExit status: 0, 1 failed, 2 wrong usage; with --strict 4 if events were lost or "
	       "overwritten. A message says how many.",
	.children = snapshot_child,
};

/* What is stopped, and not saved by this. */
static int report_stop(void)
{
	bool stays = backend == &backend_module;
	u64 recorded, lost, bytes;
	char size[SIZE_TEXT];
	int ret;

	ret = control_read_u64("recorded", &recorded) ?: control_read_u64("lost", &lost) ?:
	      control_read_u64("bytes", &bytes);
	if (ret)
		return ret;
	msg_info("stopped: %llu events, %s, %llu lost", recorded, size_text(bytes, size), lost);
	if (stays && recorded)
		msg_info("next: \"%s snapshot -o DIR\" saves what the buffers still hold",
			 program_text());
	return 0;
}

static int cmd_stop(int argc, char **argv)
{
	struct record_options options = { 0 };
	int ret = EXIT_OK, running;

	options_parse(&stop_argp, argc, argv, 0, &options);
	if (backend->may_record() || control_must_be_there())
		return EXIT_FAILED;
	/* Probes of another version can still be removed. */
	if (backend->check()) {
		backend->remove();
		return EXIT_FAILED;
	}
	if (options.dir && backend->lock())
		return EXIT_FAILED;
	running = control_running();
	if (running < 0 || backend->write("enable", "0"))
		return EXIT_FAILED;
	if (options.dir)
		ret = snapshot(options.dir, options.strict, running);
	else if (report_stop())
		return EXIT_FAILED;
	/* Keep what could not be saved. */
	if (ret == EXIT_FAILED || backend->remove())
		return EXIT_FAILED;
	return ret;
}

static const struct argp status_argp = {
	.parser = refuse_word,
	.doc = "Print what runs, since when and who reads it, the settings, and for each event how "
	       "many were recorded and lost.",
	.children = backend_child,
};

/* Of each back end that is there. */
static int print_all(void)
{
	static const char *const names[] = { "module", "bpf" };
	unsigned int i, printed = 0;
	int ret = EXIT_OK;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		control_select(names[i]);
		if (!backend->present() && !status_holder())
			continue;
		if (printed++)
			putchar('\n');
		if (status())
			ret = EXIT_FAILED;
	}
	control_select("auto");
	return printed ? ret : status();
}

static int cmd_status(int argc, char **argv)
{
	options_parse(&status_argp, argc, argv, 0, NULL);
	return control_is_chosen() ? status() : print_all();
}

static error_t parse_selftest(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	if (key != OPT_JSON)
		return refuse_word(key, arg, state);
	*json = true;
	return 0;
}

static const struct argp_option selftest_options[] = {
	{ "json", OPT_JSON, NULL, 0, "Print the result as JSON", 0 },
	{ 0 }
};

static const struct argp selftest_argp = {
	.options = selftest_options,
	.parser = parse_selftest,
	.doc = "Do one known thing of every kind that is recorded, and compare the record of it: does "
	       "the back end record on this kernel what it should? The first recording on a kernel does "
	       "the same. The result is kept, and what is wrong goes into each capture's meta.json."
	       "\vExit status: 0, 1 failed, 2 wrong usage, 4 if an event is missing, doubled or wrong.",
	.children = backend_child,
};

static int cmd_selftest(int argc, char **argv)
{
	bool json = false;

	options_parse(&selftest_argp, argc, argv, 0, &json);
	if (backend->may_record() || backend->check() || control_must_be_idle())
		return EXIT_FAILED;
	return selftest(json);
}

static int cmd_report(int argc, char **argv)
{
	return decoder_run("report", argc - 1, argv + 1);
}

static int cmd_help(int argc, char **argv);
static int cmd_version(int argc, char **argv);

static const struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *what;
} commands[] = {
	{ "record", cmd_record, "record into a directory" },
	{ "start", cmd_start, "start a flight recorder" },
	{ "stop", cmd_stop, "stop the capture and optionally write it into a directory" },
	{ "snapshot", cmd_snapshot, "write the contents of the buffers into a directory" },
	{ "status", cmd_status, "print what runs, settings and counts" },
	{ "selftest", cmd_selftest, "test what is recorded on this kernel" },
	{ "report", cmd_report, "print the summary of a capture, as \"ovnik-decode report\"" },
	{ "help", cmd_help, "print this, or the options of a command" },
	{ "version", cmd_version, "print the version" },
};

static void usage(FILE *to)
{
	unsigned int i;

	fputs("Usage: ovnik COMMAND [OPTION...]\n"
	      "Record what programs and the kernel do.\n\n", to);
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].what);
	fputs("\nRun \"ovnik help COMMAND\" for the options of a command.\n", to);
}

static void refuse_option(const char *name)
{
	struct suggestion near = { .word = name };
	char text[64];

	suggest_offer(&near, "--help");
	suggest_offer(&near, "--version");
	msg_error("there is no option %s before a command%s", name,
		  suggest_text(&near, text, sizeof(text)));
}

/* NULL if there is none, which has been reported. */
static const struct command *find_command(const char *name)
{
	struct suggestion near = { .word = name };
	char text[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(name, commands[i].name))
			return &commands[i];
		suggest_offer(&near, commands[i].name);
	}
	if (*name == '-') {
		refuse_option(name);
		return NULL;
	}
	if (decoder_has(name)) {
		msg_error("there is no command \"%s\" here: ovnik-decode has it", name);
		return NULL;
	}
	msg_error("there is no command \"%s\"%s", name, suggest_text(&near, text, sizeof(text)));
	return NULL;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	static char name[64];

	snprintf(name, sizeof(name), "ovnik %s", command->name);
	argv[0] = name;
	return command->main(argc, argv);
}

static int cmd_help(int argc, char **argv)
{
	char help[] = "--help", *args[] = { NULL, help, NULL };
	const struct command *command;

	if (argc < 2 || *argv[1] == '-') {
		usage(stdout);
		return EXIT_OK;
	}
	command = find_command(argv[1]);
	if (!command)
		return EXIT_USAGE;
	return run_command(command, 2, args);
}

static int cmd_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	puts("ovnik " OVNIK_VERSION);
	puts(backend_bpf.source ? "+bpf" : "-bpf");
	return EXIT_OK;
}

int main(int argc, char **argv)
{
	const struct command *command;

	msg_init("ovnik");
	control_select("auto");
	argp_err_exit_status = EXIT_USAGE;
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return cmd_help(1, argv);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return cmd_version(1, argv);
	command = find_command(argv[1]);
	if (!command) {
		usage(stderr);
		return EXIT_USAGE;
	}
	return run_command(command, argc - 1, argv + 1);
}
