// SPDX-License-Identifier: GPL-2.0-only
/* Counts of references as text and CSV. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stat.h"
#include "output/tracers/builtin/text.h"
#include "util/msg.h"
#include "util/out.h"
#include "util/utf8.h"

#define PAGE_KIB	(1U << REFS_PAGE_SHIFT >> 10)
#define ROWS		20	/* of a table of stat.txt */

static const char *const mappings[CANON_NR_KINDS] = {
	[CANON_ANON] = "[anonymous]",
	[CANON_FILE] = "[file]",
	[CANON_SPECIAL] = "[vdso, vvar]",
	[CANON_KERNEL] = "[kernel]",
	[CANON_FRAME] = "[kernel, linear mapping]",
};

static void put_mapping(FILE *to, const struct canon *c, u64 mapping)
{
	const struct canon_file *file;

	if (mapping < CANON_NR_KINDS) {
		text_csv(to, mappings[mapping]);
		return;
	}
	file = c->file_list[mapping - CANON_NR_KINDS];
	if (file->path)
		text_csv(to, file->path);
	else
		fprintf(to, "\"inode %llx of %x:%x\"", file->ino, OVNIK_DEV_MAJOR(file->dev),
			OVNIK_DEV_MINOR(file->dev));
}

static int compare_uses(const void *a, const void *b)
{
	const struct idmap_slot *p = *(struct idmap_slot *const *)a;
	const struct idmap_slot *q = *(struct idmap_slot *const *)b;

	return p->key < q->key ? -1 : p->key > q->key;
}

static int put_uses(FILE *to, const struct canon *c, const struct stat_who *who, const char *name)
{
	struct idmap_slot **list = calloc(who->uses.nr + 1UL, sizeof(*list));
	struct idmap_slot *slot = NULL;
	const struct stat_use *use;
	u32 i, nr = 0;

	if (!list)
		return msg_no_memory();
	while ((slot = idmap_next(&who->uses, slot)))
		list[nr++] = slot;
	qsort(list, nr, sizeof(*list), compare_uses);
	for (i = 0; i < nr; i++) {
		use = list[i]->ptr;
		fprintf(to, "%u,", who->pid);
		text_csv(to, name);
		putc(',', to);
		put_mapping(to, c, list[i]->key - 1);
		fprintf(to, ",%llu,%llu,%llu,%llu\n", use->refs[REFS_FETCH],
			use->refs[REFS_LOAD], use->refs[REFS_STORE], use->pages);
	}
	free(list);
	return 0;
}

static const char *name_of(const struct stat_who *who)
{
	return who->name[0] ? who->name : "not known";
}

static int write_references(const struct stat *s, const char *dir)
{
	const struct stat_who *who;
	struct out out;
	int ret = out_open(&out, dir, "references.csv"), error;

	if (ret)
		return ret;
	fprintf(out.f, "pid,name,mapping,fetches,loads,stores,pages\n");
	for (who = s->first; who && !ret; who = who->next)
		ret = put_uses(out.f, s->canon, who, name_of(who));
	if (!ret)
		ret = put_uses(out.f, s->canon, &s->kernel, "kernel");
	error = out_close(&out);
	return ret ? ret : error;
}

static int write_windows(const struct stat *s, const char *dir)
{
	const struct stat_window *window;
	struct out out;
	int ret = out_open(&out, dir, "working-set.csv");
	u32 i;

	if (ret)
		return ret;
	fprintf(out.f, "begin,end,references,pages,user_pages,file_pages\n");
	for (i = 0; i < STAT_WINDOWS; i++) {
		window = &s->windows[i];
		fprintf(out.f, "%llx,%llx,%llu,%llu,%llu,%llu\n", s->begin + i * s->width,
			s->begin + (i + 1) * s->width, window->refs, window->pages,
			window->user, window->cache);
	}
	return out_close(&out);
}

static u64 refs_of(const struct stat_who *who)
{
	return who->refs[REFS_FETCH] + who->refs[REFS_LOAD] + who->refs[REFS_STORE];
}

