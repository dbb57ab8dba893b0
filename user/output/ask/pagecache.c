// SPDX-License-Identifier: GPL-2.0-only
/* Pages of files in the page cache, collected: see pagecache.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/ask/pagecache.h"
#include "util/compare.h"
#include "world/pages.h"

#define LEAF	64	/* pages */

/* Some 100 bytes each: so many leaves, a file counting as FILE_COST of them; so many uses. */
#define GONE_MAX	(1U << 20)
#define FILE_COST	8
#define USES_MAX	(1U << 18)

/**
 * struct page_file - The pages of a file that were removed, and have not come again.
 * @node: by file
 * @id: which
 * @last: no later leaf has any
 * @leaves: by number of the leaf + 1: a bit for each page
 */
struct page_file {
	struct hash_node node;
	struct trace_file id;
	u64 last;
	struct idmap leaves;
};

/**
 * struct page_use - What a thread did with pages of a file on a CPU.
 * @node: by file, thread and CPU
 * @id: the file
 * @thread: id of the thread's task; 0: none, or not known
 * @cpu: number of the CPU
 * @number: in the order of appearance
 * @pages: how many
 */
struct page_use {
	struct hash_node node;
	struct trace_file id;
	u64 thread;
	u32 cpu;
	u64 number;
	struct page_count pages;
};

static u64 mix_file(const struct trace_file *id)
{
	return id->ino * 0x9e3779b97f4a7c15ULL + ((u64)id->dev << 32 | id->generation);
}

static bool same_file(const struct trace_file *a, const struct trace_file *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation;
}

static struct page_file *find_gone(const struct pagecache *pc, const struct trace_file *id,
				   u64 hash)
{
	struct hash_node *node;

	for (node = hash_first(&pc->gone, hash); node; node = hash_next(node)) {
		struct page_file *file = container_of(node, struct page_file, node);

		if (same_file(&file->id, id))
			return file;
	}
	return NULL;
}

static struct page_file *get_gone(struct pagecache *pc, const struct trace_file *id, bool make)
{
	u64 hash = hash_of(&pc->gone, mix_file(id), 0);
	struct page_file *file = find_gone(pc, id, hash);

	if (file || !make)
		return file;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->id = *id;
	hash_add(&pc->gone, &file->node, hash);
	pc->cost += FILE_COST;
	return file;
}

static struct page_use *find_use(const struct pagecache *pc, const struct page_use *key, u64 hash)
{
	struct hash_node *node;

	for (node = hash_first(&pc->uses, hash); node; node = hash_next(node)) {
		struct page_use *use = container_of(node, struct page_use, node);

		if (use->thread == key->thread && use->cpu == key->cpu &&
		    same_file(&use->id, &key->id))
			return use;
	}
	return NULL;
}

static u64 hash_use(const struct pagecache *pc, const struct page_use *key)
{
	return hash_of(&pc->uses, mix_file(&key->id), key->thread << 16 ^ key->cpu);
}

/* Who was on the CPU did it. If there are too many, all other files are one without a number. */
static struct page_use *get_use(struct pagecache *pc, const struct trace_file *id,
				const struct world_item *it)
{
	struct idmap_slot *slot = it->task ? idmap_get(&pc->threads, it->task->tid) : NULL;
	struct page_use key = { .id = *id, .thread = slot ? slot->bits : 0, .cpu = it->cpu };
	u64 hash = hash_use(pc, &key);
	struct page_use *use = find_use(pc, &key, hash);

	if (!use && pc->uses.nr >= USES_MAX) {
		memset(&key.id, 0, sizeof(key.id));
		hash = hash_use(pc, &key);
		use = find_use(pc, &key, hash);
	}
	if (use)
		return use;
	use = malloc(sizeof(*use));
	if (!use)
		return NULL;
	*use = key;
	use->number = pc->uses.nr;
	hash_add(&pc->uses, &use->node, hash);
	return use;
}

/* Of @left pages from @index on, those in its leaf: how many they are. Return: their bits. */
static u64 bits_of(u64 index, u64 left, u64 *nr)
{
	u64 at = index % LEAF;

	*nr = left < LEAF - at ? left : LEAF - at;
	return (*nr == LEAF ? ~0ULL : (1ULL << *nr) - 1) << at;
}

/* Return: how many of the pages had been removed. */
static u64 come(struct pagecache *pc, const struct trace_file *id, u64 index, u64 left)
{
	struct page_file *file = get_gone(pc, id, false);
	u64 nr, again = 0;

	for (; file && left; left -= nr, index += nr) {
		u64 bits = bits_of(index, left, &nr);
		struct idmap_slot *slot = idmap_get(&file->leaves, index / LEAF + 1);

		if (!slot)
			continue;
		again += __builtin_popcountll(slot->bits & bits);
		slot->bits &= ~bits;
	}
	return again;
}

