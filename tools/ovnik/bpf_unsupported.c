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
 * bpf_unsupported_add() - Mark events as unsupported.
 * @events: bit n: event number n
 * @format: the reason, a printf format with one "%s"
 * @what:   text for "%s"
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
 * bpf_unsupported_clear() - Clear all marks.
 */
void bpf_unsupported_clear(void)
{
	nr = 0;
}

/**
 * bpf_unsupported() - Get the unsupported events.
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
 * bpf_unsupported_report() - Warn about unsupported events.
 *
 * Return: 0; -ENOTSUP if nothing can be recorded, which has been reported.
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
 * bpf_names_of() - List the names of events.
 * @events: bit n: event number n
 *
 * Return: a JSON array.
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
 * bpf_unsupported_describe() - List the unsupported events in meta.json.
 * @meta: the object of meta.json
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
