// SPDX-License-Identifier: GPL-2.0-only
/* What exists at a moment, as records: see state.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "narrow/state.h"

/* A name of a file, or an open file of a process. */
struct named {
	struct hash_node node;
	u64 id;
	u32 pid;
	struct trace_file file;
	char *path;
};

static void free_named(struct hash_node *node)
{
	struct named *named = container_of(node, struct named, node);

	free(named->path);
	free(named);
}

static u64 hash_file(const struct hash_table *t, const struct trace_file *file)
{
	return hash_of(t, file->ino, (u64)file->dev << 32 | file->generation);
}

static struct named *add_named(struct hash_table *t, u64 hash, const char *path)
{
	struct named *named = calloc(1, sizeof(*named));

	if (named)
		named->path = strdup(path);
	if (!named || !named->path) {
		free(named);
		return NULL;
	}
	hash_add(t, &named->node, hash);
	return named;
}

static struct named *find_path(const struct state *s, const struct trace_file *file)
{
	struct hash_node *node = hash_first(&s->paths, hash_file(&s->paths, file));

	for (; node; node = hash_next(node)) {
		struct named *named = container_of(node, struct named, node);

		if (named->file.ino == file->ino && named->file.dev == file->dev &&
		    named->file.generation == file->generation)
			return named;
	}
	return NULL;
}

static int learn_path(struct state *s, const struct trace_file *file, const char *path)
{
	struct named *named = find_path(s, file);
	char *copy;

	if (!named) {
		named = add_named(&s->paths, hash_file(&s->paths, file), path);
		if (named)
			named->file = *file;
		return named ? 0 : -ENOMEM;
	}
	if (!strcmp(named->path, path))
		return 0;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	free(named->path);
	named->path = copy;
	return 0;
}

static struct trace_file file_of(const struct mm_attrs *what)
{
	return (struct trace_file){
		.dev = what->dev, .generation = what->generation, .ino = what->ino,
	};
}

static void on_map(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct world_range *range = it->range;
	struct trace_file file = file_of(&range->what);

	if (range->path && range->path[0] && learn_path(data, &file, range->path))
		hook_fail(ctx->domain, -ENOMEM);
}

