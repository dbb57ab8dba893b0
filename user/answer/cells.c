// SPDX-License-Identifier: GPL-2.0-only
/* Lines of cells: see cells.h. */
#include <stdlib.h>
#include <string.h>

#include "answer/cells.h"
#include "answer/values.h"
#include "util/utf8.h"

#define CUT		".."	/* in place of what has no room */
#define HIDDEN		(-1)	/* width of a column that has no room */
#define TEXT_KEPT	24	/* columns that a text keeps while there are numbers to hide */
#define TEXT_MIN	8	/* columns that it keeps at least */

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
			cells_set(cells, cell, unit_put(kind, unit_of(kind, largest), cell->value,
							text), false);
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

/* What follows the first @width characters. */
static const char *after(const char *text, int width)
{
	unsigned int len;

	for (; *text && width > 0; text += len ? len : 1) {
		len = utf8_shown(text);
		width -= len ? 1 : (int)sizeof("\\xff") - 1;
	}
	return text;
}

/* A path is cut at its beginning: its end says more. */
static void print_cut(FILE *f, const char *text, int width)
{
	int keep = width - ((int)sizeof(CUT) - 1);
	char *begin;

	if (*text == '/') {
		text = after(text, width_of(text) - keep);
		fputs(CUT, f);
		utf8_put_escaped(f, text);
		fprintf(f, "%*s", keep - width_of(text), "");
		return;
	}
	begin = strndup(text, after(text, keep) - text);
	/* What cannot be shown has four characters, which may not fit. */
	while (begin && width_of(begin) > keep)
		begin[strlen(begin) - 1] = '\0';
	utf8_put_escaped(f, begin ? begin : "");
	fputs(CUT, f);
	fprintf(f, "%*s", keep - (begin ? width_of(begin) : 0), "");
	free(begin);
}

/* @numbers: width of the numbers of a column, which may be narrower than its texts. */
static void print_cell(FILE *f, const struct cell *cell, int width, int numbers, bool last)
{
	int pad = width - width_of(text_of(cell)), before = 0;

	fprintf(f, "  ");
	if (pad < 0) {
		print_cut(f, text_of(cell), width);
		return;
	}
	if (!cell->left)
		before = pad - (width > numbers ? width - numbers : 0);
	fprintf(f, "%*s", before, "");
	utf8_put_escaped(f, text_of(cell));
	if (!last)
		fprintf(f, "%*s", pad - before, "");
}

/* The last column of numbers that is shown, but not the first two. */
static unsigned int last_number(const int *widths, const bool *texts, unsigned int columns)
{
	unsigned int i = columns;

	while (i-- > 2) {
		if (!texts[i] && widths[i] != HIDDEN)
			return i;
	}
	return columns;
}

/* Of the texts longer than @least, the widest; or of those that are cut, the narrowest. */
static unsigned int pick_text(const int *widths, const int *whole, const bool *texts,
			      unsigned int columns, int least)
{
	unsigned int picked = columns, i;

	for (i = 0; i < columns; i++) {
		if (!texts[i] || (whole ? widths[i] == whole[i] : widths[i] <= least))
			continue;
		if (picked == columns || (whole ? widths[i] < widths[picked] :
						  widths[i] > widths[picked]))
			picked = i;
	}
	return picked;
}

/* Take @too_much from the texts, the widest first. Return: what is still too much. */
static int cut_texts(int *widths, const bool *texts, unsigned int columns, int least, int too_much)
{
	unsigned int i;

	for (; too_much > 0; too_much--) {
		i = pick_text(widths, NULL, texts, columns, least);
		if (i == columns)
			break;
		widths[i]--;
	}
	return too_much;
}

static int hide_numbers(int *widths, const bool *texts, unsigned int columns, int too_much)
{
	unsigned int i;

	while (too_much > 0) {
		i = last_number(widths, texts, columns);
		if (i == columns)
			break;
		too_much -= widths[i] + 2;
		widths[i] = HIDDEN;
	}
	return too_much;
}

/*
 * Cut texts down to what a name or the end of a path needs; then leave out the last numbers, which
 * are never cut; then cut texts even more. Room that a number leaves goes back to the texts.
 */
static void fit(int *widths, const bool *texts, unsigned int columns, int room)
{
	int whole[TRACER_COLUMNS_MAX], too_much = -room;
	unsigned int i;

	memcpy(whole, widths, columns * sizeof(*whole));
	for (i = 0; i < columns; i++)
		too_much += widths[i] + 2;
	too_much = cut_texts(widths, texts, columns, TEXT_KEPT, too_much);
	too_much = hide_numbers(widths, texts, columns, too_much);
	too_much = cut_texts(widths, texts, columns, TEXT_MIN, too_much);
	for (; too_much < 0; too_much++) {
		i = pick_text(widths, whole, texts, columns, 0);
		if (i == columns)
			break;
		widths[i]++;
	}
}

/* So that nobody takes what is left out for what is not there. */
static void print_hidden(FILE *f, const struct cells *cells, const int *widths,
			 unsigned int columns, const char *indent)
{
	const char *before = "not shown, for lack of room: ";
	unsigned int i;

	for (i = 0; i < columns; i++) {
		if (widths[i] != HIDDEN)
			continue;
		fprintf(f, "%s%s%s", *before == ',' ? "" : indent, *before == ',' ? "" : "  ",
			before);
		utf8_put_escaped(f, text_of(&cells->list[i]));
		before = ", ";
	}
	if (*before == ',')
		fputc('\n', f);
}

void cells_print(struct cells *cells, unsigned int columns, const char *indent, int limit, FILE *f)
{
	int widths[TRACER_COLUMNS_MAX] = { 0 }, numbers[TRACER_COLUMNS_MAX] = { 0 }, width;
	bool texts[TRACER_COLUMNS_MAX] = { false };
	unsigned int last = columns;
	size_t i;

	for (i = 0; i < cells->nr; i++) {
		width = width_of(text_of(&cells->list[i]));
		if (!cells->list[i].left && width > numbers[i % columns])
			numbers[i % columns] = width;
		if (width <= widths[i % columns])
			continue;
		widths[i % columns] = width;
		texts[i % columns] = cells->list[i].left;
	}
	if (limit)
		fit(widths, texts, columns, limit - (int)strlen(indent));
	while (last && widths[last - 1] == HIDDEN)
		last--;
	for (i = 0; i < cells->nr; i++) {
		if (i % columns == 0)
			fputs(indent, f);
		if (widths[i % columns] != HIDDEN)
			print_cell(f, &cells->list[i], widths[i % columns],
				   numbers[i % columns], i % columns == last - 1);
		if (i % columns == columns - 1)
			fputc('\n', f);
	}
	print_hidden(f, cells, widths, columns, indent);
	drop(cells);
}

void cells_free(struct cells *cells)
{
	drop(cells);
	free(cells->list);
}
