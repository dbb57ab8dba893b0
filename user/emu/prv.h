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
 * rows, types and the current time are prepared and only copied. A thread of its own compresses and
 * writes the file if there are CPUs for it.
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
 * @used: a line of this type was written
 * @type: its number
 * @add: what is added to a state's integer, by ST_NULL (the number for null) and ST_INT
 */
struct prv_type {
	char text[16];
	u8 len;
	u8 flags;
	bool used;
	u32 type;
	s64 add[2];
};

/**
 * struct prv_row - A row.
 * @text: "2:0:1:1:ROW:"
 * @len: length of @text
 */
struct prv_row {
	char text[15];
	u8 len;
};

#define PRV_ROWS_MAX	999999	/* the text of the last one fits exactly */

/**
 * struct prv_clock - The current time of all traces.
 * @now: nanoseconds since the beginning
 * @before: the latest instant that may have lines already
 * @len: length of @text
 * @text: @now
 */
struct prv_clock {
	u64 now;
	u64 before;
	u32 len;
	char text[24];
};

/**
 * struct prv_known - The text of a number that was written before.
 * @value: the number
 * @text: the number and the end of the line
 * @len: length of @text
 */
struct prv_known {
	s64 value;
	char text[15];
	u8 len;
};

#define PRV_NR_KNOWN	256

/**
 * struct prv_texts - Texts that lines of several files have in common.
 * @clock: the current time
 * @known: numbers that were written before, each at the place of its lowest bits
 */
struct prv_texts {
	struct prv_clock clock;
	struct prv_known known[PRV_NR_KNOWN];
};

/**
 * struct prv - A .prv file being written.
 * @path: its name, for messages
 * @show_errors: render ST_BAD and ST_TOO_MANY_TH as numbers, else as null
 * @threaded: a thread of its own writes it
 * @reported: that it could not be written
 * @texts: the time and numbers of lines
 * @pos: next byte of the buffer to fill
 * @end: after this position a line may not fit
 * @rows: number of rows
 * @row: their texts
 * @buf: the buffer, or NULL
 * @full: with @threaded: buffers on their way to that thread; what follows is the thread's
 * @fd: the file
 * @error: errno of the write that failed, 0 while all is well
 * @gz: compresses it, or NULL
 */
struct prv {
	char *path;
	bool show_errors;
	bool threaded;
	bool reported;
	struct prv_texts *texts;
	char *pos;
	char *end;
	u32 rows;
	struct prv_row *row;
	char *buf;
	struct queue full;
	int fd;
	int error;
	struct gz *gz;
};

/**
 * struct prv_out - What a row shows of a type.
 * @prv: the file
 * @row: the row
 * @type: the type
 * @last: what was written last, with the number as it is in the line
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
 * @texts: those of all files of the emulator
 * @options: enum emu_option
 *
 * Return: 0 or a negative errno, reported on stderr.
 */
int __must_check prv_open(struct prv *prv, const char *dir, const char *name, u32 rows,
			  struct prv_texts *texts, u32 options);

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
	prv_clock_text(clock);
}

/**
 * prv_clock_set() - Set the time of the next lines, which may be a step back.
 * @clock: clock of the writers; what it counts as the instant before stays
 * @now: nanoseconds since the beginning
 */
static inline void prv_clock_set(struct prv_clock *clock, u64 now)
{
	clock->now = now;
	prv_clock_text(clock);
}

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

/* A number that is not known, and the end of the line. */
char *prv_number_new(struct prv_texts *texts, char *p, s64 v);

static inline char *prv_number(struct prv_texts *texts, char *p, s64 v)
{
	const struct prv_known *known = &texts->known[(u64)v % PRV_NR_KNOWN];

	if (likely((u64)v < 10)) {
		p[0] = '0' + (char)v;
		p[1] = '\n';
		return p + 2;
	}
	if (unlikely(known->value != v))
		return prv_number_new(texts, p, v);
	memcpy(p, known->text, sizeof(known->text) + 1);
	return p + known->len;
}

/* A line for which there is no room. */
int prv_line_slow(struct prv *prv, const struct prv_row *row, const struct prv_type *t, s64 v);

static inline int prv_line(struct prv *prv, const struct prv_row *row, const struct prv_type *t,
			   s64 v)
{
	struct prv_texts *texts = prv->texts;
	char *p = prv->pos;

	if (unlikely(p >= prv->end))
		return prv_line_slow(prv, row, t, v);
	/* Copies of constant size: what is too much is overwritten. */
	memcpy(p, row, sizeof(*row));
	p += row->len;
	memcpy(p, texts->clock.text, sizeof(texts->clock.text));
	p += texts->clock.len;
	memcpy(p, t->text, sizeof(t->text));
	prv->pos = prv_number(texts, p + t->len, v);
	return 0;
}

/*
 * The row shows this number: is there a line if it is there again? 1 if there is, 0, -EEXIST. A
 * null that is rendered as a state repeats that state.
 */
int prv_again(const struct prv_out *o, u64 st);

/**
 * prv_emit_state() - prv_emit() for a state that is not an error.
 * @o: what the row shows
 * @v: null or an integer
 *
 * Return: as prv_emit().
 */
static __always_inline int __must_check prv_emit_state(struct prv_out *o, struct chan_value v)
{
	struct prv_type *t = o->type;

	v.i += t->add[v.st];
	if (unlikely(o->last.i == v.i)) {
		int ret = prv_again(o, v.st);

		if (ret <= 0)
			return ret;
	}
	o->last = v;
	t->used = true;
	if (unlikely(!v.i) && v.st == ST_INT && !(t->flags & PRV_ZERO))
		return -EDOM;
	return prv_line(o->prv, o->row, t, v.i);
}

/* Error states: see enum emu_option. */
int __must_check prv_emit_error(struct prv_out *o, u64 st);

/**
 * prv_emit() - Write the value a row has from now on.
 * @o: what the row shows
 * @v: value
 *
 * Return: 0, -EEXIST for a repeated value where that is not allowed, -EDOM for
 * an integer 0 where that is not allowed, -EIO when the file cannot be written.
 */
static inline int __must_check prv_emit(struct prv_out *o, struct chan_value v)
{
	return likely(v.st <= ST_INT) ? prv_emit_state(o, v) : prv_emit_error(o, v.st);
}

/**
 * prv_emit_punctual() - Write a value of an instant.
 * @o: what the row shows; its last value is reset, so that the next prv_emit()
 *	always writes
 * @v: value
 *
 * Return: as prv_emit().
 */
int __must_check prv_emit_punctual(struct prv_out *o, struct chan_value v);

/**
 * prv_emit_over() - Write a value of an instant over what the row counts as showing.
 * @o: what the row shows; its last value stays, for prv_emit_again()
 * @v: value
 *
 * Return: as prv_emit().
 */
int __must_check prv_emit_over(struct prv_out *o, struct chan_value v);

/**
 * prv_emit_again() - Write the value that a row counts as showing.
 * @o: what the row shows
 *
 * Return: 0, or -EIO when the file cannot be written.
 */
int __must_check prv_emit_again(struct prv_out *o);

/**
 * prv_close() - Write what is buffered, put the duration into the header, close.
 * @prv: writer; may be all zero
 *
 * Return: 0 or the negative errno of the first failure, reported on stderr.
 */
int __must_check prv_close(struct prv *prv);

#endif /* OVNIK_EMU_PRV_H */