static void on_file(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct state *s = data;
	struct named *named;

	if (task->kind != TASKS_FILE)
		return;
	named = add_named(&s->files, hash_of(&s->files, task->id, 0), task->what);
	if (!named) {
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	named->id = task->id;
	named->pid = task->pid;
	named->file = task->file;
}

static void on_file_end(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct state *s = data;
	struct hash_node *node;

	if (task->kind != TASKS_FILE)
		return;
	node = hash_first(&s->files, hash_of(&s->files, task->id, 0));
	while (node && container_of(node, struct named, node)->id != task->id)
		node = hash_next(node);
	if (!node)
		return;
	hash_del(&s->files, node);
	free_named(node);
}

int state_watch(struct state *s, struct world *w, const u32 *parents)
{
	static const enum world_position maps[] = { WORLD_MM_MAP, WORLD_MM_REMAP, WORLD_VMA_DUMP };
	unsigned int i;
	int ret;

	memset(s, 0, sizeof(*s));
	s->w = w;
	s->parents = parents;
	ret = hash_init(&s->files);
	if (!ret)
		ret = hash_init(&s->paths);
	for (i = 0; i < ARRAY_SIZE(maps) && !ret; i++)
		ret = hook_attach(&w->hooks, maps[i], on_map, s);
	if (ret)
		return ret;
	s->tasks = tasks_create(w, 1U << TASKS_FILE);
	if (!s->tasks)
		return -ENOMEM;
	ret = hook_attach(tasks_hooks(s->tasks), TASKS_AT_START, on_file, s);
	return ret ? ret : hook_attach(tasks_hooks(s->tasks), TASKS_AT_END, on_file_end, s);
}

void state_forget(struct state *s)
{
	tasks_destroy(s->tasks);
	s->tasks = NULL;
	s->w = NULL;
	hash_destroy(&s->files, free_named);
	hash_destroy(&s->paths, free_named);
	memset(&s->files, 0, sizeof(s->files));
	memset(&s->paths, 0, sizeof(s->paths));
}

void state_destroy(struct state *s)
{
	if (s->w)
		state_forget(s);
	free(s->items);
	free(s->bytes);
	memset(s, 0, sizeof(*s));
}

static int reserve(struct state *s, u64 len)
{
	u64 room = s->bytes_room ? s->bytes_room : 1 << 16;
	u32 items = s->room ? 2 * s->room : 1024;
	void *more;

	while (room < s->len + len)
		room *= 2;
	if (room != s->bytes_room) {
		more = realloc(s->bytes, room);
		if (!more)
			return -ENOMEM;
		s->bytes = more;
		s->bytes_room = room;
	}
	if (s->nr < s->room)
		return 0;
	more = realloc(s->items, items * sizeof(*s->items));
	if (!more)
		return -ENOMEM;
	s->items = more;
	s->room = items;
	return 0;
}

/* Add a record with a string behind it; NULL: without one. */
static int add(struct state *s, u8 kind, u8 event, u32 cpu, const void *rec, size_t size,
	       const char *str)
{
	size_t extra = str ? strlen(str) + 1 : 0;
	u64 len = (size + extra + OVNIK_REC_ALIGN - 1) & ~(u64)(OVNIK_REC_ALIGN - 1);
	int ret = reserve(s, len);

	if (ret)
		return ret;
	memset(s->bytes + s->len, 0, len);
	memcpy(s->bytes + s->len, rec, size);
	if (str)
		memcpy(s->bytes + s->len + size, str, extra);
	s->items[s->nr++] = (struct state_item){
		.at = s->len, .cpu = cpu, .kind = kind, .event = event,
	};
	s->len += len;
	return 0;
}

/* Strings begin before the structure's padding. */
#define ADD_RECORD(s, event, rec, str) \
	add(s, ITEM_RECORD, OVNIK_EV_##event, 0, rec, SIZE_OF_##event, str)

#define SIZE_OF_dump_task	sizeof(struct ovnik_dump_task)
#define SIZE_OF_dump_mm		sizeof(struct ovnik_dump_mm)
#define SIZE_OF_dump_vma	offsetof(struct ovnik_dump_vma, path)
#define SIZE_OF_dump_file	offsetof(struct ovnik_dump_file, path)

static int take_task(struct state *s, const struct world_task *task)
{
	struct ovnik_dump_task rec = {
		.type = OVNIK_EV_dump_task,
		.cpu = task->cpu >= 0 ? s->w->cpus[task->cpu].nr : 0,
		.tid = task->tid,
		.tgid = task->tgid,
		.parent_tgid = task->tgid <= TASK_TID_MAX ? s->parents[task->tgid] : 0,
		.state = task->cpu >= 0 ? OVNIK_STATE_RUNNING : task->state,
		.flags = task->kthread ? OVNIK_TASK_KTHREAD : 0,
		.start = task->start,
		.mm = task->mm,
		.pgd = task->pgd,
	};

	memcpy(rec.comm, task->comm, sizeof(rec.comm));
	return ADD_RECORD(s, dump_task, &rec, NULL);
}

static int compare_tasks(const void *a, const void *b)
{
	const struct world_task *const *x = a, *const *y = b;

	return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

/**
 * struct listed - All tasks.
 * @tasks: in the order in which they appeared: parents before their children
 * @soon: of each: it runs, or is an ancestor of one that does
 * @nr: how many
 */
struct listed {
	const struct world_task **tasks;
	bool *soon;
	size_t nr;
};

static void mark_soon(const struct state *s, struct listed *l, const struct world_task *task)
{
	const struct world_task **at;
	unsigned int depth;

	for (depth = 0; depth < 64 && task; depth++) {
		at = bsearch(&task, l->tasks, l->nr, sizeof(*l->tasks), compare_tasks);
		if (l->soon[at - l->tasks])
			return;
		l->soon[at - l->tasks] = true;
		task = task->tgid <= TASK_TID_MAX ?
		       task_find(&s->w->tasks, s->parents[task->tgid]) : NULL;
	}
}

static int list_tasks(const struct state *s, struct listed *l)
{
	const struct world_task *task;
	size_t i;

	for (task = task_next(&s->w->tasks, NULL); task; task = task_next(&s->w->tasks, task))
		l->nr++;
	l->tasks = calloc(l->nr + 1, sizeof(*l->tasks));
	l->soon = calloc(l->nr + 1, sizeof(*l->soon));
	if (!l->tasks || !l->soon)
		return -ENOMEM;
	l->nr = 0;
	for (task = task_next(&s->w->tasks, NULL); task; task = task_next(&s->w->tasks, task))
		l->tasks[l->nr++] = task;
	qsort(l->tasks, l->nr, sizeof(*l->tasks), compare_tasks);
	for (i = 0; i < s->w->nr_cpus; i++) {
		task = s->w->cpus[i].running;
		if (task && task->tid)
			mark_soon(s, l, task);
	}
	return 0;
}

static int take_listed(struct state *s, const struct listed *l, bool soon)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < l->nr && !ret; i++) {
		if (l->soon[i] == soon)
			ret = take_task(s, l->tasks[i]);
	}
	return ret;
}

/* Who runs where, as the header of a sub-buffer says it. */
static int take_cpus(struct state *s)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < s->w->nr_cpus && !ret; i++) {
		const struct world_task *task = s->w->cpus[i].running;
		struct ovnik_subbuf h = { .tid = task ? task->tid : 0 };

		if (task)
			ret = add(s, ITEM_OPEN, 0, i, &h, sizeof(h), NULL);
	}
	return ret;
}

