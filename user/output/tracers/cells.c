// SPDX-License-Identifier: GPL-2.0-only
/* Lines of cells: see cells.h. */
#include <stdlib.h>
#include <string.h>

#include "output/tracers/cells.h"
#include "output/tracers/tracer.h"
#include "util/utf8.h"

/* As printed by utf8_put_escaped(): in characters, not bytes. */
static int width_of(const char *text)
{
	unsigned int len;
	int width = 0;

	for (; *text; text += len ? len : 1) {
		len = utf8_shown(text);
		width += len ? 1 : sizeof("\\xff") - 1;
	}
	return width;
}

struct cell *cells_add(struct cells *cells)
{
	size_t room = cells->room ? 2 * cells->room : 64;
	struct cell *list = cells->list;

	if (cells->nr == cells->room) {
		list = realloc(list, room * sizeof(*list));
		if (!list) {
			cells->failed = true;
			return NULL;
		}
		cells->list = list;
		cells->room = room;
	}
	list[cells->nr] = (struct cell){ .text = NULL };
	return &list[cells->nr++];
}

void cells_set(struct cells *cells, struct cell *cell, const char *text, bool left)
{
	if (!cell)
		return;
	free(cell->text);
	cell->text = strdup(text);
	cell->left = left;
	if (!cell->text)
		cells->failed = true;
}

static void one_unit(struct cells *cells, unsigned int column, unsigned int columns)
{
	char text[UNIT_TEXT];
	u8 kind = UNIT_NONE;
	u64 largest = 0;
	size_t i;

	for (i = column; i < cells->nr; i += columns) {
		struct cell *cell = &cells->list[i];

		kind = cell->kind ? cell->kind : kind;
		if (cell->kind && cell->value > largest)
			largest = cell->value;
	}
	for (i = column; i < cells->nr && kind; i += columns) {
		struct cell *cell = &cells->list[i];

		if (cell->kind)
			cells_set(cells, cell, unit_put(kind, unit_of_column(kind, largest),
							cell->value, text), false);
	}
}

void cells_one_unit(struct cells *cells, unsigned int columns)
{
	unsigned int i;

	for (i = 0; i < columns; i++)
		one_unit(cells, i, columns);
}

void cells_align_heads(struct cells *cells, unsigned int columns)
{
	unsigned int i;

	for (i = 0; i < columns && cells->nr >= 2 * columns; i++)
		cells->list[i].left = cells->list[columns + i].left;
}

static void drop(struct cells *cells)
{
	while (cells->nr)
		free(cells->list[--cells->nr].text);
}

static const char *text_of(const struct cell *cell)
{
	return cell->text ? cell->text : "-";
}

static void print_cell(FILE *f, const struct cell *cell, int width, bool last)
{
	int pad = width - width_of(text_of(cell));

	fprintf(f, "  ");
	if (!cell->left)
		fprintf(f, "%*s", pad, "");
	utf8_put_escaped(f, text_of(cell));
	if (cell->left && !last)
		fprintf(f, "%*s", pad, "");
}

void cells_print(struct cells *cells, unsigned int columns, const char *indent, FILE *f)
{
	int widths[TRACER_COLUMNS_MAX] = { 0 }, width;
	size_t i;

	for (i = 0; i < cells->nr; i++) {
		width = width_of(text_of(&cells->list[i]));
		if (width > widths[i % columns])
			widths[i % columns] = width;
	}
	for (i = 0; i < cells->nr; i++) {
		if (i % columns == 0)
			fputs(indent, f);
		print_cell(f, &cells->list[i], widths[i % columns], i % columns == columns - 1);
		if (i % columns == columns - 1)
			fputc('\n', f);
	}
	drop(cells);
}

void cells_free(struct cells *cells)
{
	drop(cells);
	free(cells->list);
}