/* Up to the size at which only the first reference to each page misses. */
static void put_curve(FILE *to, const struct stat_who *who, const char *name)
{
	u64 refs = refs_of(who), misses;
	u32 i;

	for (i = 0; i < STAT_SIZES && refs; i++) {
		misses = stat_misses(who, i);
		fprintf(to, "%u,", who->pid);
		text_csv(to, name);
		fprintf(to, ",%llu,%llu,%llu,%.9f\n", stat_size(i), misses, refs,
			(double)misses / (double)refs);
		if (misses == who->pages)
			break;
	}
}

static int write_curves(const struct stat *s, const char *dir)
{
	const struct stat_who *who;
	struct out out;
	int ret = out_open(&out, dir, "miss-ratio.csv");

	if (ret)
		return ret;
	fprintf(out.f, "pid,name,pages,misses,references,ratio\n");
	put_curve(out.f, &s->all, "machine");
	put_curve(out.f, &s->uncached, "machine without files");
	put_curve(out.f, &s->kernel, "kernel");
	for (who = s->first; who; who = who->next)
		put_curve(out.f, who, name_of(who));
	return out_close(&out);
}

static void put_row(FILE *to, const struct stat_who *who, const char *name)
{
	fprintf(to, "%13llu %13llu %13llu %9llu %8llu  ", who->refs[REFS_FETCH],
		who->refs[REFS_LOAD], who->refs[REFS_STORE], who->pages,
		who->pages * PAGE_KIB);
	utf8_put_escaped(to, name);
	if (who->pid)
		fprintf(to, " %u", who->pid);
	putc('\n', to);
}

static int compare_refs(const void *a, const void *b)
{
	const struct stat_who *p = *(struct stat_who *const *)a;
	const struct stat_who *q = *(struct stat_who *const *)b;
	u64 of_p = refs_of(p), of_q = refs_of(q);

	return of_p != of_q ? (of_p < of_q ? 1 : -1) : p->pid < q->pid ? -1 : 1;
}

static int put_processes(FILE *to, const struct stat *s)
{
	struct stat_who *who, **list;
	u64 nr = 0, i;

	for (who = s->first; who; who = who->next)
		nr++;
	list = calloc(nr + 1, sizeof(*list));
	if (!list)
		return msg_no_memory();
	for (nr = 0, who = s->first; who; who = who->next)
		list[nr++] = who;
	qsort(list, nr, sizeof(*list), compare_refs);
	for (i = 0; i < nr && i < ROWS; i++)
		put_row(to, list[i], name_of(list[i]));
	if (nr > ROWS)
		fprintf(to, "and %llu other processes: see references.csv\n", nr - ROWS);
	free(list);
	return 0;
}

static int write_text(const struct stat *s, const char *dir)
{
	struct out out;
	int ret = out_open(&out, dir, "stat.txt"), error;
	u64 pages, misses, refs = refs_of(&s->all);
	u32 i;

	if (ret)
		return ret;
	fprintf(out.f, "%13s %13s %13s %9s %8s  who\n", "fetches", "loads", "stores", "pages",
		"KiB");
	put_row(out.f, &s->all, "machine");
	put_row(out.f, &s->uncached, "machine without files");
	put_row(out.f, &s->kernel, "kernel");
	ret = put_processes(out.f, s);
	fprintf(out.f, "\nA memory that replaces the page that was used least recently:\n"
		"%9s %8s %13s %12s\n", "pages", "KiB", "misses", "miss ratio");
	for (i = 0; i < STAT_SIZES && refs; i++) {
		pages = stat_size(i);
		misses = stat_misses(&s->all, i);
		fprintf(out.f, "%9llu %8llu %13llu %12.9f\n", pages, pages * PAGE_KIB, misses,
			(double)misses / (double)refs);
		if (misses == s->all.pages)
			break;
	}
	error = out_close(&out);
	return ret ? ret : error;
}

int stat_write(struct stat *s, const char *dir)
{
	int ret;

	s->no_memory |= s->all.curve.no_memory || s->uncached.curve.no_memory ||
			s->kernel.curve.no_memory;
	if (s->no_memory)
		return msg_no_memory();
	ret = write_text(s, dir);
	if (!ret)
		ret = write_references(s, dir);
	if (!ret)
		ret = write_windows(s, dir);
	if (!ret)
		ret = write_curves(s, dir);
	return ret ? ret : stat_picture(s, dir);
}
