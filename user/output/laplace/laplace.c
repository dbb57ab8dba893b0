// SPDX-License-Identifier: GPL-2.0-only
/*
 * Laplace's raw kernel trace: a letter, the raw TSC (or what else the capture is
 * stamped with), and what happened, all numbers in hex. What cannot be said in it,
 * losses, goes to a file beside it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/hex.h"
#include "output/laplace/laplace.h"
#include "util/msg.h"

#define PAGE_SHIFT	12
#define PAGE_BYTES	(1ULL << PAGE_SHIFT)

/*
 * Some events belong to one CPU and are in its trace. The others change
 * what all CPUs share and are in all traces: first written into one of them,
 * then copied. One trace for all is the case of nothing to copy.
 */
static inline struct file *own(const struct laplace *l, const struct world_item *it)
{
	return &l->by_cpu[it->cpu]->out;
}

static inline struct file *shared(const struct laplace *l)
{
	return &l->files[0].out;
}

/* The upper half of the TSC changes every second or so: it is kept as text. */
static void keep_high(struct laplace *l, u32 high)
{
	l->high = (u64)high + 1;
	l->high_len = hex_put32(l->high_text, high) - l->high_text;
}

static inline char *begin(struct laplace *l, struct file *o, char letter, u64 tsc)
{
	char *p = file_room(o);

	*p++ = letter;
	*p++ = ' ';
	if (unlikely(!(tsc >> 32)))
		return hex_put(p, tsc);
	if (unlikely((tsc >> 32) + 1 != l->high))
		keep_high(l, tsc >> 32);
	memcpy(p, l->high_text, sizeof(l->high_text));
	return hex_put8(p + l->high_len, tsc);
}

static inline char *field32(char *p, u32 value)
{
	*p++ = ' ';
	return hex_put32(p, value);
}

static inline char *field(char *p, u64 value)
{
	*p++ = ' ';
	return hex_put(p, value);
}

static inline char *inode(char *p, u64 ino, u32 dev)
{
	p = field(p, ino);
	p = field32(p, OVNIK_DEV_MAJOR(dev));
	return field32(p, OVNIK_DEV_MINOR(dev));
}

static inline void end(struct file *o, char *p)
{
	*p++ = '\n';
	file_done(o, p);
}

static void copy_to_others(struct laplace *l, const char *line, size_t len)
{
	unsigned int i;

	for (i = 1; i < l->nr_files; i++) {
		struct file *o = &l->files[i].out;
		char *p = file_room(o);

		memcpy(p, line, len);
		file_done(o, p + len);
	}
}

static inline void end_shared(struct laplace *l, char *p)
{
	struct file *o = shared(l);
	const char *line = o->buf + o->len;

	end(o, p);
	if (unlikely(l->nr_files > 1))
		copy_to_others(l, line, o->buf + o->len - line);
}

/* The rest of a line is a name, so a name must not end it. */
static char *name(char *p, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *c;

	*p++ = ' ';
	for (c = (const unsigned char *)text; *c; c++) {
		if (*c >= ' ' && *c != '\\' && *c != 0x7f) {
			*p++ = *c;
			continue;
		}
		*p++ = '\\';
		*p++ = 'x';
		*p++ = digits[*c >> 4];
		*p++ = digits[*c & 15];
	}
	return p;
}

static void on_switch(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_sched_switch *rec = it->rec;
	struct laplace *l = data;
	struct file *o = own(l, it);
	char *p = begin(l, o, 's', it->tsc);

	end(o, field32(p, rec->next_tid));
}

static void on_fork(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_fork *rec = it->rec;
	struct laplace *l = data;
	char *p = begin(l, shared(l), 'F', it->tsc);

	p = field32(p, rec->parent_tid);
	end_shared(l, field32(p, rec->child_tid));
}

static void on_exit_begin(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exit *rec = it->rec;
	struct laplace *l = data;
	char *p = begin(l, shared(l), 'T', it->tsc);

	end_shared(l, field32(p, rec->tid));
}

static void on_exec(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exec *rec = it->rec;
	struct laplace *l = data;
	char *p = begin(l, shared(l), 'X', it->tsc);

	p = field32(p, rec->tid);
	p = inode(p, rec->ino, rec->dev);
	end_shared(l, name(p, rec->filename));
}

static void put_assign(struct laplace *l, u64 tsc, u32 tid, u64 pgd)
{
	char *p = begin(l, shared(l), 'A', tsc);

	p = field32(p, tid);
	end_shared(l, field(p, pgd));
}

/* Its kind decides the letter; what has a file but no name is memory as well. */
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
		p = name(p, path);
	}
	end_shared(l, p);
}

/*
 * A line with a task means that task's address space. Of one that no task has yet
 * will be told when one gets it; of one that none has any more nothing is.
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

/* An image's stack is made before the image gets the task: exec has begun then. */
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

/* What existed before the capture has an address space, too; said once. */
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
	char *p = begin(l, shared(l), 'u', it->tsc);

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

/* Where it has grown in place only what came is new. */
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
	kept = rec->old_length & ~(PAGE_BYTES - 1);
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

	/* Nothing of it is the parent's. */
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

	/* Unlike mappings, it is not written again when a task gets the address space. */
	if (!it->owner) {
		l->unplaced++;
		return;
	}
	p = begin(l, shared(l), 'C', it->tsc);
	p = field32(p, it->owner->tid);
	end_shared(l, field(p, rec->address & ~(PAGE_BYTES - 1)));
}

