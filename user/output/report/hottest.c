// SPDX-License-Identifier: GPL-2.0-only
/* The files that cost most, and how useful the page cache was. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/report.h"
#include "sums/table.h"

#define PATH_SHOWN	42	/* characters of a path, on a terminal */

#define COL(name, field, form, needs) \
	{ name, offsetof(struct report_file, field), FORM_##form, NEEDS_##needs }

static const struct report_column page_columns[] = {
	COL("pages added", added, U64, PAGES),
	COL("pages removed", removed, U64, PAGES),
};

/* Of a file, only what it has as @io is summed up. */
#define SUM_AT	(offsetof(struct report_file, io) - offsetof(struct sum, io))

void report_write_which(const struct report_file *file, struct tracer_answer *to)
{
	if (file->path)
		answer_text(to, "path", file->path);
	answer_u64(to, "major", file->major);
	answer_u64(to, "minor", file->minor);
	answer_u64(to, "inode", file->id.ino);
	answer_u64(to, "generation", file->id.generation);
}

/* Its end is the most useful part; a multibyte character is not cut. */
void report_write_path(const struct report_file *file, struct tracer_answer *to)
{
	size_t len = file->path ? strlen(file->path) : 0, cut;
	char text[80];

	if (!len)
		snprintf(text, sizeof(text), "inode %llu of device %llu:%llu", file->id.ino,
			 file->major, file->minor);
	if (!len || len <= PATH_SHOWN) {
		answer_text(to, "file", len ? file->path : text);
		return;
	}
	cut = len - PATH_SHOWN + strlen("...");
	while ((file->path[cut] & 0xc0) == 0x80)
		cut++;
	snprintf(text, sizeof(text), "...%s", file->path + cut);
	answer_text(to, "file", text);
}

static void write_shown(const struct report *r, const struct facts *facts,
			struct report_file **list, size_t nr, const char *name,
			struct tracer_answer *to)
{
	struct report_table shown = { .to = to, .facts = facts };
	struct sums_columns columns;
	size_t i;

	report_measures(&shown, &columns, NULL, 0, IN_FILES, SUM_AT);
	shown.partial = report_known_count(&r->known, false);
	report_table_begin(&shown, name, "", "file");
	for (i = 0; i < nr && i < r->opt.rows; i++) {
		answer_row(to);
		report_cells(&shown, list[i]);
		report_write_path(list[i], to);
	}
	if (r->files.nr_others) {
		answer_row(to);
		report_cells(&shown, &r->files.others);
		answer_text(to, "file", REPORT_GIVEN_UP);
	}
	report_end(to);
}

static void write_all(const struct report *r, const struct facts *facts,
		      struct report_file **list, size_t nr, struct tracer_answer *to)
{
	struct report_table t = { .to = to, .facts = facts };
	struct sums_columns columns;
	size_t i;

	report_measures(&t, &columns, NULL, 0, IN_FILE, SUM_AT);
	t.partial = report_known_count(&r->known, false);
	report_begin(to, "files", "");
	for (i = 0; i < nr && (r->opt.all || i < r->opt.rows); i++) {
		answer_row(to);
		report_write_which(list[i], to);
		answer_u64(to, "opens", list[i]->opens);
		report_cells(&t, list[i]);
	}
	report_end(to);
}

static void write_others(const struct report_files *files, const struct facts *facts,
			 struct tracer_answer *to)
{
	const struct report_table pages = {
		.to = to, .facts = facts, .columns = page_columns, .nr = ARRAY_SIZE(page_columns),
	};
	struct report_table t = { .to = to, .facts = facts };
	struct sums_columns columns;

	report_begin(to, "files given up", "");
	answer_row(to);
	report_measures(&t, &columns, NULL, 0, IN_FILE, SUM_AT);
	report_cells(&t, &files->others);
	if (files->pages)
		report_cells(&pages, &files->others);
	report_end(to);
}

void report_write_given_up(const struct report_files *files, bool json, const struct facts *facts,
			   struct tracer_answer *to)
{
	if (!files->nr_others)
		return;
	if (json)
		write_others(files, facts, to);
	answer_u64(to, "number of files given up", files->nr_others);
	answer_ns(to, "time that a file may lack", files->lack_ns);
	answer_bytes(to, "bytes that a file may lack", files->lack_bytes);
	if (files->pages)
		answer_u64(to, "pages that a file may lack", files->lack_pages);
}

static int write_files(const struct report *r, const struct facts *facts,
		       struct tracer_answer *to)
{
	bool timed = !report_lacks(facts, NEEDS_CALLS);
	struct report_file **list;
	size_t nr;

	list = report_files_sorted(&r->files, !timed && !r->opt.json, &nr);
	if (!list)
		return -ENOMEM;
	if (r->opt.json)
		write_all(r, facts, list, nr, to);
	else if (timed)
		write_shown(r, facts, list, nr, "files by time in system calls on them", to);
	free(list);
	if (r->opt.json)
		return 0;
	list = report_files_sorted(&r->files, true, &nr);
	if (!list)
		return -ENOMEM;
	write_shown(r, facts, list, nr, "files by bytes read and written", to);
	free(list);
	return 0;
}

static void write_count(const struct report *r, const char *name, u64 count,
			struct tracer_answer *to)
{
	if (report_known_sum(&r->known, count))
		answer_u64(to, name, count);
}

static void write_pages(const struct report *r, struct tracer_answer *to)
{
	report_begin(to, "pages of the cache", "pages of,added,removed");
	answer_row(to);
	answer_text(to, "pages of", "files");
	write_count(r, "added", r->pages.added, to);
	write_count(r, "removed", r->pages.removed, to);
	answer_row(to);
	answer_text(to, "pages of", "block devices");
	write_count(r, "added", r->buffers.added, to);
	write_count(r, "removed", r->buffers.removed, to);
	report_end(to);
}

static void write_reads(const struct report *r, u64 reads, const char *result,
			const char *meaning, struct tracer_answer *to)
{
	u64 all = r->all.sum.io.reads - r->all.sum.io.own;

	answer_row(to);
	write_count(r, "reads", reads, to);
	if (all && !report_known_count(&r->known, false))
		answer_share(to, "of all", reads, all);
	answer_text(to, "result", result);
	answer_text(to, "meaning", meaning);
}

static void write_cache(const struct report *r, const struct facts *facts,
			struct tracer_answer *to)
{
	const struct report_io *io = &r->all.sum.io;
	const char *missing = report_lacks(facts, NEEDS_CACHE);

	if (missing && r->opt.json)
		return;
	if (missing) {
		report_not_there(to, "reads of the page cache", missing);
		return;
	}
	report_begin(to, "reads of the page cache", "reads,of all,result,meaning");
	write_reads(r, io->hits, "hit",
		    "read() or the like got data, added no page, and never slept for a disk", to);
	write_reads(r, io->misses, "miss", "it added pages of that file itself", to);
	write_reads(r, io->reads - io->own - io->hits - io->misses, "neither",
		    "no data, direct, by other calls, or unknown", to);
	report_end(to);
	if (io->hits + io->misses && !report_known_count(&r->known, false))
		answer_share(to, "hit ratio", io->hits, io->hits + io->misses);
}

static void write_caches(const struct report *r, const struct facts *facts,
			 struct tracer_answer *to)
{
	const char *missing = report_lacks(facts, NEEDS_PAGES);

	write_cache(r, facts, to);
	if (!missing)
		write_pages(r, to);
	else if (!r->opt.json)
		report_not_there(to, "pages of the cache", missing);
}

int report_write_files(const struct report *r, const struct facts *facts,
		       struct tracer_answer *to)
{
	const char *missing = report_lacks(facts, NEEDS_IO);
	int ret = 0;

	if (report_shows(r, REPORT_PART_files)) {
		if (!missing)
			ret = write_files(r, facts, to);
		else if (!r->opt.json)
			report_not_there(to, "files", missing);
		report_write_given_up(&r->files, r->opt.json, facts, to);
	}
	if (report_shows(r, REPORT_PART_cache))
		write_caches(r, facts, to);
	return ret;
}
