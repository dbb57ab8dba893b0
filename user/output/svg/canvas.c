// SPDX-License-Identifier: GPL-2.0-only
/* A picture of rows: see canvas.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/svg/canvas.h"
#include "util/utf8.h"

#define UNITS_PER_MM	100
#define NSEC		1000000000ULL

int canvas_init(struct canvas *c, FILE *f, u32 mm, u64 length)
{
	memset(c, 0, sizeof(*c));
	c->f = f;
	c->width = mm * UNITS_PER_MM;
	c->columns = (c->width - CANVAS_LEFT - CANVAS_RIGHT) / CANVAS_COLUMN;
	c->length = length ? length : 1;
	c->sums = calloc((size_t)CANVAS_LAYERS * c->columns, sizeof(*c->sums));
	c->bands = calloc(c->columns, sizeof(*c->bands));
	return c->sums && c->bands ? 0 : -ENOMEM;
}

void canvas_free(struct canvas *c)
{
	free(c->sums);
	free(c->bands);
	memset(c, 0, sizeof(*c));
}

void canvas_clear(struct canvas *c)
{
	memset(c->sums, 0, (size_t)CANVAS_LAYERS * c->columns * sizeof(*c->sums));
	memset(c->totals, 0, sizeof(c->totals));
}

/* @part of @whole of @amount. */
static u64 share(u64 amount, u64 part, u64 whole)
{
	return (u64)((__uint128_t)amount * part / whole);
}

static u32 column_of(const struct canvas *c, u64 ns)
{
	u64 column = share(c->columns, ns, c->length);

	return column < c->columns ? column : c->columns - 1;
}

/* When a column begins: the first ns that column_of() has there. */
static u64 begin_of(const struct canvas *c, u32 column)
{
	return (u64)(((__uint128_t)c->length * column + c->columns - 1) / c->columns);
}

void canvas_add(struct canvas *c, u32 layer, u64 start, u64 end, u64 amount)
{
	u64 *sums = c->sums + (size_t)layer * c->columns, done = 0, upto;
	u32 first = column_of(c, start), last = end > start ? column_of(c, end - 1) : first, i;

	c->totals[layer] += amount;
	for (i = first; i < last; i++) {
		upto = share(amount, begin_of(c, i + 1) - start, end - start);
		sums[i] += upto - done;
		done = upto;
	}
	sums[last] += amount - done;
}

u32 canvas_x(const struct canvas *c, u64 ns)
{
	return CANVAS_LEFT + share((u64)c->columns * CANVAS_COLUMN, ns, c->length);
}

static void begin_path(const struct canvas *c, const struct canvas_layer *how)
{
	fprintf(c->f, "<path class=\"%s\" d=\"", how->style);
}

static void put_box(const struct canvas *c, u32 from, u32 to, u32 y, u32 height)
{
	u32 width = (to - from) * CANVAS_COLUMN;

	fprintf(c->f, "M%u %uh%uv%uh-%uz", CANVAS_LEFT + from * CANVAS_COLUMN, c->y + y, width,
		height, width);
}

static void end_path(const struct canvas *c, const struct canvas_layer *how, u64 sum, bool bytes)
{
	fputs("\"><title>", c->f);
	canvas_text(c, how->name, ~0U);
	if (bytes)
		fprintf(c->f, ": %llu bytes</title></path>\n", sum);
	else
		fprintf(c->f, ": %llu.%09llu s</title></path>\n", sum / NSEC, sum % NSEC);
}

/* Columns beside each other that have the same place are one box. */
static void put_bands(const struct canvas *c, u32 y, u32 height, const struct canvas_band *bands)
{
	u32 from = 0, i;

	for (i = 1; i <= c->columns; i++) {
		if (i < c->columns && bands[i].low == bands[from].low &&
		    bands[i].high == bands[from].high)
			continue;
		if (bands[from].high > bands[from].low)
			put_box(c, from, i, y + height - bands[from].high,
				bands[from].high - bands[from].low);
		from = i;
	}
}

static u64 sum_below(const struct canvas *c, u32 column, u32 layers)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < layers; i++)
		sum += c->sums[(size_t)i * c->columns + column];
	return sum;
}

static u32 height_of(u64 part, u64 whole, u32 height)
{
	u64 h = share(2ULL * height, part, whole);

	return h / 2 >= height ? height : (h + 1) / 2;
}

