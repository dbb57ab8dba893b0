// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open files. No record says which open file of an inode is closed. It is taken to be
 * the last one that the closing process opened, or else the last one that any process
 * opened. TRACE_EITHER says if there were others.
 *
 * The statedump records descriptors, and several may share an open file. They become
 * one task per process and inode, which ends with the process at the latest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/thread_state.h"
#include "world/sight.h"

static u64 hash_inode(const struct hash_table *table, const struct trace_file *file, u32 pid)
{
	return hash_of(table, file->ino, (u64)file->dev << 32 | file->generation) +
	       pid * 0x9e3779b97f4a7c15ULL;
}

static bool is_file(const struct tasks_file *file, const struct trace_file *of, u32 pid)
{
	const struct trace_file *is = &file->task.file;

	return is->ino == of->ino && is->dev == of->dev && is->generation == of->generation &&
	       (!pid || file->task.pid == pid);
}

/* An open file of a process, and whether there is another. */
static struct tasks_file *find_of(const struct tasks *t, const struct trace_file *of, u32 pid,
				  bool *more)
{
	struct tasks_file *found = NULL, *file;
	struct hash_node *node;

	node = hash_first(&t->process_files, hash_inode(&t->process_files, of, pid));
	for (; node; node = hash_next(node)) {
		file = container_of(node, struct tasks_file, by_process);
		if (!is_file(file, of, pid))
			continue;
		*more = found;
		if (found)
			break;
		found = file;
	}
	return found;
}

/* An open file of any process. */
static struct tasks_file *find_any(const struct tasks *t, const struct trace_file *of, bool *more)
{
	struct tasks_file *found = NULL, *file;
	struct hash_node *node;

	node = hash_first(&t->files, hash_inode(&t->files, of, 0));
	for (; node; node = hash_next(node)) {
		file = container_of(node, struct tasks_file, by_inode);
		if (!is_file(file, of, 0))
			continue;
		*more = found;
		if (found)
			break;
		found = file;
	}
	return found;
}

static struct tasks_file *begin_file(struct tasks *t, struct tasks_thread *th,
				     const struct trace_file *of, const char *path, u16 flags,
				     const struct world_item *it)
{
	size_t size = strlen(path) + 1;
	struct tasks_file *file = malloc(sizeof(*file) + size);

	if (!file) {
		tasks_fail(t, -ENOMEM);
		return NULL;
	}
	memcpy(file->path, path, size);
	file->process = th->process;
	file->dumped = false;
	file->uncertain = 0;
	tasks_begin_of(t, th, &file->task, TASKS_FILE, it);
	file->task.file = *of;
	file->task.what = file->path;
	file->task.flags = flags;
	LIST_INSERT_HEAD(&t->open, file, link);
	LIST_INSERT_HEAD(&th->process->files, file, of_process);
	hash_add(&t->files, &file->by_inode, hash_inode(&t->files, of, 0));
	hash_add(&t->process_files, &file->by_process,
		 hash_inode(&t->process_files, of, th->task.pid));
	tasks_start(t, &file->task);
	return file;
}

static void on_open(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_open *rec = it->rec;
	const struct trace_file of = FILE_OF(rec);
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);

	if (th)
		begin_file(t, th, &of, rec->path, 0, it);
}

static void on_close(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_close *rec = it->rec;
	const struct trace_file of = FILE_OF(rec);
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);
	struct tasks_file *file;
	bool more = false;

	if (!th)
		return;
	file = find_of(t, &of, th->task.pid, &more);
	if (!file)
		file = find_any(t, &of, &more);
	/* The capture does not say how it was opened. */
	if (!file)
		file = begin_file(t, th, &of, "", TRACE_EARLY, it);
	if (file)
		tasks_file_end(t, file, it->ns, more ? TRACE_EITHER : 0);
}

static void on_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_dump_file *rec = it->rec;
	const struct trace_file of = FILE_OF(rec);
	struct tasks *t = data;
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);
	struct tasks_file *file;
	bool more;

	if (!th || find_of(t, &of, th->task.pid, &more))
		return;
	file = begin_file(t, th, &of, rec->path, TRACE_EARLY, it);
	if (file)
		file->dumped = true;
}

/* From now on, the end of any file may be missing. */
static void on_gap_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_file *file;

	if (!sight_hides(it->gap, EV_BIT(file_close)))
		return;
	while ((file = LIST_FIRST(&t->open))) {
		LIST_REMOVE(file, link);
		LIST_INSERT_HEAD(&t->perhaps_open, file, link);
		file->uncertain = it->ns;
	}
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_file *file;

	while ((file = LIST_FIRST(&t->open)))
		tasks_file_end(t, file, it->ns, TRACE_OPEN);
	while ((file = LIST_FIRST(&t->perhaps_open)))
		tasks_file_end(t, file, file->uncertain, TRACE_UNCERTAIN);
}

int tasks_file_attach(struct tasks *t)
{
	const u32 files = KIND_BIT(FILE);
	const struct tasks_hook hooks[] = {
		{ WORLD_FILE_OPEN, on_open, files },
		{ WORLD_FILE_CLOSE, on_close, files },
		{ WORLD_FILE_DUMP, on_dump, files },
		{ WORLD_GAP_BEGIN, on_gap_begin, files },
		{ WORLD_CAPTURE_END, on_end, files },
	};
	int ret = hash_init(&t->files);

	LIST_INIT(&t->open);
	LIST_INIT(&t->perhaps_open);
	if (!ret)
		ret = hash_init(&t->process_files);
	return ret ? ret : tasks_attach(t, hooks, ARRAY_SIZE(hooks));
}

static void free_file(struct hash_node *node)
{
	free(container_of(node, struct tasks_file, by_inode));
}

void tasks_file_destroy(struct tasks *t)
{
	hash_destroy(&t->process_files, NULL);
	hash_destroy(&t->files, free_file);
}
