/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef PRVCHECK_H
#define PRVCHECK_H

/* What the files of prvcheck share. */

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

#include "util/types.h"

#define TYPES_MAX	4096

/* How many things are wrong. */
extern unsigned long complaints;

/**
 * struct lines - A text file, line by line.
 * @path:   its name
 * @f:	    the file
 * @number: of the present line, from 1
 * @buf:    CHUNK bytes and a NUL
 * @at:	    after the present line
 * @end:    of what is in @buf
 * @eof:    there is no more
 */
struct lines {
	char path[PATH_MAX];
	gzFile f;
	unsigned long number;
	char *buf;
	char *at;
	char *end;
	bool eof;
};

/**
 * struct event_type - A type that the PCF declares.
 * @type:   its number
 * @values: those with labels, sorted
 * @nr:	    how many
 */
struct event_type {
	u32 type;
	s64 *values;
	size_t nr;
};

/* What a row showed last of a type. */
struct shown {
	u64 time;
	u64 value;
	bool any;
};

/**
 * struct trace - A PRV file with what belongs to it.
 * @lines:    the PRV file
 * @rows:     by its header
 * @duration: by its header
 * @types:    by the PCF, sorted by number
 * @nr_types: how many
 * @shown:    by row, then type
 * @time:     of the present record
 * @row:      of the present record
 * @type:     of the present record
 * @value:    of the present record
 */
struct trace {
	struct lines lines;
	u32 rows;
	u64 duration;
	struct event_type types[TYPES_MAX];
	size_t nr_types;
	struct shown *shown;
	u64 time;
	u32 row;
	u32 type;
	u64 value;
};

/**
 * wrong() - Complain of the present line.
 * @l: the file
 * @fmt: printf format
 */
void wrong(const struct lines *l, const char *fmt, ...) __printf_like(2, 3);

/**
 * lines_open() - Open a file.
 * @l: its path is set; ends the program if it cannot be read
 */
void lines_open(struct lines *l);

/**
 * lines_close() - Close a file.
 * @l: the file
 */
void lines_close(struct lines *l);

/**
 * next_line() - Go to the next line.
 * @l: the file
 *
 * Return: it, without its end; NULL after the last one.
 */
char *next_line(struct lines *l);

/**
 * get_number() - Read a decimal number as we write them: no sign, no needless 0.
 * @p: is moved past it
 * @max: the largest one
 * @number: is set
 *
 * Return: it is one.
 */
bool get_number(const char **p, u64 max, u64 *number);

/**
 * find_type() - Find a type that the PCF declares.
 * @t: the trace
 * @type: its number
 *
 * Return: the type, or NULL.
 */
const struct event_type *find_type(const struct trace *t, u32 type);

/**
 * except_types() - Let types do without a declaration.
 * @t: the trace
 * @list: "TYPE,TYPE..."
 */
void except_types(struct trace *t, const char *list);

/**
 * by_number() - Compare two s64, for qsort() and bsearch().
 * @a: one
 * @b: the other
 */
int by_number(const void *a, const void *b);

/**
 * read_pcf() - Check a PCF, and keep what it declares.
 * @l: the file
 * @t: its trace
 */
void read_pcf(struct lines *l, struct trace *t);

/**
 * read_row() - Check a ROW file.
 * @l: the file
 * @t: its trace
 */
void read_row(struct lines *l, const struct trace *t);

#endif /* PRVCHECK_H */
