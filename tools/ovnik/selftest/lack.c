// SPDX-License-Identifier: GPL-2.0-only
/* What the selftest has found, in the description of a capture. */
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "backend.h"
#include "check.h"
#include "kept.h"
#include "result.h"
#include "selftest.h"

static bool has_event(struct json_object *lack, const char *event)
{
	struct json_object *names;
	size_t i, j, nr, nr_names;

	nr = json_object_array_length(lack);
	for (i = 0; i < nr; i++) {
		names = result_list(json_object_array_get_idx(lack, i), "events", &nr_names);
		for (j = 0; j < nr_names; j++) {
			struct json_object *name = json_object_array_get_idx(names, j);

			if (!strcmp(json_object_get_string(name), event))
				return true;
		}
	}
	return false;
}

static bool is_asked_for(const char *event)
{
	char path[96];
	u64 on;

	snprintf(path, sizeof(path), "events/%s/enable", event);
	return !control_read_u64(path, &on) && on;
}

static void add_to_lack(const char *event, const char *says, void *data)
{
	struct json_object *one, *names, *lack = data;
	char reason[VERDICT_SAYS + 32];

	if (has_event(lack, event) || !is_asked_for(event))
		return;
	one = json_object_new_object();
	names = json_object_new_array();
	snprintf(reason, sizeof(reason), "by the selftest: %s", says);
	json_object_array_add(names, json_object_new_string(event));
	json_object_object_add(one, "events", names);
	json_object_object_add(one, "reason", json_object_new_string(reason));
	json_object_array_add(lack, one);
}

/**
 * selftest_describe() - Add what the selftest has found to "lack" in meta.json.
 * @meta: the object of meta.json; the back end has described itself
 */
void selftest_describe(struct json_object *meta)
{
	struct json_object *lack, *result = kept_read();

	if (result && json_object_object_get_ex(meta, "lack", &lack))
		result_each_fault(result, add_to_lack, lack);
}