/*
 * That a task waits for a CPU is certain only once it is known who runs, and who that is only once
 * its process is known.
 */
static int take_tasks(struct state *s)
{
	struct listed l = { 0 };
	int ret = list_tasks(s, &l);

	if (!ret)
		ret = take_listed(s, &l, true);
	if (!ret)
		ret = take_cpus(s);
	if (!ret)
		ret = take_listed(s, &l, false);
	free(l.tasks);
	free(l.soon);
	return ret;
}

/* What the kernel calls memory that has a file of its own. */
static const char *path_of(const struct state *s, const struct mm_attrs *what)
{
	struct trace_file file = file_of(what);
	const struct named *named;

	if (what->kind == MM_KIND_SHM)
		return "/SYSV";
	if (!mm_has_file(what))
		return "";
	if (what->kind == OVNIK_MAP_MMAP)
		return "/dev/zero (deleted)";
	named = find_path(s, &file);
	return named ? named->path : "";
}

static int take_vma(struct state *s, const struct world_mm *mm, const struct mm_vma *vma)
{
	const struct ovnik_dump_vma rec = {
		.type = OVNIK_EV_dump_vma,
		.tid = mm->users->tid,
		.dev = vma->what.dev,
		.generation = vma->what.generation,
		.flags = vma->what.flags,
		.mm = mm->id,
		.start = vma->start,
		.length = vma->end - vma->start,
		.offset = vma->what.offset,
		.ino = vma->what.ino,
	};

	return ADD_RECORD(s, dump_vma, &rec, path_of(s, &vma->what));
}

/* An address space whose mappings were never recorded has none to tell of. */
static int take_mm(struct state *s, const struct world_mm *mm)
{
	const struct ovnik_dump_mm rec = {
		.type = OVNIK_EV_dump_mm,
		.tid = mm->users->tid,
		.vmas = mm->nr_vmas,
		.mm = mm->id,
		.pgd = mm->pgd,
	};
	const struct mm_vma *vma;
	int ret;

	if (!mm->nr_vmas)
		return 0;
	ret = ADD_RECORD(s, dump_mm, &rec, NULL);
	for (vma = mm_find(mm, 0); vma && !ret; vma = mm_find(mm, vma->end))
		ret = take_vma(s, mm, vma);
	return ret;
}

static int take_mms(struct state *s)
{
	const struct world_task *task;
	int ret = 0;

	for (task = task_next(&s->w->tasks, NULL); task && !ret;
	     task = task_next(&s->w->tasks, task)) {
		if (task->space && task->space->users == task)
			ret = take_mm(s, task->space);
	}
	return ret;
}

static int compare_named(const void *a, const void *b)
{
	const struct named *const *x = a, *const *y = b;

	return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

static int take_file(struct state *s, const struct named *named)
{
	const struct ovnik_dump_file rec = {
		.type = OVNIK_EV_dump_file,
		.tid = named->pid,
		.dev = named->file.dev,
		.generation = named->file.generation,
		.ino = named->file.ino,
		.fd = ~0U,
	};

	/* Its first thread may have ended before the others. */
	if (!task_find(&s->w->tasks, named->pid))
		return 0;
	return ADD_RECORD(s, dump_file, &rec, named->path);
}

static int take_files(struct state *s)
{
	const struct named **all = calloc(s->files.nr + 1, sizeof(*all));
	struct hash_node *node;
	u64 nr = 0, i;
	int ret = 0;

	if (!all)
		return -ENOMEM;
	for (node = hash_walk(&s->files, NULL); node; node = hash_walk(&s->files, node))
		all[nr++] = container_of(node, struct named, node);
	qsort(all, nr, sizeof(*all), compare_named);
	for (i = 0; i < nr && !ret; i++)
		ret = take_file(s, all[i]);
	free(all);
	return ret;
}

int state_take(struct state *s)
{
	int ret = take_tasks(s);

	if (!ret)
		ret = take_mms(s);
	return ret ? ret : take_files(s);
}
