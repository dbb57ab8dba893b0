/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_ANSWER_CELLS_H
#define OVNIK_ANSWER_CELLS_H

#include <stdio.h>

#include "answer/units.h"

/*
 * Lines of text, cell by cell, printed as a table: each column is as wide as needed.
 * Nothing that is printed harms a terminal.
 */

/**
 * struct cell - The text at one place.
 * @text: the text; NULL: none
 * @left: it is not a number
 * @kind: enum unit_kind: @text is a number, in its own unit
 * @value: that number
 */
struct cell {
	char *text;
	bool left;
	u8 kind;
	u64 value;
};

/**
 * struct cells - Lines not printed yet. All zero means none.
 * @list: the cells, line by line
 * @nr: length of @list
 * @room: number of cells allocated
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
 * @left: it is not a number
 *
 * Context: Any. @cells->failed without memory.
 */
void cells_set(struct cells *cells, struct cell *cell, const char *text, bool left);

/**
 * cells_one_unit() - Write all times or sizes of a column in the same unit.
 * @cells: the lines
 * @columns: number of cells per line
 *
 * Context: Any.
 */
void cells_one_unit(struct cells *cells, unsigned int columns);

/**
 * cells_align_heads() - Align the headings of texts to the left.
 * @cells: the lines; the first one has the headings
 * @columns: number of cells per line
 *
 * Context: Any.
 */
void cells_align_heads(struct cells *cells, unsigned int columns);

/**
 * cells_print() - Print and remove all lines.
 * @cells: the lines
 * @columns: number of cells per line, TRACER_COLUMNS_MAX at most
 * @indent: what each line begins with
 * @limit: columns of a line, for which texts are cut; 0: any
 * @f: where to
 *
 * Context: Any.
 */
void cells_print(struct cells *cells, unsigned int columns, const char *indent, int limit,
		 FILE *f);

/**
 * cells_free() - Free all lines.
 * @cells: the lines
 *
 * Context: Any.
 */
void cells_free(struct cells *cells);

#endif /* OVNIK_ANSWER_CELLS_H */
