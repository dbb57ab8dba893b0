// SPDX-License-Identifier: GPL-2.0-only
/* Miss ratio curves as a picture: both axes are logarithmic. */
#include <math.h>

#include "stat.h"
#include "util/out.h"

#define WIDTH	640
#define HEIGHT	400
#define LEFT	70
#define RIGHT	20
#define TOP	30
#define BOTTOM	50

static u64 refs_of(const struct stat_who *who)
{
	return who->refs[REFS_FETCH] + who->refs[REFS_LOAD] + who->refs[REFS_STORE];
}

/* Sizes that are drawn: until only the first reference to each page misses. */
static u32 sizes_of(const struct stat_who *who)
{
	u32 nr = 1;

	while (nr < STAT_SIZES && stat_misses(who, nr - 1) != who->pages)
		nr++;
	return nr;
}

static double x_of(u64 pages, u32 nr)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * log2((double)pages) /
		log2((double)stat_size(nr > 1 ? nr - 1 : 1));
}

/* From 1 down to the least ratio that is drawn. */
static u32 decades_of(const struct stat_who *who, u32 nr)
{
	u64 refs = refs_of(who);

	return refs ? (u32)ceil(-log10((double)stat_misses(who, nr - 1) / (double)refs)) : 0;
}

static double y_of(double ratio, u32 decades)
{
	return TOP + (HEIGHT - TOP - BOTTOM) * -log10(ratio) / decades;
}

static void draw_axes(FILE *to, u32 nr, u32 decades)
{
	u32 i;

	for (i = 0; i <= decades; i++)
		fprintf(to, "<path d=\"M%d %.1fH%d\" class=\"grid\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.*f</text>\n",
			LEFT, y_of(pow(10, -(double)i), decades), WIDTH - RIGHT, LEFT - 6,
			y_of(pow(10, -(double)i), decades) + 4, (int)i, pow(10, -(double)i));
	/* Powers of four. */
	for (i = 0; i < nr; i += i ? 4 : 3)
		fprintf(to, "<path d=\"M%.1f %dV%d\" class=\"grid\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%llu</text>\n",
			x_of(stat_size(i), nr), TOP, HEIGHT - BOTTOM, x_of(stat_size(i), nr),
			HEIGHT - BOTTOM + 16, stat_size(i));
	fprintf(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">pages of memory (4 KiB)</text>\n",
		(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12);
	fprintf(to, "<text x=\"%d\" y=\"18\" text-anchor=\"end\">miss ratio</text>\n", LEFT);
}

static void draw_curve(FILE *to, const struct stat_who *who, u32 nr, u32 decades,
		       const char *name, int row)
{
	u64 refs = refs_of(who);
	const char class = (char)('a' + row);
	u32 i;

	if (!refs)
		return;
	fprintf(to, "<path class=\"%c\" d=\"", class);
	for (i = 0; i < nr; i++)
		fprintf(to, "%c%.1f %.1f", i ? 'L' : 'M', x_of(stat_size(i), nr),
			y_of((double)stat_misses(who, i) / (double)refs, decades));
	fprintf(to, "\"/>\n<path class=\"%c\" d=\"M%d %dh24\"/><text x=\"%d\" y=\"%d\">%s</text>\n",
		class, WIDTH - 190, TOP + 14 + row * 16, WIDTH - 160, TOP + 18 + row * 16, name);
}

int stat_picture(const struct stat *s, const char *dir)
{
	u32 nr = sizes_of(&s->all);
	u32 decades = decades_of(&s->all, nr) + 1;
	struct out out;
	int ret = out_open(&out, dir, "miss-ratio.svg");

	if (ret)
		return ret;
	fprintf(out.f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n",
		WIDTH, HEIGHT);
	fprintf(out.f, "<style>path{fill:none;stroke-width:1.8}.grid{stroke:#ccc;stroke-width:.5}"
		".a{stroke:#0b5fa5}.b{stroke:#c0551b}.c{stroke:#3a7d34}</style>\n"
		"<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, HEIGHT);
	draw_axes(out.f, nr, decades);
	draw_curve(out.f, &s->all, nr, decades, "machine", 0);
	draw_curve(out.f, &s->uncached, nr, decades, "machine without files", 1);
	draw_curve(out.f, &s->kernel, nr, decades, "kernel", 2);
	fprintf(out.f, "</svg>\n");
	return out_close(&out);
}
