// SPDX-License-Identifier: GPL-2.0-only
/* Commands that ovnik-decode has. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decoder.h"
#include "control.h"
#include "output/output.h"
#include "util/msg.h"

/* In a work tree it is beside this program, and perhaps nowhere else. */
static void execute(char **argv)
{
	static const char suffix[] = "-decode";
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - sizeof(suffix));

	if (len > 0) {
		strcpy(path + len, suffix);
		/* Whoever starts this program by a path can start that one so, too. */
		if (strchr(program_invocation_name, '/'))
			argv[0] = path;
		execv(path, argv);
	}
	argv[0] = "ovnik-decode";
	execvp("ovnik-decode", argv);
}

/**
 * decoder_run() - Become ovnik-decode.
 * @command: its command
 * @argc: length of @argv
 * @argv: what follows the command
 *
 * Return: EXIT_FAILED if there is no such program, which has been reported.
 */
int decoder_run(const char *command, int argc, char **argv)
{
	char **args = calloc(argc + 3, sizeof(*args));

	if (!args) {
		msg_no_memory();
		return EXIT_FAILED;
	}
	args[0] = "ovnik-decode";
	args[1] = (char *)command;
	memcpy(args + 2, argv, argc * sizeof(*args));
	execute(args);
	msg_error("cannot run ovnik-decode: %s", strerror(errno));
	free(args);
	return EXIT_FAILED;
}

/**
 * decoder_has() - Is this a command or an output of ovnik-decode?
 * @name: what the user has typed
 *
 * Return: true if it is.
 */
bool decoder_has(const char *name)
{
	static const char *const names[] = {
#define DECODER_NAME(name) #name,
		OUTPUT_TABLE(DECODER_NAME)
#undef DECODER_NAME
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}
