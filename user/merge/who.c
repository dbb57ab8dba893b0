// SPDX-License-Identifier: GPL-2.0-only
/* The processes that write logs, as a capture knows them: see who.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "merge/who.h"
#include "util/sorted.h"

/* A list with room for one more entry of @size bytes after @nr; NULL without memory. */
static void *one_more(void *list, u32 nr, size_t size)
{
	if (nr & (nr - 1))
		return list;
	return realloc(list, (nr ? 2 * (size_t)nr : 1) * size);
}

/* Until @tsc the task has had the number @tid. */
static int add_life(struct xray_who *who, const struct world_task *task, u32 tid, u64 tsc)
{
	struct xray_past *life;

	if (!sorted_has(who->tids, who->nr_tids, tid))
		return 0;
	life = one_more(who->lives, who->nr_lives, sizeof(*life));
	if (!life)
		return -ENOMEM;
	who->lives = life;
	life += who->nr_lives++;
	life->tsc = tsc;
	life->tid = tid;
	life->pid = task->tgid ? task->tgid : task->tid;
	return 0;
}

static void on_dead(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	if (add_life(data, it->task, it->task->tid, it->tsc))
		hook_fail(ctx->domain, -ENOMEM);
}

static void on_number(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;

	if (add_life(data, it->task, it->tid, it->tsc))
		hook_fail(ctx->domain, -ENOMEM);
}

static void on_end(void *data, const struct hook_ctx *ctx)
{
	struct xray_who *who = data;
	u32 i;

	for (i = 0; i < who->nr_tids; i++) {
		const struct world_task *task = task_find(&who->world->tasks, who->tids[i]);

		if (task && add_life(who, task, task->tid, ~0ULL))
			hook_fail(ctx->domain, -ENOMEM);
	}
}

/* Of all that have had the number, the last one runs another program. */
static void note_exec(struct xray_who *who, u32 pid, u64 tsc)
{
	const struct idmap_slot *slot = idmap_get(&who->forked, pid);

	if (slot && who->forks[slot->bits].exec == ~0ULL)
		who->forks[slot->bits].exec = tsc;
}

static void on_exec(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	const struct ovnik_task_exec *rec = it->rec;
	struct xray_who *who = data;
	struct xray_exec *exec = one_more(who->execs, who->nr_execs, sizeof(*exec));
	char *path = strdup(rec->filename);

	if (exec)
		who->execs = exec;
	if (!exec || !path) {
		free(path);
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	exec += who->nr_execs++;
	exec->tsc = it->tsc;
	exec->pid = rec->tgid;
	exec->ino = rec->ino;
	exec->path = path;
	note_exec(who, exec->pid, exec->tsc);
}

static void on_new(void *data, const struct hook_ctx *ctx)
{
	const struct world_item *it = ctx->item;
	struct xray_who *who = data;
	struct idmap_slot *slot;
	struct xray_fork *fork;

	if (!it->other || it->task->tid != it->task->tgid)
		return;
	fork = one_more(who->forks, who->nr_forks, sizeof(*fork));
	if (fork)
		who->forks = fork;
	slot = idmap_put(&who->forked, it->task->tgid);
	if (!fork || !slot) {
		hook_fail(ctx->domain, -ENOMEM);
		return;
	}
	slot->bits = who->nr_forks;
	fork += who->nr_forks++;
	fork->tsc = it->tsc;
	fork->pid = it->task->tgid;
	fork->parent = it->other->tgid;
	fork->exec = ~0ULL;
}

static void forget(struct xray_who *who)
{
	u32 i;

	for (i = 0; i < who->nr_execs; i++)
		free(who->execs[i].path);
	free(who->execs);
	free(who->forks);
	free(who->lives);
	idmap_free(&who->forked);
	who->execs = NULL;
	who->forks = NULL;
	who->lives = NULL;
	who->nr_execs = 0;
	who->nr_forks = 0;
	who->nr_lives = 0;
}

int xray_who_attach(struct xray_who *who, struct world *w)
{
	static const struct hook_use hooks[] = {
		{ WORLD_TASK_DEAD, on_dead },
		{ WORLD_TASK_NUMBER, on_number },
		{ WORLD_TASK_EXEC, on_exec },
		{ WORLD_TASK_NEW, on_new },
		{ WORLD_CAPTURE_END, on_end },
	};

	forget(who);
	who->world = w;
	return hook_attach_all(&w->hooks, hooks, ARRAY_SIZE(hooks), who);
}

u32 xray_who_pid(const struct xray_who *who, u32 tid, u64 tsc)
{
	const struct xray_past *last = NULL;
	u32 i;

	for (i = 0; i < who->nr_lives; i++) {
		if (who->lives[i].tid != tid)
			continue;
		last = &who->lives[i];
		if (last->tsc >= tsc)
			break;
	}
	return last ? last->pid : 0;
}

const struct xray_exec *xray_who_exec(const struct xray_who *who, u32 pid, u64 tsc)
{
	u32 forks = who->nr_forks, i = who->nr_execs;

	/* Each step goes back in time, from child to parent. */
	for (;;) {
		while (i && (who->execs[i - 1].pid != pid || who->execs[i - 1].tsc > tsc))
			i--;
		while (forks && (who->forks[forks - 1].pid != pid ||
				 who->forks[forks - 1].tsc > tsc))
			forks--;
		if (i && (!forks || who->execs[i - 1].tsc >= who->forks[forks - 1].tsc))
			return &who->execs[i - 1];
		if (!forks)
			return NULL;
		forks--;
		tsc = who->forks[forks].tsc;
		pid = who->forks[forks].parent;
		i = who->nr_execs;
	}
}

u32 xray_who_twin(const struct xray_who *who, u32 pid, u64 tsc)
{
	u32 i;

	for (i = 0; i < who->nr_forks; i++) {
		const struct xray_fork *fork = &who->forks[i];

		if (fork->parent == pid && fork->tsc < tsc && fork->exec > tsc)
			return fork->pid;
	}
	return 0;
}

void xray_who_free(struct xray_who *who)
{
	forget(who);
	memset(who, 0, sizeof(*who));
}
