// SPDX-License-Identifier: GPL-2.0-only
/* In place of json_compat.c where json-c is older than 0.14. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "util/json_compat.h"

/* A double may have a text of its own, by which all digits are written. */
struct json_object *json_from_u64(u64 value)
{
	char text[24];

	if (value <= INT64_MAX)
		return json_object_new_int64(value);
	snprintf(text, sizeof(text), "%llu", value);
	return json_object_new_double_s(value, text);
}

u64 json_to_u64(struct json_object *obj)
{
	s64 value;

	if (json_object_is_type(obj, json_type_double))
		return strtoull(json_object_get_string(obj), NULL, 10);
	value = json_object_get_int64(obj);
	return value > 0 ? value : 0;
}

size_t json_parse_end(struct json_tokener *tok)
{
	return tok->char_offset;
}
