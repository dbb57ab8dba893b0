// SPDX-License-Identifier: GPL-2.0-only
/* Read the result of a selftest. Somebody may have changed one that was kept. */
#include <json-c/json.h>
#include <string.h>

#include "capture/events.h"
#include "result.h"

/**
 * result_text() - Get a text.
 * @object: has it
 * @key:    its name
 *
 * Return: it; "" if there is none.
 */
const char *result_text(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return "";
	return json_object_get_string(value);
}

/**
 * result_list() - Get a list.
 * @object: has it
 * @key:    its name
 * @nr:	    is set to its length, 0 if there is none
 *
 * Return: it; NULL if there is none.
 */
struct json_object *result_list(struct json_object *object, const char *key, size_t *nr)
{
	struct json_object *list = NULL;

	json_object_object_get_ex(object, key, &list);
	*nr = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
	return list;
}

static unsigned int event_of(struct json_object *one)
{
	const char *name = result_text(one, "event");

	return event_by_name(name, strlen(name));
}

/**
 * result_each_fault() - Go through what is wrong.
 * @result: the result
 * @say:    is called for each event with which something is
 * @data:   for @say
 *
 * Return: how many there are.
 */
unsigned int result_each_fault(struct json_object *result, result_fault_fn say, void *data)
{
	struct json_object *list, *one;
	unsigned int faults = 0;
	size_t i, nr;

	list = result_list(result, "events", &nr);
	for (i = 0; i < nr; i++) {
		one = json_object_array_get_idx(list, i);
		if (!*result_text(one, "says") || !event_of(one))
			continue;
		say(result_text(one, "event"), result_text(one, "says"), data);
		faults++;
	}
	return faults;
}
