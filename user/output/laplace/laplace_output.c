// SPDX-License-Identifier: GPL-2.0-only
/* Laplace's trace as an output: its options, files, beginning, lines of tasks and files, end. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/laplace/laplace.h"
#include "output/laplace/line.h"
#include "output/output.h"
#include "util/file.h"
#include "util/msg.h"

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

/* Write what the world reports. */
static int laplace_attach_hooks(struct laplace *l, struct world *w)
{
	static const struct hook_use hooks[] = {
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

	ret = hook_attach_all(&w->hooks, hooks, ARRAY_SIZE(hooks), l);
	if (!ret)
		ret = laplace_attach_memory(l, w);
	return ret ? ret : laplace_attach_gaps(l, w);
}

#define OPT_SPLIT	256

static const struct argp_option options[] = {
	{ "laplace-split", OPT_SPLIT, "HOW", 0,
	  "Write a Laplace trace for each CPU; HOW is: cpu", 0 },
	{ 0 }
};

static error_t parse(struct output_use *use, int key, const char *arg, struct argp_state *state)
{
	struct laplace *l = use->data;

	if (key != OPT_SPLIT)
		return ARGP_ERR_UNKNOWN;
	if (strcmp(arg, "cpu"))
		argp_error(state, "Laplace traces are split by cpu, not by \"%s\"", arg);
	l->split = true;
	return 0;
}

static bool owns(const char *name)
{
	return !strcmp(name, "laplace.txt") || !strcmp(name, "laplace.txt.lost") ||
	       text_is_numbered(name, "laplace.cpu", ".txt");
}

/* @nr: of the CPU; -1: for all; @of: so many files */
static int open_file(struct laplace *l, struct laplace_file *file, const char *dir, int nr, u32 of)
{
	char path[PATH_MAX];

	if (nr < 0)
		snprintf(path, sizeof(path), "%s/laplace.txt", dir);
	else
		snprintf(path, sizeof(path), "%s/laplace.cpu%d.txt", dir, nr);
	return file_open_one_of(&file->out, path, l->error, of);
}

/* The CPUs are sorted by number; there may be none. */
static int open_files(struct laplace *l, const struct world *w, const char *dir)
{
	u32 last = w->nr_cpus ? w->cpus[w->nr_cpus - 1].nr : 0;
	unsigned int i, nr = l->split && w->nr_cpus ? w->nr_cpus : 1;
	int ret = 0;

	l->files = calloc(nr, sizeof(*l->files));
	l->by_cpu = calloc((size_t)last + 1, sizeof(struct laplace_file *));
	if (!l->files || !l->by_cpu)
		return -ENOMEM;
	for (i = 0; i < w->nr_cpus; i++)
		l->by_cpu[w->cpus[i].nr] = &l->files[nr > 1 ? i : 0];
	for (i = 0; i < nr && !ret; i++) {
		l->nr_files++;
		ret = open_file(l, &l->files[i], dir,
				l->split && w->nr_cpus ? (int)w->cpus[i].nr : -1, nr);
	}
	return ret;
}

/*
 * With a trace per CPU, events of one CPU are in its trace only; changes of tasks, address spaces,
 * page cache and files, which concern all CPUs, are in every trace.
 */
int laplace_attach(struct laplace *l, struct world *w, const char *out)
{
	int ret;

	l->lost.fd = -1;
	l->error = &w->hooks.error;
	if (asprintf(&l->lost_path, "%s/laplace.txt.lost", out) < 0) {
		l->lost_path = NULL;
		return -ENOMEM;
	}
	ret = open_files(l, w, out);
	if (ret)
		return ret;
	/* A file left by an earlier run would look as if this one had lost events. */
	if (remove(l->lost_path) && errno != ENOENT)
		return report_error(l->lost_path, "cannot remove", errno);
	return laplace_attach_hooks(l, w);
}

static int attach(void *data, const struct output_env *env)
{
	return laplace_attach(data, env->world, env->out);
}

/* Only a complete trace gets the end marker. */
static void end_trace(struct laplace_file *file)
{
	char *p = file_room(&file->out);

	*p++ = 'c';
	*p++ = '\n';
	file_done(&file->out, p);
}

int laplace_finish(struct laplace *l, const struct capture *cap)
{
	int ret = 0, error;
	unsigned int i;

	if (l->unplaced)
		msg_info("Laplace: %llu change%s of address spaces without a known task or page directory left out",
			 l->unplaced, l->unplaced == 1 ? "" : "s");
	for (i = 0; i < l->nr_files; i++) {
		if (!capture_damages(cap) && !l->files[i].incomplete)
			end_trace(&l->files[i]);
		error = file_close(&l->files[i].out);
		ret = ret ? ret : error;
	}
	error = file_close(&l->lost);
	return ret ? ret : error;
}

static int finish(void *data, const struct output_env *env)
{
	return laplace_finish(data, env->cap);
}

void laplace_close(struct laplace *l)
{
	unsigned int i;

	for (i = 0; i < l->nr_files; i++)
		file_close(&l->files[i].out);
	file_close(&l->lost);
	free(l->files);
	free(l->by_cpu);
	free(l->lost_path);
	memset(l, 0, sizeof(*l));
}

static void close_output(void *data)
{
	laplace_close(data);
}

DEFINE_OUTPUT(laplace) = {
	.name = "laplace",
	.sentence = "a raw kernel trace as Laplace writes it: laplace.txt",
	.flags = OUTPUT_FILES | OUTPUT_DEFAULT,
	.size = sizeof(struct laplace),
	.options = options,
	.parse = parse,
	.owns = owns,
	.attach = attach,
	.finish = finish,
	.close = close_output,
};
