// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was done to each file.
 *
 * Up to REPORT_FILES_MAX files are known completely. If there are more, files that are not
 * open are dropped, except the quarter with the most time, the quarter with the most bytes
 * and, if pages are counted, the eighth with the most pages. Dropped files are added to a sum.
 * One that is used again starts from zero, so a file's values may be too small: at most by
 * those of the largest file dropped, each time.
 * This error is counted and reported.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ovnik.h>

#include "sums/files.h"

static u64 hash_file(const struct report_files *files, const struct trace_file *id)
{
	return hash_of(&files->table, id->ino, (u64)id->dev << 32 | id->generation);
}

static struct report_file *find(const struct report_files *files, const struct trace_file *id,
				u64 hash)
{
	struct hash_node *node;

	for (node = hash_first(&files->table, hash); node; node = hash_next(node)) {
		struct report_file *file = container_of(node, struct report_file, node);

		if (file->id.ino == id->ino && file->id.dev == id->dev &&
		    file->id.generation == id->generation)
			return file;
	}
	return NULL;
}

static void free_file(struct hash_node *node)
{
	struct report_file *file = container_of(node, struct report_file, node);

	free(file->path);
	free(file);
}

static bool was_used(const struct report_file *file)
{
	return file->io.reads || file->io.writes || file->added || file->removed;
}

static int compare_ids(const struct report_file *x, const struct report_file *y)
{
	if (x->id.dev != y->id.dev)
		return x->id.dev < y->id.dev ? -1 : 1;
	if (x->id.ino != y->id.ino)
		return x->id.ino < y->id.ino ? -1 : 1;
	return x->id.generation < y->id.generation ? -1 : x->id.generation > y->id.generation;
}

static int by_time(const void *a, const void *b)
{
	const struct report_file *x = *(struct report_file *const *)a;
	const struct report_file *y = *(struct report_file *const *)b;

	if (x->io.time.ns != y->io.time.ns)
		return x->io.time.ns > y->io.time.ns ? -1 : 1;
	return compare_ids(x, y);
}

static int by_bytes(const void *a, const void *b)
{
	const struct report_file *x = *(struct report_file *const *)a;
	const struct report_file *y = *(struct report_file *const *)b;
	u64 n = report_bytes(&x->io), m = report_bytes(&y->io);

	if (n != m)
		return n > m ? -1 : 1;
	return compare_ids(x, y);
}

/* Those for which @is_it is true. */
static struct report_file **list_files(const struct report_files *files,
				       bool (*is_it)(const struct report_file *), size_t *nr)
{
	struct report_file **list = calloc(files->table.nr + 1, sizeof(*list));
	struct hash_node *node = NULL;

	*nr = 0;
	while (list && (node = hash_walk(&files->table, node))) {
		struct report_file *file = container_of(node, struct report_file, node);

		if (is_it(file))
			list[(*nr)++] = file;
	}
	return list;
}

static u64 pages_of(const struct report_file *file)
{
	u64 pages = file->added;

	report_add(&pages, file->removed);
	return pages;
}

static int by_pages(const void *a, const void *b)
{
	const struct report_file *x = *(struct report_file *const *)a;
	const struct report_file *y = *(struct report_file *const *)b;
	u64 n = pages_of(x), m = pages_of(y);

	if (n != m)
		return n > m ? -1 : 1;
	return compare_ids(x, y);
}

static void give_up(struct report_files *files, struct report_file *file)
{
	struct report_file *others = &files->others;

	report_add_io(&others->io, &file->io);
	report_add(&others->added, file->added);
	report_add(&others->removed, file->removed);
	report_add(&others->again, file->again);
	files->nr_others += was_used(file);
	hash_del(&files->table, &file->node);
	free_file(&file->node);
}

static bool is_closed(const struct report_file *file)
{
	return !file->open;
}

static void keep_first(struct report_file **list, size_t nr, size_t kept,
		       int (*compare)(const void *a, const void *b))
{
	size_t i;

	qsort(list, nr, sizeof(*list), compare);
	for (i = 0; i < kept; i++)
		list[i]->kept = true;
}

static u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

static void drop(struct report_files *files, struct report_file **list, size_t nr)
{
	u64 ns = 0, bytes = 0, pages = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		struct report_file *file = list[i];

		if (file->kept) {
			file->kept = false;
			continue;
		}
		ns = larger(file->io.time.ns, ns);
		bytes = larger(report_bytes(&file->io), bytes);
		pages = larger(pages_of(file), pages);
		give_up(files, file);
	}
	report_add(&files->lack_ns, ns);
	report_add(&files->lack_bytes, bytes);
	report_add(&files->lack_pages, pages);
}

static int make_room(struct report_files *files)
{
	struct report_file **list;
	size_t nr;

	list = list_files(files, is_closed, &nr);
	if (!list)
		return -ENOMEM;
	keep_first(list, nr, nr / 4, by_time);
	keep_first(list, nr, nr / 4, by_bytes);
	if (files->pages)
		keep_first(list, nr, nr / 8, by_pages);
	drop(files, list, nr);
	/* So many are open that files would be dropped all the time. */
	files->limit = REPORT_FILES_MAX;
	if (files->table.nr > REPORT_FILES_MAX / 4 * 3)
		files->limit = 2 * files->table.nr;
	free(list);
	return 0;
}

struct report_file *report_file_get(struct report_files *files, const struct trace_file *id)
{
	u64 hash = hash_file(files, id);
	struct report_file *file = find(files, id, hash);

	if (likely(file))
		return file;
	if (!files->limit)
		files->limit = REPORT_FILES_MAX;
	if (files->table.nr >= files->limit && make_room(files))
		return NULL;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->id = *id;
	file->major = OVNIK_DEV_MAJOR(id->dev);
	file->minor = OVNIK_DEV_MINOR(id->dev);
	hash_add(&files->table, &file->node, hash);
	return file;
}

static int set_path(struct report_file *file, const char *path)
{
	if (!*path || (file->path && !strcmp(file->path, path)))
		return 0;
	free(file->path);
	file->path = strdup(path);
	return file->path ? 0 : -ENOMEM;
}

int report_file_open(struct report_files *files, const struct trace_file *id, const char *path)
{
	struct report_file *file = report_file_get(files, id);

	if (!file)
		return -ENOMEM;
	file->opens++;
	file->open++;
	return set_path(file, path);
}

int report_file_name(struct report_files *files, const struct trace_file *id, const char *path)
{
	struct report_file *file = report_file_get(files, id);

	return file ? set_path(file, path) : -ENOMEM;
}

struct report_file *report_file_find(const struct report_files *files,
				     const struct trace_file *id)
{
	return find(files, id, hash_file(files, id));
}

void report_file_close(struct report_files *files, const struct trace_file *id)
{
	struct report_file *file = report_file_find(files, id);

	if (!file || --file->open || was_used(file))
		return;
	hash_del(&files->table, &file->node);
	free_file(&file->node);
}

struct report_file **report_files_sorted(const struct report_files *files, bool bytes, size_t *nr)
{
	struct report_file **list = list_files(files, was_used, nr);

	if (list)
		qsort(list, *nr, sizeof(*list), bytes ? by_bytes : by_time);
	return list;
}

void report_files_free(struct report_files *files)
{
	hash_destroy(&files->table, free_file);
}