/* The leaf that has page @index, made if it is not there; NULL without memory. */
static struct idmap_slot *leaf_of(struct pagecache *pc, struct page_file *file, u64 index)
{
	u32 before = file->leaves.nr;
	struct idmap_slot *slot = idmap_put(&file->leaves, index / LEAF + 1);

	pc->cost += file->leaves.nr - before;
	return slot;
}

static int go(struct pagecache *pc, const struct trace_file *id, u64 index, u64 left)
{
	bool full = pc->cost >= GONE_MAX;
	struct page_file *file = get_gone(pc, id, !full);
	u64 nr;

	if (!file && !full)
		return -ENOMEM;
	for (; left; left -= nr, index += nr) {
		u64 bits = bits_of(index, left, &nr);
		struct idmap_slot *slot;

		if (full && !(file && idmap_get(&file->leaves, index / LEAF + 1))) {
			report_add(&pc->unwatched, nr);
			continue;
		}
		slot = leaf_of(pc, file, index);
		if (!slot)
			return -ENOMEM;
		slot->bits |= bits;
		if (index / LEAF > file->last)
			file->last = index / LEAF;
	}
	return 0;
}

static void add_pages(struct page_count *to, const struct page_count *pages)
{
	report_add(&to->again, pages->again);
	report_add(&to->added, pages->added);
	report_add(&to->removed, pages->removed);
}

static int count(struct pagecache *pc, const struct trace_file *id, const struct world_item *it,
		 const struct page_count *pages)
{
	struct report_file *file = report_file_get(&pc->top.report.files, id);
	struct page_use *use = get_use(pc, id, it);

	if (!file || !use)
		return -ENOMEM;
	report_add(&file->again, pages->again);
	report_add(&file->added, pages->added);
	report_add(&file->removed, pages->removed);
	add_pages(&use->pages, pages);
	add_pages(&pc->all, pages);
	return 0;
}

static void on_page(void *data, const struct hook_ctx *ctx)
{
	const struct ovnik_page_add *rec = world_page(ctx->item);
	const struct trace_file id = {
		.dev = rec->dev, .generation = rec->generation, .ino = rec->ino,
	};
	struct page_count pages = { 0 };
	struct pagecache *pc = data;
	u64 index = world_page_of(pc->top.report.world, rec->offset), nr = world_pages(ctx->item);
	int ret = 0;

	if (ctx->position == WORLD_PAGE_ADD) {
		pages.added = nr;
		pages.again = come(pc, &id, index, nr);
	} else {
		pages.removed = nr;
		ret = go(pc, &id, index, nr);
	}
	if (!ret)
		ret = count(pc, &id, ctx->item, &pages);
	if (ret)
		hook_fail(ctx->domain, ret);
}

static void free_file(struct hash_node *node)
{
	struct page_file *file = container_of(node, struct page_file, node);

	idmap_free(&file->leaves);
	free(file);
}

static void forget(struct pagecache *pc, const struct trace_file *id)
{
	struct page_file *file = get_gone(pc, id, false);

	if (!file)
		return;
	hash_del(&pc->gone, &file->node);
	pc->cost -= file->leaves.nr + FILE_COST;
	free_file(&file->node);
}

/* Another file may get its number. */
static void on_delete(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_delete *rec = it->rec;
	const struct trace_file id = {
		.dev = rec->dev, .generation = rec->generation, .ino = rec->ino,
	};

	forget(data, &id);
}

/* Pages from @first on hold something else if they come again. */
static void cut(struct page_file *file, u64 first)
{
	u64 kept = (1ULL << first % LEAF) - 1;
	struct idmap_slot *slot = NULL;

	if (file->last < first / LEAF)
		return;
	while ((slot = idmap_next(&file->leaves, slot))) {
		if (slot->key > first / LEAF)
			slot->bits &= slot->key == first / LEAF + 1 ? kept : 0;
	}
	file->last = first / LEAF;
}

static void on_truncate(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_truncate *rec = it->rec;
	const struct trace_file id = {
		.dev = rec->dev, .generation = rec->generation, .ino = rec->ino,
	};
	struct pagecache *pc = data;
	struct page_file *file = get_gone(pc, &id, false);

	if (!rec->length)
		forget(pc, &id);
	else if (file)
		cut(file, world_page_of(pc->top.report.world, rec->length - 1) + 1);
}

static void on_thread(void *data, const struct hook_ctx *ctx)
{
	const struct trace_task *task = ctx->item;
	struct pagecache *pc = data;
	struct idmap_slot *slot;

	if (task->kind != TASKS_THREAD || !task->tid)
		return;
	slot = idmap_put(&pc->threads, task->tid);
	if (slot)
		slot->bits = task->id;
	else
		hook_fail(ctx->domain, -ENOMEM);
}

