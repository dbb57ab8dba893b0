/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_ARGS_H
#define OVNIK_OUTPUT_TRACERS_ARGS_H

#include "util/types.h"

/*
 * What a user writes behind a tracer's name: "key=value" with commas between. A comma
 * in a value has a backslash before it.
 */

/**
 * args_next() - Take the next part.
 * @rest: what is left; is changed, and moved on; NULL at the end
 * @part: is set: the part, with what it escaped still escaped
 *
 * Context: Any.
 * Return: false at the end.
 */
bool args_next(char **rest, char **part);

/**
 * args_split() - Split a part into key and value.
 * @part: from args_next(); is changed: it ends behind the key
 *
 * Context: Any.
 * Return: the value, without the backslashes before commas; NULL if there is no "=".
 */
char *args_split(char *part);

/**
 * args_u64() - Understand a number.
 * @text: decimal
 * @max: the largest that is allowed
 * @value: is set
 *
 * Context: Any.
 * Return: 0, -EINVAL.
 */
int args_u64(const char *text, u64 max, u64 *value) __must_check;

/**
 * args_ns() - Understand a time.
 * @text: decimal, with a fraction if need be, and s, ms, us or ns behind it
 * @ns: is set
 *
 * Context: Any.
 * Return: 0, -EINVAL.
 */
int args_ns(const char *text, u64 *ns) __must_check;

/**
 * struct args_key - A key that a tracer knows.
 * @name: the key
 * @text: where its value goes: as text, which is a copy; NULL: it is none
 * @number: where its value goes: a number from 1 to @max; NULL: it is none
 * @ns: where its value goes: a time; NULL: it is none
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
 * args_parse() - Understand all that a user wrote for a tracer.
 * @args: as struct tracer_class's parse gets it
 * @keys: those that there are
 * @nr: length of @keys
 *
 * Context: Any.
 * Return: 0; -EINVAL (told); -ENOMEM.
 */
int args_parse(const char *args, const struct args_key *keys, unsigned int nr) __must_check;

#endif /* OVNIK_OUTPUT_TRACERS_ARGS_H */
