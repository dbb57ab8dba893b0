// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a user writes after --tracer. The input: lines; the first is what is written, the
 * others are what tasks do and where.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "memfs.h"
#include "output/tracers/tracers.h"
#include "target.h"

#define TEXT	4096

/* A shared object would be loaded. */
static bool is_file(const char *spec)
{
	size_t len = strcspn(spec, ",");

	return memchr(spec, '/', len) || (len >= 3 && !memcmp(spec + len - 3, ".so", 3));
}

static void try_task(struct filter *f, char *line)
{
	struct trace_task task = {
		.id = 2, .pid = 100, .tid = 101, .start = 1000, .end = 5000,
	};
	char *where = strchr(line, '\t');
	int ret;

	if (where)
		*where++ = '\0';
	task.where = where ? where : "here";
	task.where_id = 1 + strlen(task.where) % 7;
	task.kind = strlen(line) % TASKS_NR_KINDS;
	task.what = line;
	if (!(f->kinds >> task.kind & 1))
		return;
	ret = filter_at_start(f, &task);
	must(ret >= FILTER_NO && ret <= FILTER_LAST, "a verdict is one");
	if (ret >= FILTER_LATER)
		filter_at_end(f, ret, &task);
}

static void try_tasks(struct filter *f, char *lines)
{
	char *line;

	filter_begin(f, 500);
	while ((line = strsep(&lines, "\n")))
		try_task(f, line);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct tracers *ts = calloc(1, sizeof(*ts));
	char text[TEXT], *lines = text, *spec;

	if (len >= sizeof(text))
		len = sizeof(text) - 1;
	memcpy(text, data, len);
	text[len] = '\0';
	memfs_reset();
	spec = strsep(&lines, "\n");
	if (!is_file(spec))
		must_say(tracers_add(ts, spec));
	if (ts->nr)
		try_tasks(&ts->list[0].filter, lines);
	tracers_destroy(ts);
	free(ts);
	return 0;
}
