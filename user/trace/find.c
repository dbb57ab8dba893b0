// SPDX-License-Identifier: GPL-2.0-only
/* Finds streams below a directory. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/find.h"
#include "util/out.h"
#include "trace/format.h"
#include "util/file.h"
#include "util/hash.h"
#include "util/msg.h"

/**
 * struct find_dir - A directory already visited.
 * @node: in the table
 * @dev: its device
 * @ino: its inode
 */
struct find_dir {
	struct hash_node node;
	dev_t dev;
	ino_t ino;
};

/**
 * struct find - A search.
 * @root: trace directory
 * @pending: directories to visit, relative to @root
 * @seen: visited directories by device and inode, so that links cannot form a loop
 * @threads: directories with a stream
 * @cpus: directories with a CPU's own stream
 * @old: there are files that only an older libovni has written
 * @capture: there are files of a capture
 * @entries: files and directories there are
 */
struct find {
	const char *root;
	struct ovni_paths pending;
	struct hash_table seen;
	struct ovni_paths threads;
	struct ovni_paths cpus;
	bool old;
	bool capture;
	u64 entries;
};

/* Takes over @path. */
static int paths_add(struct ovni_paths *paths, char *path)
{
	char **grown;

	if (!(paths->n & (paths->n - 1))) {
		grown = realloc(paths->path, (paths->n ? 2 * (size_t)paths->n : 1) *
				sizeof(*grown));
		if (!grown) {
			free(path);
			return msg_no_memory();
		}
		paths->path = grown;
	}
	paths->path[paths->n++] = path;
	return 0;
}

void ovni_paths_free(struct ovni_paths *paths)
{
	u32 i;

	for (i = 0; i < paths->n; i++)
		free(paths->path[i]);
	free(paths->path);
	memset(paths, 0, sizeof(*paths));
}

static int find_is_new(struct find *f, const struct stat *st)
{
	u64 hash = hash_of(&f->seen, st->st_dev, st->st_ino);
	struct hash_node *node;
	struct find_dir *dir;

	for (node = hash_first(&f->seen, hash); node; node = hash_next(node)) {
		dir = container_of(node, struct find_dir, node);
		if (dir->dev == st->st_dev && dir->ino == st->st_ino)
			return 0;
	}
	dir = malloc(sizeof(*dir));
	if (!dir)
		return msg_no_memory();
	dir->dev = st->st_dev;
	dir->ino = st->st_ino;
	hash_add(&f->seen, &dir->node, hash);
	return 1;
}

static void find_forget(struct hash_node *node)
{
	free(container_of(node, struct find_dir, node));
}

static char *find_join(const char *dir, const char *name)
{
	return *dir ? out_path(dir, name) : strdup(name);
}

static int find_subdir(struct find *f, char *rel, const struct stat *st)
{
	int ret = find_is_new(f, st);

	if (ret > 0)
		return paths_add(&f->pending, rel);
	if (!ret)
		msg_warn("%s/%s: this directory was visited before and is skipped", f->root, rel);
	free(rel);
	return ret;
}

/* A link must not make us walk the whole machine, nor read what is no part of the trace. */
static bool leads_out(const struct find *f, const char *path)
{
	char *root, *real;
	struct stat st;
	size_t len;
	bool out;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return false;
	root = realpath(f->root, NULL);
	real = realpath(path, NULL);
	len = root ? strlen(root) : 0;
	/* Where it leads nowhere, who opens it says why. */
	out = real && (!root || strncmp(real, root, len) || (real[len] && real[len] != '/'));
	free(root);
	free(real);
	if (out)
		msg_warn("%s: this link leads out of the trace and is skipped", path);
	return out;
}

/* @path: of the metadata; @events: the name of the file beside it */
static int find_stream(const struct find *f, struct ovni_paths *paths, const char *dir,
		       const char *path, const char *events)
{
	char *rel, *beside, *found;
	bool out;

	if (leads_out(f, path))
		return 0;
	rel = find_join(dir, events);
	beside = rel ? out_path(f->root, rel) : NULL;
	free(rel);
	if (!beside)
		return msg_no_memory();
	out = leads_out(f, beside);
	free(beside);
	if (out)
		return 0;
	found = strdup(dir);
	return found ? paths_add(paths, found) : msg_no_memory();
}

