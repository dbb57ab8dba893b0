// SPDX-License-Identifier: GPL-2.0-only
/* Laplace's lines of address spaces and pages. */
#include "output/laplace/line.h"

static void put_assign(struct laplace *l, u64 tsc, u32 tid, u64 pgd)
{
	char *p;

	/* Neither are frames in a private capture, nor some with BPF. */
	if (!pgd)
		return;
	p = begin(l, shared(l), 'A', tsc);
	p = field32(p, tid);
	end_shared(l, field(p, pgd));
}

/*
 * The kind of the mapping decides the letter; a file mapping without a name is written as memory.
 */
static void put_map(struct laplace *l, u64 tsc, u32 tid, u64 start, u64 length,
		    const struct mm_attrs *what, const char *path)
{
	bool file = what->kind == MM_KIND_FILE && path;
	bool shm = what->kind == MM_KIND_SHM;
	char *p = begin(l, shared(l), file ? 'M' : shm ? 'S' : 'm', tsc);

	p = field32(p, tid);
	p = field(p, start);
	p = field(p, length);
	if (shm)
		p = field32(p, what->ino);
	if (file) {
		p = inode(p, what->ino, what->dev);
		p = field(p, what->offset);
		p = laplace_name(p, path);
	}
	end_shared(l, p);
}

/*
 * A line names an address space by a task that has it. If no task has it yet, the mappings are
 * written when one gets it; if no task has it any more, nothing is written.
 */
static bool placed(struct laplace *l, const struct world_item *it)
{
	if (it->owner)
		return true;
	l->unplaced += it->mm->assigned;
	return false;
}

static void put_range(struct laplace *l, const struct world_item *it)
{
	const struct world_range *range = it->range;

	if (placed(l, it))
		put_map(l, it->tsc, it->owner->tid, range->start, range->end - range->start,
			&range->what, range->path);
}

/* exec maps the new stack before the task gets the address space. */
static void put_made_before(struct laplace *l, const struct world_item *it)
{
	const struct mm_vma *vma;

	for (vma = mm_find(it->mm, 0); vma; vma = mm_find(it->mm, vma->end))
		put_map(l, it->tsc, it->task->tid, vma->start, vma->end - vma->start, &vma->what,
			NULL);
}

static void on_mm(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_mm *rec = it->rec;

	put_assign(data, it->tsc, rec->tid, rec->pgd);
	if (it->mm && it->fresh && rec->reason == OVNIK_MM_EXEC)
		put_made_before(data, it);
}

/* Tasks from before the capture have an address space, too; it is written once. */
static void on_dump(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_dump_task *rec = it->rec;

	if (it->moved)
		put_assign(data, it->tsc, rec->tid, rec->pgd);
}

static void on_dump_mm(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_dump_mm *rec = it->rec;

	if (it->moved)
		put_assign(data, it->tsc, rec->tid, rec->pgd);
}

static void on_mm_exit(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_mm_exit *rec = it->rec;
	struct laplace *l = data;
	char *p;

	if (!rec->pgd)
		return;
	p = begin(l, shared(l), 'u', it->tsc);
	end_shared(l, field(p, rec->pgd));
}

static void on_map(void *data, const struct hook_ctx *ctx)
{
	put_range(data, ctx->item);
}

static void on_unmap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct laplace *l = data;
	char *p;

	if (!placed(l, it))
		return;
	p = begin(l, shared(l), 'U', it->tsc);
	p = field32(p, it->owner->tid);
	p = field(p, it->range->start);
	end_shared(l, field(p, it->range->end - it->range->start));
}

/* A mapping that grew in place gets a line for the added part only. */
static void on_remap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_mremap *rec = it->rec;
	struct mm_attrs what = it->range->what;
	struct laplace *l = data;
	u64 kept;

	if (rec->start != rec->old_start) {
		put_range(l, it);
		return;
	}
	kept = rec->old_length & ~(l->page_size - 1);
	if (kept >= rec->length || !placed(l, it))
		return;
	what.offset += kept;
	put_map(l, it->tsc, it->owner->tid, rec->start + kept, rec->length - kept, &what,
		rec->path);
}

static void on_dup(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct laplace *l = data;
	char *p;

	/* The child gets an empty mapping: nothing is shared with the parent. */
	if (it->range->what.flags & OVNIK_VMA_WIPEONFORK) {
		put_range(l, it);
		return;
	}
	if (!it->source->pgd || !it->mm->pgd) {
		l->unplaced++;
		return;
	}
	p = begin(l, shared(l), 'D', it->tsc);
	p = field(p, it->source->pgd);
	p = field(p, it->mm->pgd);
	p = field(p, it->range->start);
	end_shared(l, field(p, it->range->end));
}

static void on_cow(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_cow_break *rec = it->rec;
	struct laplace *l = data;
	char *p;

	if (rec->address == OVNIK_NO_ADDRESS)
		return;
	/* Mappings are written again when a task gets the address space; this line is not. */
	if (!it->owner) {
		l->unplaced++;
		return;
	}
	p = begin(l, shared(l), 'C', it->tsc);
	p = field32(p, it->owner->tid);
	end_shared(l, field(p, rec->address & ~(l->page_size - 1)));
}

/* Write a line per page of a folio. */
static void put_pages(struct laplace *l, const struct world_item *it, char letter, u64 pfn,
		      u16 order)
{
	u64 last = pfn + (1ULL << order);

	if (pfn == OVNIK_NO_FRAME)
		return;
	for (; pfn < last; pfn++)
		end_shared(l, field(begin(l, shared(l), letter, it->tsc), pfn * l->page_size));
}

static void on_page_add(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_add *rec = it->rec;
	struct laplace *l = data;
	u64 i;

	if (rec->pfn == OVNIK_NO_FRAME)
		return;
	for (i = 0; i < 1ULL << rec->order; i++) {
		char *p = begin(l, shared(l), 'P', it->tsc);

		p = field(p, (rec->pfn + i) * l->page_size);
		p = inode(p, rec->ino, rec->dev);
		end_shared(l, field(p, rec->offset + i * l->page_size));
	}
}

static void on_page_remove(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_remove *rec = it->rec;

	put_pages(data, it, 'p', rec->pfn, rec->order);
}

static void on_buffer_add(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_buffer_add *rec = it->rec;

	put_pages(data, it, 'B', rec->pfn, rec->order);
}

static void on_buffer_remove(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_buffer_remove *rec = it->rec;

	put_pages(data, it, 'b', rec->pfn, rec->order);
}

int laplace_attach_memory(struct laplace *l, struct world *w)
{
	static const struct hook_use hooks[] = {
		{ WORLD_MM_ASSIGN, on_mm },
		{ WORLD_TASK_DUMP, on_dump },
		{ WORLD_MM_DUMP, on_dump_mm },
		{ WORLD_MM_EXIT, on_mm_exit },
		{ WORLD_MM_MAP, on_map },
		{ WORLD_VMA_DUMP, on_map },
		{ WORLD_MM_UNMAP, on_unmap },
		{ WORLD_MM_REMAP, on_remap },
		{ WORLD_MM_DUP, on_dup },
		{ WORLD_COW_BREAK, on_cow },
		{ WORLD_PAGE_ADD, on_page_add },
		{ WORLD_PAGE_REMOVE, on_page_remove },
		{ WORLD_BUFFER_ADD, on_buffer_add },
		{ WORLD_BUFFER_REMOVE, on_buffer_remove },
	};

	l->page_size = world_page_size(w);
	return hook_attach_all(&w->hooks, hooks, ARRAY_SIZE(hooks), l);
}
