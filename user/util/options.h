/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_UTIL_OPTIONS_H
#define OVNIK_UTIL_OPTIONS_H

#include <argp.h>

#include "util/types.h"

/**
 * options_parse() - Parse a command line as argp_parse() does.
 * @argp:  the options
 * @argc:  words of @argv
 * @argv:  the command line
 * @flags: of argp
 * @input: for the parsers
 *
 * Besides, -h is --help where it is nothing else, and so is a first word "help", unless a file has
 * that name. Of an option that there is not the message names the nearest that there is. An option
 * in place of another one's value is refused, and so is a file's name that looks like one.
 *
 * Return: what argp_parse() returns; ends the program if an option is wrong.
 */
error_t options_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
		      void *input);

/**
 * options_hex() - The argument of an option, a number in hex.
 * @option: its name
 * @arg:    the argument
 * @state:  of argp
 *
 * Return: the number; ends the program if it is none.
 */
u64 options_hex(const char *option, const char *arg, const struct argp_state *state);

/* --trust-dir, of programs that write: see below_find(). */
extern const struct argp trust_argp;
/* For programs that have no other options of a child. */
extern const struct argp_child trust_child[];

/**
 * options_warn_old() - Warn that an option was given by its old name.
 * @old: the old name, which still works
 * @now: what it is called now
 */
void options_warn_old(const char *old, const char *now);

#endif /* OVNIK_UTIL_OPTIONS_H */
