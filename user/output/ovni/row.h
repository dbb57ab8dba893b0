/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_OVNI_ROW_H
#define OVNIK_OUTPUT_OVNI_ROW_H

#include <string.h>

#include "output/ovni/translate.h"

/* Private to the files that make events. */

#define MCV(m, c, v)	((u32)(m) << 8 | (u32)(c) << 16 | (u32)(v) << 24)
#define SIZED(bytes)	((u32)OVNI_EV_SIZE_CODE(bytes))

#define VIRTUAL_CPU	(-1)

/**
 * struct row - Events of one thread or CPU that are being assembled.
 * @clock: of all of them
 * @step: what they say
 * @end: one past the last one
 * @raw: in the format of a stream
 */
struct row {
	u64 clock;
	struct ovni_step step;
	u8 *end;
	u8 raw[OVNI_EVENTS_MAX];
};

static inline void row_begin(struct row *row, u64 clock)
{
	row->clock = clock;
	row->step = (struct ovni_step){ 0 };
	row->end = row->raw;
}

static inline bool row_is_empty(const struct row *row)
{
	return row->end == row->raw;
}

/* The header as two stores, which is what it compiles to. */
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

/* OHx, on the virtual CPU. */
static inline void row_add_birth(struct row *row, s32 creator)
{
	struct {
		s32 cpu;
		s32 creator;
		u64 tag;
	} payload = { VIRTUAL_CPU, creator, 0 };

	row_add(row, MCV('O', 'H', 'x') | SIZED(sizeof(payload)));
	memcpy(row->end, &payload, sizeof(payload));
	row->end += sizeof(payload);
}

/* What the row has up to now makes its thread, or lets it go on. */
static inline void row_comes(struct row *row, enum ovni_what what)
{
	row->step.what = what;
	row->step.head = row->end - row->raw;
}

/* KCI OHr */
static inline void row_add_back(struct row *row)
{
	row_add(row, MCV('K', 'C', 'I'));
	row_add(row, MCV('O', 'H', 'r'));
	row_comes(row, OVNI_ON);
}

/* OHp KCO, of OVNI_BORN or OVNI_OFF. */
static inline void row_add_pause(struct row *row, enum ovni_what what, u32 reason)
{
	row_add(row, MCV('O', 'H', 'p'));
	row_add_u32(row, MCV('K', 'C', 'O'), reason);
	row->step.what = what;
	row->step.reason = reason;
}

/* OHe */
static inline void row_add_end(struct row *row)
{
	row_add(row, MCV('O', 'H', 'e'));
	row->step.what = OVNI_ENDED;
}

/* OM[ OM] OM=: @how is the last letter. */
static inline void row_add_mark(struct row *row, char how, s32 mark, s64 value)
{
	row_add(row, MCV('O', 'M', how) | SIZED(sizeof(value) + sizeof(mark)));
	memcpy(row->end, &value, sizeof(value));
	memcpy(row->end + sizeof(value), &mark, sizeof(mark));
	row->end += sizeof(value) + sizeof(mark);
}

/* Not before the last event of any thread, nor a clock that ovni refuses. */
static inline u64 clock_of(const struct ovni_translate *t, u64 ns)
{
	if (ns >= OVNI_CLOCK_MAX / 2)
		ns = OVNI_CLOCK_MAX / 2;
	return ns > t->now ? ns : t->now;
}

static inline void row_notify(struct ovni_translate *t, enum ovni_position position,
			      const struct row *row, u32 index)
{
	struct ovni_events events = {
		.clock = row->clock,
		.index = index,
		.bytes = row->end - row->raw,
		.raw = row->raw,
		.step = row->step,
	};

	t->now = row->clock;
	hook_invoke(&t->hooks, position, &events);
}

/* Use ovni_row_send(). */
void ovni_row_first(struct ovni_translate *t, u64 clock);

/* Not before the thread's last event of this kind, nor at its clock. */
static inline u64 ovni_wait_later(const struct ovni_wait *wait, u64 ns)
{
	return ns > wait->since ? ns : wait->since + 1;
}

/**
 * ovni_row_send() - Pass the events of a thread to the hooks.
 * @t: the translation
 * @row: the events; nothing happens if there are none
 * @thread: index of the thread
 *
 * Context: From a hook of the world.
 */
static inline void ovni_row_send(struct ovni_translate *t, const struct row *row, u32 thread)
{
	/* Unreported activities leave rows empty. */
	if (unlikely(row_is_empty(row)))
		return;
	if (unlikely(!t->began))
		ovni_row_first(t, row->clock);
	row_notify(t, OVNI_EVENT, row, thread);
}

/**
 * ovni_thread_of() - The thread of a task.
 * @t: the translation
 * @task: the task
 *
 * Context: From a hook of the world.
 * Return: its index; -1 for an idle task, and for one that is not in the inventory,
 * which is counted.
 */
static inline long ovni_thread_of(struct ovni_translate *t, const struct world_task *task)
{
	if (!task->tid)
		return -1;
	if (likely(task->id < t->inventory->nr_tasks && t->thread_of[task->id] >= 0))
		return t->thread_of[task->id];
	t->dropped++;
	return -1;
}

#endif /* OVNIK_OUTPUT_OVNI_ROW_H */
