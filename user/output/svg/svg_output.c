// SPDX-License-Identifier: GPL-2.0-only
/* A picture for a paper: timeline.svg. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "output/svg/picture.h"
#include "output/timeline/timeline.h"
#include "util/msg.h"
#include "util/out.h"

#define FILE_NAME	"timeline.svg"
#define OPT_WIDTH	256
#define OPT_ROWS	257
#define WIDTH_DEFAULT	85
#define WIDTH_MIN	40
#define WIDTH_MAX	1000
#define ROWS_DEFAULT	16
#define ROWS_MAX	1000

/**
 * struct svg_output - The picture.
 * @width: of it, mm; 0: not given
 * @rows: of each sort; 0: not given
 */
struct svg_output {
	u32 width;
	u32 rows;
};

static const struct argp_option options[] = {
	{ "svg-width", OPT_WIDTH, "MM", 0, "Width of the picture; 85, a column, by default", 0 },
	{ "svg-rows", OPT_ROWS, "N", 0,
	  "Most rows of the picture, each of CPUs, threads and files; 16 by default", 0 },
	{ 0 }
};

static u32 parse_number(const char *option, const char *arg, u32 min, u32 max,
			const struct argp_state *state)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || n < min || n > max)
		argp_error(state, "%s: \"%s\" is not a number from %u to %u", option, arg, min,
			   max);
	return n;
}

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct svg_output *o = use->data;

	switch (key) {
	case OPT_WIDTH:
		o->width = parse_number("--svg-width", arg, WIDTH_MIN, WIDTH_MAX, state);
		return 0;
	case OPT_ROWS:
		o->rows = parse_number("--svg-rows", arg, 1, ROWS_MAX, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static bool owns(const char *name)
{
	return !strcmp(name, FILE_NAME);
}

static int finish(void *data, const struct output_env *env)
{
	struct svg_output *o = data;
	char path[PATH_MAX];
	int ret, error;
	FILE *f;

	snprintf(path, sizeof(path), "%s/" FILE_NAME, env->out);
	if (remove(path) && errno != ENOENT)
		return report_error(path, "cannot remove", errno);
	f = fopen(path, "wxe");
	if (!f)
		return report_error(path, "cannot create", errno);
	ret = picture_write(f, env->timeline, o->width ? o->width : WIDTH_DEFAULT,
			    o->rows ? o->rows : ROWS_DEFAULT);
	error = out_end(f);
	if (ret)
		return ret;
	return error ? report_error(path, "cannot write", -error) : 0;
}

static void close_output(void *data)
{
	(void)data;
}

DEFINE_OUTPUT(svg) = {
	.name = "svg",
	.sentence = "a picture for a paper: timeline.svg",
	.flags = OUTPUT_FILES | OUTPUT_TIMELINE | OUTPUT_MERGES,
	.shows = "timeline.svg",
	.before = "open",
	.after = " in a browser",
	.size = sizeof(struct svg_output),
	.options = options,
	.parse = parse,
	.kinds = TIMELINE_KINDS,
	.owns = owns,
	.finish = finish,
	.close = close_output,
};
