// SPDX-License-Identifier: GPL-2.0-only
/* What the plugin is told, and QEMU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "refs/encode.h"

/* A number from 1 on that fits into 32 bits. */
static bool parse_every(const char *arg, u32 *every)
{
	unsigned long value;
	char *end;

	value = strtoul(arg, &end, 10);
	*every = (u32)value;
	return *arg >= '1' && *arg <= '9' && !*end && !(value >> 32);
}

/* Returns false for what is no option. */
static bool parse(const char *arg, struct options *options)
{
	if (!strncmp(arg, "log=", 4))
		options->path = arg + 4;
	else if (!strcmp(arg, "fetches=off"))
		options->flags |= REFS_NO_FETCHES;
	else if (!strcmp(arg, "only=user"))
		options->flags |= REFS_NO_KERNEL;
	else if (!strcmp(arg, "only=kernel"))
		options->flags |= REFS_NO_USER;
	else
		return !strncmp(arg, "every=", 6) && parse_every(arg + 6, &options->every);
	return true;
}

/* Returns false if there is an error, which is reported. */
bool options_parse(struct options *options, int argc, char **argv)
{
	int i;

	options->path = NULL;
	options->flags = 0;
	options->every = 1;
	for (i = 0; i < argc; i++) {
		if (parse(argv[i], options))
			continue;
		fprintf(stderr, "ovnik-refs.so: %s: is no option, or its value is wrong\n",
			argv[i]);
		return false;
	}
	if (options->flags & REFS_NO_KERNEL && options->flags & REFS_NO_USER) {
		fprintf(stderr, "ovnik-refs.so: only=user and only=kernel exclude each other\n");
		return false;
	}
	return true;
}

/* "shift=0,sleep=off", or "0": a nanosecond, which is a tick, for each instruction. */
static bool is_shift_0(char *value)
{
	char *one, *rest = value;

	while ((one = strsep(&rest, ","))) {
		if (!strcmp(one, "0") || !strcmp(one, "shift=0"))
			return true;
	}
	return false;
}

/*
 * Does the guest's TSC count instructions, as the times in the log do? A plugin is not told, so
 * the command line must say so. An error is reported.
 */
bool options_of_qemu(void)
{
	FILE *in = fopen("/proc/self/cmdline", "re");
	bool next = false, found = false;
	char *arg = NULL;
	size_t size = 0;

	while (in && getdelim(&arg, &size, '\0', in) > 0) {
		found |= next && is_shift_0(arg);
		next = !strcmp(arg, "-icount") || !strcmp(arg, "--icount");
	}
	free(arg);
	if (in)
		fclose(in);
	if (!found)
		fprintf(stderr, "ovnik-refs.so: times are counted in instructions: QEMU needs -icount shift=0,sleep=off\n");
	return found;
}
