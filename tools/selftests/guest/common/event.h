/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef GUEST_EVENT_H
#define GUEST_EVENT_H

/*
 * What the guest's tests make of a record, be it ours or ftrace's: the same
 * structure, so that both can be compared.
 */

#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ovnik.h"

#define MAX_CPUS	64

/* Events of ftrace's that have no record. */
enum trace_kind {
	TRACE_RINGS = OVNIK_NR_EVENTS,	/* the rings are about to be switched on or off */
	TRACE_RINGS_OFF,		/* BPF: they are about to be switched off */
	TRACE_RINGS_END,		/* they have been */
	TRACE_WAKING,			/* a task will be woken, by the one that runs */
	NR_KINDS
};

/**
 * struct event - An event, of ours or of ftrace.
 * @tsc:   when
 * @kind:  enum ovnik_event, or enum trace_kind
 * @block: sub-buffer of the file it was in; 0 for ftrace's
 * @a:	   the task it is about: prev, the one woken, parent, ...
 * @b:	   next, waker, child, destination CPU, old tid, reason of task_mm
 * @c:	   prev_state, CPU, flags of clone
 * @actor: task that ran; ftrace knows it of every event, a record need not
 * @in_interrupt: ftrace's, in an interrupt or a softirq
 * @text:  name or path
 * @record: our record, with its text; NULL for an event of ftrace's
 * @place:  where the record lies in the file
 * @again:  it has no text there, but refers to that of another record
 */
struct event {
	__u64 tsc;
	__u32 kind;
	__u32 block;
	__u32 a;
	__u32 b;
	__u32 c;
	__u32 actor;
	bool in_interrupt;
	bool again;
	const char *text;
	const void *record;
	const void *place;
};

/**
 * struct events - Any number of them.
 * @event: the events
 * @nr: of these
 * @room: for so many
 */
struct events {
	struct event *event;
	size_t nr;
	size_t room;
};

/**
 * grow() - Room in an array for one more.
 * @array: as it is, or NULL
 * @nr: elements in it
 * @room: elements it has room for
 * @size: of an element
 *
 * Return: the array, perhaps elsewhere.
 */
void *grow(void *array, size_t nr, size_t *room, size_t size);

/**
 * add_event() - Add an event, all zeros.
 * @events: to these
 *
 * Return: it, until the next one is added.
 */
struct event *add_event(struct events *events);

/**
 * kind_name() - Name of a kind of event.
 * @kind: enum ovnik_event
 *
 * Return: it, or "?".
 */
const char *kind_name(unsigned int kind);

/**
 * kind_number() - The kind of event with this name; ends the program if there is none.
 * @name: as in the event table
 *
 * Return: enum ovnik_event.
 */
unsigned int kind_number(const char *name);

/**
 * print_event() - Print an event as a comment.
 * @whose: who saw it
 * @event: may be NULL
 */
void print_event(const char *whose, const struct event *event);

/**
 * cpu_of_name() - The CPU's number by the name of its file: cpuN or cpuN.ovk.
 * @path: of the file
 *
 * Return: it; another name ends the program.
 */
unsigned int cpu_of_name(const char *path);

/**
 * is_dump() - Is it the file of the statedump?
 * @path: the file
 *
 * Return: true for dump.ovk.
 */
bool is_dump(const char *path);

#endif /* GUEST_EVENT_H */
