// SPDX-License-Identifier: GPL-2.0-only
/* Laplace's lines of tasks and files. */
#include "output/laplace/line.h"

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
	end_shared(l, laplace_name(p, rec->filename));
}

static void put_open(struct laplace *l, const struct world_item *it, u64 ino, u32 dev,
		     const char *path)
{
	struct file *o = own(l, it);
	char *p = begin(l, o, '(', it->tsc);

	p = field32(p, it->task->tid);
	p = inode(p, ino, dev);
	end(o, laplace_name(p, path));
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

/* Calls that failed or transferred no bytes are left out. */
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

int laplace_attach_hooks(struct laplace *l, struct world *w)
{
	static const struct laplace_hook hooks[] = {
		{ WORLD_SCHED_SWITCH, on_switch },
		{ WORLD_TASK_NEW, on_fork },
		{ WORLD_TASK_EXIT, on_exit_begin },
		{ WORLD_TASK_EXEC, on_exec },
		{ WORLD_FILE_OPEN, on_open },
		{ WORLD_FILE_DUMP, on_dump_file },
		{ WORLD_FILE_CLOSE, on_close },
		{ WORLD_IO_READ, on_read },
		{ WORLD_IO_WRITE, on_write },
		{ WORLD_FILE_DELETE, on_delete },
	};
	int ret;

	ret = laplace_attach(l, w, hooks, ARRAY_SIZE(hooks));
	if (!ret)
		ret = laplace_attach_memory(l, w);
	return ret ? ret : laplace_attach_gaps(l, w);
}
