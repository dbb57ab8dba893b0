/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OVNI_ROW_H
#define OVNIK_OVNI_ROW_H

#include <string.h>

#include "ovni/translate.h"

/* What the files of the translation share; nobody else includes this. */

#define MCV(m, c, v)	((u32)(m) << 8 | (u32)(c) << 16 | (u32)(v) << 24)
#define SIZED(bytes)	((u32)OVNI_EV_SIZE_CODE(bytes))

/**
 * struct row - Events of one thread or CPU that are being put together.
 * @clock: of all of them
 * @end: behind the last one
 * @raw: as they stand in a stream
 */
struct row {
	u64 clock;
	u8 *end;
	u8 raw[OVNI_EVENTS_MAX];
};

static inline void row_begin(struct row *row, u64 clock)
{
	row->clock = clock;
	row->end = row->raw;
}

static inline bool row_is_empty(const struct row *row)
{
	return row->end == row->raw;
}

/* The header as two stores, which is what it comes to on this machine. */
static inline void row_add(struct row *row, u32 head)
{
	memcpy(row->end, &head, sizeof(head));
	memcpy(row->end + sizeof(head), &row->clock, sizeof(row->clock));
	row->end += sizeof(struct ovni_ev_header);
}

static inline void row_add_u32(struct row *row, u32 mcv, u32 value)
{
	row_add(row, mcv | SIZED(sizeof(value)));
	memcpy(row->end, &value, sizeof(value));
	row->end += sizeof(value);
}

/* OM[ OM] OM=: @how is the last letter. */
static inline void row_add_mark(struct row *row, char how, s32 mark, s64 value)
{
	row_add(row, MCV('O', 'M', how) | SIZED(sizeof(value) + sizeof(mark)));
	memcpy(row->end, &value, sizeof(value));
	memcpy(row->end + sizeof(value), &mark, sizeof(mark));
	row->end += sizeof(value) + sizeof(mark);
}

/* No event before the last one, whosever it was; and none that ovni refuses. */
static inline u64 clock_of(const struct ovni_translate *t, u64 ns)
{
	if (ns >= OVNI_CLOCK_MAX / 2)
		ns = OVNI_CLOCK_MAX / 2;
	return ns > t->now ? ns : t->now;
}

/**
 * ovni_row_send() - Give the events of a thread to whoever wants them.
 * @t: the translation
 * @row: the events, one at least
 * @thread: index of the thread
 *
 * Context: From a hook of the world.
 */
void ovni_row_send(struct ovni_translate *t, const struct row *row, u32 thread);

/**
 * ovni_thread_of() - The thread of a task.
 * @t: the translation
 * @task: the task
 *
 * Context: From a hook of the world.
 * Return: its index; -1 for an idle task, and for one that the census does not know,
 * which is counted.
 */
long ovni_thread_of(struct ovni_translate *t, const struct world_task *task);

#endif /* OVNIK_OVNI_ROW_H */
