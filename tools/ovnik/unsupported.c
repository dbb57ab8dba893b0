// SPDX-License-Identifier: GPL-2.0-only
/* Events that cannot be recorded on this kernel, and why. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "capture/events.h"
#include "unsupported.h"
#include "util/msg.h"

/* Bit n: event number n; also of numbers that no event has, if it is all of them. */
static u64 marked;

/* By event number, the first that was found. */
static char reasons[OVNIK_NR_EVENTS][320];

/**
 * unsupported_add() - Mark events as unsupported.
 * @events: bit n: event number n
 * @format: the reason, a printf format with one "%s"
 * @what:   text for "%s"
 */
void unsupported_add(u64 events, const char *format, const char *what)
{
	unsigned int event;

	for (event = 0; event < OVNIK_NR_EVENTS; event++) {
		if (events & ~marked & 1ULL << event)
			snprintf(reasons[event], sizeof(reasons[event]), format, what);
	}
	marked |= events;
}

/**
 * unsupported_clear() - Clear all marks.
 */
void unsupported_clear(void)
{
	marked = 0;
}

/**
 * unsupported() - Get the unsupported events.
 *
 * Return: bit n: event number n.
 */
u64 unsupported(void)
{
	return marked;
}

/*
 * The next events that have a reason in common. @rest: unsupported events that were not
 * returned yet
 */
static u64 with_one_reason(u64 *rest)
{
	const char *reason = NULL;
	unsigned int event;
	u64 events = 0;

	for (event = 0; event < OVNIK_NR_EVENTS; event++) {
		if (!(*rest >> event & 1))
			continue;
		if (!reason)
			reason = reasons[event];
		if (!strcmp(reason, reasons[event]))
			events |= 1ULL << event;
	}
	*rest &= events ? ~events : 0;
	return events;
}

static const char *reason_of(u64 events)
{
	return reasons[__builtin_ctzll(events)];
}

static void warn_of(u64 events)
{
	char names[1024] = "";
	unsigned int event;
	size_t len = 0;

	for (event = 0; event < OVNIK_NR_EVENTS; event++) {
		if (events >> event & 1 && event_table[event].name)
			len += snprintf(names + len, sizeof(names) - len, "%s%s",
					len ? ", " : "", event_table[event].name);
	}
	if (len)
		msg_warn("no %s: %s", names, reason_of(events));
}

/**
 * unsupported_report() - Warn about unsupported events, in a line for each reason.
 *
 * Return: 0; -ENOTSUP if nothing can be recorded, which has been reported.
 */
int unsupported_report(void)
{
	u64 rest = marked, events;

	if (!~marked) {
		msg_error("the probes cannot be attached: %s", reasons[0]);
		return -ENOTSUP;
	}
	while ((events = with_one_reason(&rest)))
		warn_of(events);
	return 0;
}

/**
 * unsupported_names_of() - List the names of events.
 * @events: bit n: event number n
 *
 * Return: a JSON array.
 */
struct json_object *unsupported_names_of(u64 events)
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
 * unsupported_describe() - List the unsupported events in meta.json.
 * @meta: the object of meta.json
 */
void unsupported_describe(struct json_object *meta)
{
	struct json_object *list = json_object_new_array();
	u64 rest = marked, events;

	json_object_object_add(meta, "lack", list);
	while ((events = with_one_reason(&rest))) {
		struct json_object *one = json_object_new_object();

		json_object_object_add(one, "events", unsupported_names_of(events));
		json_object_object_add(one, "reason", json_object_new_string(reason_of(events)));
		json_object_array_add(list, one);
	}
}