static int find_entry(struct find *f, const char *dir, const char *name)
{
	char *rel, *path;
	struct stat st;
	int ret = 0;
	int err;

	rel = find_join(dir, name);
	path = rel ? out_path(f->root, rel) : NULL;
	if (!path) {
		free(rel);
		return msg_no_memory();
	}
	err = stat(path, &st) ? errno : 0;
	if (!err && S_ISDIR(st.st_mode)) {
		if (!leads_out(f, path)) {
			free(path);
			return find_subdir(f, rel, &st);
		}
	} else if (!strcmp(name, OVNI_STREAM_JSON)) {
		ret = find_stream(f, &f->threads, dir, path, OVNI_STREAM_OBS);
	} else if (!strcmp(name, OVNI_CPU_JSON)) {
		ret = find_stream(f, &f->cpus, dir, path, OVNI_CPU_OBS);
	} else if (!strcmp(name, "metadata.json") || text_is_numbered(name, "thread.", ".obs")) {
		f->old = true;
	} else if (text_is_numbered(name, "cpu", ".ovk")) {
		f->capture = true;
	} else if (err == ENAMETOOLONG || err == EACCES) {
		ret = report_error(path, "cannot stat", err);
	} else if (err == ELOOP) {
		msg_warn("%s: %s, skipped", path, strerror(err));
	}
	free(path);
	free(rel);
	return ret;
}

static int find_dir(struct find *f, const char *dir)
{
	char *path = *dir ? out_path(f->root, dir) : strdup(f->root);
	struct dirent *de;
	int ret = 0;
	DIR *d;

	if (!path)
		return msg_no_memory();
	d = opendir(path);
	if (!d) {
		ret = -errno;
		if (ret == -ENOTDIR)
			msg_error("%s: is a file: an ovni trace is a directory", path);
		else
			report_error(path, "cannot open directory", -ret);
		free(path);
		return ret;
	}
	for (;;) {
		errno = 0;
		de = readdir(d);
		if (!de) {
			ret = -errno;
			if (ret)
				report_error(path, "cannot read directory", -ret);
			break;
		}
		if (!strcmp(de->d_name, ".") || !strcmp(de->d_name, ".."))
			continue;
		f->entries++;
		ret = find_entry(f, dir, de->d_name);
		if (ret)
			break;
	}
	closedir(d);
	free(path);
	return ret;
}

static int cmp_path(const void *a, const void *b)
{
	return strcmp(*(char * const *)a, *(char * const *)b);
}

static int find_all(struct find *f)
{
	struct stat st;
	char *dir;
	int ret;

	if (stat(f->root, &st)) {
		ret = -errno;
		msg_error("%s: %s", f->root, strerror(errno));
		return ret;
	}
	if (find_is_new(f, &st) < 0)
		return -ENOMEM;
	dir = strdup("");
	if (!dir)
		return msg_no_memory();
	ret = paths_add(&f->pending, dir);
	while (!ret && f->pending.n) {
		dir = f->pending.path[--f->pending.n];
		ret = find_dir(f, dir);
		free(dir);
	}
	return ret;
}

static void paths_sort(struct ovni_paths *paths)
{
	if (paths->n)
		qsort(paths->path, paths->n, sizeof(*paths->path), cmp_path);
}

static int report_none(const struct find *f)
{
	if (f->old)
		msg_error("%s: no stream: this trace is of libovni up to 1.10, which wrote no %s. Link the program with a newer one and run it again",
			  f->root, OVNI_STREAM_JSON);
	else if (f->capture)
		msg_error("%s: is a capture, not an ovni trace: ovnik-decode reads it, and makes a trace of it (--to ovni)",
			  f->root);
	else if (!f->entries)
		msg_error("%s: is an empty directory: a trace is the directory that OVNI_TRACEDIR named, or \"ovni\"; has the program ended?",
			  f->root);
	else
		msg_error("%s: no stream: there is no %s below. A trace is the directory that OVNI_TRACEDIR named, or \"ovni\"",
			  f->root, OVNI_STREAM_JSON);
	return -ENOENT;
}

int ovni_find_streams(struct ovni_paths *threads, struct ovni_paths *cpus, const char *dir)
{
	struct find f = { .root = dir };
	int ret;

	if (hash_init(&f.seen))
		return msg_no_memory();
	ret = find_all(&f);
	if (!ret && !f.threads.n)
		ret = report_none(&f);
	hash_destroy(&f.seen, find_forget);
	ovni_paths_free(&f.pending);
	if (ret) {
		ovni_paths_free(&f.threads);
		ovni_paths_free(&f.cpus);
		return ret;
	}
	paths_sort(&f.threads);
	paths_sort(&f.cpus);
	*threads = f.threads;
	*cpus = f.cpus;
	return 0;
}
