/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OVNIK_OUTPUT_SVG_CANVAS_H
#define OVNIK_OUTPUT_SVG_CANVAS_H

#include <stdio.h>

#include "util/types.h"

/*
 * A picture is drawn in units of 0.01 mm, row by row, from the top. A row has columns of 0.1 mm;
 * whatever is narrower is summed up in its column, so that the picture's size is bounded. What a
 * row has of one kind is a layer: one path, with the exact sum as its title.
 */

#define CANVAS_COLUMN	10	/* a column's width */
#define CANVAS_LEFT	1900	/* of the columns: labels */
#define CANVAS_RIGHT	300	/* of the columns */
#define CANVAS_ROW	300	/* height of a row */
#define CANVAS_LAYERS	12	/* of a row */

/**
 * struct canvas_band - A layer's place in a column.
 * @low: its lower edge, from the bottom
 * @high: its upper edge
 */
struct canvas_band {
	u32 low;
	u32 high;
};

/**
 * struct canvas - A picture that is being drawn.
 * @f: where to
 * @width: of the picture, units
 * @columns: how many
 * @length: the time that all columns are, ns
 * @y: upper edge of the row
 * @sums: of the row: sum of each layer in each column
 * @totals: of the row: sum of each layer
 * @bands: of each column; scratch
 */
struct canvas {
	FILE *f;
	u32 width;
	u32 columns;
	u64 length;
	u32 y;
	u64 *sums;
	u64 totals[CANVAS_LAYERS];
	struct canvas_band *bands;
};

/**
 * struct canvas_layer - How a layer is drawn.
 * @style: its class
 * @name: what it is; NULL: the layer is not drawn
 */
struct canvas_layer {
	const char *style;
	const char *name;
};

/**
 * canvas_init() - Begin a picture.
 * @c: is set; call canvas_free() in any case
 * @f: where to
 * @mm: its width
 * @length: the time that it shows, ns
 *
 * Context: Any.
 * Return: 0, -ENOMEM.
 */
int canvas_init(struct canvas *c, FILE *f, u32 mm, u64 length) __must_check;

/**
 * canvas_free() - Free what a picture needed while it was drawn.
 * @c: the picture
 *
 * Context: Any.
 */
void canvas_free(struct canvas *c);

/**
 * canvas_clear() - The layers of the row are empty.
 * @c: the picture
 *
 * Context: Any.
 */
void canvas_clear(struct canvas *c);

/**
 * canvas_add() - Add an amount to a layer, evenly over a time.
 * @c: the picture
 * @layer: which
 * @start: when it begins, ns
 * @end: when it ends
 * @amount: how much; the sum of the columns is exact
 *
 * Context: Any.
 */
void canvas_add(struct canvas *c, u32 layer, u64 start, u64 end, u64 amount);

/**
 * canvas_most() - The greatest sum of a column, and no less than its time.
 * @c: the picture
 * @layers: how many, from the bottom
 *
 * Context: Any.
 * Return: ns.
 */
u64 canvas_most(const struct canvas *c, u32 layers);

/**
 * canvas_stack() - Draw layers one on the other: heights are shares of each column's time.
 * @c: the picture
 * @y: upper edge, from that of the row
 * @height: of the whole time
 * @layers: how, from the bottom; the unit is ns
 * @nr: length of @layers
 * @most: what is as high as the row, from canvas_most(); 0: each column's time
 *
 * Context: Any.
 */
void canvas_stack(const struct canvas *c, u32 y, u32 height, const struct canvas_layer *layers,
		  u32 nr, u64 most);

/**
 * canvas_line() - Draw a layer as a line, wherever there is any of it.
 * @c: the picture
 * @y: upper edge, from that of the row
 * @height: of the line
 * @layer: which; the unit is ns
 * @how: how
 *
 * Context: Any.
 */
void canvas_line(const struct canvas *c, u32 y, u32 height, u32 layer,
		 const struct canvas_layer *how);

/**
 * canvas_bars() - Draw layers one on the other: heights are roots of bytes.
 * @c: the picture
 * @y: upper edge, from that of the row
 * @height: of the highest column
 * @layers: how, from the bottom
 * @nr: length of @layers
 *
 * Context: Any.
 */
void canvas_bars(const struct canvas *c, u32 y, u32 height, const struct canvas_layer *layers,
		 u32 nr);

/**
 * canvas_text() - Write text as text, whatever it contains.
 * @c: the picture
 * @text: the text
 * @max: most characters; what is left out in the middle is "..."
 *
 * Context: Any. What is no character, or harmful, is U+FFFD.
 */
void canvas_text(const struct canvas *c, const char *text, u32 max);

/**
 * canvas_x() - Where a time is.
 * @c: the picture
 * @ns: the time
 *
 * Context: Any.
 * Return: units from the left.
 */
u32 canvas_x(const struct canvas *c, u64 ns);

#endif /* OVNIK_OUTPUT_SVG_CANVAS_H */
