/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_TRACERS_CELLS_H
#define OVNIK_OUTPUT_TRACERS_CELLS_H

#include <stdio.h>

#include "util/types.h"

/*
 * Lines of text, cell by cell, which are printed as a table: each column as wide as need
 * be. Nothing that is printed harms a terminal.
 */

/**
 * struct cell - What stands somewhere.
 * @text: it; NULL: nothing
 * @left: it is no number
 */
struct cell {
	char *text;
	bool left;
};

/**
 * struct cells - Lines that are not printed yet. All zero is none.
 * @list: the cells, line by line
 * @nr: length of @list
 * @room: cells there is room for
 * @failed: there was no memory
 */
struct cells {
	struct cell *list;
	size_t nr;
	size_t room;
	bool failed;
};

/**
 * cells_add() - Add an empty cell.
 * @cells: the lines
 *
 * Context: Any.
 * Return: the cell, until the next is added; NULL without memory, and @cells->failed.
 */
struct cell *cells_add(struct cells *cells);

/**
 * cells_set() - Write into a cell.
 * @cells: the lines
 * @cell: one of them; NULL: there was no memory
 * @text: what to write; is copied
 * @left: it is no number
 *
 * Context: Any. @cells->failed without memory.
 */
void cells_set(struct cells *cells, struct cell *cell, const char *text, bool left);

/**
 * cells_align_heads() - What stands above texts stands on their left.
 * @cells: the lines, the first of which has the heads
 * @columns: of a line
 *
 * Context: Any.
 */
void cells_align_heads(struct cells *cells, unsigned int columns);

/**
 * cells_print() - Print all lines; there are none then.
 * @cells: the lines
 * @columns: of a line, TRACER_COLUMNS_MAX at most
 * @indent: what each line begins with
 * @f: where to
 *
 * Context: Any.
 */
void cells_print(struct cells *cells, unsigned int columns, const char *indent, FILE *f);

/**
 * cells_free() - Free all lines.
 * @cells: the lines
 *
 * Context: Any.
 */
void cells_free(struct cells *cells);

/**
 * cells_print_text() - Print a text as it is printed in a cell.
 * @f: where to
 * @text: the text, which may hold anything
 *
 * Context: Any.
 */
void cells_print_text(FILE *f, const char *text);

#endif /* OVNIK_OUTPUT_TRACERS_CELLS_H */
