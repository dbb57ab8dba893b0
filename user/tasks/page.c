// SPDX-License-Identifier: GPL-2.0-only
/*
 * The page cache: a task is the pages that one record added, possibly many at once.
 * It ends when the last of them is removed: they may go, and come back, one by one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tasks/thread_state.h"
#include "world/sight.h"

#define WHAT_MAX	64

/**
 * struct tasks_page - Pages that were added together.
 * @link: in the list of those whose end will be recorded, or of the others
 * @node: in the table, by file and first page
 * @file: their file; ino 0: a block device
 * @index: of the first page
 * @order: 2^order pages
 * @left: how many are still there
 * @gone: a bit for each removed one; NULL: none was removed
 * @uncertain: since when their end may be among missing events; 0: not
 * @id: of the task, like the fields after it
 */
struct tasks_page {
	LIST_ENTRY(tasks_page) link;
	struct hash_node node;
	struct trace_file file;
	u64 index;
	u16 order;
	u16 flags;
	u32 left;
	u64 *gone;
	u64 uncertain;
	u64 id;
	u64 parent;
	u64 start;
	u64 tgid_task;
	u64 thread_task;
	u32 cpu;
	u32 pid;
	u32 tid;
	const struct tasks_place *place;
};

/* Where pages are, from a record. */
struct where {
	struct trace_file file;
	u64 index;
	u32 order;
};

static u64 hash_page(const struct tasks *t, const struct trace_file *file, u64 index)
{
	u64 of = file->ino * 0x9e3779b97f4a7c15ULL + ((u64)file->dev << 32 | file->generation);

	return hash_of(&t->pages, of, index);
}

static bool has(const struct tasks_page *page, u64 index)
{
	u64 nr = index - page->index;

	return nr < 1ULL << page->order && !(page->gone && page->gone[nr / 64] >> nr % 64 & 1);
}

/* The pages that were added with a page, if @first is the first of them. */
static struct tasks_page *find_at(const struct tasks *t, const struct trace_file *file, u64 first,
				  u64 index)
{
	struct hash_node *node;

	node = hash_first(&t->pages, hash_page(t, file, first));
	for (; node; node = hash_next(node)) {
		struct tasks_page *page = container_of(node, struct tasks_page, node);

		if (page->index == first && page->file.ino == file->ino &&
		    page->file.dev == file->dev && page->file.generation == file->generation &&
		    has(page, index))
			return page;
	}
	return NULL;
}

/* The pages that were added with a page: the index of the first is a multiple of their number. */
static struct tasks_page *find(const struct tasks *t, const struct trace_file *file, u64 index)
{
	u32 orders = t->page_orders;

	while (orders) {
		u32 order = __builtin_ctz(orders);
		struct tasks_page *page = find_at(t, file, index >> order << order, index);

		if (page)
			return page;
		orders &= orders - 1;
	}
	return NULL;
}

static char *put(char *p, u64 n)
{
	char digits[20];
	u32 nr = 0;

	do {
		digits[nr++] = '0' + n % 10;
		n /= 10;
	} while (n);
	while (nr)
		*p++ = digits[--nr];
	return p;
}

/* Runs for each page, so printf() would be most of the cost. */
static void put_what(char *what, const struct tasks_page *page, u64 page_size)
{
	char *p = page->file.ino ? put(what, page->file.ino) : stpcpy(what, "device");

	*p++ = ':';
	*put(p, page->index * page_size) = '\0';
}

static void emit(struct tasks *t, struct tasks_page *page, enum tasks_position position, u64 ns,
		 u16 flags)
{
	const u64 page_size = world_page_size(t->world);
	char what[WHAT_MAX];
	struct trace_task task = {
		.id = page->id, .parent = page->parent, .start = page->start, .end = ns,
		.kind = TASKS_PAGE, .flags = page->flags | flags, .cpu = page->cpu,
		.pid = page->pid, .tid = page->tid, .tgid_task = page->tgid_task,
		.thread_task = page->thread_task, .bytes = page_size << page->order,
		.file = page->file, .what = what,
		.where = page->place ? page->place->name : "?",
		.where_id = page->place ? page->place->id : 0,
	};

	if (!hook_wanted(&t->hooks, position))
		return;
	put_what(what, page, page_size);
	hook_invoke(&t->hooks, position, &task);
}

static void end_page(struct tasks *t, struct tasks_page *page, u64 ns, u16 flags)
{
	emit(t, page, TASKS_AT_END, ns, flags);
	hash_del(&t->pages, &page->node);
	LIST_REMOVE(page, link);
	free(page->gone);
	free(page);
}

/* A thread in a call or fault added them for that. */
static void brought(struct tasks *t, struct tasks_page *page, const struct world_item *it)
{
	struct tasks_thread *th = tasks_thread_of(t, it, it->task);
	const struct tasks_part *part = th ? tasks_part_of(th) : NULL;

	if (!th)
		return;
	page->pid = th->task.pid;
	page->tid = th->task.tid;
	page->tgid_task = th->process->task.id;
	page->thread_task = th->task.id;
	if (part)
		page->parent = tasks_is_reported(t, &part->task) ? part->task.id :
								   part->task.parent;
}

