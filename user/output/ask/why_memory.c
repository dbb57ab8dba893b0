// SPDX-License-Identifier: GPL-2.0-only
/* Page faults by what is mapped at their address: a file, or memory of some kind. */
#include <errno.h>
#include <stdlib.h>

#include "output/ask/why.h"
#include "output/report/report.h"
#include "output/tracers/builtin/sum.h"

void why_mapped(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct world_range *range = it->range;
	const struct trace_file id = {
		.dev = range->what.dev, .generation = range->what.generation,
		.ino = range->what.ino,
	};
	struct why *why = data;

	if (range->what.kind == MM_KIND_FILE && range->path &&
	    report_file_name(&why->mapped, &id, range->path))
		hook_fail(ctx->domain, -ENOMEM);
}

int why_faulted(struct why *why, const struct trace_task *task)
{
	struct report_file *file;

	if (!task->file.ino && !task->file.dev) {
		report_time(&why->memory[task->memory], lasts(task));
		return 0;
	}
	file = report_file_get(&why->mapped, &task->file);
	if (!file)
		return -ENOMEM;
	file->io.reads++;
	report_time(&file->io.time, lasts(task));
	return 0;
}

/**
 * struct row - A row.
 * @times: how often, how long
 * @file: a file; NULL: see @text
 * @text: other memory
 */
struct row {
	struct report_times times;
	const struct report_file *file;
	const char *text;
};

/* Of equal times, memory comes first. */
static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->times.ns != y->times.ns)
		return x->times.ns > y->times.ns ? -1 : 1;
	if (x->text && y->text)
		return x->text < y->text ? -1 : 1;
	return x->text ? -1 : y->text ? 1 : x->file->id.ino < y->file->id.ino ? -1 : 1;
}

static struct row *rows_of(const struct why *why, size_t *nr)
{
	struct report_file **list = report_files_sorted(&why->mapped, false, nr);
	struct row *rows = list ? calloc(*nr + TRACE_NR_MEMORY + 1, sizeof(*rows)) : NULL;
	const struct report_file *others = &why->mapped.others;
	size_t i, n = 0;

	for (i = 0; rows && i < *nr; i++)
		rows[n++] = (struct row){ .times = list[i]->io.time, .file = list[i] };
	for (i = 0; rows && i < TRACE_NR_MEMORY; i++) {
		if (why->memory[i].nr)
			rows[n++] = (struct row){ why->memory[i], NULL, tasks_memory_texts[i] };
	}
	if (rows && others->io.time.nr)
		rows[n++] = (struct row){ others->io.time, NULL, REPORT_GIVEN_UP };
	*nr = n;
	free(list);
	if (rows)
		qsort(rows, n, sizeof(*rows), compare);
	return rows;
}

int why_write_memory(const struct why *why, const struct facts *facts, struct tracer_answer *to)
{
	struct report_times others = { 0 };
	size_t i, nr, shown;
	struct row *rows;

	if (report_lacks(facts, NEEDS_FAULTS))
		return 0;
	rows = rows_of(why, &nr);
	if (!rows)
		return -ENOMEM;
	shown = why->json || nr <= why->rows ? nr : why->rows;
	report_begin(to, "page faults by file or memory",
		     why->json ? "" : "time,times,longest,file");
	for (i = 0; i < shown; i++) {
		answer_row(to);
		why_write_times(to, &rows[i].times);
		if (rows[i].file)
			why_write_which(why, rows[i].file, facts, to);
		else
			answer_text(to, "file", rows[i].text);
	}
	for (; i < nr; i++)
		report_add_times(&others, &rows[i].times);
	if (shown < nr) {
		answer_row(to);
		why_write_times(to, &others);
		why_write_others(to, "file", nr - shown);
	}
	report_end(to);
	free(rows);
	return 0;
}