int pagecache_attach_tasks(struct pagecache *pc, struct hookable *tasks)
{
	static const struct hook_use hooks[] = {
		{ WORLD_PAGE_ADD, on_page },
		{ WORLD_PAGE_REMOVE, on_page },
		{ WORLD_FILE_DELETE, on_delete },
		{ WORLD_FILE_TRUNCATE, on_truncate },
	};
	struct hookable *world = &pc->top.report.world->hooks;

	pc->top.by = TOP_BY_THREAD;
	pc->top.report.files.pages = true;
	return top_attach_tasks(&pc->top, tasks) ?: hash_init(&pc->gone) ?: hash_init(&pc->uses) ?:
	       hook_attach_all(world, hooks, ARRAY_SIZE(hooks), pc) ?:
	       hook_attach(tasks, TASKS_AT_START, on_thread, pc);
}

static int compare(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;

	return compare_u64(x->recorder, y->recorder) ?:
	       compare_u64(y->pages.again, x->pages.again) ?:
	       compare_u64(y->pages.removed, x->pages.removed) ?:
	       compare_u64(y->pages.added, x->pages.added) ?:
	       compare_u64(x->number, y->number);
}

static struct page_row *sorted(const struct pagecache *pc, struct page_row *rows, size_t nr)
{
	size_t i;

	for (i = 0; rows && pc->partial && i < nr; i++)
		rows[i].pages.again = 0;
	if (rows)
		qsort(rows, nr, sizeof(*rows), compare);
	return rows;
}

struct page_row *pagecache_files(const struct pagecache *pc, size_t *nr)
{
	struct report_file **list = report_files_sorted(&pc->top.report.files, false, nr);
	struct page_row *rows = list ? calloc(*nr + 1, sizeof(*rows)) : NULL;
	size_t i;

	for (i = 0; rows && i < *nr; i++) {
		const struct report_file *file = list[i];

		rows[i].number = i;
		rows[i].pages = (struct page_count){ file->again, file->added, file->removed };
		rows[i].io = file->io;
		rows[i].id = file->id;
		rows[i].file = file;
	}
	free(list);
	return sorted(pc, rows, *nr);
}

static const struct top_row *thread_of(const struct pagecache *pc, const struct page_use *use)
{
	return idmap_ptr(&pc->top.rows, use->thread);
}

/* Who is not known has the number 0. */
struct page_row *pagecache_processes(const struct pagecache *pc, size_t *nr)
{
	size_t i, known = pc->top.report.processes.nr;
	struct page_row *rows = calloc(known + 1, sizeof(*rows));
	struct idmap_slot *slot = NULL;
	struct hash_node *node = NULL;

	while (rows && (slot = idmap_next(&pc->top.report.processes, slot))) {
		const struct report_process *process = slot->ptr;
		struct page_row *row = &rows[process->number];

		row->number = process->number;
		row->pid = process->pid;
		row->io = process->sum.io;
		row->recorder = process->recorder;
		memcpy(row->name, process->name, sizeof(process->name));
	}
	while (rows && (node = hash_walk(&pc->uses, node))) {
		const struct page_use *use = container_of(node, struct page_use, node);
		const struct top_row *thread = thread_of(pc, use);

		i = thread && thread->process ? thread->process->number : 0;
		add_pages(&rows[i].pages, &use->pages);
	}
	*nr = known + 1;
	return sorted(pc, rows, *nr);
}

struct page_row *pagecache_uses(const struct pagecache *pc, size_t *nr)
{
	struct page_row *rows = calloc(pc->uses.nr + 1, sizeof(*rows)), *row = rows;
	struct hash_node *node = NULL;

	while (rows && (node = hash_walk(&pc->uses, node))) {
		const struct page_use *use = container_of(node, struct page_use, node);
		const struct top_row *thread = thread_of(pc, use);

		row->number = use->number;
		row->pages = use->pages;
		row->cpu = use->cpu;
		row->id = use->id;
		row->file = report_file_find(&pc->top.report.files, &use->id);
		if (thread) {
			row->tid = thread->id;
			row->pid = thread->process ? thread->process->pid : 0;
			memcpy(row->name, thread->name, sizeof(row->name));
		}
		row++;
	}
	*nr = pc->uses.nr;
	return sorted(pc, rows, *nr);
}

static void free_use(struct hash_node *node)
{
	free(container_of(node, struct page_use, node));
}

void pagecache_free(struct pagecache *pc)
{
	hash_destroy(&pc->gone, free_file);
	hash_destroy(&pc->uses, free_use);
	idmap_free(&pc->threads);
	top_free(&pc->top);
}