static struct tasks_page *begin_page(struct tasks *t, const struct where *at, u16 flags,
				     const struct world_item *it)
{
	struct tasks_page *page = calloc(1, sizeof(*page));
	struct trace_task task = { .kind = TASKS_PAGE };

	if (!page) {
		tasks_fail(t, -ENOMEM);
		return NULL;
	}
	page->file = at->file;
	page->index = at->index;
	page->order = at->order;
	page->left = 1U << at->order;
	page->flags = flags;
	page->start = it->ns;
	page->cpu = it->cpu;
	page->place = tasks_place(t, &task, TASKS_PAGE, OVNIK_DEV_MAJOR(at->file.dev),
				  OVNIK_DEV_MINOR(at->file.dev));
	page->id = ++t->next_id;
	if (!flags)
		brought(t, page, it);
	hash_add(&t->pages, &page->node, hash_page(t, &at->file, at->index));
	LIST_INSERT_HEAD(&t->cached, page, link);
	t->page_orders |= 1U << at->order;
	emit(t, page, TASKS_AT_START, 0, 0);
	return page;
}

/* One of the pages that were added together is removed. */
static void drop(struct tasks *t, struct tasks_page *page, u64 index, bool said, u64 ns)
{
	u64 nr = index - page->index;

	if (--page->left) {
		if (!page->gone)
			page->gone = calloc(((1ULL << page->order) + 63) / 64, sizeof(u64));
		if (page->gone)
			page->gone[nr / 64] |= 1ULL << nr % 64;
		else
			tasks_fail(t, -ENOMEM);
		return;
	}
	if (page->uncertain && !said)
		end_page(t, page, page->uncertain, TRACE_UNCERTAIN);
	else
		end_page(t, page, ns, 0);
}

/* Return: how many of these pages were there. @said: a record says that they were removed. */
static u32 drop_all(struct tasks *t, const struct where *at, bool said, u64 ns)
{
	u32 nr = 1U << at->order, known = 0, i;

	for (i = 0; i < nr; i++) {
		struct tasks_page *page = find(t, &at->file, at->index + i);

		if (!page)
			continue;
		drop(t, page, at->index + i, said, ns);
		known++;
	}
	return known;
}

/* Pages that are there already were removed without a record. */
static void add(struct tasks *t, const struct where *at, const struct world_item *it)
{
	drop_all(t, at, false, it->ns);
	begin_page(t, at, 0, it);
}

/* They may be part of one task's pages, or pages of several tasks. */
static void remove_pages(struct tasks *t, const struct where *at, const struct world_item *it)
{
	struct tasks_page *page;

	if (drop_all(t, at, true, it->ns))
		return;
	page = begin_page(t, at, TRACE_EARLY, it);
	if (page)
		end_page(t, page, it->ns, 0);
}

#define PAGES_OF(t, rec) {						\
	.file = FILE_OF(rec),						\
	.index = world_page_of((t)->world, (rec)->offset), .order = (rec)->order, \
}

#define BLOCKS_OF(t, rec) {						\
	.file = { .dev = (rec)->dev },					\
	.index = world_page_of((t)->world, (rec)->offset), .order = (rec)->order, \
}

static void on_add(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_add *rec = it->rec;
	struct tasks *t = data;
	const struct where at = PAGES_OF(t, rec);

	add(t, &at, it);
}

static void on_remove(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_remove *rec = it->rec;
	struct tasks *t = data;
	const struct where at = PAGES_OF(t, rec);

	remove_pages(t, &at, it);
}

static void on_buffer_add(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_buffer_add *rec = it->rec;
	struct tasks *t = data;
	const struct where at = BLOCKS_OF(t, rec);

	add(t, &at, it);
}

static void on_buffer_remove(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_buffer_remove *rec = it->rec;
	struct tasks *t = data;
	const struct where at = BLOCKS_OF(t, rec);

	remove_pages(t, &at, it);
}

/* From now on, the end of any page may be missing. */
static void on_gap_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_page *page;

	if (!sight_hides(it->gap, EV_BIT(page_remove) | EV_BIT(buffer_remove)))
		return;
	while ((page = LIST_FIRST(&t->cached))) {
		LIST_REMOVE(page, link);
		LIST_INSERT_HEAD(&t->perhaps_cached, page, link);
		page->uncertain = it->ns;
	}
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct tasks_page *page;

	while ((page = LIST_FIRST(&t->cached)))
		end_page(t, page, it->ns, TRACE_OPEN);
	while ((page = LIST_FIRST(&t->perhaps_cached)))
		end_page(t, page, page->uncertain, TRACE_UNCERTAIN);
}

int tasks_page_attach(struct tasks *t)
{
	static const struct tasks_hook hooks[] = {
		{ WORLD_PAGE_ADD, on_add, KIND_BIT(PAGE) },
		{ WORLD_PAGE_REMOVE, on_remove, KIND_BIT(PAGE) },
		{ WORLD_BUFFER_ADD, on_buffer_add, KIND_BIT(PAGE) },
		{ WORLD_BUFFER_REMOVE, on_buffer_remove, KIND_BIT(PAGE) },
		{ WORLD_GAP_BEGIN, on_gap_begin, KIND_BIT(PAGE) },
		{ WORLD_CAPTURE_END, on_end, KIND_BIT(PAGE) },
	};
	int ret = hash_init(&t->pages);

	LIST_INIT(&t->cached);
	LIST_INIT(&t->perhaps_cached);
	return ret ? ret : tasks_attach(t, hooks, ARRAY_SIZE(hooks));
}

static void free_page(struct hash_node *node)
{
	struct tasks_page *page = container_of(node, struct tasks_page, node);

	free(page->gone);
	free(page);
}

void tasks_page_destroy(struct tasks *t)
{
	hash_destroy(&t->pages, free_page);
}
