/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_EVENT_H
#define GUEST_EVENT_H

/*
 * What the guest's tests make of a record, be it ours or ftrace's: the same
 * structure, so that both can be held against each other.
 */

#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ovnik.h"

#define MAX_CPUS	64

/* Kinds of ftrace's that no record stands for. */
enum trace_kind {
	TRACE_RINGS = OVNIK_NR_EVENTS,	/* the rings are about to be switched on or off */
	TRACE_RINGS_OFF,		/* BPF: they are about to be switched off */
	TRACE_RINGS_END,		/* they have been */
	TRACE_NEWTASK,			/* a task was made; comes before its task_fork */
	NR_KINDS
};

/**
 * struct event - An event, whoever saw it.
 * @tsc:   when
 * @kind:  enum ovnik_event, or enum trace_kind
 * @block: sub-buffer of the file it was in; 0 for ftrace's
 * @a:	   the task it is about: prev, the one woken, parent, ...
 * @b:	   next, waker, child, destination CPU, old tid, reason of task_mm
 * @c:	   prev_state, CPU, flags of clone
 * @actor: task that ran; ftrace knows it of every event, a record need not
 * @text:  name or path
 * @record: ours as it lies in the file, for what is not above; NULL for ftrace's
 */
struct event {
	__u64 tsc;
	__u32 kind;
	__u32 block;
	__u32 a;
	__u32 b;
	__u32 c;
	__u32 actor;
	const char *text;
	const void *record;
};

struct events {
	struct event *event;
	size_t nr;
	size_t room;
};

static inline void *grow(void *array, size_t nr, size_t *room, size_t size)
{
	if (nr < *room)
		return array;
	*room = *room ? *room * 2 : 1024;
	array = realloc(array, *room * size);
	if (!array)
		err(1, "no memory");
	return array;
}

static inline struct event *add_event(struct events *events)
{
	struct event *event;

	events->event = grow(events->event, events->nr, &events->room, sizeof(*event));
	event = &events->event[events->nr++];
	memset(event, 0, sizeof(*event));
	return event;
}

static inline const char *kind_name(unsigned int kind)
{
#define NAME(nr, name, ...) [nr] = #name,
	static const char * const names[] = { OVNIK_EVENT_TABLE(NAME, OVNIK_NO_FIELD) };

	return kind < OVNIK_NR_EVENTS && names[kind] ? names[kind] : "?";
}

static inline unsigned int kind_number(const char *name)
{
	unsigned int kind;

	for (kind = 1; kind < OVNIK_NR_EVENTS; kind++) {
		if (!strcmp(kind_name(kind), name))
			return kind;
	}
	errx(1, "no event is called %s", name);
}

static inline void print_event(const char *whose, const struct event *event)
{
	if (!event) {
		printf("# %-7s nothing\n", whose);
		return;
	}
	printf("# %-7s %llu %s a %u b %u c %#x %s\n", whose, event->tsc,
	       kind_name(event->kind), event->a, event->b, event->c,
	       event->text ? event->text : "");
}

/* The CPU's number stands in the name: cpuN or cpuN.ovk. */
static inline unsigned int cpu_of_name(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned int cpu;

	name = name ? name + 1 : path;
	if (sscanf(name, "cpu%u", &cpu) != 1 || cpu >= MAX_CPUS)
		errx(1, "%s: not called cpuN.ovk", path);
	return cpu;
}

#endif /* GUEST_EVENT_H */
