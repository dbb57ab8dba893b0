// SPDX-License-Identifier: GPL-2.0-only
/* Laplace's merge by processes. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tasks.h"
#include "util/hex.h"
#include "util/msg.h"

#define ROOM		(32 << 10)	/* bytes of a task that are not written yet */
#define LINE_MAX_REF	64

/* There may be more of them than files can be open. */
struct task_file {
	u32 tid;
	char *path;
	char *buf;
	size_t len;
	struct task_file *next;
};

static void fail(struct tasks *t, int error)
{
	if (!t->error)
		t->error = error;
}

static void flush(struct tasks *t, struct task_file *f)
{
	int fd, error;

	if (!f->len || t->error) {
		f->len = 0;
		return;
	}
	fd = open(f->path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
	error = fd < 0 ? errno : write_all(fd, f->buf, f->len);
	if (fd >= 0 && close(fd) && !error)
		error = errno;
	if (error)
		fail(t, report_error(f->path, "cannot write", error));
	f->len = 0;
}

/* NULL without memory. */
static char *room(struct tasks *t, struct task_file *f, size_t len)
{
	if (f->len + len > ROOM)
		flush(t, f);
	if (!f->buf)
		f->buf = malloc(ROOM);
	if (!f->buf)
		fail(t, msg_no_memory());
	return f->buf ? f->buf + f->len : NULL;
}

/* A number that the kernel gave again gets a file of its own, and a process a directory. */
static char *path_of(struct tasks *t, const struct world_task *task, u64 times)
{
	u32 pid = processes_pid(t->processes, task);
	u64 nr = processes_times(t->processes, pid);
	char dir[32], name[32], *path;

	if (!nr)
		return NULL;
	snprintf(dir, sizeof(dir), nr > 1 ? "%u-%llu" : "%u", pid, nr);
	snprintf(name, sizeof(name), times > 1 ? "%u-%llu" : "%u", task->tid, times);
	if (asprintf(&path, "%s/processes/%s", t->dir, dir) < 0)
		return NULL;
	if (mkdir(path, 0777) && errno != EEXIST)
		fail(t, report_error(path, "cannot make", errno));
	free(path);
	return asprintf(&path, "%s/processes/%s/%s.txt", t->dir, dir, name) < 0 ? NULL : path;
}

static struct task_file *new_file(struct tasks *t, const struct world_task *task)
{
	struct idmap_slot *slot = idmap_put(&t->by_tid, (u64)task->tid + 1);
	struct task_file *f = calloc(1, sizeof(*f));

	if (!slot || !f)
		goto out_free;
	f->tid = task->tid;
	f->path = path_of(t, task, ++slot->bits);
	if (!f->path || idmap_set(&t->by_id, (u64)task->id + 1, f))
		goto out_free;
	slot->ptr = f;
	f->next = t->all;
	t->all = f;
	return f;

out_free:
	if (f)
		free(f->path);
	free(f);
	fail(t, msg_no_memory());
	return NULL;
}

/* It may go on under another number, after an exec. */
static void leave(struct tasks *t, struct idmap_slot *slot)
{
	struct task_file *f = slot->ptr;

	idmap_del(&t->by_id, slot);
	flush(t, f);
	free(f->buf);
	f->buf = NULL;
}

/* NULL: of no task, or no memory */
static struct task_file *file_of(struct tasks *t, const struct world_task *task)
{
	struct idmap_slot *slot;
	struct task_file *f;

	if (!task || !task->tid)
		return NULL;
	slot = idmap_get(&t->by_id, (u64)task->id + 1);
	f = slot ? slot->ptr : NULL;
	if (f && f->tid == task->tid)
		return f;
	if (f)
		leave(t, slot);
	return new_file(t, task);
}

static struct task_file *file_of_tid(struct tasks *t, u32 tid)
{
	const struct world_task *task = tid ? task_find(&t->w->tasks, tid) : NULL;

	return task ? file_of(t, task) : idmap_ptr(&t->by_tid, (u64)tid + 1);
}

static const struct world_task *running(const struct tasks *t)
{
	return t->w->nr_cpus ? t->w->cpus[0].running : NULL;
}

/* The third field of most lines is a task; what lines without one are about: */
static struct task_file *file_of_line(struct tasks *t, const char *line)
{
	const char *field;

	/* The page cache and files that are gone. */
	if (strchr("PpBb-c", *line))
		return NULL;
	/* An address space: who works on it is who runs. */
	if (strchr("Du", *line))
		return file_of(t, running(t));
	field = strchr(line + 2, ' ');
	return field ? file_of_tid(t, (u32)strtoul(field, NULL, 16)) : NULL;
}

static void put_line(struct tasks *t, const char *line, size_t len)
{
	struct task_file *f = file_of_line(t, line);
	char *to = f ? room(t, f, len) : NULL;

	if (!f) {
		to = file_room(&t->kernel);
		memcpy(to, line, len);
		file_done(&t->kernel, to + len);
	} else if (to) {
		memcpy(to, line, len);
		f->len += len;
	}
}

void tasks_lines(struct tasks *t, const char *from, const char *end)
{
	const char *line = from, *next;

	for (; line < end; line = next) {
		next = (const char *)memchr(line, '\n', end - line) + 1;
		put_line(t, line, next - line);
	}
}

static char *put_ref(char *to, const struct refs_ref *ref, u64 page)
{
	static const char letters[] = "irw";

	*to++ = letters[ref->kind];
	*to++ = ' ';
	to = hex_put(to, ref->time);
	*to++ = ' ';
	to = hex_put(to, ref->length);
	*to++ = ' ';
	to = hex_put(to, ref->address >> REFS_PAGE_SHIFT);
	*to++ = ' ';
	to = hex_put(to, page);
	*to++ = '\n';
	return to;
}

void tasks_ref(struct tasks *t, const struct refs_ref *ref, u64 page)
{
	struct task_file *f = ref->kernel ? NULL : file_of(t, running(t));
	char *to;

	if (!f) {
		t->nobody += !ref->kernel;
		file_done(&t->kernel, put_ref(file_room(&t->kernel), ref, page));
		return;
	}
	to = room(t, f, LINE_MAX_REF);
	if (to)
		f->len = put_ref(to, ref, page) - f->buf;
}

/* The task makes no references any more; lines about it may still come. */
static void on_dead(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct tasks *t = data;
	struct idmap_slot *slot = idmap_get(&t->by_id, (u64)it->task->id + 1);

	if (slot)
		leave(t, slot);
}

int tasks_begin(struct tasks *t, struct world *w, struct processes *processes, const char *dir)
{
	char path[PATH_MAX];
	int ret;

	t->w = w;
	t->processes = processes;
	t->dir = dir;
	snprintf(path, sizeof(path), "%s/processes", dir);
	if (mkdir(path, 0777))
		return report_error(path, "cannot make", errno);
	snprintf(path, sizeof(path), "%s/kernel.txt", dir);
	ret = file_open(&t->kernel, path, &t->error);
	return ret ? ret : hook_attach(&w->hooks, WORLD_TASK_DEAD, on_dead, t);
}

int tasks_end(struct tasks *t)
{
	struct task_file *f;

	file_close(&t->kernel);
	while ((f = t->all)) {
		t->all = f->next;
		flush(t, f);
		free(f->buf);
		free(f->path);
		free(f);
	}
	idmap_free(&t->by_id);
	idmap_free(&t->by_tid);
	return t->error;
}
