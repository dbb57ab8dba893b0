/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_ARGS_H
#define OVNIK_OUTPUT_TRACERS_ARGS_H

#include "util/types.h"

/*
 * The arguments after a tracer's name: "key=value", separated by commas. A comma in a
 * value is escaped by a backslash.
 */

/**
 * args_next() - Take the next part.
 * @rest: what is left; is changed, and moved on; NULL at the end
 * @part: set to the part, still escaped
 *
 * Context: Any.
 * Return: false at the end.
 */
bool args_next(char **rest, char **part);

/**
 * args_split() - Split a part into key and value.
 * @part: from args_next(); is changed: it ends after the key
 *
 * Context: Any.
 * Return: the value, without the backslashes before commas; NULL if there is no "=".
 */
char *args_split(char *part);

/**
 * args_u64() - Parse a number.
 * @text: decimal
 * @max: the largest that is allowed
 * @value: is set
 *
 * Context: Any.
 * Return: 0, -EINVAL.
 */
int args_u64(const char *text, u64 max, u64 *value) __must_check;

/**
 * args_ns() - Parse a time.
 * @text: decimal, possibly with a fraction, followed by s, ms, us or ns
 * @ns: is set
 *
 * Context: Any.
 * Return: 0, -EINVAL.
 */
int args_ns(const char *text, u64 *ns) __must_check;

/**
 * struct args_key - A key that a tracer knows.
 * @name: the key
 * @text: where its value goes: as text, which is a copy; NULL: it is not text
 * @number: where its value goes: a number from 1 to @max; NULL: it is not a number
 * @ns: where its value goes: a time; NULL: it is not a time
 * @max: of @number
 */
struct args_key {
	const char *name;
	char **text;
	u64 *number;
	u64 *ns;
	u64 max;
};

/**
 * args_refuse() - Report a key that there is not, with the one that may have been meant.
 * @key: the key
 * @keys: of the tracer
 * @nr: length of @keys
 */
void args_refuse(const char *key, const struct args_key *keys, unsigned int nr);

/**
 * args_parse() - Parse all arguments of a tracer.
 * @args: as struct tracer_class's parse gets it
 * @keys: the known keys
 * @nr: length of @keys
 *
 * Context: Any.
 * Return: 0; -EINVAL (reported); -ENOMEM.
 */
int args_parse(const char *args, const struct args_key *keys, unsigned int nr) __must_check;

#endif /* OVNIK_OUTPUT_TRACERS_ARGS_H */
