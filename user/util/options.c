// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/below.h"
#include "util/msg.h"
#include "util/options.h"
#include "util/suggest.h"

#define NAME_MAX_LEN	32
#define OPT_TRUST_DIR	0x2000	/* argp itself has one below */
#define OLD_NAMES_END	"0.3"	/* the version that refuses them */

/**
 * struct search - What is looked for among the options.
 * @key:  of this letter; 0: by name
 * @name: whose name begins so
 * @len:  bytes of @name
 * @near: gets all names
 */
struct search {
	int key;
	const char *name;
	size_t len;
	struct suggestion near;
};

/* Those of argp itself. */
static const struct argp_option own_options[] = {
	{ .name = "help", .key = '?' },
	{ .name = "usage", .key = 0x1000 },
	{ .name = "version", .key = 'V' },
	{ 0 }
};

static const struct argp own_argp = { .options = own_options };

static bool is_end(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc && !option->group;
}

/* An option may be shortened as long as it is the beginning of one: argp looks at that. */
static bool is_meant(const struct argp_option *option, struct search *search)
{
	if (search->key)
		return option->key == search->key;
	if (!option->name || option->flags & OPTION_DOC)
		return false;
	if (!(option->flags & OPTION_HIDDEN))
		suggest_offer(&search->near, option->name);
	return !strncmp(option->name, search->name, search->len);
}

static const struct argp_option *find(const struct argp *argp, struct search *search)
{
	const struct argp_option *option = argp->options, *found;
	const struct argp_child *child = argp->children;

	for (; option && !is_end(option); option++) {
		if (is_meant(option, search))
			return option;
	}
	for (; child && child->argp; child++) {
		found = find(child->argp, search);
		if (found)
			return found;
	}
	return NULL;
}

static bool takes_next(const struct argp_option *option)
{
	return option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
}

__attribute__((noreturn)) static void refuse(const struct argp *argp, const char *program)
{
	argp_help(argp, stderr, ARGP_HELP_SEE, (char *)program);
	exit(argp_err_exit_status);
}

/* Return: the option, if the word behind it is its argument. */
static const struct argp_option *look_at_long(const struct argp *argp, const char *word,
					      const char *program)
{
	struct search search = { .name = word + 2, .len = strcspn(word + 2, "=") };
	char name[NAME_MAX_LEN + 1], text[64] = "";
	const struct argp_option *option;

	snprintf(name, sizeof(name), "%.*s", (int)search.len, search.name);
	search.near.word = name;
	option = find(argp, &search);
	if (!option)
		option = find(&own_argp, &search);
	if (option)
		return takes_next(option) && !search.name[search.len] ? option : NULL;
	if (search.near.name)
		snprintf(text, sizeof(text), "; did you mean --%s?", search.near.name);
	msg_error("there is no option --%.*s%s", (int)search.len, search.name, text);
	refuse(argp, program);
}

static const struct argp_option *look_at_letters(const struct argp *argp, const char *letters)
{
	for (; *letters; letters++) {
		struct search search = { .key = *letters };
		const struct argp_option *option = find(argp, &search);

		/* Argp reports one that there is not. */
		if (!option)
			return NULL;
		if (takes_next(option))
			return letters[1] ? NULL : option;
	}
	return NULL;
}

/* Return: the option, if the word behind this one is its argument. */
static const struct argp_option *look_at(const struct argp *argp, char **word, const char *program)
{
	struct search by_h = { .key = 'h' };

	if (!strcmp(*word, "-h") && !find(argp, &by_h))
		*word = (char *)"--help";
	if (!strncmp(*word, "--", 2))
		return look_at_long(argp, *word, program);
	return look_at_letters(argp, *word + 1);
}

static bool is_path(const struct argp_option *option)
{
	return !strcmp(option->arg, "DIR") || !strcmp(option->arg, "FILE") ||
	       !strcmp(option->arg, "TRACE");
}

/*
 * Is it an option that stands where a value belongs? A time may begin with "-", and so may the name
 * of a process: -bash.
 */
static bool is_option(const struct argp *argp, const struct argp_option *before, const char *word)
{
	struct search search = { .key = word[0] == '-' ? word[1] : 0 };

	if (!search.key)
		return false;
	if (word[1] == '-' || is_path(before))
		return true;
	return !word[2] && (find(argp, &search) || find(&own_argp, &search));
}

/* The word behind an option that takes one. */
static void check_value(const struct argp *argp, const struct argp_option *option, char **word,
			const char *program)
{
	const char *name = word[0], *value = word[1];

	if (!value || !is_option(argp, option, value))
		return;
	if (is_path(option))
		msg_error("%s needs a %s, and \"%s\" is an option; if one is called so, write ./%s",
			  name, option->arg, value, value);
	else
		msg_error("%s needs a value (%s), and \"%s\" is an option", name, option->arg,
			  value);
	refuse(argp, program);
}

static argp_parser_t parser;

/* Argp's messages repeat words of the command line, which may be anybody's: a shell's "*". */
static error_t parse_plainly(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_INIT)
		state->err_stream = msg_stream();
	return parser(key, arg, state);
}

error_t options_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
		      void *input)
{
	struct argp plain = *argp;
	int i;

	if (argc > 1 && !strcmp(argv[1], "help") && access(argv[1], F_OK))
		argv[1] = (char *)"--help";
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		const struct argp_option *option = NULL;

		if (argv[i][0] == '-' && argv[i][1])
			option = look_at(argp, &argv[i], argv[0]);
		else if (flags & ARGP_IN_ORDER)
			break;
		if (!option)
			continue;
		check_value(argp, option, &argv[i], argv[0]);
		i++;
	}
	parser = argp->parser;
	plain.parser = parser ? parse_plainly : NULL;
	return argp_parse(&plain, argc, argv, flags, NULL, input);
}

static error_t parse_trust(int key, char *arg, struct argp_state *state)
{
	(void)arg;
	(void)state;
	if (key != OPT_TRUST_DIR)
		return ARGP_ERR_UNKNOWN;
	below_trust_all();
	return 0;
}

static const struct argp_option trust_options[] = {
	{ "trust-dir", OPT_TRUST_DIR, NULL, 0,
	  "As root, write even where other users could redirect the output", 0 },
	{ 0 }
};

const struct argp trust_argp = { .options = trust_options, .parser = parse_trust };

const struct argp_child trust_child[] = { { .argp = &trust_argp }, { 0 } };

u64 options_hex(const char *option, const char *arg, const struct argp_state *state)
{
	u64 value;
	char *end;

	errno = 0;
	value = strtoull(arg, &end, 16);
	if (errno || *end || !isxdigit((unsigned char)*arg))
		argp_error(state, "%s: %s must be a number in hex", arg, option);
	return value;
}

void options_warn_old(const char *old, const char *now)
{
	msg_warn("%s is called %s now; ovnik " OLD_NAMES_END " will refuse the old name", old, now);
}
