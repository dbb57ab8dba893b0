// SPDX-License-Identifier: GPL-2.0-only
/* Events that cannot be recorded on this kernel, and why. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>

#include "bpf.h"
#include "capture/events.h"
#include "util/msg.h"

static struct {
	u64 events;
	char reason[128];
} unsupported[OVNIK_NR_EVENTS];

static unsigned int nr;

/**
 * bpf_unsupported_add() - Note that events cannot be recorded.
 * @events: bit n: event number n
 * @format: why, with a "%s" in it
 * @what:   stands for that
 */
void bpf_unsupported_add(u64 events, const char *format, const char *what)
{
	if (!events || nr == ARRAY_SIZE(unsupported))
		return;
	unsupported[nr].events = events;
	snprintf(unsupported[nr].reason, sizeof(unsupported[nr].reason), format, what);
	nr++;
}

/**
 * bpf_unsupported_clear() - Forget what was noted.
 */
void bpf_unsupported_clear(void)
{
	nr = 0;
}

/**
 * bpf_unsupported() - What cannot be recorded on this kernel.
 *
 * Return: bit n: event number n.
 */
u64 bpf_unsupported(void)
{
	u64 events = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		events |= unsupported[i].events;
	return events;
}

/**
 * bpf_unsupported_report() - Warn the user of what cannot be recorded.
 *
 * Return: 0; -ENOTSUP if nothing can, which has been reported.
 */
int bpf_unsupported_report(void)
{
	unsigned int i, event;

	if (!~bpf_unsupported()) {
		msg_error("the probes cannot be attached: %s", unsupported[0].reason);
		return -ENOTSUP;
	}
	for (i = 0; i < nr; i++) {
		for (event = 0; event < OVNIK_NR_EVENTS; event++) {
			if (unsupported[i].events >> event & 1 && event_table[event].name)
				msg_warn("no %s: %s", event_table[event].name,
					 unsupported[i].reason);
		}
	}
	return 0;
}

/**
 * bpf_names_of() - The names of events.
 * @events: bit n: event number n
 *
 * Return: a list.
 */
struct json_object *bpf_names_of(u64 events)
{
	struct json_object *list = json_object_new_array();
	unsigned int event;

	for (event = 0; event < OVNIK_NR_EVENTS; event++) {
		const char *name = events >> event & 1 ? event_table[event].name : NULL;

		if (name)
			json_object_array_add(list, json_object_new_string(name));
	}
	return list;
}

/**
 * bpf_unsupported_describe() - Say it in meta.json.
 * @meta: the object
 */
void bpf_unsupported_describe(struct json_object *meta)
{
	struct json_object *list = json_object_new_array();
	unsigned int i;

	json_object_object_add(meta, "lack", list);
	for (i = 0; i < nr; i++) {
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "events", bpf_names_of(unsupported[i].events));
		json_object_object_add(one, "reason",
				       json_object_new_string(unsupported[i].reason));
		json_object_array_add(list, one);
	}
}
