/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_CAPTURE_META_JSON_H
#define OVNIK_CAPTURE_META_JSON_H

#include <stdio.h>

#include <json-c/json.h>

#include "util/json_compat.h"
#include "util/types.h"

/* Members of meta.json: what is missing, or of another type, is 0. */

static inline u64 get_u64(struct json_object *obj, const char *key)
{
	struct json_object *val;

	if (!json_object_object_get_ex(obj, key, &val) || !json_object_is_type(val, json_type_int))
		return 0;
	return json_to_u64(val);
}

static inline bool get_bool(struct json_object *obj, const char *key)
{
	struct json_object *val;

	return json_object_object_get_ex(obj, key, &val) && json_object_get_boolean(val);
}

static inline void get_string(struct json_object *obj, const char *key, char *to, size_t size)
{
	struct json_object *val;

	if (!json_object_object_get_ex(obj, key, &val) ||
	    !json_object_is_type(val, json_type_string))
		return;
	snprintf(to, size, "%s", json_object_get_string(val));
}

/* An object or array of that name, or NULL. */
static inline struct json_object *get_of(struct json_object *obj, const char *key,
					 enum json_type type)
{
	struct json_object *val;

	if (!json_object_object_get_ex(obj, key, &val) || !json_object_is_type(val, type))
		return NULL;
	return val;
}

#endif /* OVNIK_CAPTURE_META_JSON_H */
