/* SPDX-License-Identifier: GPL-2.0-only */
/* What json-c has since 0.14 only; RHEL 8 has 0.13. tools/probe chooses the file. */
#ifndef OVNIK_UTIL_JSON_COMPAT_H
#define OVNIK_UTIL_JSON_COMPAT_H

#include <stddef.h>

#include "util/types.h"

struct json_object;
struct json_tokener;

/**
 * json_from_u64() - Make a number.
 * @value: what it is
 *
 * Return: the number, or NULL without memory.
 */
struct json_object *json_from_u64(u64 value);

/**
 * json_to_u64() - What a number is.
 * @obj: the number
 *
 * Return: its value; 0 if it is negative. Older json-c reads 2^63 and more as 2^63 - 1.
 */
u64 json_to_u64(struct json_object *obj);

/**
 * json_parse_end() - Where did the parser stop?
 * @tok: the parser
 *
 * Return: offset in the text, in bytes.
 */
size_t json_parse_end(struct json_tokener *tok);

#endif /* OVNIK_UTIL_JSON_COMPAT_H */