/* @letter with the address of each page of a folio. */
static void put_pages(struct laplace *l, const struct world_item *it, char letter, u64 pfn,
		      u16 order)
{
	u64 last = pfn + (1ULL << order);

	for (; pfn < last; pfn++)
		end_shared(l, field(begin(l, shared(l), letter, it->tsc), pfn << PAGE_SHIFT));
}

static void on_page_add(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_page_add *rec = it->rec;
	struct laplace *l = data;
	u64 i;

	for (i = 0; i < 1ULL << rec->order; i++) {
		char *p = begin(l, shared(l), 'P', it->tsc);

		p = field(p, (rec->pfn + i) << PAGE_SHIFT);
		p = inode(p, rec->ino, rec->dev);
		end_shared(l, field(p, rec->offset + (i << PAGE_SHIFT)));
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

static void put_open(struct laplace *l, const struct world_item *it, u64 ino, u32 dev,
		     const char *path)
{
	struct file *o = own(l, it);
	char *p = begin(l, o, '(', it->tsc);

	p = field32(p, it->task->tid);
	p = inode(p, ino, dev);
	end(o, name(p, path));
}

static void on_open(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_open *rec = it->rec;

	put_open(data, it, rec->ino, rec->dev, rec->path);
}

static void on_dump_file(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_dump_file *rec = it->rec;

	put_open(data, it, rec->ino, rec->dev, rec->path);
}

static void on_close(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_close *rec = it->rec;
	struct laplace *l = data;
	struct file *o = own(l, it);
	char *p = begin(l, o, ')', it->tsc);

	p = field32(p, it->task->tid);
	end(o, inode(p, rec->ino, rec->dev));
}

/* What failed, or moved nothing, has read and written no byte of a file. */
static inline void put_io(struct laplace *l, const struct world_item *it, char letter, u64 ino,
			  u32 dev, u64 offset, u32 result)
{
	struct file *o = own(l, it);
	char *p;

	if ((s32)result <= 0)
		return;
	p = begin(l, o, letter, it->tsc);
	p = field32(p, it->task->tid);
	p = inode(p, ino, dev);
	p = field(p, offset);
	end(o, field32(p, result));
}

static void on_read(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_read *rec = it->rec;

	put_io(data, it, '<', rec->ino, rec->dev, rec->offset, rec->result);
}

static void on_write(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_write *rec = it->rec;

	put_io(data, it, '>', rec->ino, rec->dev, rec->offset, rec->result);
}

static void on_delete(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_file_delete *rec = it->rec;
	struct laplace *l = data;

	end_shared(l, inode(begin(l, shared(l), '-', it->tsc), rec->ino, rec->dev));
}

/* Records that are only in the trace of their CPU. */
static bool is_own(unsigned int event)
{
	switch (event) {
	case OVNIK_EV_sched_switch:
	case OVNIK_EV_file_open:
	case OVNIK_EV_dump_file:
	case OVNIK_EV_file_close:
	case OVNIK_EV_file_read:
	case OVNIK_EV_file_write:
		return true;
	}
	return false;
}

static bool others_concerned(const struct capture_gap *gap)
{
	unsigned int i;

	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (gap->lost[i] && !is_own(i))
			return true;
	}
	return gap->other || !gap->exact;
}

static void note_incomplete(struct laplace *l, const struct capture_gap *gap)
{
	bool all = others_concerned(gap);
	unsigned int i;

	for (i = 0; i < l->nr_files; i++) {
		if (all || l->by_cpu[gap->cpu] == &l->files[i])
			l->files[i].incomplete = true;
	}
}

/* cpu from to causes event=n... [unknown=?]; numbers as in the trace: hex. */
static void on_gap(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct capture_gap *gap = it->gap;
	struct laplace *l = data;
	char causes[GAP_CAUSES_TEXT];
	unsigned int i;
	char *p;

	note_incomplete(l, gap);
	if (!l->lost.path && file_open(&l->lost, l->lost_path, l->error)) {
		hook_fail(ctx->domain, l->lost.error ? l->lost.error : -ENOMEM);
		return;
	}
	if (l->lost.error)
		return;
	p = file_room(&l->lost);
	p += sprintf(p, "%x %llx %llx %s", gap->cpu, gap->from, gap->to,
		     capture_gap_causes(causes, gap->causes, ","));
	for (i = 1; i < OVNIK_NR_EVENTS; i++) {
		if (gap->lost[i])
			p += sprintf(p, " %s=%llx", event_name(i), gap->lost[i]);
	}
	if (gap->other)
		p += sprintf(p, " other=%llx", gap->other);
	if (!gap->exact)
		p += sprintf(p, " unknown=?");
	end(&l->lost, p);
	l->gaps++;
}

int laplace_attach_hooks(struct laplace *l, struct world *w)
{
	static const struct {
		enum world_position position;
		hook_fn fn;
	} hooks[] = {
		{ WORLD_SCHED_SWITCH, on_switch },
		{ WORLD_TASK_NEW, on_fork },
		{ WORLD_TASK_EXIT, on_exit_begin },
		{ WORLD_TASK_EXEC, on_exec },
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
		{ WORLD_FILE_OPEN, on_open },
		{ WORLD_FILE_DUMP, on_dump_file },
		{ WORLD_FILE_CLOSE, on_close },
		{ WORLD_IO_READ, on_read },
		{ WORLD_IO_WRITE, on_write },
		{ WORLD_FILE_DELETE, on_delete },
		{ WORLD_GAP_BEGIN, on_gap },
	};
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(hooks) && !ret; i++)
		ret = hook_attach(&w->hooks, hooks[i].position, hooks[i].fn, l);
	return ret;
}
