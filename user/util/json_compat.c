// SPDX-License-Identifier: GPL-2.0-only
#include <json-c/json.h>

#include "util/json_compat.h"

struct json_object *json_from_u64(u64 value)
{
	return json_object_new_uint64(value);
}

u64 json_to_u64(struct json_object *obj)
{
	return json_object_get_uint64(obj);
}

size_t json_parse_end(struct json_tokener *tok)
{
	return json_tokener_get_parse_end(tok);
}
