// SPDX-License-Identifier: GPL-2.0-only
#include "event.h"

void *grow(void *array, size_t nr, size_t *room, size_t size)
{
	if (nr < *room)
		return array;
	*room = *room ? *room * 2 : 1024;
	array = realloc(array, *room * size);
	if (!array)
		err(1, "no memory");
	return array;
}

struct event *add_event(struct events *events)
{
	struct event *event;

	events->event = grow(events->event, events->nr, &events->room, sizeof(*event));
	event = &events->event[events->nr++];
	memset(event, 0, sizeof(*event));
	return event;
}

const char *kind_name(unsigned int kind)
{
#define NAME(nr, name, ...) [nr] = #name,
	static const char * const names[] = { OVNIK_EVENT_TABLE(NAME, OVNIK_NO_FIELD) };

	return kind < OVNIK_NR_EVENTS && names[kind] ? names[kind] : "?";
}

unsigned int kind_number(const char *name)
{
	unsigned int kind;

	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		if (!strcmp(kind_name(kind), name))
			return kind;
	}
	errx(1, "no event is called %s", name);
}

void print_event(const char *whose, const struct event *event)
{
	if (!event) {
		printf("# %-7s nothing\n", whose);
		return;
	}
	printf("# %-7s %llu %s a %u b %u c %#x %s\n", whose, event->tsc,
	       kind_name(event->kind), event->a, event->b, event->c,
	       event->text ? event->text : "");
}

bool is_dump(const char *path)
{
	const char *name = strrchr(path, '/');

	return !strcmp(name ? name + 1 : path, "dump.ovk");
}

unsigned int cpu_of_name(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned int cpu;

	name = name ? name + 1 : path;
	if (sscanf(name, "cpu%u", &cpu) != 1 || cpu >= MAX_CPUS)
		errx(1, "%s: not called cpuN.ovk", path);
	return cpu;
}
