/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_EMU_PRV_H
#define OVNIK_EMU_PRV_H

#include <string.h>

#include "emu/chan.h"
#include "util/decimal.h"
#include "util/queue.h"
#include "util/types.h"

struct gz;

/*
 * Writer of one Paraver trace: a header line and one line per change,
 * "2:0:1:1:ROW:TIME:TYPE:VALUE". Millions of lines are written, so the texts of
 * rows, types and the current time are prepared and only copied; by a thread of the file's own if
 * there are CPUs for it.
 */

#define PRV_SKIP_DUP		0x01	/* a line equal to the previous one is dropped */
#define PRV_SKIP_DUP_NULL	0x02	/* the same, but only if the value is null */
#define PRV_EMIT_DUP		0x04	/* it is written again */
#define PRV_NEXT		0x08	/* value + 1 is written */
#define PRV_ZERO		0x10	/* an integer 0 is legal */

/**
 * struct prv_type - An event type.
 * @text: ":TYPE:"
 * @len: length of @text
 * @flags: PRV_*
 * @next: 1 with PRV_NEXT, else 0
 * @type: its number
 * @used: a line of this type was written
 * @null: what is written for null
 */
struct prv_type {
	char text[16];
	u8 len;
	u8 flags;
	u8 next;
	bool used;
	u32 type;
	s64 null;
};

/**
 * struct prv_row - A row.
 * @text: "2:0:1:1:ROW:"
 * @len: length of @text
 */
struct prv_row {
	char text[24];
	u8 len;
};

/**
 * struct prv_clock - The current time of all traces.
 * @now: nanoseconds since the beginning
 * @before: the latest instant that may have lines already
 * @threaded: threads of the files make their own texts
 * @len: length of @text
 * @text: @now, unless @threaded
 */
struct prv_clock {
	u64 now;
	u64 before;
	bool threaded;
	u32 len;
	char text[24];
};

/**
 * struct prv_line - A line for a file's own thread.
 * @now: its time
 * @value: the value
 * @row: the row
 * @type: the type
 */
struct prv_line {
	u64 now;
	s64 value;
	const struct prv_row *row;
	const struct prv_type *type;
};

/**
 * struct prv - A .prv file being written.
 * @path: its name, for messages
 * @show_errors: render ST_BAD and ST_TOO_MANY_TH as numbers, else as null
 * @threaded: a thread of its own writes it
 * @clock: current time
 * @rows: number of rows
 * @row: their texts
 * @lines: lines for that thread, struct prv_line; what follows is the thread's, if there is one
 * @own: the time of its last line
 * @fd: the file
 * @error: errno of the write that failed, 0 while all is well
 * @gz: compresses it, or NULL
 * @buf: start of the buffer
 * @pos: next byte to fill
 * @end: after this position a line may not fit
 */
struct prv {
	char *path;
	bool show_errors;
	bool threaded;
	struct prv_clock *clock;
	u32 rows;
	struct prv_row *row;
	struct queue lines;
	struct prv_clock own;
	int fd;
	int error;
	struct gz *gz;
	char *buf;
	char *pos;
	char *end;
};

/**
 * struct prv_out - What a row shows of a type.
 * @prv: the file
 * @row: the row
 * @type: the type
 * @last: what was written last
 */
struct prv_out {
	struct prv *prv;
	const struct prv_row *row;
	struct prv_type *type;
	struct chan_value last;
};

/**
 * prv_type_init() - Make a type ready for prv_emit().
 * @t: type
 * @type: its number
 * @flags: PRV_*; at most one of the three about duplicates
 */
void prv_type_init(struct prv_type *t, u32 type, u8 flags);

/**
 * prv_open() - Create the file and write its provisional header.
 * @prv: writer
 * @dir: directory
 * @name: file name
 * @rows: number of rows
 * @clock: clock of the writers
 * @options: enum emu_option
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check prv_open(struct prv *prv, const char *dir, const char *name, u32 rows,
			  struct prv_clock *clock, u32 options);

static inline void prv_clock_text(struct prv_clock *clock)
{
	clock->len = decimal_put(clock->text, clock->now) - clock->text;
}

/**
 * prv_advance() - Set the time of the next lines.
 * @clock: clock of the writers
 * @now: nanoseconds since the beginning, never less than before
 */
static inline void prv_advance(struct prv_clock *clock, u64 now)
{
	clock->before = clock->now;
	if (clock->now == now)
		return;
	clock->now = now;
	if (!clock->threaded)
		prv_clock_text(clock);
}

/**
 * prv_clock_back() - Set the time of the next lines to the nanosecond before.
 * @clock: clock of the writers; restore it from a copy
 *
 * Nothing changes if there may be lines of the current instant already, because time
 * must not go back.
 */
void prv_clock_back(struct prv_clock *clock);

/**
 * prv_out_init() - Make an output that has not shown anything yet.
 * @o: output
 * @prv: the file, open
 * @row: index of the row, from 0
 * @type: the type
 */
