/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_LAPLACE_LINE_H
#define OVNIK_OUTPUT_LAPLACE_LINE_H

#include <string.h>

#include "output/laplace/laplace.h"
#include "util/hex.h"

/*
 * A line of Laplace's raw kernel trace: a letter, the raw TSC (or what else the capture is
 * stamped with), and what happened, all numbers in hex.
 */

int laplace_attach_memory(struct laplace *l, struct world *w) __must_check;
int laplace_attach_gaps(struct laplace *l, struct world *w) __must_check;

/* Keep the upper half of the TSC as text: it changes every second or so. */
void laplace_keep_high(struct laplace *l, u32 high);

/* Copy a line from the first file to the others. */
void laplace_copy_to_others(struct laplace *l, const char *line, size_t len);

/* Add a name, which is the rest of a line, so it must not end the line. */
char *laplace_name(char *p, const char *text);

/*
 * Events of one CPU go to own(). Events that concern all CPUs go to shared(), the first trace, and
 * are copied to the others, if there is a trace per CPU.
 */
static inline struct file *own(const struct laplace *l, const struct world_item *it)
{
	return &l->by_cpu[it->cpu]->out;
}

static inline struct file *shared(const struct laplace *l)
{
	return &l->files[0].out;
}

static inline char *begin(struct laplace *l, struct file *o, char letter, u64 tsc)
{
	char *p = file_room(o);

	*p++ = letter;
	*p++ = ' ';
	if (unlikely(!(tsc >> 32)))
		return hex_put(p, tsc);
	if (unlikely((tsc >> 32) + 1 != l->high))
		laplace_keep_high(l, tsc >> 32);
	memcpy(p, l->high_text, sizeof(l->high_text));
	return hex_put8(p + l->high_len, tsc);
}

static inline char *field32(char *p, u32 value)
{
	*p++ = ' ';
	return hex_put32(p, value);
}

static inline char *field(char *p, u64 value)
{
	*p++ = ' ';
	return hex_put(p, value);
}

static inline char *inode(char *p, u64 ino, u32 dev)
{
	p = field(p, ino);
	p = field32(p, OVNIK_DEV_MAJOR(dev));
	return field32(p, OVNIK_DEV_MINOR(dev));
}

static inline void end(struct file *o, char *p)
{
	*p++ = '\n';
	file_done(o, p);
}

static inline void end_shared(struct laplace *l, char *p)
{
	struct file *o = shared(l);
	const char *line = o->buf + o->len;

	end(o, p);
	if (unlikely(l->nr_files > 1))
		laplace_copy_to_others(l, line, o->buf + o->len - line);
}

#endif /* OVNIK_OUTPUT_LAPLACE_LINE_H */
