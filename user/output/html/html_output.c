// SPDX-License-Identifier: GPL-2.0-only
/* A page that shows the capture in a browser: timeline.html. */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/html/page.h"
#include "output/output.h"
#include "output/report/report.h"
#include "output/timeline/timeline.h"
#include "util/msg.h"
#include "util/out.h"

#define FILE_NAME	"timeline.html"
#define REPORT_ROWS	20

/**
 * struct html_output - The page.
 * @report: the tables beside it
 * @dir: of what ovnik-merge --stat has counted; NULL: of nothing
 * @memory: that
 */
struct html_output {
	struct report report;
	const char *dir;
	struct page_memory memory;
};

#define OPT_MEMORY	256

static const struct argp_option options[] = {
	{ "memory", OPT_MEMORY, "DIR", 0,
	  "Show the miss ratio curves and working sets that ovnik-merge --stat has written into DIR",
	  0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct html_output *o = use->data;

	(void)state;
	if (key != OPT_MEMORY)
		return ARGP_ERR_UNKNOWN;
	o->dir = arg;
	return 0;
}

static bool owns(const char *name)
{
	return !strcmp(name, FILE_NAME);
}

/* What cannot be read is refused before the capture is decoded. */
static int open_output(void *data, const struct output_env *env)
{
	struct html_output *o = data;

	(void)env;
	return o->dir ? page_memory_read(&o->memory, o->dir) : 0;
}

static int attach(void *data, const struct output_env *env)
{
	struct html_output *o = data;

	o->report.opt = (struct report_options){ .rows = REPORT_ROWS, .json = true };
	return report_attach(&o->report, env);
}

static int attach_tasks(void *data, const struct output_env *env)
{
	struct html_output *o = data;

	return report_attach_tasks(&o->report, tasks_hooks(env->tasks));
}

static int write_page(struct html_output *o, const struct output_env *env, const char *report)
{
	char path[PATH_MAX];
	int ret;
	FILE *f;

	snprintf(path, sizeof(path), "%s/" FILE_NAME, env->out);
	if (remove(path) && errno != ENOENT)
		return report_error(path, "cannot remove", errno);
	f = fopen(path, "wxe");
	if (!f)
		return report_error(path, "cannot create", errno);
	page_write(f, env, report, &o->memory);
	ret = out_end(f);
	return ret ? report_error(path, "cannot write", -ret) : 0;
}

static int finish(void *data, const struct output_env *env)
{
	struct html_output *o = data;
	char *report = NULL;
	size_t len;
	FILE *f = open_memstream(&report, &len);
	int ret = f ? report_write(&o->report, env->facts, f) : -ENOMEM;

	if (f && fclose(f) && !ret)
		ret = -ENOMEM;
	if (!ret)
		ret = write_page(o, env, report);
	free(report);
	return ret;
}

static void close_output(void *data)
{
	struct html_output *o = data;

	report_free(&o->report);
	page_memory_free(&o->memory);
}

DEFINE_OUTPUT(html) = {
	.name = "html",
	.sentence = "a page for any browser that shows what happened: " FILE_NAME,
	.flags = OUTPUT_FILES | OUTPUT_DEFAULT | OUTPUT_TIMELINE | OUTPUT_MERGES | OUTPUT_FIRST,
	.shows = FILE_NAME,
	.before = "open",
	.after = " in a browser",
	.size = sizeof(struct html_output),
	.options = options,
	.parse = parse,
	.kinds = REPORT_KINDS | TIMELINE_KINDS,
	.owns = owns,
	.open = open_output,
	.attach = attach,
	.attach_tasks = attach_tasks,
	.finish = finish,
	.close = close_output,
};