static inline void prv_out_init(struct prv_out *o, struct prv *prv, u32 row, struct prv_type *type)
{
	o->prv = prv;
	o->row = &prv->row[row];
	o->type = type;
	o->last.st = ST_UNSET;
	o->last.i = 0;
}

/**
 * prv_is_quiet() - Does null leave this row unchanged?
 * @o: what the row shows
 *
 * A quick check for the many channels that are null most of the time.
 */
static inline bool prv_is_quiet(const struct prv_out *o)
{
	return o->last.st == ST_NULL && (o->type->flags & (PRV_SKIP_DUP | PRV_SKIP_DUP_NULL));
}

/* A line for which the buffer may lack room. */
int prv_line_flush(struct prv *prv, const struct prv_clock *clock, const struct prv_row *row,
		   const struct prv_type *t, s64 v);

static inline int prv_line_put(struct prv *prv, const struct prv_clock *clock,
			       const struct prv_row *row, const struct prv_type *t, s64 v)
{
	char *p = prv->pos;

	if (unlikely(p >= prv->end))
		return prv_line_flush(prv, clock, row, t, v);
	/* Copies of constant size: what is too much is overwritten. */
	memcpy(p, row->text, sizeof(row->text));
	p += row->len;
	memcpy(p, clock->text, sizeof(clock->text));
	p += clock->len;
	memcpy(p, t->text, sizeof(t->text));
	p += t->len;
	if ((u64)v < 10)
		*p++ = '0' + (char)v;
	else
		p = decimal_put_signed(p, v);
	*p = '\n';
	prv->pos = p + 1;
	return 0;
}

/* For the thread of the file. */
static inline int prv_line_pass(struct prv *prv, const struct prv_row *row,
				const struct prv_type *t, s64 v)
{
	struct prv_line *line;

	if (unlikely(queue_room(&prv->lines, sizeof(*line))))
		return -EIO;
	line = (struct prv_line *)prv->lines.pos;
	line->now = prv->clock->now;
	line->value = v;
	line->row = row;
	line->type = t;
	prv->lines.pos += sizeof(*line);
	return 0;
}

static inline int prv_line(struct prv *prv, const struct prv_row *row, const struct prv_type *t,
			   s64 v)
{
	if (prv->threaded)
		return prv_line_pass(prv, row, t, v);
	return prv_line_put(prv, prv->clock, row, t, v);
}

/* A state that is not an integer, as a number; hidden errors are null. */
static inline struct chan_value prv_number(const struct prv_out *o, struct chan_value v)
{
	if (likely(!o->prv->show_errors) || v.st == ST_NULL)
		return (struct chan_value){ ST_NULL, o->type->null };
	v.i = v.st == ST_BAD ? ST_BAD_SHOWN : ST_TOO_MANY_TH_SHOWN;
	return v;
}

/* The same value as before? A null that is rendered as a state repeats that state. */
static inline bool prv_repeats(const struct prv_out *o, struct chan_value v)
{
	if (o->last.i != v.i)
		return false;
	if (likely(o->last.st == v.st))
		return true;
	return o->type->null && o->type->flags & PRV_SKIP_DUP && o->last.st != ST_UNSET;
}

/**
 * prv_emit() - Write the value a row has from now on.
 * @o: what the row shows
 * @v: value
 *
 * Return: 0, -EEXIST for a repeated value where that is not allowed, -EDOM for
 * an integer 0 where that is not allowed, -EIO when the file cannot be written.
 */
static __always_inline int __must_check prv_emit(struct prv_out *o, struct chan_value v)
{
	struct prv_type *t = o->type;
	s64 i;

	if (v.st != ST_INT)
		v = prv_number(o, v);
	i = v.i;
	if (prv_repeats(o, v)) {
		if (t->flags & PRV_SKIP_DUP)
			return 0;
		if ((t->flags & PRV_SKIP_DUP_NULL) && v.st == ST_NULL)
			return 0;
		if (!(t->flags & (PRV_SKIP_DUP_NULL | PRV_EMIT_DUP)))
			return -EEXIST;
	}
	o->last = v;
	t->used = true;
	if (v.st == ST_INT) {
		i += t->next;
		if (unlikely(!i) && !(t->flags & PRV_ZERO))
			return -EDOM;
	}
	return prv_line(o->prv, o->row, t, i);
}

/**
 * prv_emit_punctual() - Write a value of an instant.
 * @o: what the row shows; its last value is reset, so that the next prv_emit()
 *	always writes
 * @v: value
 *
 * Context: between prv_clock_back() and the restoration of the clock.
 *
 * Return: as prv_emit().
 */
int __must_check prv_emit_punctual(struct prv_out *o, struct chan_value v);

/**
 * prv_close() - Write what is buffered, put the duration into the header, close.
 * @prv: writer; may be all zero
 *
 * Return: 0 or the negative errno of the first failure, reported on stderr.
 */
int __must_check prv_close(struct prv *prv);

#endif /* OVNIK_EMU_PRV_H */
