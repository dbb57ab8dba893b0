// SPDX-License-Identifier: GPL-2.0-only
/* A page that shows the capture in a browser: timeline.html. */
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

#define FILE_NAME	"timeline.html"
#define LANES_MAX	(8 << 20)	/* bytes of all lanes, before base64 */
#define REPORT_ROWS	20

/**
 * struct html_output - The page.
 * @report: the tables beside it
 * @timeline: its rows
 */
struct html_output {
	struct report report;
	struct timeline timeline;
};

static bool owns(const char *name)
{
	return !strcmp(name, FILE_NAME);
}

static int attach(void *data, const struct output_env *env)
{
	struct html_output *o = data;
	int ret = timeline_init(&o->timeline, env->world, LANES_MAX);

	o->report.opt = (struct report_options){ .rows = REPORT_ROWS, .json = true };
	if (!ret)
		ret = report_attach(&o->report, env->world);
	return ret ? ret : timeline_attach(&o->timeline, tasks_hooks(o->report.tasks));
}

static int write_page(struct html_output *o, const struct output_env *env, const char *report)
{
	char path[PATH_MAX];
	int error;
	FILE *f;

	snprintf(path, sizeof(path), "%s/" FILE_NAME, env->out);
	if (remove(path) && errno != ENOENT)
		return report_error(path, "cannot remove", errno);
	f = fopen(path, "wxe");
	if (!f)
		return report_error(path, "cannot create", errno);
	page_write(f, &o->timeline, env, report);
	error = ferror(f) ? EIO : 0;
	if (fclose(f) && !error)
		error = errno;
	return error ? report_error(path, "cannot write", error) : 0;
}

static int finish(void *data, const struct output_env *env)
{
	struct html_output *o = data;
	char *report = NULL;
	size_t len;
	FILE *f = open_memstream(&report, &len);
	int ret = f ? timeline_finish(&o->timeline) : -ENOMEM;

	if (!ret)
		ret = report_write(&o->report, env->facts, f);
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
	timeline_free(&o->timeline);
}

DEFINE_OUTPUT(html) = {
	.name = "html",
	.sentence = "a page for any browser that shows what happened: " FILE_NAME,
	.flags = OUTPUT_FILES | OUTPUT_INVENTORY,
	.size = sizeof(struct html_output),
	.owns = owns,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