u64 canvas_most(const struct canvas *c, u32 layers)
{
	u64 most = 0, whole, sum;
	u32 i;

	for (i = 0; i < c->columns; i++) {
		sum = sum_below(c, i, layers);
		whole = begin_of(c, i + 1) - begin_of(c, i);
		if (whole > sum)
			sum = whole;
		if (sum > most)
			most = sum;
	}
	return most;
}

void canvas_stack(const struct canvas *c, u32 y, u32 height, const struct canvas_layer *layers,
		  u32 nr, u64 most)
{
	struct canvas_band *bands = c->bands;
	u32 i, k;

	for (k = 0; k < nr; k++) {
		if (!layers[k].name || !c->totals[k])
			continue;
		for (i = 0; i < c->columns; i++) {
			u64 whole = begin_of(c, i + 1) - begin_of(c, i), low = sum_below(c, i, k);
			u64 own = c->sums[(size_t)k * c->columns + i];

			if (most)
				whole = most;
			bands[i].low = whole ? height_of(low, whole, height) : 0;
			bands[i].high = whole ? height_of(low + own, whole, height) : 0;
		}
		begin_path(c, &layers[k]);
		put_bands(c, y, height, bands);
		end_path(c, &layers[k], c->totals[k], false);
	}
}

void canvas_line(const struct canvas *c, u32 y, u32 height, u32 layer,
		 const struct canvas_layer *how)
{
	const u64 *sums = c->sums + (size_t)layer * c->columns;
	struct canvas_band *bands = c->bands;
	u32 i;

	if (!c->totals[layer])
		return;
	for (i = 0; i < c->columns; i++)
		bands[i] = (struct canvas_band){ 0, sums[i] ? height : 0 };
	begin_path(c, how);
	put_bands(c, y, height, bands);
	end_path(c, how, c->totals[layer], false);
}

/* Of @square, which is below 2^20; at least 1, so that it is seen. */
static u32 root_of(u64 square)
{
	u32 root = 0, bit;

	for (bit = 1 << 9; bit; bit >>= 1) {
		if ((u64)(root + bit) * (root + bit) <= square)
			root += bit;
	}
	return root ? root : 1;
}

void canvas_bars(const struct canvas *c, u32 y, u32 height, const struct canvas_layer *layers,
		 u32 nr)
{
	struct canvas_band *bands = c->bands;
	u64 most = 1;
	u32 i, k;

	for (i = 0; i < c->columns; i++) {
		if (sum_below(c, i, nr) > most)
			most = sum_below(c, i, nr);
	}
	for (k = 0; k < nr; k++) {
		if (!c->totals[k])
			continue;
		for (i = 0; i < c->columns; i++) {
			u64 all = sum_below(c, i, nr), low = sum_below(c, i, k);
			u64 own = c->sums[(size_t)k * c->columns + i];
			u32 top = root_of(share((u64)height * height, all, most));

			bands[i].low = all ? height_of(low, all, top) : 0;
			bands[i].high = all ? height_of(low + own, all, top) : 0;
		}
		begin_path(c, &layers[k]);
		put_bands(c, y, height, bands);
		end_path(c, &layers[k], c->totals[k], true);
	}
}

static u32 characters(const char *text)
{
	unsigned int len;
	u32 nr = 0;

	for (; *text; text += len ? len : 1, nr++)
		len = utf8_len(text);
	return nr;
}

/* XML knows neither U+FFFE nor U+FFFF. Return: how many bytes of @text that was. */
static unsigned int put_character(FILE *f, const char *text)
{
	if (strchr("<>&\"", *text)) {
		fprintf(f, "&#%u;", (u8)*text);
		return 1;
	}
	if (utf8_shown(text) && (utf8_code(text) & 0xfffffe) == 0xfffe) {
		fputs("\xef\xbf\xbd", f);
		return utf8_len(text);
	}
	return utf8_put(f, text);
}

void canvas_text(const struct canvas *c, const char *text, u32 max)
{
	u32 nr = characters(text), at = 0;
	u32 low = nr > max ? max / 2 : nr, high = nr > max ? nr - (max - low) : nr;
	unsigned int len;

	for (; *text; text += len, at++) {
		len = utf8_len(text) ? utf8_len(text) : 1;
		if (at == low && high > low)
			fputs("\xe2\x80\xa6", c->f);
		if (at < low || at >= high)
			put_character(c->f, text);
	}
}
